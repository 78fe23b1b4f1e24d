"""xbfs: which phase each level has and why, what a phase launches, and that no vertex is lost."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.search.phases import PHASES, PhaseSearch
from gpubfs.search.rules import Figures
from gpubfs.search.verify import VerificationError
from gpubfs.show.tables import level_sheet
from simulator.source import LaunchError
from tests.gpubfs.techniques.bottom_up_passes import (
    ORDERS,
    checked,
    graphs,
    lanes,
    passes,
    search_random_graphs,
    searched,
    toy_options,
)
from tests.sampling import examples, sampled

NAME = "xbfs"
BALANCES = ["static", "thread", "warp", "donate"]
SPECS = ["kron:9", "er:9,4", "powerlaw:512", "grid:15x15", "star:60", "toy"]

#: Graphs and shares of edges for which vertices are found early, and a way back follows.
RETURNS = [("powerlaw:512", 0.2), ("er:9,4", 0.25), ("grid:9x9", 0.06), ("rgg:300", 0.05)]


def phases(done: gpubfs.Run) -> list[str]:
    return [str(known["phase"]) for known in done.facts.values()]


def launched(done: gpubfs.Run, depth: int) -> list[str]:
    return [at.kernel for at in done.per_launch if at.depth == depth]


@st.composite
def plans(draw: Any) -> str:
    """Phases that may follow each other: no-queue comes behind bottom-up."""
    plan: list[str] = []
    for _ in range(draw(st.integers(1, 7))):
        after = plan[-1:] == ["bottom-up"]
        plan.append(draw(st.sampled_from(PHASES if after else PHASES[:3])))
    return "+".join(plan)


@pytest.mark.slow
@examples(80, 3)
@given(data=st.data())
def test_levels_are_right_in_every_order_by_every_plan(data: st.DataObject) -> None:
    """Lemmas 1 and 2, and every way from one phase to another."""
    graph = data.draw(graphs())
    options = toy_options(data.draw) | {
        "phases": data.draw(plans()),
        "balance": data.draw(st.sampled_from(BALANCES)),
        "asynchronous": data.draw(st.booleans()),
        "grid_degree": data.draw(st.sampled_from([7, 4096])),
        "schedule": data.draw(st.sampled_from(ORDERS)),
    }
    done = searched(NAME, graph, data.draw(st.integers(0, graph.vertices - 1)), **options)
    expected = str(options["phases"]).split("+")
    assert phases(done)[: len(expected)] == expected[: len(done.facts)]
    for depth, known in done.facts.items():
        assert known["edge_check"] == graph.degrees[done.levels == depth].sum()


@examples(60, 3)
@given(data=st.data())
def test_levels_are_right_in_every_order_by_the_rule(data: st.DataObject) -> None:
    options = toy_options(data.draw) | {
        "alpha": data.draw(st.sampled_from([0, 0.05, 0.1, 0.2, 0.4])),
        "balance": data.draw(st.sampled_from(BALANCES)),
        "schedule": data.draw(st.sampled_from(ORDERS)),
    }
    graph = data.draw(graphs())
    searched(NAME, graph, data.draw(st.integers(0, graph.vertices - 1)), **options)


def expected_phases(done: gpubfs.Run, alpha: float) -> list[str]:
    """The phases that equations 1 and 2 give each level, from the levels alone."""
    graph, found, up = done.graph, [], False
    edges = [int(graph.degrees[done.levels == d].sum()) for d in range(done.depth + 1)]
    for depth, now in enumerate(edges):
        growth = now / edges[depth - 1] if depth else 0.0
        if now / graph.edges >= alpha:
            found.append("bottom-up")
        elif up:
            found.append("no-queue")
        else:
            found.append("single-scan" if now * growth / graph.edges >= alpha else "scan-free")
        up = found[-1] == "bottom-up"
    return found


@pytest.mark.parametrize(("spec", "alpha"), sampled(product(SPECS, [0.02, 0.1, 0.3]), 5))
def test_edges_and_their_growth_choose_the_phases(spec: str, alpha: float) -> None:
    graph = gpubfs.graph(spec)
    for source in (graph.hub, graph.vertices - 1):
        done = searched(NAME, graph, source, alpha=alpha, block=64, schedule="warp")
        assert phases(done) == expected_phases(done, alpha)


def test_all_phases_of_figure_7_follow_each_other() -> None:
    done = searched(NAME, gpubfs.graph("er:9,4"), block=64)
    assert list(dict.fromkeys(phases(done)))[:4] == list(PHASES)
    sheet = level_sheet(done)
    titles = [column.title for column in sheet.columns]
    for name in ("phase", "edge_check", "lambda", "ratio", "predicted", "early"):
        assert name in titles
    data = json.loads(json.dumps(done.as_dict()))
    assert [row["phase"] for row in data["facts"]] == phases(done)
    for row in data["facts"]:
        assert row["ratio"] == row["edge_check"] / done.graph.edges
        assert row["level"] == 0 or row["predicted"] == pytest.approx(row["ratio"] * row["lambda"])


@pytest.mark.slow
def test_what_each_phase_launches() -> None:
    """Before bottom-up, single-scan has no scan of its own; its measurement is double-scan's."""
    done = searched(NAME, gpubfs.graph("er:9,4"), block=64, asynchronous=False)
    kernels = {phase: launched(done, depth) for depth, phase in enumerate(phases(done))}
    first = launched(done, phases(done).index("bottom-up"))
    assert kernels["scan-free"] == ["scan_free_by_class"]
    assert kernels["single-scan"] == ["single_scan_by_class", "double_scan_measure"]
    assert first == ["segment_places", "double_scan_place", "bottom_up_warp"]
    assert kernels["bottom-up"] == ["double_scan_count", *first]
    assert kernels["no-queue"] == ["no_queue_by_class"]


