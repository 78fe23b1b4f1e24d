"""Rules of direction where they change over: what is exactly at a bound, and next to it."""

from __future__ import annotations

import pytest

from gpubfs.search.rules import Figures, Rule, Standing, beamer, edge_share, ligra

#: 1 / 14 of 700 edges are 50, and 1 / 24 of 240 vertices 10.
GRAPH = Figures(240, 1400)
HALF = Figures(20, 700)


def standing(vertices: int, edges: int, before: int | None, up: bool = False) -> Standing:
    prior = None if before is None else Figures(before, 60)
    return Standing(GRAPH, Figures(vertices, edges), prior, HALF, up)


def chosen(rule: Rule, now: Standing) -> bool:
    return rule(now)[0]


@pytest.mark.parametrize(
    ("vertices", "edges", "before", "up"),
    [
        (10, 50, 9, False),  # as much as a fourteenth is not more
        (10, 51, 9, True),
        (9, 51, 9, False),  # nor has it grown
        (8, 51, 9, False),
        (1, 51, None, True),  # before the first level there is none
        (1, 50, None, False),
    ],
)
def test_beamer_goes_up_for_more_than_a_fourteenth_if_it_grows(
    vertices: int, edges: int, before: int | None, up: bool
) -> None:
    assert chosen(beamer(), standing(vertices, edges, before)) == up


@pytest.mark.parametrize(
    ("vertices", "before", "up"),
    [
        (10, 11, True),  # as much as a twenty-fourth is not less
        (9, 10, False),
        (9, 9, True),  # it does not shrink
        (9, 8, True),
    ],
)
def test_beamer_comes_back_for_less_than_a_twenty_fourth_if_it_shrinks(
    vertices: int, before: int, up: bool
) -> None:
    assert chosen(beamer(), standing(vertices, 1, before, up=True)) == up


@pytest.mark.parametrize(
    ("vertices", "edges", "up"), [(10, 60, False), (10, 61, True), (11, 60, True), (9, 61, False)]
)
def test_ligra_goes_up_for_more_than_a_twentieth(vertices: int, edges: int, up: bool) -> None:
    """Of all edges, by vertices and edges together; 70 of 1400 are as much."""
    assert chosen(ligra(), standing(vertices, edges, 9)) == up


@pytest.mark.parametrize(
    ("alpha", "edges", "up"),
    [(0.05, 69, False), (0.05, 70, True), (0, 0, True), (1, 1400, True), (1.01, 1400, False)],
)
def test_xbfs_goes_up_for_its_share(alpha: float, edges: int, up: bool) -> None:
    assert chosen(edge_share(alpha), standing(10, edges, 9)) == up


def test_without_edges_only_a_share_of_nothing_goes_up() -> None:
    alone = Standing(Figures(1, 0), Figures(1, 0))
    assert [chosen(edge_share(alpha), alone) for alpha in (0, 0.1)] == [True, False]


@pytest.mark.parametrize(("edges", "predicted"), [(62, False), (63, True)])
def test_a_prediction_that_is_just_the_share_counts(edges: int, predicted: bool) -> None:
    """63 edges behind 27 grow to 147, which are 147 of 1400."""
    now = Standing(GRAPH, Figures(10, edges), Figures(9, 27))
    assert now.predicts(147 / 1400) == predicted
