"""Verdicts come from the measurements: each must be able to come out either way."""

import numpy as np
import pytest

from gpubfs.experiment import find
from gpubfs.experiments import (
    dfq_capacity,
    dfq_memory,
    dfq_speedup,
    queue_memory,
    xbfs_enqueue,
    xbfs_generation,
)
from gpubfs.experiments.report import Point, Report, Verdict
from gpubfs.verify import VerificationError


def test_words_begin_a_verdict() -> None:
    assert [str(Verdict(agrees, "so")) for agrees in (True, False, None)] == [
        "agrees: so",
        "differs: so",
        "not decided: so",
    ]


@pytest.mark.parametrize(
    ("verdict", "agrees"),
    [
        (dfq_memory.constant({"a": 671_744, "b": 671_744}), True),
        (dfq_memory.constant({"a": 671_744, "b": 671_748}), False),
        (dfq_memory.growing({"a": 40, "b": 80}, {"a": 10, "b": 20}), True),
        (dfq_memory.growing({"a": 40, "b": 100}, {"a": 10, "b": 20}), False),
        (dfq_memory.fitting({"kron:18": 174_000, "kron:12": 9}), True),
        (dfq_memory.fitting({"kron:18": 1 << 18}), False),
        (dfq_memory.fitting({"kron:12": 3352}), None),
        (dfq_speedup.contention({"a": 10}, {"a": 20}, {"a": "sizes[0]"}), True),
        (dfq_speedup.contention({"a": 30, "b": 1}, {"a": 20, "b": 2}, {"a": "sizes[1]"}), False),
        (dfq_speedup.average({"a": 1.3, "b": 0.9}, "dfq-global"), True),
        (dfq_speedup.average({"a": 0.9, "b": 1.0}, "dfq-global"), False),
        (dfq_speedup.average({}, "dfq-global"), None),
        (dfq_speedup.shared({"a": 1.06}), True),
        (dfq_speedup.shared({"a": 0.97}), False),
        (dfq_speedup.shared({"a": 1.5}), False),
        (dfq_speedup.shared({}), None),
        (dfq_speedup.hierarchy({"a": 0.4, "b": 1.02}), True),
        (dfq_speedup.hierarchy({"a": 0.2, "b": 1.02}), False),
        (dfq_speedup.hierarchy({"a": 0.4, "b": 2.0}), False),
        (dfq_speedup.hierarchy({}), None),
        (dfq_speedup.overflowing({"a": 900}, {"a": 900, "b": 30}), True),
        (dfq_speedup.overflowing({"a": 30}, {"a": 30, "b": 900}), False),
        (dfq_speedup.overflowing({}, {"b": 900}), None),
        (dfq_capacity.average({2048: 1.1, 4096: 1.05}), True),
        (dfq_capacity.average({2048: 1.1, 4096: 1.6}), False),
        (dfq_capacity.average({2048: 0.99, 4096: 0.99}), False),
        (dfq_capacity.best({2048: 1.1, 8192: 1.05}), True),
        (dfq_capacity.best({2048: 1.1, 8192: 1.15}), False),
        (xbfs_enqueue.faster(1.4, "H200"), True),
        (xbfs_enqueue.faster(0.8, "H200"), False),
        (xbfs_enqueue.falling(1.4, "H200"), True),
        (xbfs_enqueue.falling(2.4, "H200"), False),
        (xbfs_enqueue.exchanged(0.1, 8, 1), None),
        (xbfs_enqueue.exchanged(0.1, 0.9, 1), False),
        (xbfs_enqueue.exchanged(1.1, 8, 1), True),
        (xbfs_generation.largest({"scan-free": 0.2, "double-scan": 0.8}), True),
        (xbfs_generation.largest({"scan-free": 0.8, "double-scan": 0.2}), False),
        (xbfs_generation.largest({}), None),
        (xbfs_generation.deepest({"a": 0.9, "b": 0.1}, {"a": 60, "b": 4}), True),
        (xbfs_generation.deepest({"a": 0.1, "b": 0.9}, {"a": 60, "b": 4}), False),
        (xbfs_generation.deepest({"a": 0.1}, {"a": 60}), None),
        (xbfs_generation.planned(8, 14), True),
        (xbfs_generation.planned(7, 14), False),
        (xbfs_generation.planned(0, 0), None),
        (queue_memory.as_many("naive", [("status-array", "a", 0)]), True),
        (queue_memory.as_many("naive", [("status-array", "a", 1)]), False),
        (queue_memory.most({"a": 100.0, "b": 80.0, "c": 20.0}), True),
        (queue_memory.most({"a": 100.0, "b": 20.0}), False),
    ],
)
def test_verdicts_come_out_either_way(verdict: Verdict, agrees: bool | None) -> None:
    assert verdict.agrees is agrees
    assert verdict.sentence


