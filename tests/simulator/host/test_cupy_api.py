"""A program written for CuPy runs after its import is changed; what is missing says so."""

import inspect
import os

import numpy as np
import pytest

import simulator

PROGRAM = r'''
def main(cupy):
    module = cupy.RawModule(code=r"""
    extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] += a * x[i];
    }""", options=("-std=c++17",))
    saxpy = module.get_function("saxpy")
    x = cupy.arange(1000, dtype=cupy.float32) if hasattr(cupy, "float32") else cupy.arange(
        1000, dtype="float32")
    y = cupy.full(1000, 2, dtype="float32")
    stream = cupy.cuda.Stream(non_blocking=True)
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    with stream:
        start.record()
        saxpy((4,), (256,), (x, y, np.float32(3), 1000))
        end.record()
    end.synchronize()
    cupy.cuda.Device().synchronize()
    cupy.cuda.Stream.null.synchronize()
    assert cupy.cuda.get_elapsed_time(start, end) >= 0
    return cupy.asnumpy(y)
'''


def test_a_cupy_program_runs() -> None:
    scope: dict = {"np": np}
    exec(PROGRAM, scope)
    result = scope["main"](simulator)
    np.testing.assert_array_equal(result, 2 + 3 * np.arange(1000, dtype=np.float32))


def test_modules_are_imported_as_cupys() -> None:
    scope: dict = {}
    lines = "from simulator.cuda import runtime, texture\nfrom simulator.random import rand\n"
    exec(lines + "import simulator.testing as testing\nfrom simulator import sqrt", scope)
    assert scope["runtime"] is simulator.cuda.runtime
    assert scope["testing"] is simulator.testing
    assert float(scope["sqrt"](scope["rand"](3)).max()) < 1


@pytest.mark.parametrize("module", [simulator, simulator.cuda])
def test_what_is_missing_says_so(module) -> None:
    with pytest.raises(AttributeError, match=r"has no 'sparse'.*has"):
        _ = module.sparse


def test_device_arrays_do_not_pose_as_host_arrays() -> None:
    a = simulator.arange(4, dtype="int32")
    with pytest.raises(TypeError, match=r"\.get\(\)"):
        np.asarray(a)
    with pytest.raises(AttributeError, match="on the host"):
        _ = a.to_pandas


def test_signatures_are_cupys() -> None:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    for name in (
        *("array", "asarray", "asnumpy", "ascontiguousarray", "asfortranarray", "arange"),
        *("empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like"),
    ):
        ours = list(inspect.signature(getattr(simulator, name)).parameters)
        theirs = list(inspect.signature(getattr(cupy, name)).parameters)
        assert ours == theirs[: len(ours)], name
    cuda = inspect.signature(cupy.cuda.Event.__init__)
    assert set(inspect.signature(simulator.host.cuda.Event.__init__).parameters) <= set(
        cuda.parameters
    )


def test_elapsed_time_needs_recorded_events() -> None:
    with pytest.raises(ValueError, match="record"):
        simulator.host.cuda.get_elapsed_time(
            simulator.host.cuda.Event(), simulator.host.cuda.Event()
        )


COPY = """extern "C" __global__ void k(int *a) {
  extern __shared__ int d[];
  d[threadIdx.x] = 1;
  a[threadIdx.x] = d[threadIdx.x];
}"""


def launch(grid, block, args, **more) -> str:
    with pytest.raises(simulator.SimulatorError) as caught:
        simulator.RawKernel(COPY, "k")(grid, block, args, **more)
    return str(caught.value)


def test_the_comma_of_a_tuple_of_one_is_asked_for() -> None:
    a = simulator.zeros(32, simulator.int32)
    assert "(a,)" in launch((1,), (32,), (a))


def test_a_grid_is_a_tuple_as_in_cupy() -> None:
    a = simulator.zeros(32, simulator.int32)
    assert "grid 1" in launch(1, (32,), (a,))


def test_dynamic_shared_memory_that_nobody_gave() -> None:
    a = simulator.zeros(32, simulator.int32)
    assert "shared_mem=BYTES" in launch((1,), (32,), (a,))


def test_more_dynamic_shared_memory_must_be_allowed_first() -> None:
    a = simulator.zeros(32, simulator.int32)
    assert "max_dynamic_shared_size_bytes" in launch((1,), (32,), (a,), shared_mem=60_000)
    kernel = simulator.RawKernel(COPY, "k")
    kernel.max_dynamic_shared_size_bytes = 100_000
    kernel((1,), (32,), (a,), shared_mem=60_000)
    assert a.get().tolist() == [1] * 32


def test_arrays_convert_and_compute() -> None:
    a = simulator.arange(6, dtype=simulator.int32)
    assert a.astype("float32").dtype == np.float32
    assert a.reshape(2, 3).ravel().get().tolist() == [0, 1, 2, 3, 4, 5]
    assert [int((a + a).sum()), int((a == 3).sum()), int((-a).min())] == [30, 1, -5]


def test_a_changed_header_is_read_again(tmp_path) -> None:
    (tmp_path / "sub").mkdir()
    header = tmp_path / "sub" / "value.cuh"
    text = '#include "sub/value.cuh"\nextern "C" __global__ void k(int *a) { a[0] = VALUE; }'
    a = simulator.zeros(1, simulator.int32)
    for value in (3, 4444):
        header.write_text(f"#define VALUE {value}\n")
        os.utime(header, ns=(value, value))
        module = simulator.RawModule(code=text, options=(f"-I{tmp_path}",))
        module.get_function("k")((1,), (1,), (a,))
        assert int(a[0]) == value
