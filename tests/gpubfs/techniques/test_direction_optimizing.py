"""direction-optimizing: which rule sends which level where, and how few edges are looked at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from tests.gpubfs.techniques.bottom_up_passes import ORDERS, checked, graphs, searched, toy_options
from tests.sampling import examples

NAME = "direction-optimizing"
RULES = ["xbfs", "beamer", "ligra"]
SPECS = ["kron:9", "er:9", "powerlaw:500", "grid:15x15", "star:60"]


def expected(graph: Graph, rule: str) -> Iterator[tuple[bool, float]]:
    """Which levels a rule expands bottom-up, and its ratios, from the levels alone."""
    levels = reference_levels(graph, graph.hub)
    members = [levels == depth for depth in range(levels.max() + 1)]
    sizes = [int(own.sum()) for own in members]
    edges = [int(graph.degrees[own].sum()) for own in members]
    up = False
    for depth, (size, own) in enumerate(zip(sizes, edges, strict=True)):
        before = sizes[depth - 1] if depth else 0
        if rule == "xbfs":
            up, ratio = own >= 0.1 * graph.edges, own / graph.edges
        elif rule == "ligra":
            up, ratio = size + own > graph.edges / 20, (size + own) / graph.edges
        elif up:
            ratio = size / graph.vertices
            up = not (ratio < 1 / 24 and size < before)
        else:
            left = graph.edges - sum(edges[: depth + 1])
            up, ratio = own > left / 14 and size > before, own / max(left, 1)
        yield up, ratio


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("spec", SPECS)
def test_a_rule_chooses_directions(spec: str, rule: str) -> None:
    graph = gpubfs.graph(spec)
    done = searched(NAME, graph, rule=rule, block=64)
    found = [(known["phase"] == "bottom-up", known["ratio"]) for known in done.facts.values()]
    assert found == [(up, pytest.approx(ratio)) for up, ratio in expected(graph, rule)]


@pytest.mark.parametrize("rule", RULES)
def test_kron_goes_up_and_comes_back(rule: str) -> None:
    done = searched(NAME, gpubfs.graph("kron:10,8"), 500, rule=rule, block=64)
    phases = [known["phase"] for known in done.facts.values()]
    assert phases[0] == "scan-free"
    assert "bottom-up" in phases
    assert phases[-1] != "bottom-up"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("scale", "most"), [(12, 0.25), pytest.param(16, 0.15, marks=pytest.mark.slow)]
)
def test_few_edges_are_looked_at(scale: int, most: float, rule: str) -> None:
    """kron:16 is the claim; the smaller graph has a larger share in its last levels."""
    graph = gpubfs.graph(f"kron:{scale}")
    done = gpubfs.run(NAME, graph, rule=rule)
    assert checked(done) < most * graph.edges
    assert checked(gpubfs.run("scan-free", graph)) > 0.9 * graph.edges


@examples(30, 2)
@given(data=st.data())
def test_levels_are_right_whatever_is_chosen(data: st.DataObject) -> None:
    options = toy_options(data.draw) | {
        "rule": data.draw(st.sampled_from(RULES)),
        "back": data.draw(st.sampled_from(["no-queue", "double-scan"])),
        "schedule": data.draw(st.sampled_from(ORDERS)),
    }
    done = searched(NAME, data.draw(graphs()), 0, **options)
    assert sum(int(known["early"] or 0) for known in done.facts.values()) == 0


@pytest.mark.parametrize("rule", ["beamer", "ligra"])
def test_a_share_is_for_the_rule_that_has_one(rule: str) -> None:
    with pytest.raises(gpubfs.UsageError, match=f"rule={rule} has numbers of its own") as caught:
        gpubfs.run(NAME, "toy", rule=rule, alpha=0.2)
    assert "take rule=xbfs" in str(caught.value.hint)


@pytest.mark.parametrize("alpha", ["inf", "-inf", "nan", float("inf")])
def test_a_share_is_a_finite_number(alpha: object) -> None:
    with pytest.raises(gpubfs.UsageError, match=r"alpha=.* is out of range"):
        gpubfs.run(NAME, "toy", alpha=alpha)
