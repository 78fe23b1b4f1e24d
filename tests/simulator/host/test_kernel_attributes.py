"""What is known of a kernel, as CuPy names it; launches that CuPy lets pass."""

import io

import numpy as np
import pytest

import simulator

TEXT = """__constant__ float weights[9];
__constant__ double other[100];
__device__ int found;
extern "C" __global__ void __launch_bounds__(256) k(float *a) {
  __shared__ float s[64];
  s[threadIdx.x % 64] = weights[threadIdx.x % 9];
  __syncthreads();
  a[threadIdx.x] = s[0];
  found = 1;
}
extern "C" __global__ void plain(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
"""


def kernel(name: str = "k", **more) -> simulator.RawKernel:
    return simulator.RawModule(code=TEXT, **more).get_function(name)


def test_attributes_are_those_of_cupy() -> None:
    found = kernel().attributes
    assert found == {
        "max_threads_per_block": 256,
        "shared_size_bytes": 256,
        "const_size_bytes": 36,
        "local_size_bytes": -1,
        "num_regs": -1,
        "ptx_version": 90,
        "binary_version": 90,
        "cache_mode_ca": 0,
        "max_dynamic_shared_size_bytes": (48 << 10) - 256,
        "preferred_shared_memory_carveout": -1,
    }
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    assert all(hasattr(cupy.RawKernel, name) for name in found)


def test_attributes_of_another_device() -> None:
    with simulator.Device("gtx980"):
        assert kernel("plain").attributes["binary_version"] == 52
        assert kernel("plain").max_threads_per_block == 1024


def test_what_can_be_set() -> None:
    own = kernel()
    own.max_dynamic_shared_size_bytes = 100_000
    own.preferred_shared_memory_carveout = 50
    assert own.attributes["max_dynamic_shared_size_bytes"] == 100_000
    assert own.preferred_shared_memory_carveout == 50
    with pytest.raises(simulator.LaunchError, match="101 percent"):
        own.preferred_shared_memory_carveout = 101
    with pytest.raises(AttributeError):
        own.num_regs = 3  # type: ignore[misc]


def test_handles_of_the_driver_are_refused_by_name() -> None:
    with pytest.raises(AttributeError, match="call the RawKernel itself"):
        _ = kernel().kernel
    with pytest.raises(AttributeError, match="TextureObject"):
        simulator.RawModule(code=TEXT).get_texref("t")
    with pytest.raises(AttributeError, match="get_function"):
        _ = simulator.RawModule(code=TEXT).module


def test_compiling_writes_the_warnings() -> None:
    text = """extern "C" __global__ void k(int *a) { if (a[0] = 1) a[1] = 2; }"""
    log = io.StringIO()
    simulator.RawModule(code=text).compile(log_stream=log)
    simulator.RawKernel(text, "k").compile(log_stream=log)
    assert log.getvalue().count("warning: ") == 2
    kernel().compile()


@pytest.mark.parametrize(("grid", "block"), [((0,), (4,)), ((1, 0), (4,)), ((1,), (4, 0))])
def test_no_blocks_or_threads_are_one_as_in_cupy(grid, block) -> None:
    a = simulator.zeros(4, "int32")
    with pytest.warns(UserWarning, match="takes 1 for 0"):
        kernel("plain")(grid, block, (a,))
    assert a.get().tolist() == [1] * 4


def test_less_is_refused() -> None:
    with pytest.raises(simulator.LaunchError, match=r"grid\.x = -1"):
        kernel("plain")((-1,), (4,), (simulator.zeros(4, "int32"),))


def test_a_stream_may_be_given() -> None:
    a = simulator.zeros(4, "int32")
    stream = simulator.cuda.Stream(non_blocking=True)
    kernel("plain")((1,), (4,), (a,), stream=stream, shared_mem=0)
    assert a.get().tolist() == [1] * 4


def test_several_names_and_variables_in_one_module() -> None:
    text = """
    __constant__ float scale[2];
    __device__ int calls;
    template <typename T, int N> __global__ void fill(T *a) {
      a[threadIdx.x] = T(N * scale[threadIdx.x]);
      if (threadIdx.x == 0) atomicAdd(&calls, 1);
    }"""
    names = ["fill<float, 3>", "fill<double, 2>", "fill<int, 5>"]
    module = simulator.RawModule(code=text, name_expressions=names, options=("-std=c++14",))
    scale = simulator.ndarray(2, "float32", module.get_global("scale"))
    scale[...] = simulator.asarray([1, 2], "float32")
    for name, dtype, times in zip(names, ("f4", "f8", "i4"), (3, 2, 5), strict=True):
        a = simulator.zeros(2, dtype)
        module.get_function(name)((1,), (2,), (a,))
        assert a.get().tolist() == [times, 2 * times]
    assert int(simulator.ndarray((), "int32", module.get_global("calls"))) == 3


def test_complex_and_structured_arguments() -> None:
    text = """#include <cupy/complex.cuh>
    struct P { double x; int n; };
    extern "C" __global__ void k(complex<float> *z, complex<float> f, complex<double> d, P p) {
      z[threadIdx.x] = z[threadIdx.x] * f + complex<float>(d.real(), p.x + p.n);
    }"""
    z = simulator.asarray([1 + 2j, 3], "complex64")
    point = np.array([(0.5, 2)], np.dtype([("x", "f8"), ("n", "i4")], align=True))
    given = (z, np.complex64(1j), 5 + 1j, point[0])
    simulator.RawKernel(text, "k")((1,), (2,), given)
    assert z.get().tolist() == [3 + 3.5j, 5 + 5.5j]


def test_files_that_cannot_be_read(tmp_path) -> None:
    with pytest.raises(simulator.CompileError, match="CUDA_ERROR_FILE_NOT_FOUND"):
        simulator.RawModule(path=str(tmp_path / "none.cu"))
    (tmp_path / "kernel.cubin").write_bytes(b"\x7fELF")
    with pytest.raises(simulator.CompileError, match="is no CUDA C but compiled code"):
        simulator.RawModule(path=str(tmp_path / "kernel.cubin"))


def test_names_of_instances_need_nvrtc_as_in_cupy() -> None:
    with pytest.raises(ValueError, match="nvrtc"):
        simulator.RawModule(code=TEXT, backend="nvcc", name_expressions=["f<int>"])