def scaling(machine: str, ours: float, base: float, reached: int = 9_000) -> Verdict:
    """The verdict on two queues that fall by these factors from one block to eight."""
    name = {"sim": "hottest_ops", "gpu": "seconds"}[machine]
    points = tuple(
        Point("g", series, blocks, {name: value, "reached": reached, "depth": 2})
        for series, gain in (("dfq-global", ours), ("central-queue", base))
        for blocks, value in ((1, 60.0), (8, 60.0 / gain))
    )
    (verdict,) = Report(find("dfq-scaling"), machine, "any", points).verdicts
    return verdict


@pytest.mark.parametrize("machine", ["sim", "gpu"])
def test_scaling_is_judged_by_who_gains_more(machine: str) -> None:
    assert scaling(machine, 6, 3).agrees
    assert scaling(machine, 3, 6).agrees is False
    assert "6.00" in scaling(machine, 6, 3).sentence


def test_on_a_small_graph_the_paper_expects_the_opposite() -> None:
    assert scaling("gpu", 6, 3, reached=90).agrees is False
    assert scaling("gpu", 3, 6, reached=90).agrees
    assert scaling("sim", 6, 3, reached=90).agrees


@pytest.mark.parametrize(
    ("barriers", "steps", "agrees"),
    [((90, 30), 95, True), ((90, 30), 50, False), ((9, 9), 9, None)],
)
def test_capacity_matters_little_or_much(barriers, steps, agrees) -> None:
    points = [
        Point("g", "dfq-global", 1024, _counts(barriers[0], 100)),
        Point("g", "dfq-global", 8192, _counts(barriers[1], steps)),
    ]
    assert dfq_capacity.changes(points).agrees is agrees


def _counts(barriers: int, steps: int) -> dict[str, int]:
    return {"barriers": barriers, "load_sectors": 100, "warp_steps": steps}


def test_savings_are_shared_by_the_methods_that_levels_take() -> None:
    costs = {
        "baseline": (10, 10),
        "scan-free": (4, 99),
        "double-scan": (99, 8),
        "no-queue": (None, None),
    }
    points = [
        Point("g", name, at, {"cost": cost, "method": ("scan-free", "double-scan")[at]})
        for name, both in costs.items()
        for at, cost in enumerate(both)
    ]
    shares = xbfs_generation.contributions(points, "g")
    expected = {"scan-free": 0.75, "single-scan": 0, "no-queue": 0, "double-scan": 0.25}
    assert shares == pytest.approx(expected)
    assert xbfs_generation.average(points) == shares
    cheap = [replace_cost(point, 1) if point.series == "baseline" else point for point in points]
    assert xbfs_generation.contributions(cheap, "g") is None
    assert xbfs_generation.average(cheap) == {}


def replace_cost(point: Point, cost: int) -> Point:
    return Point(point.graph, point.series, point.at, {**point.values, "cost": cost})


def test_the_table_of_the_paper_has_one_entry_that_does_not_fit() -> None:
    (said,) = dfq_memory.odd_ones(dfq_memory.BASE)
    assert "scale 24" in said
    assert said.endswith("fits scale 23.00")
    assert dfq_memory.PAPER.notes[-1] == said


def test_a_table_that_grows_evenly_has_none() -> None:
    assert not list(dfq_memory.odd_ones({scale: 2.0**scale for scale in (18, 20, 22, 26)}))


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        ([0, 3], "vertex 2 is not in the queue, but in the frontier"),
        ([0, 1, 2, 3], "vertex 1 is in the queue and not in the frontier"),
        ([0, 2, 3, 2], "vertex 2 is in the queue more than once"),
    ],
)
def test_a_queue_that_is_not_the_frontier_is_wrong(queue: list[int], words: str) -> None:
    status = np.array([1, -1, 1, 1], np.int32)
    xbfs_enqueue.check(status, np.array([3, 0, 2], np.int32), "atomic")
    with pytest.raises(VerificationError, match=words):
        xbfs_enqueue.check(status, np.array(queue, np.int32), "atomic")
