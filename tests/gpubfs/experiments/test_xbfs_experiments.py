"""The experiments on XBFS's bottom-up passes: what is counted, held against graphs and levels."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import gpubfs
from gpubfs.experiments import xbfs_ablation, xbfs_early, xbfs_edge_checks, xbfs_phases
from gpubfs.experiments.experiment import Point, Report
from gpubfs.experiments.xbfs_searches import ORDERS, typical
from gpubfs.experiments.xbfs_stages import STAGES, WHOLE
from tests.gpubfs.techniques.bottom_up_passes import looks
from tests.sampling import sampled

GRAPH = "powerlaw:1024"


@cache
def report(name: str) -> Report:
    return gpubfs.experiment(name, graphs=[GRAPH, "path:60"])


def values(name: str, series: str, key: str, graph: str = GRAPH) -> float | None:
    found = [p for p in report(name).points if (p.graph, p.series) == (graph, series)]
    return found[0].values[key] if found else None


def test_searches_begin_at_a_typical_vertex() -> None:
    graph = gpubfs.graph(GRAPH)
    assert graph.degrees[typical(graph)] == np.median(graph.degrees[graph.degrees > 0])
    assert typical(gpubfs.Graph.from_edges([], [], 3)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("order", sampled(["warp", "lockstep", "random:1"], 3))
def test_early_vertices_are_those_of_the_second_bottom_up_level(order: str) -> None:
    graph = gpubfs.graph(GRAPH)
    options = {"source": typical(graph), "alpha": 0.1, "schedule": order}
    done = gpubfs.run("bottom-up-async", graph, **options)
    level = xbfs_early.second(done)
    assert level is not None
    assert [done.facts[level - back]["phase"] for back in (1, 2)] == ["bottom-up"] * 2
    assert level == 2 or done.facts[level - 3]["phase"] != "bottom-up"
    early = done.facts[level]["early"]
    assert values("xbfs-early", order, "early") == early
    assert values("xbfs-early", order, "share") == early / np.count_nonzero(done.levels == level)


@pytest.mark.slow
def test_the_store_behind_the_loop_finds_nothing_in_lockstep() -> None:
    assert values("xbfs-early", "lockstep, behind", "share") == 0
    assert values("xbfs-early", "lockstep", "share") > 0


@pytest.mark.slow
def test_lemma_3_corrected_describes_a_queue_that_is_worked_in_order() -> None:
    """One warp after the other; as printed it is the probability of the contrary."""
    measured = values("xbfs-early", "warp", "share")
    assert measured == pytest.approx(values("xbfs-early", xbfs_early.CORRECTED, "share"), abs=0.1)
    assert measured != pytest.approx(values("xbfs-early", xbfs_early.PRINTED, "share"), abs=0.2)


@pytest.mark.slow
def test_a_graph_without_two_bottom_up_levels_has_a_note() -> None:
    points = [p for p in report("xbfs-early").points if p.graph == "path:60"]
    assert {point.values["share"] for point in points} == {None}
    assert "no two bottom-up levels" in points[0].note


@pytest.mark.slow
def test_synchronous_checks_are_what_first_parents_say() -> None:
    graph = gpubfs.graph(GRAPH)
    done = gpubfs.run("xbfs", graph, typical(graph), asynchronous=False)
    up = [depth for depth, known in done.facts.items() if known["phase"] == "bottom-up"]
    expected = sum(looks(graph, done.levels, depth + 1).sum() for depth in up)
    assert values("xbfs-edge-checks", "synchronous", "passes") == expected
    others = [d for d in done.facts if d not in up]
    edges = int(graph.degrees[np.isin(done.levels, others)].sum())
    assert values("xbfs-edge-checks", "synchronous", "checks") == expected + edges
    for order in ORDERS:
        assert values("xbfs-edge-checks", order, "passes") < expected
    assert xbfs_edge_checks.saved(report("xbfs-edge-checks").points)["path:60"] == []


@pytest.mark.slow
def test_phases_share_all_that_a_search_moves() -> None:
    for stage in xbfs_phases.PUBLISHED:
        technique, options = STAGES[stage]
        graph = gpubfs.graph(GRAPH)
        counters = gpubfs.run(technique, graph, typical(graph), **options).counters
        moved = sum(counters[f"{kind}_sectors"] for kind in ("load", "store", "atomic"))
        both = [values("xbfs-phases", stage, way) for way in ("top-down", "bottom-up")]
        assert sum(both) == moved
        assert both[1] / moved == values("xbfs-phases", stage, "share")
        assert values("xbfs-phases", stage, "share", "path:60") is None


@pytest.mark.slow
def test_stages_of_the_ablation_differ_in_one_thing_each() -> None:
    points = {p.series: p.values for p in report("xbfs-ablation").points if p.graph == GRAPH}
    assert list(points) == list(STAGES)
    options = [given for technique, given in STAGES.values() if technique == "xbfs"]
    defaults = {option.name: option.default for option in gpubfs.techniques()["xbfs"].options}
    complete = [defaults | given for given in options]
    for before, after in pairwise(complete):
        assert sum(before[name] != after[name] for name in defaults) == 1
    assert complete[-1] == defaults


def test_what_launches_take_of_a_search_is_told_apart() -> None:
    seconds = {"Enterprise": (4.0, 3.0), "Ad": (2.0, 1.0), "Ad + WB": (2, 1), WHOLE: (2, 1.5)}
    points = [
        Point(graph, stage, None, {"seconds": scale * own[0], "launch_seconds": scale * own[1]})
        for graph, scale in (("a", 1), ("b", 10))
        for stage, own in seconds.items()
    ]
    said = xbfs_ablation.launched(points)
    assert said.agrees is None
    assert (
        "launches take 75 % in Enterprise, 50 % in Ad, 50 % in Ad + WB and 75 % in" in said.sentence
    )
    assert "×3.00 (Ad), ×3.00 (Ad + WB) and ×2.00 (Ad + WB + Async) as fast" in said.sentence


@pytest.mark.slow
def test_methods_of_levels_are_the_phases_that_xbfs_chooses() -> None:
    graph = gpubfs.graph(GRAPH)
    done = gpubfs.run("xbfs", graph, typical(graph), asynchronous=False, balance="static")
    points = [p for p in report("xbfs-generation").points if p.graph == GRAPH]
    for depth, known in done.facts.items():
        own = {p.values["method"] for p in points if p.at == depth}
        assert own == {str(known["phase"]).replace("bottom-up", "double-scan")}
    assert {"single-scan", "no-queue"} <= {p.values["method"] for p in points}


@pytest.mark.slow
def test_a_search_without_a_phase_differs_in_the_levels_about_it() -> None:
    costs = {
        (p.series, p.at): p.values["cost"]
        for p in report("xbfs-generation").points
        if p.graph == GRAPH and p.series.startswith("xbfs")
    }
    phases = gpubfs.run("xbfs", GRAPH, typical(gpubfs.graph(GRAPH))).facts
    found = {str(known["phase"]): depth for depth, known in phases.items()}
    for phase in ("single-scan", "no-queue"):
        depth = found[phase]
        without = f"xbfs without {phase}"
        assert costs[without, depth] != costs["xbfs", depth]
        others = [at for name, at in costs if name == "xbfs" and at not in (depth, depth + 1)]
        assert all(costs[without, at] == costs["xbfs", at] for at in others)


def test_a_bottom_up_level_with_nothing_left_to_look_at_is_one_all_the_same() -> None:
    """The last level of a star from a leaf makes its queue, finds it empty and launches no pass."""
    done = gpubfs.run("xbfs", "star:200", 5)
    last = max(done.facts)
    launches = [launch for launch in done.per_launch if launch.depth == last]
    assert done.facts[last]["phase"] == "bottom-up"
    assert launches
    assert not any("bottom_up" in launch.kernel for launch in launches)
    lab = SimpleNamespace(cost=lambda launch: launch.depth == last)
    assert xbfs_phases.costs(done, lab) == {"top-down": 0, "bottom-up": len(launches)}