@pytest.mark.parametrize(
    ("following", "kernels"),
    [
        ("scan-free", ["single_scan_enqueue", "scan_free_by_class"]),
        ("single-scan", ["single_scan_enqueue", "single_scan_by_class", "double_scan_measure"]),
        ("bottom-up", ["segment_places", "double_scan_place", "bottom_up_warp"]),
    ],
)
def test_single_scans_own_scan_is_made_if_the_next_level_needs_it(
    following: str, kernels: list[str]
) -> None:
    plan = f"scan-free+single-scan+{following}"
    done = searched(NAME, gpubfs.graph("er:9,4"), block=64, phases=plan)
    assert launched(done, 2) == kernels


def test_a_prediction_that_fails_costs_that_scan_and_nothing_else() -> None:
    """Frontiers of 2, 4, 8 and 8 vertices of a tree: growth ends before it was expected to."""
    parents = [0, 0, *np.repeat([1, 2], 2), *np.repeat(np.arange(3, 7), 2), *range(7, 15)]
    graph = Graph.from_edges(parents, np.arange(1, len(parents) + 1), name="tree")
    alpha = 0.5
    done = searched(NAME, graph, 0, alpha=alpha, block=32, blocks=1)
    assert phases(done) == expected_phases(done, alpha)
    single = phases(done).index("single-scan")
    assert phases(done)[single + 1] != "bottom-up"
    assert launched(done, single + 1)[0] == "single_scan_enqueue"


