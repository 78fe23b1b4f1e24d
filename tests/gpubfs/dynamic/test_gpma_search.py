"""Searches through a packed memory array: verified, and every gap counted once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs import dynamic, machines
from gpubfs.dynamic import Batch
from gpubfs.dynamic.gpma.packed_search import BLOCKS, TECHNIQUE
from gpubfs.dynamic.structure import find
from gpubfs.graphs import Graph
from gpubfs.machines import nvrtc
from tests.gpubfs.dynamic.model import Model, histories, replay
from tests.gpubfs.machines.instrumenting import EXACT, InstrumentedSim
from tests.sampling import examples, sampled

SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3")
SPECS = ("toy", "kron:7", "grid:9x7", "star:300", "powerlaw:200")


def rows_of(changing, levels: np.ndarray) -> int:
    """Positions of the rows of all vertices that were reached."""
    offsets = changing.image().row_offsets
    return int(np.diff(offsets)[levels >= 0].sum())


@pytest.mark.parametrize(
    ("spec", "schedule", "device"),
    sampled([(g, s, d) for g in SPECS for s in SCHEDULES for d in ("toy4", "h200")], 50),
)
def test_all_that_is_no_edge_is_counted_once(spec, schedule, device) -> None:
    block = 32 if device == "h200" else 8
    options = {"schedule": schedule, "device": device, "sanitize": "all"}
    with dynamic.graph("gpma", spec, **options) as changing:
        changing.delete_edges(dynamic.skewed(changing.vertices, 60, seed=1))
        changing.insert_edges(dynamic.uniform(changing.vertices, 60, seed=2))
        for source in (0, changing.to_csr().hub):
            done = changing.search(source=source, block=block)
            reached = done.graph.degrees[done.levels >= 0].sum()
            looked = rows_of(changing, done.levels)
            assert done.counters["gaps_traversed"] == looked - reached
            rows = np.diff(changing.image().row_offsets) - done.graph.degrees
            by_level = np.bincount(done.levels[done.levels >= 0], rows[done.levels >= 0])
            told = [done.facts[depth]["gaps_traversed"] for depth in range(done.depth + 1)]
            assert told == by_level.tolist()
            assert done.launches == done.counters["host_reads"] == done.depth + 1


def test_a_search_names_the_graph_until_it_changes() -> None:
    with dynamic.graph("gpma", "kron:6", counters=False) as changing:
        assert changing.search().graph.spec == "kron:6"
        changing.delete_edges(Batch([0], [changing.search().graph.hub]))
        assert changing.search().graph.spec == "gpma"
        assert changing.search().graph == changing.to_csr()


@examples(200, 2)
@given(st.data(), st.sampled_from(SCHEDULES))
def test_searches_between_random_batches_are_verified(data, schedule) -> None:
    graph = data.draw(st.sampled_from((gpubfs.graph("toy"), Graph(np.zeros(21, int), []))))
    history = data.draw(histories(graph.vertices, most=3))
    with dynamic.graph("gpma", graph, device="toy4", schedule=schedule) as changing:
        model = Model(graph)
        for step in history:
            replay(changing, model, [step])
            source = data.draw(st.integers(0, graph.vertices - 1))
            done = changing.search(source=source, block=8, blocks=data.draw(st.integers(0, 2)))
            assert done.verified
            assert (done.levels >= 0).any()


@pytest.mark.parametrize("blocks", [1, 2, 0, BLOCKS.default])
def test_launches_have_a_bounded_number_of_blocks(blocks: int) -> None:
    with dynamic.graph("gpma", "kron:8") as changing:
        done = changing.search(source=0, block=32, blocks=blocks)
        grids = [launch.grid[0] for launch in done.per_launch]
        needed = [-(-launch.frontier // 32) for launch in done.per_launch]
        assert grids == [min(one, blocks or one) for one in needed]
        assert max(needed) > 2


def test_without_gaps_nothing_is_counted_and_less_is_done() -> None:
    with dynamic.graph("gpma", "kron:7") as changing:
        plain, counting = (changing.search(source=0, gaps=gaps) for gaps in (False, True))
        assert "gaps_traversed" not in plain.counters
        assert (plain.levels == counting.levels).all()
        assert plain.counters["load_sectors"] == counting.counters["load_sectors"]
        assert plain.counters["barriers"] < counting.counters["barriers"]


def test_edges_are_loaded_as_in_compressed_sparse_rows_and_gaps_besides() -> None:
    graph = gpubfs.graph("kron:7")
    with dynamic.graph("gpma", graph) as changing:
        packed = changing.search(source=0)
    rows = gpubfs.run("cta-warp-scan", graph, 0)
    lanes = {site.array: 0 for site in (*packed.sites, *rows.sites) if site.kind == "load"}
    for site in (*packed.sites, *rows.sites):
        if site.kind == "load":
            lanes[site.array] += site.lanes
    assert lanes["keys"] == lanes["neighbours"] + packed.counters["gaps_traversed"]
    assert lanes["values"] == lanes["neighbours"]  # nothing was deleted yet


def test_searches_after_large_batches(machine: str) -> None:
    """On a GPU so large that leaves of several heights are merged, and blocks take many tiles."""
    spec, size = ("kron:7", 300) if machine == "sim" else ("kron:16", 200_000)
    with dynamic.graph("gpma", spec, machine, counters=False) as changing:
        for seed in range(3):
            batch = dynamic.uniform(changing.vertices, size, seed)
            changing.insert_edges(batch.both_ways())
            changing.delete_edges(Batch(batch.sources[::2], batch.targets[::2]))
            changing.check()
            for blocks in (0, 1, BLOCKS.default):
                done = changing.search(blocks=blocks)
                reached = int(done.graph.degrees[done.levels >= 0].sum())
                assert done.counters["gaps_traversed"] == rows_of(changing, done.levels) - reached


def test_kernels_of_two_files_count_on_a_gpu_as_on_the_simulator(monkeypatch) -> None:
    """Of the structure's and of the search's, each as they are launched in turn."""
    monkeypatch.setitem(machines.MACHINES, "instrumented", InstrumentedSim)
    structure = replace(find("gpma"), machines=("sim", "instrumented"))
    counted = []
    for machine in ("sim", "instrumented"):
        with dynamic.graph(structure, "toy", machine, counters=True) as changing:
            searches = []
            for insert in (changing.insert_edges, changing.delete_edges):
                searches.append(changing.search(source=0).counters)
                insert(Batch([0, 0, 4, 9], [5, 6, 7, 1]))
            operations = [operation.counters for operation in changing.operations]
            counted.append([*searches, *operations])
    for ours, theirs in zip(*counted, strict=True):
        assert {k: ours[k] for k in EXACT} == {k: theirs[k] for k in EXACT}


@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize("gaps", [0, 1])
def test_the_kernel_compiles_without_a_word(architecture: str, gaps: int) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    assert nvrtc.compile_file(TECHNIQUE.path, architecture, (f"COUNT_GAPS={gaps}",)) == ""


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"source": 99}, "source 99"),
        ({"source": 0, "block": 33}, "not a whole number of warps"),
        ({"source": 0, "block": 2048}, "block=2048 is out of range"),
        ({"source": 0, "blocks": -1}, "blocks=-1 is out of range"),
        ({"source": 0, "gaps": "perhaps"}, "gaps=perhaps makes no sense"),
        ({"source": 0, "technique": "scan-free"}, "take cta-warp-scan"),
        ({"source": 0, "width": 4}, "no option of cta-warp-scan named"),
    ],
)
def test_what_makes_no_sense_is_refused(given_, says) -> None:
    with (
        dynamic.graph("gpma", "toy") as changing,
        pytest.raises((gpubfs.UsageError, gpubfs.GraphError), match=says),
    ):
        changing.search(**given_)
