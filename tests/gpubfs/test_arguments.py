"""Python values of the wrong kind: one error that names the argument and says what to give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpubfs
import simulator
from gpubfs.graphs import Graph, statistics

REFUSALS = (gpubfs.UsageError, gpubfs.GraphError, simulator.SimulatorError)


class Odd:
    """Something that is no number, no text and no list."""


#: No number, no text, no truth value, no list of any.
NEVER = [1j, Odd(), Odd, b"x", np.array(1.5), np.array([1.5, 2.5])]
NO_NUMBER = [*NEVER, 1.5, float("nan"), "3", "", [], {}, (1, 2), True, 2**70]
NO_TEXT = [*NEVER, 3, -1, 1.5, True, [], {}, np.int64(3)]
NO_TRUTH = [*NEVER, 1, 0.0, "yes", "", [], np.int64(1)]
NO_FUNCTION = [1j, Odd(), 3, True, "print", [], {}]
NO_LIST = [1j, Odd(), Odd, 3, 1.5, True, b"x"]

run, compare, trace, experiment = gpubfs.run, gpubfs.compare, gpubfs.trace, gpubfs.experiment

CALLS: list[tuple[str, Callable[[Any], object], list[Any]]] = [
    ("technique", lambda v: run(v, "toy"), [*NO_TEXT, None, "scan"]),
    ("graph", lambda v: run("scan-free", v), [*NO_TEXT, None, "krn:3"]),
    ("source", lambda v: run("scan-free", "toy", v), [*NO_NUMBER, -1, 10, 2**40]),
    ("machine", lambda v: run("scan-free", "toy", machine=v), [*NO_TEXT, None, "cpu"]),
    ("device", lambda v: run("scan-free", "toy", device=v), [*NO_TEXT, "h20"]),
    ("schedule", lambda v: run("scan-free", "toy", schedule=v), [*NO_TEXT, "fair"]),
    ("counters", lambda v: run("scan-free", "toy", counters=v), NO_TRUTH),
    ("sanitize", lambda v: run("scan-free", "toy", sanitize=v), [*NO_TEXT, "rac"]),
    ("progress", lambda v: run("scan-free", "toy", progress=v), NO_FUNCTION),
    ("block", lambda v: run("scan-free", "toy", block=v), [*NO_NUMBER, None, 0, 2**40]),
    ("spill", lambda v: run("hierarchical-queue", "toy", spill=v), [*NEVER, None, 3, "maybe"]),
    ("techniques", lambda v: compare(v, "toy"), [*NO_LIST, None, [None], [3], (1, 2)]),
    ("machines", lambda v: compare("scan-free", "toy", v), [*NO_LIST, None, [None], [3]]),
    ("levels", lambda v: trace("scan-free", "toy", levels=v), [*NO_TEXT, "2-4", "2"]),
    ("progress", lambda v: trace("scan-free", "toy", progress=v), NO_FUNCTION),
    ("name", lambda v: experiment(v), [*NO_TEXT, None]),
    ("machine", lambda v: experiment("queue-memory", v, ["toy"]), [*NO_TEXT, None]),
    ("graphs", lambda v: experiment("queue-memory", graphs=v), NO_LIST),
    ("repeats", lambda v: experiment("queue-memory", repeats=v), [*NO_NUMBER[:-1], None, 0]),
    ("tell", lambda v: experiment("queue-memory", graphs=["toy"], tell=v), [*NO_FUNCTION, None]),
    ("graph", gpubfs.graph, [*NO_TEXT, None]),
    ("index64", lambda v: gpubfs.graph("toy", index64=v), [*NO_TRUTH, None]),
    ("name", lambda v: Graph([0, 0], [], v), [*NO_TEXT, None]),
    ("directed", lambda v: Graph([0, 0], [], directed=v), [*NO_TRUTH, None]),
    ("notes", lambda v: Graph([0, 0], [], notes=v), [*NO_LIST, None, [3]]),
    ("vertices", lambda v: Graph.from_edges([0], [0], v), [*NO_NUMBER, 0, -1, 2**40]),
    ("loops", lambda v: Graph.from_edges([0], [0], loops=v), [*NO_TRUTH, None]),
    ("name", lambda v: Graph.from_edges([0], [0], name=v), [*NO_TEXT, None]),
    ("networkx", Graph.from_networkx, [*NEVER, None, 3, "toy"]),
    ("graph", statistics, [*NEVER, None, 3, "toy"]),
    ("source", lambda v: statistics(gpubfs.graph("toy"), v), NO_NUMBER),
    ("samples", lambda v: statistics(gpubfs.graph("toy"), samples=v), [*NO_NUMBER, -1, None]),
    ("Device", lambda v: simulator.Device(v), [*NO_TEXT, None]),
    ("schedule", lambda v: simulator.Device(schedule=v), [*NO_TEXT, None]),
    ("explore", simulator.explore, [*NO_FUNCTION, None]),
    ("schedules", lambda v: simulator.explore(list, v), [*NEVER, None, True, 1.5, 2**70, [3]]),
    ("sanitize", lambda v: simulator.sanitize(v).__enter__(), [*NO_TEXT, None]),
    ("allow", lambda v: simulator.sanitize("all", allow=v).__enter__(), NO_LIST),
    ("counting", lambda v: simulator.counting(v).__enter__(), [*NO_TEXT, "h200"]),
    ("tracing", lambda v: simulator.tracing(v).__enter__(), [*NO_TEXT, "h200"]),
]


@pytest.mark.parametrize(
    ("argument", "call", "values"),
    CALLS,
    ids=[f"{number}-{case[0]}" for number, case in enumerate(CALLS)],
)
def test_values_of_the_wrong_kind_are_refused(
    argument: str, call: Callable[[Any], object], values: list[Any]
) -> None:
    for value in values:
        with pytest.raises(REFUSALS) as error:
            call(value)
        assert error.value.hint, (argument, value)


def test_the_message_names_the_argument() -> None:
    named = {"counters", "sanitize", "progress", "techniques", "machines", "levels", "graphs"}
    named |= {"repeats", "tell", "index64", "name", "directed", "notes", "loops", "samples"}
    for argument, call, values in CALLS:
        if argument in named and call is not CALLS[15][1]:
            with pytest.raises(REFUSALS, match=argument):
                call(values[0])


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint16, np.uint64])
def test_numpy_integers_are_whole_numbers(kind: type) -> None:
    three = kind(3)
    assert run("scan-free", "toy", three).source == 3
    assert run("scan-free", "toy", block=kind(64)).options["block"] == 64
    assert Graph.from_edges([0], [1], three).vertices == 3
    assert statistics(gpubfs.graph("toy"), three, samples=three).samples == 3
    assert len(simulator.explore(lambda: simulator.zeros(1), three).outcomes) == 3
    assert trace("scan-free", "toy", device="toy2", block=2).step(three).lanes.size


def test_numpy_truth_values_are_truth_values() -> None:
    assert run("scan-free", "toy", counters=np.False_).not_counted
    assert gpubfs.graph("toy", index64=np.True_).offsets.dtype == np.int64


def test_counters_that_are_not_there_are_said() -> None:
    both = compare("scan-free", "toy")
    for name in ("load_request", 3, None):
        with pytest.raises(gpubfs.UsageError):
            both.ratios(name)
