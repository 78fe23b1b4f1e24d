"""Checks of a driver that is handed in: it leads searches of a technique's kernels from outside.

A driver is Python, which may do anything that its process may. So it gets a process of its own with
handles only (`child`), and what it asks for is looked at, done and counted here: the counters, the
arrays, the graph and the verification are out of its reach.

What this does not prevent: who knows a graph by heart may lead kernels along it, for which there
are hidden cases; of these a driver learns how many vertices and edges they have, and may say a
little of it by how often it launches and reads where that is limited. And without filters of system
calls (`child/fence.py` says where there are some) a driver may do with files and
processes what its user may: read a solution, or delete it, or look for the secret in the
environment of whoever started the grading. Grade as a user of its own there, in a container, and
never as root.
"""

from __future__ import annotations

import dataclasses
import gc
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.grading.checks import searches
from gpubfs.grading.checks.failures import of_error
from gpubfs.grading.checks.orders import OrderChecks
from gpubfs.grading.costs.cost import Cost
from gpubfs.grading.costs.derived import LEFT_OUT, PER_LEVEL
from gpubfs.grading.driving.conversation import MEMORY, Conversation, LostError
from gpubfs.grading.driving.requests import Held, RefusedError
from gpubfs.grading.driving.served import Served
from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.outcome import Failure
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Answer, DeviceGraph, Host
from gpubfs.search import runs
from gpubfs.search.catalogue import find
from gpubfs.search.result import Run
from gpubfs.search.verify import VerificationError
from simulator.source import SimulatorError

#: Characters of a line that are shown.
MOST_LINE = 100
#: The share of a case's time that drivers may take: the rest is for saying what went wrong.
SHARE = 0.8


class DriverChecks(OrderChecks):
    """Searches graphs with a technique whose driver is what was handed in.

    Parameters
    ----------
    exercise : Exercise
        Its `search` names the technique, whose kernels are taken, and options.
    file : Path
        What was handed in: Python, with a function ``search(host, graph, source, **options)``.
    """

    def __init__(self, exercise: Exercise, file: Path) -> None:
        self.exercise = exercise
        self.file = file
        options = dict(exercise.search)
        self.technique = find(options.pop("technique"))
        self.options = options

    def check(self, case: Case, seed: int) -> Failure | None:
        """Why a case is lost; None if it is not."""
        end = time.monotonic() + SHARE * self.exercise.seconds
        given = {**self.options, **case.given}
        graph = make_graph(str(given.pop("graph")).replace("{seed}", str(seed % 1_000_000)))
        source = int(given.pop("source", graph.hub))
        called = f"search on {graph.spec} from {source}"
        device = self.exercise.device_of(case)

        def run(schedule: str, sanitize: str) -> tuple[Failure | None, Cost]:
            gc.collect()  # the memory of the devices before this one
            driver = Driver(self.file, graph, end, self.exercise)
            technique = dataclasses.replace(self.technique, drive=driver)
            where: dict[str, Any] = {"device": device, "schedule": schedule}
            try:
                found = runs.run(technique, graph, source, sanitize=sanitize, **where, **given)
            except LostError as lost:
                return dataclasses.replace(lost.failure, called=called), Cost({})
            except (SimulatorError, VerificationError, UsageError) as error:
                return of_error(error, called), Cost({})
            if driver.cheated:
                return dataclasses.replace(driver.cheated, called=called), Cost({})
            return None, cost_of(found, called)

        return self.in_orders(case, run)


def cost_of(found: Run, called: str) -> Cost:
    """What a search has cost, with what only drivers are held to."""
    each = {
        PER_LEVEL: found.counters["launches"] / (found.depth + 1),
        LEFT_OUT: levels_left_out(found),
    }
    cost = searches.cost_of(found, called)
    return dataclasses.replace(cost, counters={**cost.counters, **each})


def levels_left_out(found: Run) -> int:
    """How many levels no launch was announced for, by a driver that announces them at all."""
    told = {launch.depth for launch in found.per_launch}
    return len({*range(found.depth + 1)} - told) if any(told) else 0


