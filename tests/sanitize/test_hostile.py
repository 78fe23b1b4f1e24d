"""Kernels that never end, launches and arrays that are too large: each ends soon, and clearly."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import simulator
from tests import timing

ENDLESS = sorted((Path(__file__).parent / "hostile" / "endless").glob("*.cu"))
SCHEDULES = ("lockstep", "warp", "random:1")


@contextmanager
def soon(seconds: float, mebibytes: int = 500) -> Iterator[None]:
    """Fail if what is inside takes more processor time or memory."""
    peak = _peak()
    with timing.soon(seconds):
        yield
    assert _peak() - peak < mebibytes


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def launch(body: str, grid: int = 1, block: int = 32, shared: int = 0) -> None:
    text = f'extern "C" __global__ void k(int *a) {{ {body} }}'
    kernel = simulator.RawKernel(text, "k")
    kernel((grid,), (block,), (simulator.zeros(1024, "int32"),), shared_mem=shared)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("file", ENDLESS, ids=lambda file: file.stem)
def test_kernels_without_end_are_ended(file: Path, schedule: str) -> None:
    kernel = simulator.RawModule(path=str(file)).get_function(file.stem)
    with (
        soon(20),
        simulator.Device(memory=1 << 20, schedule=schedule),
        simulator.sanitize(steps=200_000),
        pytest.raises(simulator.Fault) as caught,
    ):
        kernel((2,), (64,), (simulator.zeros(128, "int32"),))
    assert caught.value.span is not None
    assert caught.value.span.source.name == str(file)


def test_a_launch_of_far_too_many_threads_is_refused() -> None:
    with soon(2), pytest.raises(simulator.LaunchError, match="2,199,023,254,528 threads"):
        launch("a[threadIdx.x] = 1;", grid=2**31 - 1, block=1024)


def test_a_launch_of_many_threads_keeps_to_the_step_budget() -> None:
    refusals = (simulator.LaunchError, simulator.Fault)
    with soon(20), simulator.sanitize(steps=10_000_000), pytest.raises(refusals):
        launch("a[threadIdx.x] = 1;", grid=1 << 21, block=1024)


@pytest.mark.parametrize(
    "shape", [1 << 40, (1 << 20, 1 << 20), (1 << 32, 1 << 32), 1 << 70, (1 << 40,) * 5]
)
def test_arrays_that_no_gpu_has_room_for(shape: int | tuple[int, ...]) -> None:
    with soon(2), pytest.raises(simulator.OutOfMemoryError, match="bytes wanted"):
        simulator.empty(shape, "uint8")


def test_a_large_array_takes_no_memory_until_it_is_used() -> None:
    with soon(2), simulator.Device(memory=8 << 30):
        array = simulator.empty(1 << 30, "int32")
        assert array.nbytes == 1 << 32


@pytest.mark.parametrize(
    "declaration",
    ["int s[1 << 24]", "char s[1ll << 40]", "int s[1ll << 62]", "int s[65536][65536][65536]"],
)
@pytest.mark.parametrize("space", ["", "__shared__ "])
def test_huge_arrays_of_threads_and_blocks(space: str, declaration: str) -> None:
    with soon(2), pytest.raises((simulator.CompileError, simulator.LaunchError)):
        launch(f"{space}{declaration}; a[0] = sizeof(s);")


def test_huge_dynamic_shared_memory() -> None:
    with soon(2), pytest.raises(simulator.LaunchError, match="of shared memory a block"):
        launch("extern __shared__ int s[]; a[0] = s[0];", shared=1 << 40)


def test_local_arrays_of_many_threads_do_not_exceed_the_machine() -> None:
    """Half a MiB for each resident thread: 128 GiB if all of them were there."""
    with (
        soon(20, 2000),
        simulator.Device(memory=1 << 20),
        pytest.raises(simulator.OutOfMemoryError),
    ):
        launch("char s[1 << 18]; s[threadIdx.x] = 1; a[0] = s[0];", grid=1 << 10, block=1024)
