import sys
from types import SimpleNamespace

import numpy as np
import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.kernels import KERNELS
from gpubfs.machines import MACHINES, gpu, open_machine


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
