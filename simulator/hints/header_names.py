"""Names that CUDA, its headers and CuPy's bring and the simulator has not: what to use instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_FLOAT = "use float"
_RANDOM = "use curandState or curandStatePhilox4_32_10_t"
_POISSON = "count how many numbers of curand_uniform have a product above exp(-lambda)"
_ARRAY = "pass a pointer, and the lengths as numbers"
_HOST = "keep host code in Python"
_BARRIER = "call its members; `__mbarrier_t` of `cuda_awbarrier_primitives.h` has functions for it"
_TENSOR_COPY = "copy by `cuda::memcpy_async`: there is no tensor memory accelerator"
_REDUCE = "add in a loop of __shfl_down_sync, then through a shared array"
_SCAN = "scan in a loop of __shfl_up_sync, then through a shared array"
_SORT = "sort on the host"
_MEMBERS = "keep one variable for each member"
_WRITE = "write it out in plain C"
_BYTES = "take the parts with shifts and `&`, compute, and put them together"
_ROUND = "the simulator rounds to nearest: use the plain operator, or fma and sqrt"
_CONVERT = "use a cast: it rounds to zero for integers, to nearest for floats"


class HeaderName(NamedTuple):
    """The header that brings a name, and what to use instead."""

    header: str
    remedy: str

    @property
    def hint(self) -> str:
        """What a message says of it."""
        return f"it comes from `{self.header}`: {self.remedy}" if self.header else self.remedy


#: Each pattern of whole names without a namespace; the first that fits counts.
_PATTERNS = [
    (r"__half2?_raw", "cuda_fp16.h", "take the bits with __half_as_ushort"),
    (r"__nv_bfloat162?_raw", "cuda_bf16.h", "take the bits with __bfloat16_as_ushort"),
    (r"__nv_fp8\w+|__nv_cvt_\w+fp8\w*", "cuda_fp8.h", _FLOAT),
    (r"__\w*2?bfloat16\w*|__bfloat16\w*", "cuda_bf16.h", _FLOAT),
    (r"__\w*half\w*|__(low|high|lows|highs)2\w+", "cuda_fp16.h", _FLOAT),
    (r"curand_(uniform|normal|log_normal)4_double", "curand_kernel.h", "call the one for 2 twice"),
    (r"curand_(poisson|discrete)4?", "curand_kernel.h", _POISSON),
    (r"curand\w*", "curand_kernel.h", _RANDOM),
    (r"b?float16", "cupy/float16.cuh", _FLOAT),
    (r"CArray|CIndexer|RawCArray", "cupy/carray.cuh", _ARRAY),
    (r"__pipeline_\w+", "cuda_pipeline.h", "use __pipeline_wait_prior"),
    (r"__mbarrier_\w+", "cuda_awbarrier.h", "count arrivals and threads in variables"),
    (r"__nv_atomic_\w+", "", "use `cuda::atomic_ref`, or __nv_atomic_load_n and its kin"),
    (r"cuda(?!Stream)[A-Z]\w*(_t)?", "cuda_runtime.h", _HOST),
    (r"cublas\w+", "cublas_v2.h", _HOST),
    (r"cufft\w+", "cufft.h", _HOST),
    (r"cusparse\w+", "cusparse.h", _HOST),
]
#: Those of them that are types and no templates, as far as kernels use them.
TYPES = """
float16 bfloat16
curandStateMRG32k3a_t curandStateMRG32k3a curandStateMtgp32_t curandStateMtgp32
curandStateSobol32_t curandStateSobol64_t curandStateScrambledSobol32_t
curandStateScrambledSobol64_t curandDirectionVectors32_t curandDirectionVectors64_t
cudaEvent_t
""".split()
_COMPILED = [(re.compile(pattern), header, remedy) for pattern, header, remedy in _PATTERNS]

#: Each pattern of CUDA's own functions, and what to do instead; the first that fits counts.
_FUNCTIONS = [
    (r"__v[a-z]+[24]", _BYTES),
    (r"__reduce_\w+_sync", "use a loop of __shfl_down_sync"),
    (r"__(shfl(_up|_down|_xor)?|ballot|any|all)", "use `{name}_sync` with a mask"),
    (r"__clock\w*|__globaltimer", "use clock64; measure on the host, with events"),
    (r"__brkpt|__prof_trigger", "leave it out; __trap ends the kernel"),
    (r"__fns", "find the bit with __ffs in a loop"),
    (r"__(f|d)(add|sub|mul|div|ma|sqrt|rsqrt|rcp)_r[nzud]", _ROUND),
    (
        r"__(u?int|u?ll|float|double|half|hi|lo)\w*2(u?int|u?ll|float|double|half|hi|lo)\w*",
        _CONVERT,
    ),
    (r"__cvta_\w+", "convert generic pointers to those of shared memory, or back"),
    (r"__is(Constant|GridConstant)", "keep apart what points where"),
    (r"__assume", "write __builtin_assume"),
    (r"tanpif?", "divide sinpi by cospi"),
    (r"normf", "add the squares in a loop, and call sqrt"),
    (r"rnormf?", "add the squares in a loop, and call rsqrt"),
    (r"nanf?", "use the macro NAN"),
    (r"__vi(max|min|addmax|addmin|bmax|bmin)3?_\w+", "use min and max"),
    (r"cudaGridDependencySynchronize|cudaTriggerProgrammaticLaunchCompletion", "leave it out"),
    (r"cuda[A-Z]\w*", "keep host code in Python"),
]

#: The pattern of all that a namespace has beside what is listed.
_REST = r"\w+"
_CUB = [
    (r"(Block|Warp|Device|Thread)\w*Reduce\w*", _REDUCE),
    (r"(Block|Warp|Device|Thread)\w*Scan\w*", _SCAN),
    (r"(Block|Warp|Device)\w*Sort\w*", _SORT),
    (r"(Block|Warp)(Load|Store|Exchange)\w*", "let each thread load and store its elements"),
    (r"LaneId|WarpId|WarpMask", "compute it from threadIdx"),
    (_REST, _WRITE),
]
_SPACES: dict[str, list[tuple[str, str, str]]] = {
    "cub": [(p, "cub/cub.cuh", remedy) for p, remedy in _CUB],
    "thrust": [
        (r"pair|make_pair", "thrust/pair.h", _MEMBERS),
        (r"tuple|make_tuple|get|tie", "thrust/tuple.h", _MEMBERS),
        (r"(device|host)_vector|device_ptr", "thrust/device_vector.h", _HOST),
        (_REST, "", _WRITE),
    ],
    "cuda": [
        (r"atomic\w*", "cuda/atomic", "call the member functions of `cuda::atomic_ref`"),
        (r"aligned_size_t", "cuda/barrier", "include that header, or pass the number of bytes"),
        (r"pipeline_producer_commit", "cuda/pipeline", "call `pipe.producer_commit()`"),
        (r"pipeline_\w*", "cuda/pipeline", "call the member functions of `cuda::pipeline`"),
        (r"\w*semaphore|latch", "cuda/semaphore", "count with atomicAdd"),
        (_REST, "", "use the functions and atomics of CUDA C"),
    ],
    "cuda::ptx": [(_REST, "cuda/ptx", _WRITE)],
    "cuda::device": [
        (r"barrier_native_handle", "cuda/barrier", _BARRIER),
        (r"barrier_\w+_tx|memcpy_async_tx", "cuda/barrier", _TENSOR_COPY),
        (_REST, "", "use the functions of CUDA C"),
    ],
    "nvcuda": [
        (r"bmma_sync|[us]4|b1|bmma\w+", "mma.h", "multiply matrices of `signed char`"),
        (r"fragment", "mma.h", "include it, and write `nvcuda::wmma::` in front"),
        (_REST, "mma.h", "use its fragments"),
    ],
}

#: The names of CUDA's C++ library that the simulator has once one of their headers is included.
OWN: dict[str, str] = {
    **dict.fromkeys(
        """atomic atomic_ref atomic_flag atomic_thread_fence memory_order memory_order_relaxed
        memory_order_consume memory_order_acquire memory_order_release memory_order_acq_rel
        memory_order_seq_cst thread_scope thread_scope_system thread_scope_device
        thread_scope_block thread_scope_thread""".split(),
        "cuda/atomic",
    ),
    "barrier": "cuda/barrier",
    **dict.fromkeys(
        """pipeline make_pipeline pipeline_shared_state pipeline_role pipeline_consumer_wait_prior
        memcpy_async""".split(),
        "cuda/pipeline",
    ),
}
#: The same of C++'s library, as `std::` and `cuda::std::`.
OWN_STANDARD: dict[str, str] = {
    **{name: header for name, header in OWN.items() if header == "cuda/atomic"},
    **dict.fromkeys("forward move swap exchange pair make_pair".split(), "cuda/std/utility"),
    "array": "cuda/std/array",
    "numeric_limits": "cuda/std/limits",
}

#: Namespaces within those that programs use without declaring them.
NESTED = frozenset(
    [
        *("cuda::std", "cuda::ptx", "nvcuda::wmma", "nvcuda::wmma::precision"),
        *(f"nvcuda::wmma::experimental{inner}" for inner in ("", "::precision")),
    ]
)


def header_name(name: str) -> HeaderName | None:
    """Where a name without a namespace comes from; None if no header brings it.

    Examples
    --------
    >>> header_name("cublasHandle_t")
    HeaderName(header='cublas_v2.h', remedy='keep host code in Python')
    >>> header_name("frontier") is None
    True
    """
    return _first(name, _COMPILED)


def member_of(space: str, name: str) -> HeaderName | None:
    """Where `space::name` comes from; None if the namespace is none of NVIDIA's."""
    outer = space.split("::")[0]
    patterns = _SPACES.get(space, _SPACES.get(outer, []))
    return _first(name, ((re.compile(p), header, remedy) for p, header, remedy in patterns))


def template_of(name: str) -> HeaderName | None:
    """Where a template that `using namespace` brings comes from; None if no header has it."""
    for patterns in _SPACES.values():
        sure = [(re.compile(p), header, remedy) for p, header, remedy in patterns if p != _REST]
        if (found := _first(name, sure)) is not None:
            return found
    return None


def _first(name: str, among: Iterable[tuple[re.Pattern[str], str, str]]) -> HeaderName | None:
    found = (HeaderName(header, remedy) for p, header, remedy in among if p.fullmatch(name))
    return next(found, None)


def instead_of_function(name: str) -> str | None:
    """Return what to do instead of calling CUDA's `name`, None if CUDA has no such function.

    Examples
    --------
    >>> instead_of_function("__reduce_mul_sync")
    'use a loop of __shfl_down_sync'
    >>> instead_of_function("reduce") is None
    True
    """
    found = (text for pattern, text in _FUNCTIONS if re.fullmatch(pattern, name))
    return next((text.format(name=name) for text in found), None)
