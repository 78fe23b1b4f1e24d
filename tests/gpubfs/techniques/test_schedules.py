"""Every technique, watched by all sanitizers, on graphs of every shape in every order of warps."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

import gpubfs
from gpubfs.graphs.reference import reference_levels
from tests.gpubfs.techniques.shipped import SHIPPED, skip_added
from tests.gpubfs.techniques.variants import CASES, GRAPHS, OPTIONS, SCHEDULES, VARIANTS, label
from tests.sampling import sampled


def search(name: str, options: dict[str, Any], spec: str, schedule: str) -> None:
    graph = GRAPHS[spec]
    done = gpubfs.run(name, graph, schedule=schedule, sanitize="all", **options)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))
    assert {finding.verdict for finding in done.findings} <= {"declared", "harmless"}


def in_turn() -> list[Any]:
    """Each case in another order; the samples alone see every order, and every technique."""
    turns = {False: count(), True: count()}
    return [
        pytest.param(
            *case.values,
            SCHEDULES[next(turns[bool(case.marks)]) % len(SCHEDULES)],
            marks=case.marks,
        )
        for case in sampled(CASES, 80, each=0)
    ]


@pytest.mark.parametrize(("name", "options", "spec", "schedule"), in_turn(), ids=label)
def test_in_one_of_the_orders(name: str, options: dict[str, Any], spec: str, schedule: str) -> None:
    search(name, options, spec, schedule)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "spec"), CASES, ids=label)
def test_in_every_order(name: str, options: dict[str, Any], spec: str) -> None:
    for schedule in SCHEDULES:
        search(name, options, spec, schedule)


@pytest.mark.parametrize("name", gpubfs.techniques())
def test_no_technique_is_left_out(name: str) -> None:
    skip_added(name, OPTIONS, "options that make it small")
    assert name in {variant for variant, _ in VARIANTS}


def test_no_options_are_of_what_is_not_there() -> None:
    assert set(OPTIONS) <= set(gpubfs.techniques())


def test_a_shipped_technique_is_there_and_has_options() -> None:
    """Also one that the catalogue leaves out, because its module is broken, or that is renamed."""
    assert len(SHIPPED) == len(set(SHIPPED))
    assert set(SHIPPED) <= set(gpubfs.techniques())
    assert set(SHIPPED) <= set(OPTIONS)


def test_only_what_is_not_shipped_may_be_left_out() -> None:
    with pytest.raises(AssertionError):
        skip_added(SHIPPED[-1], {*SHIPPED[:-1]}, "options")
    with pytest.raises(pytest.skip.Exception):
        skip_added("somebody-s-own", SHIPPED, "options")
