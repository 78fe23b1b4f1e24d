"""`blocks=0` is as many blocks as run at the same time: multiprocessors times occupancy."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs.kernels import KERNELS
from gpubfs.machines import open_machine

PERSISTENT: list[tuple[str, dict[str, Any]]] = [
    ("central-queue", {"loop": "persistent"}),
    ("dfq-global", {}),
    ("dfq-shared", {}),
]
BARRIER = """
#include <cooperative_groups.h>
extern "C" __global__ void meet(int *a) {
  __shared__ int own[BYTES / 4];
  own[threadIdx.x % (BYTES / 4)] = 0;
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) atomicAdd(a, 1);
}"""


def grid(name: str, **options: Any) -> int:
    """How many blocks the first launch of a search has."""
    return gpubfs.run(name, "toy", 0, counters=False, **options).per_launch[0].grid[0]


@pytest.mark.parametrize(("device", "blocks"), [("h200", 264), ("rtx3090", 82), ("p6000", 60)])
@pytest.mark.parametrize(
    ("name", "options"), [*PERSISTENT, ("central-queue", {"loop": "host"})], ids=str
)
def test_all_resident_blocks_are_launched(name, options, device, blocks) -> None:
    assert grid(name, device=device, **options) == blocks


@pytest.mark.parametrize(("name", "options"), PERSISTENT, ids=str)
@settings(max_examples=6)
@given(block=st.sampled_from([96, 256, 512, 1024]), device=st.sampled_from(["toy2", "rtx3090"]))
def test_one_block_more_than_by_default_is_refused(name, options, block, device) -> None:
    block = min(block, simulator.PROFILES[device].threads_per_multiprocessor)
    most = grid(name, device=device, block=block, **options)
    assert grid(name, device=device, block=block, blocks=most, **options) == most
    with pytest.raises(gpubfs.UsageError, match="do not run at the same time") as caught:
        gpubfs.run(name, "toy", 0, device=device, block=block, blocks=most + 1, **options)
    assert f"give blocks={most} or less" in str(caught.value.hint)


def test_sub_queues_in_shared_memory_bound_the_blocks() -> None:
    small = {"device": "rtx3090", "block": 64}
    assert grid("dfq-shared", capacity=64, **small) == grid("dfq-global", **small) == 16 * 82
    # Of 100 KiB, 32 KiB and the two counters of a block's own leave room for three.
    assert grid("dfq-shared", capacity=8192, **small) == 3 * 82


def test_blocks_that_are_given_are_launched() -> None:
    assert grid("dfq-global", blocks=5) == 5


@settings(max_examples=10)
@given(threads=st.integers(1, 32), words=st.integers(1, 4000), more=st.integers(0, 9000))
def test_what_a_machine_calls_resident_is_what_it_launches(tmp_path_factory, threads, words, more):
    path = tmp_path_factory.mktemp("meet") / "meet.cu"
    path.write_text(BARRIER)
    with open_machine("sim", device="rtx3090") as opened:
        module = opened.module(path, (f"-DBYTES={4 * words}",), True)
        most = opened.resident_blocks(module, "meet", 32 * threads, more)
        kernel, met = module.get_function("meet"), opened.full(1, 0, "int32")
        kernel((most,), (32 * threads,), (met,), shared_mem=more)
        assert opened.asnumpy(met).tolist() == [most]
        with pytest.warns(UserWarning, match=f"reduced from {most + 1:,} to {most:,}"):
            kernel((most + 1,), (32 * threads,), (met,), shared_mem=more)


class FakeModule:
    """A module of CuPy's, whose kernels have an address."""

    def __init__(self, code: str, options: tuple[str, ...], **how: Any) -> None:
        self.code, self.options = code, options

    def get_function(self, name: str) -> Any:
        return SimpleNamespace(kernel=SimpleNamespace(ptr=(self, name)))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, int, int]]:
    """What a GPU of 132 multiprocessors, of two blocks each, is asked about its occupancy."""
    questions: list[tuple[Any, int, int]] = []

    def occupancy(function: Any, threads: int, shared: int) -> int:
        questions.append((function, threads, shared))
        return 2 if threads <= 1024 else 0

    properties = {"name": b"fake", "warpSize": 32, "multiProcessorCount": 132} | {
        "regsPerMultiprocessor": 65536,
        "maxThreadsPerMultiProcessor": 2048,
    }
    runtime = SimpleNamespace(
        getDeviceCount=lambda: 1,
        CUDARuntimeError=RuntimeError,
        getDeviceProperties=lambda device: properties,
    )
    driver = SimpleNamespace(occupancyMaxActiveBlocksPerMultiprocessor=occupancy)
    cuda = SimpleNamespace(runtime=runtime, driver=driver)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda, RawModule=FakeModule))
    return questions


@pytest.mark.parametrize("counters", [False, True])
def test_a_gpu_is_asked_for_the_occupancy_of_the_build_that_does_not_count(asked, counters) -> None:
    machine = open_machine("gpu", counters=counters)
    path = KERNELS / "dfq_global.cu"
    module = machine.module(path, (f"-I{KERNELS}", "-DOFFSET=int"), True)
    assert machine.resident_blocks(module, "dfq_global", 1024, 8) == 264
    (((plain, name), threads, shared),) = asked
    assert (name, threads, shared) == ("dfq_global", 1024, 8)
    assert plain.code == path.read_text()


def test_what_fits_nowhere_is_left_to_the_driver_to_refuse(asked) -> None:
    machine = open_machine("gpu", counters=False)
    module = machine.module(KERNELS / "dfq_global.cu", (), True)
    assert machine.resident_blocks(module, "dfq_global", 2048, 0) == 132


@pytest.mark.parametrize("cooperative", [False, True])
def test_a_grid_that_waits_is_resident_even_if_it_counts(asked, cooperative) -> None:
    """65,536 registers for 2,048 threads leave 32 to each, which counting would exceed."""
    machine = open_machine("gpu", counters=True)
    options = (f"-I{KERNELS}", "-DOFFSET=int")
    module = machine.module(KERNELS / "dfq_global.cu", options, cooperative)
    assert ("--maxrregcount=32" in module._module.options) is cooperative


@pytest.mark.parametrize("counters", [False, True])
@pytest.mark.parametrize(("name", "options"), PERSISTENT, ids=str)
def test_every_multiprocessor_gets_as_many_blocks(name, options, counters, machine) -> None:
    """With and without counters as many, or the two could not be compared."""
    with open_machine(machine) as opened:
        multiprocessors = opened.multiprocessors
    done = gpubfs.run(name, "toy", machine=machine, counters=counters, **options)
    plain = gpubfs.run(name, "toy", machine=machine, counters=False, **options)
    assert done.per_launch[0].grid == plain.per_launch[0].grid
    assert done.per_launch[0].grid[0] % multiprocessors == 0


@pytest.mark.parametrize("name", ["persistent", "hierarchical-kernels"])
def test_more_blocks_than_can_wait_for_each_other_are_refused_on_every_graph(name: str) -> None:
    """Also where no level is so large that the grid would be launched."""
    with pytest.raises(gpubfs.UsageError, match=r"20,000 blocks of .* do not run") as caught:
        gpubfs.run(name, "path:2", blocks=20000)
    most = int(str(caught.value.hint).partition("blocks=")[2].split()[0])
    assert gpubfs.run(name, "path:2", blocks=most).depth == 1
