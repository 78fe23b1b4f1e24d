"""The experiment best-sweep: searches are timed by turns, and the verdict follows the times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.experiments.best_sweep import BEST, OPTIONS, compared
from gpubfs.experiments.catalogue import find
from gpubfs.experiments.experiment import Point, Report
from gpubfs.measure.bench import Timing
from gpubfs.search.catalogue import parse_call, techniques
from tests.gpubfs.experiments.test_experiments import fake_gpu, printed

#: Milliseconds of a search, by its call; all others take longer.
TIMES = {BEST: 3.0, "persistent": 2.0, "dfq-shared": 2.5, "best:stages=grid": 4.0}


def swept(
    *specs: str, repeats: int = 1, times: Mapping[str, float] = TIMES, **settings: int
) -> tuple[Report, list[str]]:
    """Run it on a machine that takes its times from a table, and which searches it timed."""
    ran: list[str] = []

    def timer(call: str, graph: gpubfs.Graph, machine: str, starts: tuple[int, ...]) -> Timing:
        assert (machine, set(starts)) == ("gpu", {graph.hub})
        if "cluster" in call:
            raise UsageError("here are no clusters of 8 blocks", "give ranks=1")
        ran.extend([call] * len(starts))
        seconds = times.get(call, 9.0) / 1e3
        ways = "block ×4" if call == BEST else ""
        return Timing(call, graph.spec, machine, len(starts), seconds, 0, 0, 0, 0, ways=ways)

    lab = replace(fake_gpu(*specs)[0], timer=timer, repeats=repeats)
    points = tuple(find("best-sweep").measure(lab, **settings))
    return Report(find("best-sweep"), "gpu", "fake", points), ran


def test_all_are_searched_once_the_fastest_again_and_best_beside_the_fastest() -> None:
    report, ran = swept("toy", again=2)
    fitting = [call for call in OPTIONS if "cluster" not in call]
    once = len(techniques()) - 1 + len(fitting)
    assert set(ran[:once]) == {*techniques(), *fitting} - {BEST}
    second = ["persistent", "dfq-shared"]
    assert ran[once : once + 6] == [call for call in second for _ in range(3)]
    third = [BEST, "persistent"]
    assert ran[once + 6 : once + 12] == [call for call in third for _ in range(3)]
    assert [point.series for point in report.points] == third


def test_turns_begin_with_another_search_each_time() -> None:
    with_equals = {**TIMES, "persistent": TIMES[BEST], "dfq-shared": TIMES[BEST] + 0.1}
    _, ran = swept("toy", again=2, repeats=3, times=with_equals)
    turns = ["persistent", "dfq-shared", "dfq-shared", "persistent"]
    last = [BEST, "persistent", "persistent", BEST, BEST, "persistent"]
    assert ran[-30:] == [call for call in turns + last for _ in range(3)]


def test_what_differs_is_timed_anew_by_more_turns() -> None:
    _, ran = swept("toy", again=1)
    turns = [BEST, "persistent"] * 5
    turns[4:6], turns[8:10] = turns[5:3:-1], turns[9:7:-1]
    assert ran[-30:] == [call for call in turns for _ in range(3)]


def test_where_nothing_else_can_search_best_is_timed_alone() -> None:
    lab = fake_gpu("toy")[0]

    def timer(call: str, graph: gpubfs.Graph, machine: str, starts: tuple[int, ...]) -> Timing:
        if call != BEST:
            raise UsageError("too large", "give a smaller graph")
        return Timing(call, graph.spec, machine, len(starts), 0.003, 0, 0, 0, 0, ways="block ×4")

    points = tuple(find("best-sweep").measure(replace(lab, timer=timer)))
    assert [point.series for point in points] == [BEST]


def test_a_row_sets_best_beside_the_fastest_other() -> None:
    report, _ = swept("toy", "path:9")
    (table,) = report.sheets[:1]
    row = ("toy", "3.000", "block ×4", "persistent", "2.000", "×1.50")
    assert table.rows == (row, ("path:9", *row[1:]))
    assert "more than a tenth longer on toy and path:9" in report.verdicts[0].sentence
    assert "×1.50" in printed(report)
    assert report.plot().axes


def points(graph: str, milliseconds: Mapping[str, float]) -> list[Point]:
    return [Point(graph, call, None, {"seconds": ms / 1e3}) for call, ms in milliseconds.items()]


def test_the_verdict_says_where_best_is_beaten_and_by_whom() -> None:
    won, lost = {BEST: 1.0, "persistent": 2.0}, {BEST: 1.2, "persistent": 1.5, "xbfs": 1.0}
    assert compared([*points("a", won), *points("b", lost)]).sentence == (
        "of 2 graphs best is the fastest on 1, and takes more than a tenth longer on b; at most "
        "×1.20 the time of another search (xbfs on b), ×0.77 that of the fastest other on average"
    )
    assert "nowhere a tenth longer" in compared(points("a", {BEST: 1.1, "xbfs": 1.0})).sentence
    assert compared(points("a", {BEST: 1.1})).sentence == "nothing was compared with best"


@pytest.mark.slow
def test_on_the_simulator_its_own_options_are_counted() -> None:
    report = gpubfs.experiment("best-sweep", graphs=["toy"])
    for point in report.points:
        technique, options = parse_call(point.series)
        done = gpubfs.run(technique, "toy", **options)
        assert point.values["load_requests"] == done.counters["load_requests"]
    assert [verdict.agrees for verdict in report.verdicts] == [None]


@pytest.mark.slow
def test_what_a_profile_cannot_launch_is_left_out() -> None:
    report = gpubfs.experiment("best-sweep", graphs=["toy"], device="v100")
    assert not [point for point in report.points if "ranks=8" in point.series]


@pytest.mark.parametrize("again", [0, "many"])
def test_there_is_something_to_compare_with(again: object) -> None:
    with pytest.raises(UsageError, match=f"again={again!r}"):
        gpubfs.experiment("best-sweep", graphs=["toy"], again=again)
