import sys
from types import SimpleNamespace

import numpy as np
import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.kernels import KERNELS
from gpubfs.machines import MACHINES, gpu, open_machine
from simulator.execute.device import current


class MissingDriverError(RuntimeError):
    pass


def fake_cupy(monkeypatch, devices):
    def count():
        if isinstance(devices, Exception):
            raise devices
        return devices

    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=MissingDriverError)
    module = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def test_without_cupy_the_error_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UsageError, match="CuPy, which is not installed") as caught:
        open_machine("gpu")
    assert 'pip install "gpubfs[cuda13]"' in str(caught.value)


@pytest.mark.parametrize("devices", [0, MissingDriverError("no driver")])
def test_without_a_gpu_the_error_says_so(monkeypatch, devices) -> None:
    fake_cupy(monkeypatch, devices)
    with pytest.raises(UsageError, match="found no CUDA device") as caught:
        open_machine("gpu")
    assert "use the machine sim" in str(caught.value)


def test_with_a_gpu_cupy_is_given(monkeypatch) -> None:
    module = fake_cupy(monkeypatch, 1)
    assert gpu.cuda_module() is module


def test_unknown_machines_are_named() -> None:
    with pytest.raises(UsageError, match="did you mean gpu"):
        open_machine("gpus")
    assert set(MACHINES) == {"sim", "gpu"}


@pytest.mark.parametrize("setting", [{"device": "h200"}, {"schedule": "warp"}])
def test_settings_of_the_simulator_are_refused_on_a_gpu(setting) -> None:
    with pytest.raises(UsageError, match="the machine gpu has no"):
        open_machine("gpu", **setting)


def test_a_changed_header_changes_the_compiled_kernels_key(tmp_path) -> None:
    header = tmp_path / "a.cuh"
    header.write_text("#define A 1")
    before = gpu._included_digest(tmp_path)
    header.write_text("#define A 2")
    assert gpu._included_digest(tmp_path) != before


def test_arrays_go_there_and_back(machine) -> None:
    values = np.arange(7, dtype=np.int32)
    with open_machine(machine) as opened:
        array = opened.asarray(values)
        array[2:3].fill(-5)
        np.testing.assert_array_equal(opened.asnumpy(array), [0, 1, -5, 3, 4, 5, 6])
        assert opened.asnumpy(opened.full(3, 9, "int64")).tolist() == [9, 9, 9]
        assert opened.empty(4, "int32").nbytes == 16


def test_memory_piece_by_piece_has_addresses_of_its_own(machine) -> None:
    with open_machine(machine) as opened:
        pieces = opened.allocate([64, 300, 4], "piece")
        assert len(set(pieces)) == 3
        assert all(address % 256 == 0 for address in pieces)
        opened.release(pieces[:1])
        assert opened.allocate([1 << 50, 4], "too much") == []
        assert len(opened.allocate([4], "again")) == 1


def test_a_piece_of_memory_is_known_by_its_name_and_gone_once_it_is_released() -> None:
    with open_machine("sim") as opened:
        memory = current().memory
        (piece,) = opened.allocate([40], "piece")
        assert (memory.find(piece).label, memory.bytes_used) == ("piece", 40)
        opened.release([piece])
        assert (memory.find(piece), memory.bytes_used) == (None, 0)


class CudaError(RuntimeError):
    pass


@pytest.mark.parametrize(("kept", "found"), [(0, [256, 512]), (1, [256, 512, 768])])
def test_a_gpus_pool_gives_back_what_it_keeps_where_memory_is_short(kept, found) -> None:
    """And then a piece that failed is tried once more."""
    free, freed = [256, 512], []
    pool = SimpleNamespace(free_all_blocks=lambda: free.extend([768] * kept))

    def malloc(size: int) -> int:
        if not free:
            raise CudaError("cudaErrorMemoryAllocation: out of memory")
        return free.pop(0)

    runtime = SimpleNamespace(malloc=malloc, free=freed.append, CUDARuntimeError=CudaError)
    machine = object.__new__(gpu.GpuMachine)
    machine._cupy = SimpleNamespace(
        cuda=SimpleNamespace(runtime=runtime), get_default_memory_pool=lambda: pool
    )
    machine._allocated, machine._counts = set(), False
    assert machine.allocate([4] * (2 + kept), "piece") == found
    kept = 0
    pool.free_all_blocks = lambda: None
    assert machine.allocate([4], "piece") == []
    machine.release(found[:1])
    assert (freed, machine._allocated) == ([256], set(found[1:]))


def test_a_stopwatch_measures_launches(machine) -> None:
    with open_machine(machine) as opened:
        options = (f"-I{KERNELS}",)
        kernel = opened.module(KERNELS / "status_array.cu", options).get_function("status_array")
        watch = opened.stopwatch()
        offsets, found = opened.full(2, 0, "int32"), opened.full(1, 0, "int32")
        watch.start()
        args = (offsets, offsets, offsets, np.int32(1), np.int32(0), found)
        kernel((1, 1, 1), (32, 1, 1), args, shared_mem=0)
        watch.stop()
        assert 0 < watch.seconds < 60


def test_the_simulator_counts_each_launch_once() -> None:
    with open_machine("sim", device="toy2") as opened:
        assert opened.warp_size == 2
        assert opened.counted() == []
        options = (f"-I{KERNELS}",)
        kernel = opened.module(KERNELS / "status_array.cu", options).get_function("status_array")
        offsets, found = opened.full(2, 0, "int32"), opened.full(1, 0, "int32")
        kernel((1,), (4,), (offsets, offsets, offsets, np.int32(1), np.int32(0), found))
        (launch,) = opened.counted()
        assert launch.kernel == "status_array"
        assert "offsets" in {site.array for site in launch.sites}
        assert opened.counted() == []


def test_a_profile_looks_for_cupy_before_it_simulates(monkeypatch) -> None:
    from gpubfs.measure import nsight

    def missing() -> None:
        raise UsageError("no CuPy")

    monkeypatch.setattr(nsight.shutil, "which", lambda name: "ncu")
    monkeypatch.setattr(nsight, "cuda_module", missing)
    monkeypatch.setattr(nsight, "run", lambda *arguments: pytest.fail("it simulated first"))
    with pytest.raises(UsageError, match="no CuPy"):
        nsight.profile("scan-free", "toy")


def test_further_options_for_nvrtc_come_from_the_environment(monkeypatch) -> None:
    monkeypatch.delenv(gpu.FLAGS, raising=False)
    assert gpu.compiler_flags() == ()
    monkeypatch.setenv("GPUBFS_NVRTC_FLAGS", "-lineinfo '-DWORDS=a b'")
    assert gpu.compiler_flags() == ("-lineinfo", "-DWORDS=a b")


@pytest.mark.parametrize(("device", "fits"), [("gtx980", False), ("rtx3090", True)])
def test_blocks_that_need_more_shared_memory_than_a_gpu_has_are_refused(device, fits) -> None:
    options = {"block": 1024, "items": 16, "device": device, "counters": False}
    if fits:
        assert gpubfs.run("scan-based", "toy", **options).verified
        return
    with pytest.raises(UsageError, match="gtx980 does not have 65,536 bytes") as caught:
        gpubfs.run("scan-based", "toy", **options)
    assert "smaller blocks" in caught.value.hint
