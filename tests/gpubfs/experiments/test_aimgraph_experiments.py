"""The experiments on aimGraph and cuSTINGER: what they measure, and verdicts either way."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import gpubfs
from gpubfs.experiments import (
    aimgraph_delete,
    aimgraph_init,
    aimgraph_insert,
    aimgraph_memory,
    aimgraph_skew,
    custinger_overallocation,
    update_reports,
    updating,
)
from gpubfs.experiments.experiment import Report, Verdict
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.updating import AIMGRAPH, CUSTINGER, opened
from gpubfs.machines import open_machine
from simulator.execute.device import current

#: A graph of small degrees, and one of large ones, on which warps do updates.
SMALL, LARGE = "path:20", "er:6,60"
#: Batches of two sizes, and ten updates for each of two shares.
A, B = ("a", 100), ("b", 100)
TEN = {("a", 1.0): 10, ("a", 0.0): 10}


@cache
def report(name: str) -> Report:
    if name in ("aimgraph-init", "aimgraph-memory"):
        return gpubfs.experiment(name, graphs=[SMALL])
    settings: dict[str, Any] = {"updates": (240,), "rounds": 1}
    if name == "custinger-overallocation":
        settings = {"updates": 100, "rounds": 2}
    return gpubfs.experiment(name, graphs=[SMALL, LARGE], **settings)


def value(name: str, series: str, key: str, graph: str = SMALL) -> Any:
    (point,) = [p for p in report(name).points if (p.graph, p.series) == (graph, series)]
    return point.values[key]


def test_an_initialisation_takes_one_allocation_or_two_for_each_vertex() -> None:
    assert value("aimgraph-init", AIMGRAPH, "allocations") == 1
    assert value("aimgraph-init", CUSTINGER, "allocations") == 2 * 20 + 8
    assert value("aimgraph-init", CUSTINGER, "launches") == 1
    assert report("aimgraph-init").verdicts[0].agrees


def test_what_finds_no_memory_is_a_cell_with_a_note() -> None:
    """As cuSTINGER with nlpkt160 in the paper."""

    def opener(name: str, **settings: Any) -> Any:
        machine = open_machine(name, **settings)
        enter = machine.__enter__

        class Small(type(machine)):  # type: ignore[misc]
            def __enter__(self) -> Any:
                entered = enter()
                current().memory.capacity = 1_100_000
                return entered

        machine.__class__ = Small
        return machine

    graph = gpubfs.graph("path:100")
    lab = Lab("sim", "small", 4, (graph,), opener=opener)
    made = aimgraph_init._initialised(lab, CUSTINGER, gpubfs.graph("path:9000"))
    assert "out of memory" in made.note
    first = aimgraph_init._initialised(lab, AIMGRAPH, graph)
    points = (first, aimgraph_init.Point(graph.spec, CUSTINGER, None, {}, made.note))
    done = Report(aimgraph_init.aimgraph_init, "sim", "small", points)
    assert done.sheets[0].rows[1][2] == "no memory"
    assert done.verdicts[0].agrees is None


def test_the_papers_table_2_gives_other_ratios_than_its_text() -> None:
    assert round(max(aimgraph_init.RATIOS.values()), 1) == 137.8
    assert round(min(aimgraph_init.RATIOS.values()), 1) == 12.8
    assert "nearly 300 times" in aimgraph_init.PAPER.notes[0]


@pytest.mark.slow
def test_bytes_are_those_of_the_layouts() -> None:
    vertices = 20
    static = 6 * 128
    assert value("aimgraph-memory", "aimgraph, simple", "static") == static
    assert value("aimgraph-memory", "aimgraph, simple", "edge_bytes") == vertices * 64
    assert value("aimgraph-memory", "custinger, simple", "management") == vertices * (24 + 64 + 4)
    assert value("aimgraph-memory", "custinger, simple", "edge_bytes") == vertices * 10 * 4
    assert value("aimgraph-memory", "custinger, semantic", "edge_bytes") == vertices * 10 * 20
    aligned = value("aimgraph-memory", "custinger, simple", "aligned")
    assert aligned == vertices * (256 + 256) + vertices * (24 + 4)


@pytest.mark.slow
def test_insertions_and_deletions_are_launches_of_the_host() -> None:
    for name in ("aimgraph-insert", "aimgraph-delete"):
        assert value(name, AIMGRAPH, "launches") == 1
        assert value(name, AIMGRAPH, "allocations") == 0
        assert report(name).verdicts[0].agrees
    assert value("aimgraph-insert", CUSTINGER, "launches") >= 3
    assert value("aimgraph-insert", CUSTINGER, "moved") > 0
    assert value("aimgraph-delete", CUSTINGER, "launches") == 2


@pytest.mark.slow
def test_small_degrees_move_more_adjacencies() -> None:
    moved = [value("aimgraph-insert", CUSTINGER, "moved", graph) for graph in (SMALL, LARGE)]
    assert moved[0] > moved[1]
    assert report("aimgraph-insert").verdicts[1].agrees


@pytest.mark.slow
def test_without_room_every_batch_moves_adjacencies() -> None:
    """And batches that pile up move those of custinger with room, too."""
    name = "custinger-overallocation"
    assert value(name, "aimgraph, in turn", "allocations") == 0
    exact, room = (f"{system}, in turn" for system in (custinger_overallocation.EXACT, CUSTINGER))
    assert value(name, exact, "moved", LARGE) > value(name, room, "moved", LARGE) == 0
    piled = value(name, f"{CUSTINGER}, piled up", "moved")
    assert piled > value(name, room, "moved")


def test_a_single_vertex_is_contended() -> None:
    done = gpubfs.experiment("aimgraph-skew", graphs=["path:20"], updates=30, shares=(1.0, 0.0))
    attempts = {(p.series, p.at): p.values["lock_attempts"] for p in done.points}
    assert attempts["thread", 0.0] == 30 * 31 / 2
    assert attempts["thread", 0.0] > 5 * attempts["thread", 1.0]
    assert attempts["deletion", 0.0] == 0


def test_batches_are_the_same_for_both_structures() -> None:
    points = [p for p in report("aimgraph-insert").points if p.graph == SMALL]
    assert len({point.values["applied"] for point in points}) == 1


def test_kernels_are_loaded_before_they_are_timed() -> None:
    """What is timed launches no kernel for the first time."""

    def opener(name: str, **settings: Any) -> Any:
        return open_machine("sim", counters=False)

    graph = gpubfs.graph("path:30")
    for name in (AIMGRAPH, CUSTINGER):
        with opened(Lab("gpu", "fake", 4, (graph,), opener=opener), name, graph) as made:
            loaded = set(made.host._kernels)
            made.from_csr(graph)
            for update in (made.insert_edges, made.delete_edges):
                update(gpubfs.dynamic.Batch([0] * 25, [*range(2, 27)]))
            assert set(made.host._kernels) == loaded


VERDICTS: list[tuple[Verdict, bool | None]] = [
    (aimgraph_init.allocating({"a": 1}, {"a": 20}, {"a": 10}), True),
    (aimgraph_init.allocating({"a": 2}, {"a": 20}, {"a": 10}), False),
    (aimgraph_init.allocating({"a": 1}, {"a": 3}, {"a": 10}), False),
    (aimgraph_init.allocating({"a": 1}, {}, {"a": 10}), None),
    (aimgraph_init.faster({"a": 20.0, "b": 300.0}), True),
    (aimgraph_init.faster({"a": 5.0, "b": 300.0}), None),
    (aimgraph_init.faster({"a": 5.0}), False),
    (aimgraph_init.faster({}), None),
    (aimgraph_init.sparsest({"a": 9.0, "b": 3.0}, {"a": 2.0, "b": 40.0}), True),
    (aimgraph_init.sparsest({"a": 3.0, "b": 9.0}, {"a": 2.0, "b": 40.0}), False),
    (aimgraph_init.sparsest({"a": 3.0}, {"a": 2.0}), None),
    (aimgraph_memory.smaller({"simple": {"a": 1.5}}), True),
    (aimgraph_memory.smaller({"simple": {"a": 0.5}}), False),
    (aimgraph_memory.smaller({"simple": {"a": 0.5, "b": 2.0}}), None),
    (aimgraph_memory.managed({"a": 768}, {"a": 20}), True),
    (aimgraph_memory.managed({"a": 480}, {"a": 20}), False),
    (aimgraph_memory.printed(2_750_976, 7_334_336), True),
    (aimgraph_memory.printed(2_750_976, 7_334_272), False),
    (update_reports.launched({A: 1}, {A: 5}, (1, 5), "an insertion"), True),
    (update_reports.launched({A: 1}, {A: 6}, (1, 5), "an insertion"), False),
    (update_reports.launched({A: 2}, {A: 5}, (1, 5), "an insertion"), False),
    (update_reports.launched({A: 1}, {A: 2}, aimgraph_delete.LAUNCHES, "a deletion"), True),
    (update_reports.launched({A: 1}, {A: 1}, aimgraph_delete.LAUNCHES, "a deletion"), False),
    (update_reports.rated({A: 30e6, B: 300e6}, (20e6, 100e6), "insertions"), True),
    (update_reports.rated({A: 3e6, B: 300e6}, (20e6, 100e6), "insertions"), None),
    (update_reports.rated({A: 3e6}, (20e6, 100e6), "insertions"), False),
    (update_reports.advantage({A: 3.0, B: 0.9}, {A: 2, B: 80}, 50, "not"), True),
    (update_reports.advantage({A: 0.8, B: 0.9}, {A: 2, B: 80}, 50, "not"), False),
    (update_reports.advantage({A: 0.8}, {A: 2}, 50, "not"), None),
    (aimgraph_insert.moving({A: 0.5, B: 0.1}, {A: 2, B: 80}), True),
    (aimgraph_insert.moving({A: 0.1, B: 0.5}, {A: 2, B: 80}), False),
    (aimgraph_insert.moving({A: 0.0, B: 0.0}, {A: 2, B: 80}), None),
    (aimgraph_insert.moving({A: 0.1}, {A: 2}), None),
    (aimgraph_delete.twice({A: 2.1, B: 9.0}, {A: 80, B: 2}), True),
    (aimgraph_delete.twice({A: 2.1, B: 9.0}, {A: 80, B: 90}), None),
    (aimgraph_delete.twice({A: 0.9}, {A: 80}), False),
    (aimgraph_delete.twice({A: 0.9}, {A: 8}), None),
    (aimgraph_skew.contended("thread", {("a", 1.0): 10, ("a", 0.0): 90}, TEN), True),
    (aimgraph_skew.contended("thread", {("a", 1.0): 10, ("a", 0.0): 11}, TEN), False),
    (aimgraph_skew.contended("thread", {("a", 0.0): 11}, TEN), None),
    (aimgraph_skew.slower({("a", 1.0): 300e6, ("a", 0.0): 1e6}), True),
    (aimgraph_skew.slower({("a", 1.0): 3e6, ("a", 0.0): 1e6}), False),
    (aimgraph_skew.slower({("a", 0.0): 1e6}), None),
    (custinger_overallocation.spared({"a": 5.0}, "seconds"), True),
    (custinger_overallocation.spared({"a": 50.0}, "seconds"), False),
    (custinger_overallocation.spared({"a": 0.5}, "seconds"), False),
    (custinger_overallocation.spared({"a": 0.5, "b": 3.0}, "seconds"), None),
    (custinger_overallocation.spared({"a": 5.0}, "host work"), None),
    (custinger_overallocation.piling({"a": 2.0}, {"a": 1.0}, "seconds", 10), True),
    (custinger_overallocation.piling({"a": 2.0}, {"a": 1.9}, "seconds", 10), None),
    (custinger_overallocation.piling({"a": 2.0, "b": 1.0}, {"a": 1.0}, "seconds", 10), None),
    (custinger_overallocation.piling({"a": 1.0}, {"a": 1.0}, "seconds", 10), False),
    (custinger_overallocation.piling({"a": 1.0}, {"a": 1.0}, "host work", 10), None),
    (custinger_overallocation.piling({"a": 2.0}, {"a": 1.0}, "host work", 10), None),
]


@pytest.mark.parametrize(("verdict", "agrees"), VERDICTS)
def test_verdicts_come_out_either_way(verdict: Verdict, agrees: bool | None) -> None:
    assert verdict.agrees is agrees
    assert verdict.sentence


def test_batches_of_two_sizes_on_one_graph_are_told_apart() -> None:
    ratios = {("a", 100): 0.9, ("a", 1000): 1.3}
    said = aimgraph_delete.twice(ratios, dict.fromkeys(ratios, 80)).sentence
    assert "×0.90 with batches of 100 on a and ×1.30 with batches of 1,000 on a" in said


@pytest.mark.slow
def test_counters_judge_no_times_of_batches_that_pile_up() -> None:
    """And the sentence has the number of batches that there were."""
    done = gpubfs.experiment("custinger-overallocation", graphs=["path:20"], updates=20, rounds=3)
    assert [verdict.agrees for verdict in done.verdicts] == [None, None]
    assert all("counters tell no times" in verdict.sentence for verdict in done.verdicts)
    assert ": 3 batches before any is deleted" in done.verdicts[1].sentence
    assert "in the paper, with 10 batches" in done.verdicts[1].sentence


def test_deletions_of_custinger_are_two_launches_in_the_paper() -> None:
    assert aimgraph_delete.PAPER.rows[0] == ("launches", "1", "2")
    assert "in the paper 1 and 2" in report("aimgraph-delete").verdicts[0].sentence


def test_the_fourth_graph_has_more_edges_than_the_paper_says() -> None:
    assert "audikw1, has 81.3" in aimgraph_delete.PAPER.notes[1]
    assert round(76.71e6 / 943e3, 1) == 81.3


def test_what_the_paper_does_not_say_is_not_said() -> None:
    assert custinger_overallocation.PAPER.rows[0][1] == "not said"
    assert aimgraph_skew.PAPER.rows[-1][1] == "not said"


def test_rounds_and_initialisations_are_told_beside_the_papers() -> None:
    (sheet,) = report("aimgraph-insert").sheets
    said = "means of 1 batch after 1 initialisation; the paper's of 10 after each of 10"
    assert sheet.notes[-1] == said
    done = report("aimgraph-insert")
    often = [replace(p, values={**p.values, "initialisations": 3}) for p in done.points]
    (sheet,) = replace(done, points=tuple(often)).sheets
    assert sheet.notes[-1].startswith("means of 1 batch after each of 3 initialisations; ")


@pytest.mark.slow
def test_on_a_gpu_a_graph_is_put_in_again_for_other_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As often as repetitions are asked for; the first batch after each warms up."""
    first: list[list[int]] = []
    made: list[Any] = []

    def opener(name: str, **settings: Any) -> Any:
        return open_machine("sim", counters=False)

    def taken(structure: Any, drawn: Any) -> dict[str, list[dict[str, float]]]:
        own = list(drawn)
        first.extend(batch.sources.tolist() for batch in own)
        made.append(structure)
        costs = [{"updates": 5, "seconds": at, "device_seconds": 1, "launches": 1} for at in (9, 3)]
        return {"insert": costs, "delete": costs}

    monkeypatch.setattr(updating, "in_turn", taken)
    lab = Lab("gpu", "fake", 4, (gpubfs.graph("path:20"),), repeats=3, opener=opener)
    ours, theirs = updating.updated(lab, "insert", (5,), 1)
    assert len({id(one) for one in made}) == 2 * 3
    assert len(first) == 2 * 3 * 2
    assert first[:6] == first[6:]
    assert len({*map(tuple, first)}) == 6
    assert ours.values["seconds"] == theirs.values["seconds"] == 3
    assert (ours.values["rounds"], ours.values["initialisations"]) == (1, 3)


@pytest.mark.slow
def test_a_vertex_is_one_vertex() -> None:
    lone, few = ("path:1", "path:2")
    rows = gpubfs.experiment("aimgraph-memory", graphs=[lone]).sheets[0].rows
    assert rows[0] == ("path:1: 1 vertex, 0 edges",)
    rows = gpubfs.experiment("queue-memory", graphs=[lone]).sheets[0].rows
    assert rows[0] == ("path:1: 1 vertex",)
    done = gpubfs.experiment("aimgraph-skew", graphs=[few], updates=1, shares=(1.0,))
    assert done.sheets[0].title.startswith("batches of 1 update on")
