"""Busato and Bombieri's figures: what is measured, and verdicts that come out either way."""

from __future__ import annotations

import numpy as np
import pytest

import gpubfs
from gpubfs.experiments import busato_bins, busato_frontier_loads, busato_gathering
from gpubfs.experiments.experiment import Point, Verdict
from gpubfs.search.supports import Bins
from tests.gpubfs.experiments.test_experiments import on_fake_gpu, report, values


def binned(**changed: int | bool) -> list[Point]:
    """One bin of one level, with what is said of it."""
    plain = {"vertices": 3, "edges": 90, "lower": 16, "last": False, "wanted": 1, "launched": 1}
    more = {"edges_per_thread": 2, "on_bounds": 0, "max_degree": 31, "all_edges": 200}
    return [Point("g", "level 1", 0, plain | more | {"threshold": 16} | changed)]


@pytest.mark.parametrize(
    ("verdict", "agrees"),
    [
        (busato_frontier_loads.as_drawn("here", (8, 1)), True),
        (busato_frontier_loads.as_drawn("here", (8, 2)), False),
        (busato_frontier_loads.fewer("here", (8, 1)), True),
        (busato_frontier_loads.fewer("here", (2, 1)), None),
        (busato_frontier_loads.saved({"a": (8, 1), "b": (9, 8)}), True),
        (busato_frontier_loads.saved({"a": (8, 1), "b": (8, 8)}), False),
        (busato_frontier_loads.saved({}), None),
        (busato_frontier_loads.faster({"a": 1.2, "b": 1.1}), True),
        (busato_frontier_loads.faster({"a": 1.2, "b": 0.9}), None),
        (busato_frontier_loads.faster({"a": 0.8, "b": 0.9}), False),
        (busato_frontier_loads.faster({"a": 0.6, "b": 1.002}), False),
        (busato_frontier_loads.faster({"a": 1.002, "b": 0.99}), None),
        (busato_frontier_loads.faster({}), None),
        (busato_gathering.placed({"V1": 0, "V3": 1}), True),
        (busato_gathering.placed({"V1": 0, "V3": 2}), False),
        (busato_gathering.sequential({"a": (3, 9)}, {"a": (9, 9)}), True),
        (busato_gathering.sequential({"a": (99, 1)}, {"a": (100, 9)}), None),
        (busato_gathering.sequential({"a": (9, 3)}, {"a": (9, 9)}), None),
        (busato_gathering.sequential({"a": (9, 9)}, {"a": (9, 9)}), False),
        (busato_gathering.sequential({"a": (3, 9), "b": (9, 9)}, {"a": (9, 9), "b": (3, 9)}), None),
        (busato_gathering.sequential({"a": (3, 9)}, {}), None),
        (busato_gathering.faster({"a": 1.1, "b": 9}), True),
        (busato_gathering.faster({"a": 0.5}), False),
        (busato_gathering.faster({"a": 0.5, "b": 3}), None),
        (busato_gathering.faster({}), None),
        (busato_bins.placed(binned()), True),
        (busato_bins.placed(binned(launched=2)), False),
        (busato_bins.balanced(binned()), True),
        (busato_bins.balanced(binned(edges_per_thread=3)), False),
        (busato_bins.balanced(binned(last=True)), None),
        (busato_bins.alike(binned()), None),
        (busato_bins.alike(binned(max_degree=213_000, all_edges=182_000_000)), True),
    ],
)
def test_verdicts_come_out_either_way(verdict: Verdict, agrees: bool | None) -> None:
    assert verdict.agrees is agrees
    assert verdict.sentence


def test_the_figures_accesses_are_counted() -> None:
    done = report("busato-frontier-loads")
    loads = busato_frontier_loads.requests(done.points)
    assert list(loads.values())[:3] == [(8, 1), (8, 1), (2, 1)]
    assert [verdict.agrees for verdict in done.verdicts[:-1]] == [True, True, None, True]


