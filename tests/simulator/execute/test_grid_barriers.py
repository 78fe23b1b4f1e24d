"""Grids of cooperative groups: launches whose blocks wait for each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator
from tests.simulator.launching import grouped

GRID = grouped(
    "const int *a, int *sums, int *out, int n",
    """cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(); int blocks = (int)grid.num_blocks();
    atomicAdd(&sums[blockIdx.x], i < n ? a[i] : 0);
    grid.sync();
    int total = 0;
    for (int b = 0; b < blocks; b++) total += sums[b];
    if (i < n) out[i] = total * grid.is_valid();""",
)


def cooperative(text: str, grid: Any, block: int, *arrays: Any, enabled: bool = True) -> list[Any]:
    with simulator.Device("toy4", memory=1 << 20) as device, simulator.counting(device):
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays]
        launched = simulator.RawKernel(text, "k", enable_cooperative_groups=enabled)
        launched(grid if isinstance(grid, tuple) else (grid,), (block,), tuple(given))
        return [a.get() if isinstance(a, simulator.ndarray) else a for a in given]


def test_a_grid_waits_for_all_its_blocks() -> None:
    values = np.arange(28, dtype="i4")
    ran = cooperative(GRID, 4, 8, values, np.zeros(4, "i4"), np.zeros(28, "i4"), np.int32(28))
    assert set(ran[2].tolist()) == {sum(range(28))}


def test_a_grid_barrier_needs_a_cooperative_launch() -> None:
    arrays = (np.zeros(8, "i4"), np.zeros(1, "i4"), np.zeros(8, "i4"), np.int32(8))
    with pytest.raises(simulator.LaunchError, match="not launched cooperatively") as caught:
        cooperative(GRID, 1, 8, *arrays, enabled=False)
    assert "enable_cooperative_groups=True" in caught.value.hint


@pytest.mark.parametrize("body", ["cg::this_grid().sync();", "out[threadIdx.x] = 1;"])
def test_a_cooperative_launch_must_be_resident(body: str) -> None:
    """Two multiprocessors of 16 threads hold four blocks of eight."""
    text = grouped("int *out", body)
    cooperative(text, 4, 8, np.zeros(8, "i4"))
    with pytest.raises(simulator.LaunchError, match="launched cooperatively with 6 blocks of 8"):
        cooperative(text, (3, 2), 8, np.zeros(8, "i4"))


def test_a_cooperative_grid_of_one_dimension_is_reduced_as_in_cupy() -> None:
    text = grouped("int *out", "cg::this_grid().sync(); atomicAdd(out, 1);")
    with pytest.warns(UserWarning, match="reduced from 5 to 4"):
        ran = cooperative(text, 5, 8, np.zeros(1, "i4"))
    assert ran[0][0] == 32


def test_without_a_cooperative_launch_the_grid_is_not_valid() -> None:
    text = grouped("int *out", "out[0] = 5 + cg::this_grid().is_valid();")
    assert cooperative(text, 1, 1, np.zeros(1, "i4"), enabled=False)[0][0] == 5
    assert cooperative(text, 1, 1, np.zeros(1, "i4"))[0][0] == 6


def test_threads_that_have_returned_are_missed_at_a_barrier_of_the_grid() -> None:
    """A GPU waits for ever if it is the first of a block that has returned."""
    text = grouped(
        "int *out",
        """if (threadIdx.x > 3) return;
        out[blockIdx.x] = 1; cg::this_grid().sync();
        if (threadIdx.x == 0) out[2 + blockIdx.x] = out[1 - blockIdx.x];""",
    )
    with pytest.raises(simulator.Fault, match="barrier that 8 of 16 threads reach"):
        cooperative(text, 2, 8, np.zeros(4, "i4"))


def test_a_grid_barrier_in_a_branch_is_a_fault() -> None:
    text = grouped("int *out", "if (threadIdx.x < 3) cg::this_grid().sync();")
    with pytest.raises(simulator.Fault, match="barrier that 6 of 16 threads reach"):
        cooperative(text, 2, 8, np.zeros(1, "i4"))


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "random:1"])
def test_barriers_of_the_grid_are_counted(schedule: str) -> None:
    text = grouped(
        "int *out", "for (int i = 0; i < 3; i++) { cg::this_grid().sync(); out[0] = i; }"
    )
    with simulator.Device(schedule=schedule, memory=1 << 20), simulator.counting() as record:
        launched = simulator.RawKernel(text, "k", enable_cooperative_groups=True)
        launched((4,), (40,), (simulator.zeros(1, "int32"),))
    (launch,) = record.launches
    assert (launch.counters.grid_syncs, launch.counters.barriers) == (3, 0)
