"""The scans that make sorted queues: what they write, and how they read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpubfs
import simulator
from gpubfs.kernels import KERNELS
from tests.sampling import examples

SCANS = ["double_scan", "strided_scan"]

MAXIMUM = """
#include "block_maximum.cuh"
extern "C" __global__ void largest(const offset_t *values, offset_t *most) {
  for (int turn = 0; turn < 2; turn++) {
    offset_t own = block_maximum(values[turn * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) most[turn] = own;
  }
}
"""


def queue_of(
    scan: str, level: NDArray[np.int32], wanted: int, blocks: int, block: int, device: str = "h200"
) -> tuple[NDArray[np.int32], int, simulator.Record]:
    """The queue that a scan makes, its size, and what was counted."""
    warps = 1024 // simulator.PROFILES[device].warp_size
    options = (f"-I{KERNELS}", f"-DMOST_WARPS={warps}")
    module = simulator.RawModule(path=str(KERNELS / f"{scan}.cu"), options=options)
    with simulator.Device(device) as made, simulator.counting(made) as record:
        status = simulator.asarray(level)
        place = simulator.empty(blocks * block, "int32")
        totals = simulator.empty(blocks, "int32")
        size = simulator.empty(1, "int32")
        queue = simulator.full(len(level), -7, "int32")
        scanned = (status, len(level), wanted, place, totals)
        with simulator.sanitize("all"):
            module.get_function(f"{scan}_count")((blocks,), (block,), scanned)
            module.get_function("segment_places")((1,), (1024,), (totals, blocks, size))
            module.get_function(f"{scan}_place")((blocks,), (block,), (*scanned, queue))
        return queue.get(), int(size.get()[0]), record


@pytest.mark.slow
@pytest.mark.parametrize("scan", SCANS)
@examples(25, 6)
@given(data=st.data())
def test_the_queue_is_what_was_wanted_in_order(scan: str, data: st.DataObject) -> None:
    vertices = data.draw(st.integers(1, 700))
    seed, depth = data.draw(st.integers(0, 999)), data.draw(st.integers(1, 4))
    level = np.random.default_rng(seed).integers(-1, depth, vertices).astype(np.int32)
    wanted = data.draw(st.integers(-1, depth))
    device = data.draw(st.sampled_from(["h200", "toy2", "toy4"]))
    block = 32 * data.draw(st.integers(1, 3))
    queue, size, _ = queue_of(scan, level, wanted, data.draw(st.integers(1, 4)), block, device)
    expected = np.flatnonzero(level == wanted)
    assert size == len(expected)
    np.testing.assert_array_equal(queue[:size], expected)
    assert (queue[size:] == -7).all()


def test_figure_6_of_xbfs() -> None:
    """Level 3 of the toy graph in one warp of two lanes: the unvisited 3, 4, 8 and 9."""
    levels = gpubfs.run("scan-free", "toy", 0).levels
    before = np.where(levels >= 3, -1, levels).astype(np.int32)
    queue, size, record = queue_of("double_scan", before, -1, 1, 2, "toy2")
    assert queue[:size].tolist() == [3, 4, 8, 9]
    # Segments 0 to 5 and 6 to 9: two of the four vertices come before the second thread's.
    loads = [site for site in record.launches[0].sites if site.array == "level"]
    assert sum(site.lanes for site in loads) == 10
    assert sum(site.requests for site in loads) == 5


@pytest.mark.parametrize("widths", [1, 4, 16])
def test_double_scan_is_coalesced_and_strided_scan_is_not(widths: int) -> None:
    """Segments of 32 vertices and more: 4 sectors a request against one for every lane."""
    level = np.full(64 * 32 * widths, -1, np.int32)
    spread = {}
    for scan in SCANS:
        _, _, record = queue_of(scan, level, -1, 1, 64)
        count = record.launches[0]
        loads = [site for site in count.sites if (site.kind, site.array) == ("load", "level")]
        assert sum(site.lanes for site in loads) == len(level)
        sectors, requests = (sum(getattr(s, n) for s in loads) for n in ("sectors", "requests"))
        spread[scan] = sectors / requests
    assert spread == {"double_scan": 4, "strided_scan": 32}


@pytest.mark.parametrize("name", ["double-scan", "strided-scan"])
def test_a_search_scans_for_bottom_up_levels_and_the_level_after(name: str) -> None:
    done = gpubfs.run(name, "kron:9", alpha=0.3)
    kernels = [[launch.kernel for launch in done.per_launch if launch.depth == d] for d in range(4)]
    prefix = name.replace("-", "_")
    scan = [f"{prefix}_count", "segment_places", f"{prefix}_place"]
    ways = [("bottom_up" in level, level[:3] == scan) for level in kernels]
    assert (True, True) in ways
    first = ways.index((True, True))
    assert all(scanned == up for up, scanned in ways[: first + 1])
    after = next((n for n in range(first, len(ways)) if not ways[n][0]), None)
    if after is not None:
        assert ways[after][1]


def test_no_queue_needs_no_scan_in_the_level_after_bottom_up() -> None:
    """The same levels as double-scan's, but for the first one that goes top-down again."""
    scanned = gpubfs.run("double-scan", "kron:9", alpha=0.4)
    reused = gpubfs.run("no-queue", "kron:9", alpha=0.4)
    first = next(at.depth for at in reused.per_launch if at.kernel == "no_queue_expand")
    of_level = [at.kernel for at in reused.per_launch if at.depth == first]
    assert not any("double_scan" in kernel for kernel in of_level)
    before = [at.kernel for at in reused.per_launch if at.depth == first - 1]
    assert "bottom_up" in before
    with_scan = [at.kernel for at in scanned.per_launch if at.depth == first]
    assert with_scan[:4] == [
        "double_scan_count",
        "segment_places",
        "double_scan_place",
        "scan_free",
    ]
    assert reused.launches == scanned.launches - 3
    assert reused.counters["host_reads"] == scanned.counters["host_reads"] - 1
    np.testing.assert_array_equal(reused.levels, scanned.levels)


@pytest.mark.parametrize("name", ["double-scan", "strided-scan", "no-queue"])
def test_alpha_chooses_the_direction(name: str) -> None:
    never = gpubfs.run(name, "kron:8", alpha=2)
    always = gpubfs.run(name, "kron:8", alpha=0)
    assert "bottom_up" not in {launch.kernel for launch in never.per_launch}
    assert "scan_free" not in {launch.kernel for launch in always.per_launch}
    mixed = gpubfs.run(name, "kron:8")
    for run in (never, always, mixed):
        np.testing.assert_array_equal(run.levels, mixed.levels)
    for wrong in (-0.1, "nan", "much"):
        with pytest.raises(gpubfs.UsageError, match="alpha"):
            gpubfs.run(name, "kron:8", alpha=wrong)


@pytest.mark.parametrize(("device", "warp"), [("h200", 32), ("toy4", 4)])
@pytest.mark.parametrize("warps", [1, 2, 3, 8])
def test_the_maximum_of_a_block_may_be_any_threads(device: str, warp: int, warps: int) -> None:
    """The first and the last of a warp, in each warp: twice, the second time below the first."""
    module = simulator.RawModule(code=MAXIMUM, options=(f"-I{KERNELS}", "-DMOST_WARPS=256"))
    largest, threads = module.get_function("largest"), warp * warps
    with simulator.Device(device), simulator.sanitize("all"):
        for at in {edge for w in range(warps) for edge in (w * warp, w * warp + warp - 1)}:
            values = np.zeros((2, threads), np.int32)
            values[:, at] = 9, 4
            most = simulator.empty(2, "int32")
            largest((1,), (threads,), (simulator.asarray(values.ravel()), most))
            assert most.get().tolist() == [9, 4]