def test_the_statements_of_shuffles_are_told_beside_the_requests_that_they_spare() -> None:
    """A group's turns are as many for one vertex as for eight."""
    done = report("busato-frontier-loads")
    taken = busato_frontier_loads.steps(done.points)
    drawn, whole, few = list(taken.values())[:3]
    assert 1 < drawn < whole < few
    assert done.verdicts[-1].agrees is not True
    assert "minimum overhead" in done.verdicts[-1].sentence
    assert all(
        f"×{ratio:.2f} on {where}" in done.verdicts[-1].sentence for where, ratio in taken.items()
    )


def test_each_width_is_timed_on_a_gpu() -> None:
    done, _ = on_fake_gpu("busato-frontier-loads", "toy", widths=(2, 8))
    assert [(point.series, point.at) for point in done.points[:2]] == [
        ("virtual-warp", 2),
        ("warp-shuffle", 2),
    ]
    assert done.verdicts[0].agrees is None  # both take as long


@pytest.mark.slow
def test_the_examples_vertices_get_their_places() -> None:
    done = report("busato-gathering")
    assert values(done, "binary prefix sum", "rank") == [0, 1, 1, 2]
    assert done.verdicts[0].agrees
    hub = values(done, "scan-based, warp", "warp_steps", "star")
    assert hub < values(done, "scan-based, none", "warp_steps", "star")
    assert values(done, "scan-based, warp", "barriers", "star") == [0]


@pytest.mark.parametrize("graph", ["kron:8", "star:300", "powerlaw:600", "grid:6x6"])
def test_every_heavy_vertex_is_a_turn_whoever_finds_it(graph: str) -> None:
    """Prefix sums spare barriers, not turns: a vertex is one, but where thresholds differ."""
    vying = gpubfs.run("cta-warp-scan", graph)
    own = gpubfs.run("supports", graph, basic="scan-based", supports="warp+block")
    none = gpubfs.run("supports", graph, basic="scan-based", supports="none")
    degrees = own.graph.degrees[own.levels >= 0]
    assert busato_gathering.turns(vying) == np.count_nonzero(degrees >= 32)
    assert busato_gathering.turns(own) == np.count_nonzero(degrees > 32)
    assert busato_gathering.turns(none) == 0


def test_fewer_barriers_are_not_taken_for_fewer_iterations() -> None:
    done = report("busato-gathering")
    barriers, waited = (
        values(done, series, "barriers", "kron")[0]
        for series in ("scan-based, warp+block", "cta-warp-scan")
    )
    said = done.verdicts[1]
    assert barriers < waited
    assert said.agrees is None
    assert f"turns and {barriers} and {waited} barriers on kron:7" in said.sentence


def test_vertices_are_in_the_bins_of_their_degrees() -> None:
    done = report("busato-bins")
    graph = gpubfs.graph("kron:8,16")
    own = [point for point in done.points if point.graph == graph.spec]
    threshold = own[0].values["threshold"]
    bins = Bins.of(32_768, threshold)
    levels = gpubfs.run("scan-free", graph, counters=False).levels
    for point in own:
        depth = int(point.series.removeprefix("level "))
        degrees = graph.degrees[(levels == depth) & (graph.degrees > threshold)]
        low = 1 << bins.base + int(point.at or 0)
        inside = (degrees >= low) & (degrees < 2 * low)
        assert point.values["vertices"] == np.count_nonzero(inside)
    heavy = sum(point.values["vertices"] for point in own)
    assert heavy == np.count_nonzero(graph.degrees[levels >= 0] > threshold) > 0
    assert [verdict.agrees for verdict in done.verdicts] == [True, True, None, None, None]


def test_a_graph_without_heavy_vertices_has_empty_bins() -> None:
    done, _ = on_fake_gpu("busato-bins", "karate")
    assert {point.values["vertices"] for point in done.points} == {0}
    assert [verdict.agrees for verdict in done.verdicts] == [None, None]
    assert "no vertex has more edges than the threshold" in done.verdicts[0].sentence