@pytest.mark.parametrize("plan", ["scan-free+scan-free", "scan-free+single-scan"])
@pytest.mark.parametrize("degree", sampled([5, 31, 32, 63, 64, 200, 299, 300, 700], 2))
def test_a_vertex_is_expanded_by_the_class_of_its_degree(degree: int, plan: str) -> None:
    """A thread makes a request for each neighbour; larger groups one for each warp's width."""
    ends = np.arange(2, degree + 1)
    graph = Graph.from_edges(np.r_[0, 1 + 0 * ends], np.r_[1, ends], name="broom")
    options: dict[str, Any] = {"block": 64, "blocks": 2, "grid_degree": 300, "phases": plan}
    done = searched(NAME, graph, 0, **options)
    sites = [s for at in done.per_launch if at.depth == 1 for s in at.sites or ()]
    loads = [s for s in sites if (s.kind, s.array) == ("load", "neighbours")]
    assert sum(s.lanes for s in loads) == degree
    assert sum(s.requests for s in loads) == (degree if degree < 32 else -(-degree // 32))
    by_grid = [at for at in done.per_launch if at.depth == 1 and at.kernel.endswith("_huge")]
    assert len(by_grid) == (degree >= 300)


@pytest.mark.parametrize("phase", ["scan-free", "single-scan", "no-queue"])
def test_vertices_for_the_grid_are_expanded_in_one_level_only(phase: str) -> None:
    """Each of vertices 0, 1 and 2 has the grid, and not again in the levels of the next."""
    ends = np.arange(3, 27)
    graph = Graph.from_edges(np.r_[0, 1, ends % 3], np.r_[1, 2, ends], name="three hubs")
    plan = f"{phase}+{phase}+{phase}" if phase != "no-queue" else f"scan-free+bottom-up+{phase}"
    options: dict[str, Any] = {"device": "toy4", "block": 4, "blocks": 1, "phases": plan}
    done = searched(NAME, graph, 0, grid_degree=8, **options)
    for depth, name in enumerate(plan.split("+")):
        own = sum(checked(at) for at in done.per_launch if at.depth == depth)
        assert name == "bottom-up" or own == graph.degrees[done.levels == depth].sum()


def test_a_block_has_room_for_more_than_the_default_of_256_vertices() -> None:
    """257 vertices of one block, each with edges for all of its 288 threads."""
    middle, ends = np.arange(1, 258), np.arange(258, 258 + 287)
    sources = np.r_[0 * middle, np.repeat(middle, ends.size)]
    graph = Graph.from_edges(sources, np.r_[middle, np.tile(ends, middle.size)], name="wide")
    options: dict[str, Any] = {"block": 288, "blocks": 1, "phases": "scan-free+scan-free"}
    searched(NAME, graph, 0, counters=False, **options)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", sampled(["random:2", "lockstep"], 2))
def test_vertices_of_all_classes_in_one_level(schedule: str) -> None:
    """Vertices with 1 to 400 edges, some shared, claimed once each."""
    rng = np.random.default_rng(5)
    hubs = np.arange(1, 30)
    degrees = rng.integers(1, 400, hubs.size)
    sources = np.r_[0 * hubs, np.repeat(hubs, degrees)]
    targets = np.r_[hubs, rng.integers(30, 2000, degrees.sum())]
    graph = Graph.from_edges(sources, targets, 2000, name="brooms")
    for plan in ("scan-free+scan-free+scan-free", "single-scan+single-scan+single-scan"):
        options = {"block": 64, "blocks": 2, "grid_degree": 200, "phases": plan}
        done = searched(NAME, graph, 0, sanitize="all", schedule=schedule, **options)
        stored = "atomic" if plan.startswith("scan") else "store"
        assert sum(lanes(at, stored, "level") for at in done.per_launch) >= done.reached - 1


@pytest.mark.slow
@pytest.mark.parametrize("asynchronous", [False, True])
def test_all_ways_to_balance_have_the_same_grid(asynchronous: bool) -> None:
    graph = gpubfs.graph("kron:9")
    grids = []
    for balance in BALANCES:
        options: dict[str, Any] = {"balance": balance, "asynchronous": asynchronous}
        done = searched(NAME, graph, alpha=0, block=64, blocks=3, **options)
        first = passes(done)[0]
        assert first.kernel == f"bottom_up_{balance}"
        grids.append((first.grid, first.block, launched(done, 0)[:-1]))
    assert all(grid == grids[0] for grid in grids)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(
    ("scale", "most"), [(12, 0.25), pytest.param(16, 0.15, marks=pytest.mark.slow)]
)
def test_few_edges_are_looked_at(scale: int, most: float, asynchronous: bool) -> None:
    """kron:16 is the claim; the smaller graph has a larger share in its last levels."""
    graph = gpubfs.graph(f"kron:{scale}")
    assert checked(gpubfs.run(NAME, graph, asynchronous=asynchronous)) < most * graph.edges


@examples(40, 1)
@given(data=st.data())
def test_asynchrony_never_looks_at_more_edges_in_the_passes_that_both_make(
    data: st.DataObject,
) -> None:
    graph = data.draw(graphs())
    options = toy_options(data.draw) | {
        "schedule": data.draw(st.sampled_from(ORDERS)),
        "balance": data.draw(st.sampled_from(BALANCES[:3])),
        "alpha": data.draw(st.sampled_from([0, 0.1, 0.2])),
    }
    both = [searched(NAME, graph, 0, asynchronous=way, **options) for way in (False, True)]
    assert phases(both[0]) == phases(both[1])
    sums = [{at.depth: checked(at) for at in passes(done)} for done in both]
    for depth in sums[0].keys() & sums[1].keys():
        assert sums[1][depth] <= sums[0][depth]


def forgetful(search: PhaseSearch, depth: int) -> Figures:
    """Take the last pass's queue for all that the level has, as the published code does."""
    data = search.buffers
    data.host.write(data.next_size, 0)
    search.early = Figures()
    return search._enqueued(search.expansion.no_queue(search._queues(search.queued, depth)))


@pytest.mark.slow
def test_the_property_finds_the_published_codes_loss(monkeypatch: Any) -> None:
    monkeypatch.setattr(PhaseSearch, "_no_queue", forgetful)
    with pytest.raises((VerificationError, LaunchError, ExceptionGroup)):
        search_random_graphs(NAME, 80)


@pytest.mark.parametrize(
    ("spec", "alpha", "schedule", "balance"),
    sampled(
        [
            (spec, alpha, schedule, balance)
            for spec, alpha in RETURNS
            for schedule in ("lockstep", "warp", "random:3")
            for balance in BALANCES
        ],
        11,
    ),
)
def test_nothing_is_lost_on_the_way_back(
    spec: str, alpha: float, schedule: str, balance: str
) -> None:
    options = {"alpha": alpha, "schedule": schedule, "balance": balance}
    done = searched(NAME, gpubfs.graph(spec), 0, block=64, blocks=2, **options)
    assert "no-queue" in phases(done)


def test_a_search_reads_once_a_level_and_before_the_first() -> None:
    """Once more where double-scan makes a queue, whose length the grid depends on."""
    done = gpubfs.run(NAME, "er:9,4", block=64)
    made = sum(phase == "bottom-up" for phase in phases(done))
    assert done.counters["host_reads"] == 1 + len(done.facts) + made


@pytest.mark.parametrize(
    ("plan", "error", "remedy"),
    [
        ("top-down", 'phases: "top-down" is no phase', "scan-free, single-scan, bottom-up"),
        ("scan-free++bottom-up", 'phases: "" is no phase', "by +"),
        ("no-queue", "phases: level 0 cannot be no-queue", "let bottom-up come before"),
        ("scan-free+no-queue", "phases: level 1 cannot be no-queue", "let bottom-up come before"),
    ],
)
def test_plans_that_make_no_sense(plan: str, error: str, remedy: str) -> None:
    for graph in ("toy", "star:3"):  # which ends before some of these levels
        with pytest.raises(gpubfs.UsageError, match=error) as caught:
            gpubfs.run(NAME, graph, phases=plan)
        assert remedy in str(caught.value.hint)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"plan": ("rubbish",)}, '"rubbish" is no phase'),
        ({"plan": ("single-scan",)}, '"single-scan" is no phase'),
        ({"back": "typo"}, '"typo" is no way back'),
    ],
)
def test_a_search_of_ones_own_with_phases_that_it_has_not(given: Any, error: str) -> None:
    with pytest.raises(gpubfs.UsageError, match=error):
        PhaseSearch(*[None] * 5, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("balance", ["static", "warp"])
def test_its_memory_is_what_the_catalogue_says(balance: str) -> None:
    done = gpubfs.run(NAME, "kron:7", balance=balance)
    held = done.counters["bytes_by_name"]
    beside = sum(held[name] for name in ("next_size", "found", "huge_size")) + held.get("taken", 0)
    assert beside == (40 if balance == "static" else 44)
    assert held["huge"] == 4 * max(1, min(128, done.graph.edges // 4096))


@pytest.mark.parametrize("offset", ["int", "long long"])
@pytest.mark.parametrize("asynchronous", [0, 1])
def test_nothing_is_in_local_memory(asynchronous: int, offset: str) -> None:
    """No stack and no spills in any kernel of the family: xbfs includes all of them."""
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    macros = (f"ASYNCHRONOUS={asynchronous}", f"OFFSET={offset}")
    log = nvrtc.compile_file(KERNELS / "xbfs.cu", "sm_90", macros, ("--ptxas-options=-v",))
    local = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
    assert log.count("stack frame") == log.count(local) > 15