class Driver:
    """Stands in for a technique's driver: asks one in another process, and does what that wants.

    Parameters
    ----------
    file : Path
        What was handed in.
    graph : Graph
        The graph that is searched.
    end : float
        When it must be done, by the monotonic clock.
    exercise : Exercise
        The exercise.

    Attributes
    ----------
    cheated : Failure or None
        What is wrong with a result that is right.
    """

    def __init__(self, file: Path, graph: Graph, end: float, exercise: Exercise) -> None:
        self.file = file
        self.of = graph
        self.end = end
        self.exercise = exercise
        self.cheated: Failure | None = None
        self.text = file.read_text(encoding="utf-8")

    def __call__(self, host: Host, graph: DeviceGraph, source: int, **options: Any) -> Answer:
        """Run the search; raises LostError where it comes to nothing."""
        deepest = int(reference_levels(self.of, source).max())
        served = Served(host, graph, deepest + 1)
        with Conversation(self.end - time.monotonic(), SHARE * self.exercise.seconds) as process:
            try:
                self._begin(process)
                process.send(_told(served, graph, source, options))
                answer = self._serve(process, served, source)
            except LostError as lost:
                failure = lost.failure
                if where := self._where(lost.line):
                    failure = dataclasses.replace(failure, detail=f"it was at {where}", place=where)
                raise LostError(_with_printed(failure, process.printed)) from None
            print(process.printed, end="")  # kept with what else the case prints
            return answer

    def _begin(self, process: Conversation) -> None:
        """Have the driver read. All that it says of itself here, it says without knowing a case."""
        memory = min(MEMORY, self.exercise.memory)
        process.send({"source": self.text, "seconds": self.exercise.seconds, "memory": memory})
        process.receive()  # whether it is fenced: then it runs what was handed in
        message = process.receive()
        if "unreadable" in message:
            raise LostError(self._raised(message["unreadable"], "read"))
        if "raised" in message:
            raise LostError(self._raised(message["raised"], "driver"))
        if message.get("loaded") is not True:
            words = "there is no function search(host, graph, source, **options)"
            raise LostError(Failure("read", words, detail=_there_is(message.get("functions"))))

    def _serve(self, process: Conversation, served: Served, source: int) -> Answer:
        while True:
            message = process.receive()
            if "raised" in message:
                raise LostError(self._raised(message["raised"], "driver"))
            if "returned" in message:
                return self._returned(served, message["returned"], source)
            process.send({"value": self._answer(served, message)})

    def _answer(self, served: Served, message: dict[str, Any]) -> object:
        where = self._where(message.get("line"))
        try:
            return served.answer(message)
        except RefusedError as error:
            raise LostError(_refused(error, where)) from None
        except UsageError as error:
            raise LostError(_refused(RefusedError(error.message, error.hint), where)) from None
        except SimulatorError as error:
            failure = of_error(error, file=self.file)
            reason = "driver" if failure.reason == "read" else failure.reason
            detail = f"{where}\n{failure.detail}".strip()
            failure = dataclasses.replace(failure, reason=reason, detail=detail, place=where)
            raise LostError(failure) from None

    def _returned(self, served: Served, found: object, source: int) -> Answer:
        told = found if isinstance(found, dict) else {}
        try:
            levels = self._result(served, told.get("levels"), "search returned")
            parents = told.get("parents")
            if parents is not None:
                parents = self._result(served, parents, "its parents are").array
        except RefusedError as error:
            raise LostError(_refused(error, "")) from None
        own = served.by_the_host(levels, source)
        if own is not None:
            words = f"the host itself wrote the level of vertex {own[0]}, {own[1]}"
            hint = "levels are found by kernels: the host writes -1 everywhere, 0 for the source"
            self.cheated = Failure("driver", words, detail=hint)
        return Answer(levels.array, parents)

    def _result(self, served: Served, value: object, what: str) -> Held:
        if not isinstance(value, dict):
            got = "nothing" if value is None else str(value)[:80]
            raise RefusedError(f"{what} {got}", "return the array of levels, or Answer(levels)")
        part = served.part(value, "what search returned")
        held, size = part.held, part.stop - part.start
        if held.graph:
            raise RefusedError(f"{what} graph.{held.name}, which is the graph: return the levels")
        if not part.whole:
            words = f"{what} a slice, {size:,} of {len(held.own):,} elements of {held.name}"
            raise RefusedError(f"{words}: return all levels")
        if size != self.of.vertices:
            words = f"{what} {size:,} elements of {held.name}, and the graph has "
            raise RefusedError(f"{words}{self.of.vertices:,} vertices: return all levels")
        if held.array.dtype != np.int32:
            raise RefusedError(f"{what} an array of {held.array.dtype.name}: levels are int32")
        return held

    def _raised(self, error: object, reason: str) -> Failure:
        """The failure for an exception, as the driver's process describes it."""
        told = error if isinstance(error, dict) else {}
        kind, words = (str(told.get(part, ""))[:2000] for part in ("type", "text"))
        if reason == "read" and kind in ("MemoryError", "RecursionError"):
            return Failure(reason, "the file is nested too deeply", detail=self._longest())
        if "set_int_max_str_digits" in words:  # which nobody who hands in can change
            words = "a number has more digits than can be written"
        if kind == "MemoryError":
            return Failure("memory", "the driver needs more memory than it may", detail=words)
        message = f"{kind}: {words}" if words else kind
        where = self._where(told.get("line"))
        return Failure(reason, message, detail=where, place=where)

    def _longest(self) -> str:
        """The longest line, where nobody says which one is nested."""
        lengths = [len(line) for line in self.text.splitlines()]
        return self._where(lengths.index(max(lengths)) + 1)

    def _where(self, line: object) -> str:
        """A line of the driver, with its place."""
        lines = self.text.splitlines()
        if not isinstance(line, int) or not 1 <= line <= len(lines):
            return ""
        text = lines[line - 1].strip()
        shown = text if len(text) <= MOST_LINE else f"{text[:MOST_LINE]}…"
        return f"{self.file}, line {line}:\n  {shown}"


def _there_is(functions: object) -> str:
    """What a driver has in the place of the function that is wanted."""
    names = [str(name)[:80] for name in functions] if isinstance(functions, list) else []
    return f"the file has {', '.join(names)}" if names else ""


def _told(
    served: Served, graph: DeviceGraph, source: int, options: Mapping[str, Any]
) -> dict[str, object]:
    """What a driver is told of the search."""
    size = {"vertices": graph.vertices, "edges": graph.edges}
    machine = {
        "warp_size": served.host.warp_size,
        "multiprocessors": served.host.multiprocessors,
    }
    return {**served.graph, **size, **machine, "source": source, "options": dict(options)}


def _refused(error: RefusedError, where: str) -> Failure:
    return Failure("driver", error.message, detail=f"{where}\n{error.hint}".strip(), place=where)


def _with_printed(failure: Failure, printed: str) -> Failure:
    if not printed.strip():
        return failure
    detail = f"{failure.detail}\nIt printed:\n{printed.rstrip()}".strip()
    return dataclasses.replace(failure, detail=detail)
