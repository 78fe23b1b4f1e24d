"""The experiment best-steps: each step is a search by its options, and sentences follow numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.experiments.best_searches import FIRST, LAST, STEPS, pairs
from gpubfs.experiments.best_sentences import arrived, changed, fastest, gained, led
from gpubfs.experiments.best_steps import PAPER
from gpubfs.experiments.catalogue import find, sheet
from gpubfs.experiments.experiment import Point, Report
from gpubfs.measure.bench import Timing
from gpubfs.search.catalogue import parse_call
from tests.gpubfs.experiments.test_experiments import fake_gpu, printed

TITLES = [step.title for step in STEPS]
CALLS = {step.title: step.call for step in STEPS}
COUNTERS = ("launches", "grid_syncs", "cluster_syncs", "load_requests", "atomic_requests")

#: A graph on which `best` takes a byte map, and one for the grid with queues.
SPECS = ["delaunay:200", "star:1100"]


@cache
def report() -> Report:
    return gpubfs.experiment("best-steps", graphs=SPECS)


def values(step: str, name: str) -> list[Any]:
    return [point.values[name] for point in report().points if point.series == step]


@pytest.mark.slow
def test_every_graph_is_searched_by_every_step_in_its_turn() -> None:
    found = [(point.graph, point.series) for point in report().points]
    assert found == [(spec, title) for spec in SPECS for title in TITLES]
    assert not [point.note for point in report().points if point.note]


@pytest.mark.slow
@pytest.mark.parametrize("step", TITLES)
def test_a_step_is_the_search_that_its_table_names(step: str) -> None:
    """On the shallow graph: there all are searched in no time."""
    name, options = parse_call(CALLS[step])
    done = gpubfs.run(name, SPECS[-1], **options)
    assert [values(step, counter)[-1] for counter in COUNTERS] == [
        done.counters[counter] for counter in COUNTERS
    ]
    assert (step, CALLS[step]) in PAPER.rows


@pytest.mark.slow
def test_the_last_step_says_what_it_chose() -> None:
    """Who gives a search these options has the same one."""
    calls = values(LAST, "chosen")
    assert "bytemap" in calls[0]
    assert calls[1] == "best:stages=grid"
    for place, (spec, call) in enumerate(zip(SPECS, calls, strict=True)):
        name, options = parse_call(call)
        done = gpubfs.run(name, spec, **options)
        assert values(LAST, "load_requests")[place] == done.counters["load_requests"]
        assert f"{LAST} on {spec}: {call}" in report().sheets[0].notes


@pytest.mark.slow
def test_a_long_path_is_searched_by_one_block() -> None:
    done = gpubfs.experiment("best-steps", graphs=["path:60"])
    (last,) = [point for point in done.points if point.series == LAST]
    assert "ranks=1," in last.values["chosen"]


def test_steps_wait_where_their_titles_say() -> None:
    levels = [depth + 1 for depth in values(FIRST, "depth")]
    assert values("a launch a level", "launches") == levels
    assert values("one launch", "launches") == [1, 1]
    assert values("one launch", "grid_syncs") == levels
    assert values("edges shared out", "launches") == [1, 1]
    assert values("one block", "cluster_syncs") == values("one block", "grid_syncs") == [0, 0]
    assert min(values("eight blocks", "cluster_syncs")) > 0


def test_the_table_fits_80_columns() -> None:
    text = printed(report(), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "continued" not in text


def test_without_clusters_a_step_is_left_out_with_the_reason() -> None:
    done = gpubfs.experiment("best-steps", graphs=["toy"], device="v100")
    (noted,) = [point for point in done.points if point.note]
    assert noted.note == "eight blocks on toy: here are no clusters of 8 blocks"
    assert noted.note in done.sheets[0].notes
    assert ("eight blocks", *["–"] * 6) in done.sheets[0].rows
    beside = pairs(done.points)
    assert "eight blocks" not in beside
    assert beside[LAST]["toy"][0].series == "one block"
    assert not [verdict for verdict in done.verdicts if "eight blocks" in verdict.sentence]
    json.dumps(done.as_dict(), allow_nan=False)


def test_on_a_gpu_without_clusters_as_well() -> None:
    lab, _ = fake_gpu("toy")

    def timer(call: str, *others: Any) -> Timing:
        if "ranks=8" in call:
            raise UsageError("here are no clusters of 8 blocks", "give ranks=1")
        return lab.timer(call, *others)

    points = tuple(find("best-steps").measure(replace(lab, timer=timer)))
    done = Report(find("best-steps"), "gpu", "fake", points)
    assert ("eight blocks", "–", "–", "–") in done.sheets[0].rows
    assert [point.series for point in points if point.note] == ["eight blocks"]
    assert done.plot().axes


def test_other_errors_end_it() -> None:
    def timer(*search: Any) -> Timing:
        raise UsageError("there is no more memory", "take a smaller graph")

    lab = replace(fake_gpu("toy")[0], timer=timer)
    with pytest.raises(UsageError, match="no more memory"):
        tuple(find("best-steps").measure(lab))


def timed(milliseconds: Mapping[str, Sequence[float]]) -> Report:
    """A report of steps that take these times on graphs a, b and so on."""
    points = tuple(
        Point("abc"[at], step, None, {"seconds": own[at] / 1e3})
        for at in range(len(milliseconds[FIRST]))
        for step, own in milliseconds.items()
    )
    return Report(find("best-steps"), "gpu", "some GPU", points)


def test_times_are_compared_with_the_step_before_and_with_the_first() -> None:
    taken = dict(
        zip(TITLES, [[8.0], [4.0], [5.0], [5.0], [6.0], [10.0], [2.0], [1.0]], strict=True)
    )
    done = timed(taken)
    (table,) = done.sheets
    assert [column.title for column in table.columns[1:]] == [
        "milliseconds",
        "over the step before",
        "over a launch a level",
    ]
    assert table.rows[1:4] == (
        ("a launch a level", "8.000", "–", "×1.00"),
        ("one launch", "4.000", "×2.00", "×2.00"),
        ("edges shared out", "5.000", "×0.80", "×1.60"),
    )
    said = [verdict.sentence for verdict in done.verdicts]
    assert said[0] == "one launch, to the step before: ×2.00 on a as fast; nowhere slower"
    assert said[1] == "edges shared out, to the step before: ×0.80 on a as fast; slower on a"
    assert said[-2] == f"{LAST}, to {FIRST}: ×8.00 on a as fast, ×8.00 on average"
    assert said[-1].startswith(f"{LAST} is the fastest step on 1 of 1 graphs;")
    assert {verdict.agrees for verdict in done.verdicts} == {None}
    assert done.plot().axes[0].get_xlabel() == f"speedup over {FIRST}"


def test_where_another_step_is_faster_than_the_chosen_one_it_is_named() -> None:
    taken = {step: {"a": 4.0, "b": 4.0} for step in TITLES} | {
        "one block": {"a": 1.0, "b": 9.0},
        LAST: {"a": 2.0, "b": 3.0},
    }
    assert fastest(taken).sentence == (
        f"{LAST} is the fastest step on 1 of 2 graphs; faster is one block on a (×2.00); no paper "
        "compares them"
    )
    equal = fastest(taken | {LAST: {"a": 1.0, "b": 4.0}}).sentence
    assert equal.startswith(f"{LAST} is the fastest step on 2 of 2 graphs; no paper")
    assert "0 of 1 graphs" in fastest(taken | {LAST: {"a": 2.0}}).sentence


def test_what_did_not_run_is_compared_with_nothing() -> None:
    assert arrived({}).sentence == f"{LAST} and {FIRST} did not both run on any graph"
    assert gained("one block", {}).sentence == "one block took no time that can be compared"


def counted(step: str, launches: int, loads: int, atomics: int) -> Point:
    leading = {"launches": launches, "grid_syncs": 0, "cluster_syncs": 0, "depth": 3}
    requests = {"load_requests": loads, "atomic_requests": atomics}
    return Point("a", step, None, leading | requests)


def test_counters_say_what_carries_a_search_from_level_to_level() -> None:
    said = led([counted(FIRST, 4, 9, 9), counted("one launch", 1, 9, 9)]).sentence
    assert said.endswith("in a launch a level 1.00 launches; in one launch 0.25 launches")
    assert "cannot tell times" in said
    assert "in a launch a level 2.00 launches" in led([counted(FIRST, 8, 9, 9)]).sentence


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ((10, 4), (20, 2), "×2.00 the load_requests and ×0.50 the atomic_requests"),
        ((10, 4), (5, 0), "×0.50 the load_requests and ×0.00 the atomic_requests"),
        ((10, 0), (10, 7), "×1.00 the load_requests and in place of none atomic_requests: 7 on a"),
        ((10, 0), (30, 0), "×3.00 the load_requests"),
        ((0, 0), (0, 0), "no requests in either"),
    ],
)
def test_requests_are_told_beside_those_of_the_step_before(
    before: tuple[int, int], now: tuple[int, int], words: str
) -> None:
    pair = counted("one launch", 1, *before), counted("edges shared out", 1, *now)
    said = changed("edges shared out", {"a": pair})
    assert said.agrees is None
    assert said.sentence == f"edges shared out, to the step before: {words}"


def test_no_sentence_on_the_simulator_claims_times() -> None:
    told = [verdict.sentence for verdict in report().verdicts]
    assert [at for at, one in enumerate(told) if "cannot tell times" in one] == [0]
    assert not [one for one in told if "fast" in one or "slow" in one]
    assert len(told) == len(STEPS)


def test_it_is_listed_as_of_no_paper() -> None:
    (row,) = sheet([find("best-steps")]).rows
    assert row[1] == "of no paper"
