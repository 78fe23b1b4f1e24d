"""CuPy's `cuda`: what a program asks of the device, its streams and its memory."""

import numpy as np
import pytest

import simulator
from simulator import cuda


def test_the_device_is_that_of_the_profile() -> None:
    with simulator.Device("v100"):
        device = cuda.Device(0)
        assert device.compute_capability == "70"
        assert device.attributes["MultiProcessorCount"] == 80
        properties = cuda.runtime.getDeviceProperties(0)
        assert properties["name"] == b"NVIDIA V100"
        assert properties["maxGridSize"] == (2**31 - 1, 65535, 65535)
        assert (properties["major"], properties["minor"]) == (7, 0)


def test_attributes_agree_with_cupys_numbers() -> None:
    for name, value in cuda.Device().attributes.items():
        number = getattr(cuda.runtime, f"cudaDevAttr{name}")
        assert cuda.runtime.deviceGetAttribute(number, 0) == value
    real = pytest.importorskip("cupy", reason="CuPy is not installed").cuda.runtime
    for name in cuda.Device().attributes:
        attribute = f"cudaDevAttr{name}"
        assert getattr(cuda.runtime, attribute) == getattr(real, attribute)


def test_what_is_not_known_says_so() -> None:
    with pytest.raises(KeyError, match="does not know the device's 'clockRate'"):
        cuda.runtime.getDeviceProperties(0)["clockRate"]
    with pytest.raises(KeyError, match="ClockRate"):
        cuda.Device().attributes["ClockRate"]
    with pytest.raises(simulator.SimulatorError, match="attribute 13"):
        cuda.runtime.deviceGetAttribute(13, 0)


def test_there_is_one_device() -> None:
    assert (cuda.runtime.getDeviceCount(), cuda.runtime.getDevice()) == (1, 0)
    assert simulator.is_available()
    assert cuda.is_available()
    cuda.runtime.setDevice(0)
    for other in (lambda: cuda.Device(1), lambda: cuda.runtime.setDevice(2)):
        with pytest.raises(simulator.SimulatorError, match="invalid device ordinal"):
            other()
    with cuda.Device(0) as device:
        device.synchronize()
        device.use()
    assert device == cuda.Device()


def test_memory_is_told() -> None:
    with simulator.Device(memory=1 << 20):
        a = simulator.zeros(1000, "uint8")
        pool = simulator.get_default_memory_pool()
        assert cuda.Device().mem_info == ((1 << 20) - a.nbytes, 1 << 20)
        assert pool.used_bytes() == pool.total_bytes() == 1000
        del a
        pool.free_all_blocks()
        simulator.get_default_pinned_memory_pool().free_all_blocks()
        assert (pool.used_bytes(), pool.n_free_blocks(), pool.get_limit()) == (0, 0, 0)
        pool.set_limit(size=0)
        with pytest.raises(simulator.SimulatorError) as caught:
            pool.set_limit(size=1 << 10)
        assert "simulator.Device(memory=" in caught.value.hint


def test_memory_without_an_array() -> None:
    cuda.set_allocator(cuda.MemoryPool().malloc)
    pointer = cuda.alloc(16)
    a = simulator.ndarray(4, "int32", pointer)
    a[...] = 3
    assert a.sum() == 12


def test_streams_are_current_inside_their_blocks() -> None:
    outer, inner = cuda.Stream(), cuda.Stream(non_blocking=True)
    assert cuda.get_current_stream() is cuda.Stream.null
    with outer:
        with inner:
            assert cuda.get_current_stream() is inner
        assert cuda.get_current_stream() is outer
    assert cuda.get_current_stream() is cuda.Stream.null
    outer.use()
    assert cuda.get_current_stream() is outer
    cuda.Stream.null.use()
    assert outer.done
    outer.wait_event(outer.record())


def test_functions_of_the_host_are_called_at_once() -> None:
    said: list[object] = []
    stream = cuda.Stream()
    stream.launch_host_func(said.append, 1)
    stream.add_callback(lambda s, status, arg: said.append((status, arg)), 2)
    assert said == [1, (0, 2)]
    with pytest.raises(AttributeError, match="begin_capture"):
        stream.begin_capture()


def test_pointers_copy_bytes() -> None:
    a = simulator.arange(4, dtype="uint8")
    pointer = cuda.alloc(4)
    pointer.copy_from_device(a.data + 1, 3)
    (pointer + 3).memset(9, 1)
    assert simulator.ndarray(4, "uint8", pointer).tolist() == [1, 2, 3, 9]
    with pytest.raises(ValueError, match="5 bytes"):
        pointer.memset(0, 5)


def test_errors_have_cupys_names() -> None:
    with pytest.raises(cuda.compiler.CompileException):
        simulator.RawKernel("__global__ void k() { x = 1; }", "k")
    with pytest.raises(cuda.driver.CUDADriverError):
        simulator.RawModule(code="__global__ void k() {}").get_function("other")
    with pytest.raises(cuda.runtime.CUDARuntimeError):
        cuda.Device(7)
    with simulator.Device(memory=1 << 12), pytest.raises(cuda.memory.OutOfMemoryError):
        simulator.empty(1 << 13, "uint8")


def test_modules_of_cuda() -> None:
    assert cuda.stream.Stream is cuda.Stream
    assert cuda.stream.get_current_stream() is cuda.Stream.null
    assert cuda.device.get_compute_capability() == "90"
    cuda.set_pinned_memory_allocator(cuda.PinnedMemoryPool().malloc)
    assert np.frombuffer(cuda.alloc_pinned_memory(12), "f4", 3).tolist() == [0, 0, 0]


def test_tools_that_are_not_there() -> None:
    cuda.nvtx.RangePush("search")
    cuda.nvtx.RangePop()
    with cuda.profiler.profile():
        cuda.profiler.start()


def test_results_are_kept() -> None:
    made: list[int] = []

    @simulator.memoize(for_each_device=True)
    def kernel(number: int, twice: bool = False) -> int:
        made.append(number)
        return number * (1 + twice)

    assert [kernel(1), kernel(1), kernel(1, twice=True)] == [1, 1, 2]
    with simulator.Device(memory=1 << 12):
        assert kernel(1) == 1
    assert made == [1, 1, 1]
    simulator.clear_memo()
    assert (kernel(1), made) == (1, [1, 1, 1, 1])
