"""What scan-based's counters show: lanes have edges as long as the warp has."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpubfs
import simulator
from gpubfs.graphs.reference import reference_levels
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from tests.sampling import sampled

SPECS = ["karate", "kron:8", "grid:12x9", "star:100"]
WARP = 32

SUMS = """
#include "scanned_edges.cuh"
extern "C" __global__ void sums(const offset_t *degrees, offset_t *before) {
  before[threadIdx.x] = degrees_before(degrees[threadIdx.x]);
}
"""


def warps(values: np.ndarray) -> np.ndarray:
    """A row for the values of each warp."""
    return np.pad(values, (0, -len(values) % WARP)).reshape(-1, WARP)


@pytest.mark.parametrize("items", [2, 4, 16])
@pytest.mark.parametrize("spec", SPECS)
def test_a_warp_asks_for_its_edges_without_gaps(spec: str, items: int) -> None:
    """In each request but its last all of its lanes have an edge, however large the slice is."""
    graph = gpubfs.graph(spec)
    first = gpubfs.run("scan-based", graph, items=items).per_launch[1]
    edges = warps(graph.degrees[graph.adjacent(graph.hub)]).sum(axis=1)
    asked = [site for site in first.sites if (site.kind, site.array) == ("load", "neighbours")]
    assert sum(site.requests for site in asked) == (-(-edges // WARP)).sum()
    assert sum(site.lanes for site in asked) == edges.sum()


@pytest.mark.parametrize("spec", SPECS)
def test_every_edge_has_one_place_in_a_slice(spec: str) -> None:
    done = gpubfs.run("scan-based", spec, items=2)
    edges = done.graph.degrees[done.levels >= 0].sum()
    for kind in ("shared_store", "shared_load"):
        of_slices = (s for s in done.sites if s.kind == kind and s.text.startswith("slice["))
        assert sum(site.lanes for site in of_slices) == edges


@pytest.mark.parametrize("spec", ["karate", "kron:8", "kron:10"])
def test_uneven_degrees_leave_fewer_lanes_without_work(spec: str) -> None:
    even, uneven = (gpubfs.run(name, spec) for name in ("scan-based", "thread-per-vertex"))
    requests = [
        sum(s.requests for s in done.sites if (s.kind, s.array) == ("load", "neighbours"))
        for done in (even, uneven)
    ]
    assert 2 * requests[0] < requests[1]
    assert even.counters["simt_efficiency"] > uneven.counters["simt_efficiency"]


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 2**26), min_size=WARP, max_size=WARP))
def test_degrees_add_up_in_32_bits(degrees: list[int]) -> None:
    np.testing.assert_array_equal(sums(degrees, "int"), np.cumsum(degrees) - degrees)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 2**31), min_size=WARP, max_size=WARP))
def test_degrees_add_up_beyond_32_bits(degrees: list[int]) -> None:
    np.testing.assert_array_equal(sums(degrees, "long long"), np.cumsum(degrees) - degrees)


def sums(degrees: list[int], offset: str) -> np.ndarray:
    kind = {"int": "int32", "long long": "int64"}[offset]
    with simulator.Device():
        module = simulator.RawModule(code=SUMS, options=(f"-I{KERNELS}", f"-DOFFSET={offset}"))
        given, before = simulator.asarray(np.array(degrees, kind)), simulator.zeros(WARP, kind)
        module.get_function("sums")((1,), (WARP,), (given, before))
        return simulator.asnumpy(before)


@pytest.mark.parametrize("technique", ["scan-based", "warp-shuffle", "supports"])
def test_offsets_of_64_bits(technique: str) -> None:
    graph = gpubfs.graph("kron:8").with_index64()
    options = {"supports": "warp+block+queues", "queue_threshold": 80, "block": 64}
    done = gpubfs.run(technique, graph, sanitize="all", **options)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))


@pytest.mark.parametrize(
    ("spec", "device"), sampled(product(("toy", "star:70", "kron:6"), ("toy2", "toy4", "toy8")), 4)
)
def test_warps_of_other_sizes(spec: str, device: str) -> None:
    graph = gpubfs.graph(spec)
    done = gpubfs.run("scan-based", graph, device=device, block=8, items=2, sanitize="all")
    np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))


@pytest.mark.parametrize("offset", ["int", "long long"])
@pytest.mark.parametrize("supports", ["NONE", "WARP_BLOCK_QUEUES"])
def test_what_a_lane_gathers_stays_in_registers(supports: str, offset: str) -> None:
    """No stack and no spills; with four edges a lane full occupancy, which is 32 registers."""
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    for items in (2, 4, 16):
        macros = (f"ITEMS={items}", f"SUPPORTS=SUPPORTS_{supports}", f"OFFSET={offset}")
        file = KERNELS / "scan_based.cu"
        log = nvrtc.compile_file(file, "sm_90", macros, ("--ptxas-options=-v",))
        local = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
        assert log.count("stack frame") == log.count(local) > 0
        registers = [int(number) for number in re.findall(r"Used (\d+) registers", log)]
        assert items > 4 or offset != "int" or max(registers) <= 32


@pytest.mark.parametrize("items", [2, 8])
def test_unrolling_neither_adds_nor_merges_accesses(items: int) -> None:
    """The compiler has for each item what the source has, and all loads before the first claim."""
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    program = module.createProgram((KERNELS / "scan_based.cu").read_text(), "scan_based.cu", (), ())
    options = ("-arch=compute_90", f"-I{KERNELS}", f"-DITEMS={items}")
    module.compileProgram(program, options)
    text = module.getPTX(program).decode()
    # A vertex and its two offsets; then for each item, and in the last turn's loop, a neighbour
    # and its level.
    assert len(re.findall(r"\bld\.global", text)) == 3 + 2 * (items + 1)
    assert len(re.findall(r"\bld\.shared", text)) == items + 1
    assert len(re.findall(r"\batom\.global\.cas", text)) == items + 1
    between = re.split(r"\batom\.", text)
    assert max(part.count("ld.shared") for part in between) >= items


@pytest.mark.parametrize("schedule", ["lockstep", "random:3"])
def test_a_warp_waits_for_its_slice_before_its_next_vertices(schedule: str) -> None:
    """On a GPU with room for few threads, warps expand several vertices a lane in a launch."""
    options = {"device": "toy2", "block": 2, "supports": "none", "schedule": schedule}
    gpubfs.run("scan-based", "kron:6", sanitize="all", counters=False, **options)
