"""Headers that come with CUDA, CuPy and the compiler: unused they are harmless; what is not."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.hints.header_names import header_name
from simulator.hints.unsupported import TYPE_TRAITS
from simulator.read.headers import STANDARD_HEADERS, is_standard, own_text
from tests.simulator.launching import run, source

DEEP = """cub/block/block_reduce.cuh cub/cub.cuh cub/block/specializations/block_scan_raking.cuh
thrust/complex.h thrust/detail/complex/arithmetic.h cupy/complex/complex.h crt/mma.h
cooperative_groups/details/info.h""".split()


@pytest.mark.parametrize("opening", ["<{}>", '"{}"'])
def test_headers_that_are_not_used_change_nothing(opening: str) -> None:
    names = [*sorted(STANDARD_HEADERS), *DEEP]
    text = "\n".join(f"#include {opening.format(name)}" for name in names)
    found = run(
        f"{text}\n{source('int *a', 'a[threadIdx.x] = threadIdx.x;')}", np.zeros(4, "i4"), block=4
    )
    assert found.arrays[0].tolist() == [0, 1, 2, 3]


def test_all_that_cupy_brings_is_known() -> None:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    root = Path(cupy.__file__).parent / "_core" / "include"
    library = root / "cupy" / "_cccl" / "libcudacxx"
    top = [file for file in (root / "cupy").iterdir() if file.suffix in (".h", ".cuh")]
    own = [f"cupy/{file.name}" for file in top if "hip" not in file.name]
    public = [
        str(file.relative_to(library))
        for folder in ("cuda", "cuda/std")
        for file in (library / folder).iterdir()
        if file.is_file() and not file.suffix and file.name[0] != "_"
    ]
    cub, thrust = (root / "cupy" / "_cccl" / name for name in ("cub", "thrust"))
    deep = [str(file.relative_to(cub)) for file in cub.glob("cub/**/*.cuh")]
    deep += [str(file.relative_to(thrust)) for file in thrust.glob("thrust/**/*.h")]
    assert len(own) > 5
    assert len(public) > 50
    assert len(deep) > 200
    assert [name for name in (*own, *public, *deep) if not is_standard(name)] == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("cuda_fp16.hh", "`cuda_fp16.h`"),
        ("cuda/atomics", "`cuda/atomic`"),
        ("cupy/complex.h", "`cupy/complex.cuh`"),
        ("curand_kernels.h", "`curand_kernel.h`"),
        ("cub/block/block_reduce.h", ""),
    ],
)
def test_a_misspelt_header_is_unknown(name: str, meant: str) -> None:
    with pytest.raises(simulator.CompileError, match="is not known") as caught:
        simulator.RawModule(f"#include <{name}>")
    assert meant in caught.value.hint


@pytest.mark.parametrize("name", ["iostream", "vector", "algorithm", "unistd.h", "bits/stdc++.h"])
def test_headers_of_the_host_are_refused(name: str) -> None:
    with pytest.raises(simulator.CompileError, match="is of the host's library"):
        simulator.RawModule(f"#include <{name}>")


@pytest.mark.parametrize("name", ["memcpy_async", "reduce", "scan"])
def test_headers_of_groups_bring_the_groups(name: str) -> None:
    text = f"#include <cooperative_groups/{name}.h>\n__device__ int n;\n"
    body = "n = cooperative_groups::this_thread_block().thread_rank();"
    simulator.RawModule(f"{text}__global__ void k() {{ {body} }}")


def test_what_nvrtc_does_not_read_is_not_read() -> None:
    text = "#ifndef __CUDACC_RTC__\n#include <iostream>\n#endif\n__global__ void k() {}"
    assert list(simulator.RawModule(text).program.kernels) == ["k"]


USES = [
    ("__half_raw h;", "__half_raw", "cuda_fp16.h"),
    ("__nv_fp8_e4m3 h;", "__nv_fp8_e4m3", "cuda_fp8.h"),
    ("curandStateMRG32k3a_t s;", "curandStateMRG32k3a_t", "curand_kernel.h"),
    ("curandStateSobol32_t *s;", "curandStateSobol32_t", "curand_kernel.h"),
    ("a[0] = curand_poisson(a, 2);", "curand_poisson", "curand_kernel.h"),
    ("nvcuda::wmma::bmma_sync(a, a, a, a);", "nvcuda::wmma::bmma_sync", "mma.h"),
    ("using namespace nvcuda; wmma::bmmaBitOp f;", "nvcuda::wmma::bmmaBitOp", "mma.h"),
    ("cuda::atomic_fetch_add(a, 1);", "cuda::atomic_fetch_add", "cuda/atomic"),
    ("cuda::counting_semaphore<> *s;", "cuda::counting_semaphore", "cuda/semaphore"),
    (
        "cuda::device::barrier_native_handle(a);",
        "cuda::device::barrier_native_handle",
        "cuda/barrier",
    ),
    ("typedef cub::BlockReduce<int, 128> Reduce;", "cub::BlockReduce", "cub/cub.cuh"),
    ("using Scan = cub::WarpScan<int>;", "cub::WarpScan", "cub/cub.cuh"),
    ("using namespace cub; BlockScan<int, 128> s;", "BlockScan", "cub/cub.cuh"),
    ("CArray<float, 1> x;", "CArray", "cupy/carray.cuh"),
    ("float16 x;", "float16", "cupy/float16.cuh"),
    ("__pipeline_arrive_on(a);", "__pipeline_arrive_on", "cuda_pipeline.h"),
    ("cudaArray_t t;", "cudaArray_t", "cuda_runtime.h"),
    ("cudaDeviceProp p;", "cudaDeviceProp", "cuda_runtime.h"),
    ("cudaMalloc(a, 4);", "cudaMalloc", "cuda_runtime.h"),
    ("a[0] = cudaMemcpyHostToDevice;", "cudaMemcpyHostToDevice", "cuda_runtime.h"),
    ("cublasHandle_t h;", "cublasHandle_t", "cublas_v2.h"),
]


@pytest.mark.parametrize(("use", "name", "header"), USES, ids=[use for use, _, _ in USES])
@pytest.mark.parametrize("included", [False, True])
def test_what_is_used_is_refused_by_its_name(
    use: str, name: str, header: str, included: bool
) -> None:
    text = f"#include <{header}>\n" if included else "\n"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(f"{text}__global__ void k(int *a) {{\n{use}\n}}")
    error = caught.value
    assert error.message == f"`{name}` is not supported"
    assert error.hint.startswith(f"it comes from `{header}`: ")
    assert error.span is not None
    assert (error.span.line, error.span.text.split("::")[-1]) == (3, name.split("::")[-1])


NEEDS = [
    ("half h;", "half", "cuda_fp16.h"),
    ("half2 h;", "half2", "cuda_fp16.h"),
    ("__half *h;", "__half", "cuda_fp16.h"),
    ("a[0] = __half2float(a[1]);", "__half2float", "cuda_fp16.h"),
    ("a[0] = __hadd2(a[1], 2);", "__hadd2", "cuda_fp16.h"),
    ("a[0] = hsqrt(a[1]);", "hsqrt", "cuda_fp16.h"),
    ("__nv_bfloat16 h;", "__nv_bfloat16", "cuda_bf16.h"),
    ("a[0] = __bfloat162float(a[1]);", "__bfloat162float", "cuda_bf16.h"),
    ("complex<float> z;", "complex", "cupy/complex.cuh"),
    ("thrust::complex<float> z;", "thrust::complex", "cupy/complex.cuh"),
    ("a[0] = thrust::abs(a[0]);", "thrust::abs", "cupy/complex.cuh"),
    ("a[0] = norm(a[0]);", "norm", "cupy/complex.cuh"),
    ("cuFloatComplex z;", "cuFloatComplex", "cuComplex.h"),
    ("a[0] = cuCabsf(a[0]);", "cuCabsf", "cuComplex.h"),
    ("__pipeline_memcpy_async(a, a, 4);", "__pipeline_memcpy_async", "cuda_pipeline.h"),
    ("nvcuda::wmma::mma_sync(a, a, a, a);", "nvcuda::wmma::mma_sync", "mma.h"),
    ("nvcuda::wmma::fragment<int> f;", "nvcuda::wmma::fragment", "mma.h"),
    ("curandState s;", "curandState", "curand_kernel.h"),
    ("curandStatePhilox4_32_10_t *s;", "curandStatePhilox4_32_10_t", "curand_kernel.h"),
    ("curand_init(1, 2, 3, a);", "curand_init", "curand_kernel.h"),
    ("a[0] = curand_uniform(a);", "curand_uniform", "curand_kernel.h"),
    ("cuda::atomic_ref<int> r(a[0]);", "cuda::atomic_ref", "cuda/atomic"),
    ("cuda::atomic<int, cuda::thread_scope_device> *r;", "cuda::atomic", "cuda/atomic"),
    ("cuda::barrier<cuda::thread_scope_block> b;", "cuda::barrier", "cuda/barrier"),
    ("auto p = cuda::make_pipeline();", "cuda::make_pipeline", "cuda/pipeline"),
    ("using namespace cuda; atomic<int> *r;", "atomic", "cuda/atomic"),
    ("a[0] = std::numeric_limits<int>::max();", "std::numeric_limits", "cuda/std/limits"),
    ("cuda::std::array<int, 3> b;", "cuda::std::array", "cuda/std/array"),
    ("a[0] = std::move(a[1]);", "std::move", "cuda/std/utility"),
    ("__mbarrier_init(a, 1);", "__mbarrier_init", "cuda_awbarrier_primitives.h"),
]


@pytest.mark.parametrize(("use", "name", "header"), NEEDS, ids=[use for use, _, _ in NEEDS])
def test_what_a_header_brings_needs_it(use: str, name: str, header: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(f"__global__ void k(int *a) {{\n{use}\n}}")
    assert caught.value.message == f"`{name}` needs its header"
    assert f"write `#include <{header}>`" in caught.value.hint
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.text) == (2, name)


@pytest.mark.parametrize(
    "parameter", ["__half_raw *x", "curandStateMtgp32 *x", "CArray<float, 1> x"]
)
def test_parameters_are_refused_by_the_name_of_their_type(parameter: str) -> None:
    with pytest.raises(simulator.CompileError, match="is not supported") as caught:
        simulator.RawModule(f"__global__ void k({parameter}) {{ }}")
    assert caught.value.hint.startswith("it comes from ")


@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("a[0] = std::is_enum<int>::value;", "std::is_enum"),
        ("a[0] = std::is_class_v<int>;", "std::is_class_v"),
        ("cuda::std::tuple<int, float> b;", "cuda::std::tuple"),
        ("using namespace std; vector<int> b;", "vector"),
    ],
)
def test_names_of_the_standard_library(use: str, name: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(f"__global__ void k(int *a) {{\n{use}\n}}")
    assert caught.value.message == f"`{name}` is not supported"
    assert "write it out" not in caught.value.hint


@pytest.mark.parametrize("name", sorted(TYPE_TRAITS))
@pytest.mark.parametrize("space", ["std", "cuda::std"])
def test_traits_of_types_name_their_header(name: str, space: str) -> None:
    kernel = f"__global__ void k(int *a) {{ a[0] = {space}::{name}<int>::value; }}"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(kernel)
    assert caught.value.message == f"`{space}::{name}` needs its header"
    assert caught.value.hint == "write `#include <type_traits>`"


def test_the_traits_that_are_known_are_those_of_the_header() -> None:
    declared = r"^(?:struct|using|inline constexpr bool) (?!__)(\w+)(?=\s*[{:;=])"
    assert set(re.findall(declared, own_text("type_traits.cuh"), re.M)) == TYPE_TRAITS


@pytest.mark.parametrize("header", ["type_traits", "cuda/std/type_traits", "thrust/complex.h"])
def test_headers_that_bring_the_traits_of_types(header: str) -> None:
    text = source("int *a", "a[0] = 2 + std::is_same<int, int>::value;", f"#include <{header}>")
    assert run(text, np.zeros(1, "i4")).arrays[0].tolist() == [3]


def test_names_that_a_program_declares_are_its_own() -> None:
    functions = """struct half { int x; }; struct complex { float re, im; };
    __device__ int curand(int x) { return 3 * x; }
    template <typename T> __device__ T hsqrt(T x) { return x + 1; }"""
    body = """half h; h.x = 4; complex z; z.re = 0.5f; int fragment = 7, atomic = 2;
    a[0] = h.x + curand(2) + hsqrt<int>(1) + (fragment < atomic) + (int)(2 * z.re);"""
    assert run(source("int *a", body, functions), np.zeros(1, "i4")).arrays[0].tolist() == [13]


def test_cudas_standard_library_has_what_the_standard_library_has() -> None:
    body = """cuda::std::uint32_t x = cuda::std::min(a[0], a[1]); std::size_t y = 5;
    a[0] = cuda::std::max((int)x, 2) + y;"""
    assert run(source("int *a", body), np.array([3, 9], "i4")).arrays[0].tolist() == [8, 9]


CONSTANTS = {
    "INT_MAX": 2**31 - 1,
    "UINT32_MAX": 2**32 - 1,
    "INTMAX_MIN": -(2**63),
    "PTRDIFF_MIN": -(2**63),
    "CHAR_BIT": 8,
    "FLT_MAX": float(np.finfo("f4").max),
    "FLT_TRUE_MIN": float(np.finfo("f4").smallest_subnormal),
    "DBL_TRUE_MIN": float(np.finfo("f8").smallest_subnormal),
    "FLT_MANT_DIG": 24,
    "DBL_MIN_EXP": -1021,
    "M_PI_4": math.pi / 4,
    "M_LOG10E": math.log10(math.e),
    "M_SQRT1_2": math.sqrt(0.5),
    "CUDART_INF_F": math.inf,
    "CUDART_PIO2_F": float(np.float32(math.pi / 2)),
    "CUDART_L2E": math.log2(math.e),
    "CUDART_THIRD_F": float(np.float32(1 / 3)),
    "CUDART_MAX_NORMAL_F": float(np.finfo("f4").max),
    "CUDART_NEG_ZERO": 0.0,
}


def test_constants_of_headers() -> None:
    body = " ".join(f"a[{place}] = {name};" for place, name in enumerate(CONSTANTS))
    found = run(source("double *a", body), np.zeros(len(CONSTANTS), "f8")).arrays[0]
    for value, (name, wanted) in zip(found, CONSTANTS.items(), strict=True):
        assert value == pytest.approx(wanted, rel=1e-15, abs=0), name
    assert math.copysign(1, found[-1]) == -1


@pytest.mark.parametrize("name", ["frontier", "halfway", "__hadd", "curve", "cudf", "complexity"])
def test_other_names_come_from_no_header(name: str) -> None:
    assert header_name(name) is None


@pytest.mark.parametrize(
    ("header", "types"),
    [
        ("cublas_v2.h", "half *a, __nv_bfloat16 *b"),
        ("mma.h", "half *a, __nv_bfloat16 *b"),
        ("cupy/float16.cuh", "half *a"),
        ("cupy/bfloat16.cuh", "__nv_bfloat16 *a"),
    ],
)
def test_headers_that_include_those_of_small_floats(header: str, types: str) -> None:
    text = f"#include <{header}>\n__global__ void f({types}) {{ a[0] = a[1]; }}"
    simulator.RawKernel(text, "f").compiled()


def test_constants_beyond_a_half() -> None:
    text = (
        "#include <cuda_fp16.h>\n__global__ void f(half *a) { a[0] = 65520; a[1] = (half)100000; }"
    )
    simulator.RawKernel(text, "f").compiled()
