"""Exercises that ask for a driver, which leads searches of a technique's kernels from outside.

A driver is Python, which may do anything that its process may. So it gets a process of its own with
handles only (`driving/child`), and what it asks for is looked at, done and counted here: the
counters, the arrays, the graph and the verification are out of its reach.

What this does not prevent: who knows a graph by heart may lead kernels along it, for which there
are hidden cases; of these a driver learns how many vertices and edges they have, and may say a
little of it by how often it launches and reads where that is limited. With kernels of its own
(`own_kernel`) it may write what it likes into its arrays and even the graph's: what was found is
verified against the graph that is here. And without filters of system
calls (`child/confinement.py` says where there are some) a driver may do with files and
processes what its user may: read a solution, or delete it, or look for the secret in the
environment of whoever started the grading. Grade as a user of its own there, in a container, and
never as root.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import simulator
from gpubfs.errors import UsageError
from gpubfs.grading import names
from gpubfs.grading.driving.own_kernel import NAME, kernels_in
from gpubfs.grading.driving.process import DRIVER_MEMORY, DriverError, DriverProcess
from gpubfs.grading.driving.requests import HostArray, HostService, RefusedError
from gpubfs.grading.exercise import Case, Exercise, Field, exercise_kind
from gpubfs.grading.failures import failure_of
from gpubfs.grading.kinds import garbage, kernel
from gpubfs.grading.kinds.schedules import Ran, ScheduledKind
from gpubfs.grading.limits.costs import LEFT_OUT, PER_LEVEL, Cost
from gpubfs.grading.outcome import Failure
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.machines import open_machine
from gpubfs.search import runs
from gpubfs.search.catalogue import find
from gpubfs.search.result import Run
from gpubfs.search.verify import VerificationError
from simulator.source import SimulatorError

#: Characters of a line that are shown.
SHOWN_LINE = 100
#: The share of a case's time that drivers may take: the rest is for saying what went wrong.
SHARE = 0.8
#: The key of an `exercise.toml` that says that the kernels are the submission's, too.
OWN = "own_kernel"


@exercise_kind("drive")
class DriveKind(ScheduledKind):
    """Search graphs by a submitted function ``search(host, graph, source, **options)``.

    The exercise's `search` names the technique, whose kernels are taken, and options. With
    ``own_kernel = true`` kernels are the submission's: those in its constant `KERNEL` take the
    place of the technique's file, and `search` gets the options that the exercise names. With
    ``frontiers = true`` under `search` each level must be announced with as many vertices as it
    has, which a queue that holds vertices twice has not.
    """

    suffix = ".py"
    fields: ClassVar[Mapping[str, Field]] = {
        OWN: Field(lambda value: isinstance(value, bool), "give true or false", required=False)
    }
    instead = (
        "print() in search, and printf in kernels of its own, show under a case of gpubfs grade\n"
        "what they do; a technique's kernels: gpubfs trace TECHNIQUE --graph toy --source 0"
    )

    def __init__(self, exercise: Exercise, file: Path) -> None:
        super().__init__(exercise, file)
        self.kernel: Path | None = None
        if exercise.fields.get(OWN, False):
            text = kernels_in(file.read_text(encoding="utf-8"), str(file))
            self.kernel = file.with_suffix(".kernel.cu")
            self.kernel.write_text(text, encoding="utf-8", newline="\n")

    @classmethod
    def validate(cls, exercise: Exercise, path: Path) -> None:
        """Refuse names that do not exist; drivers name their arrays."""
        if "technique" not in exercise.search:
            raise names.no_technique(path)
        names.check_frontiers(path, exercise, allowed=exercise.fields.get(OWN, False))
        names.check_searches(path, exercise, _is_counted_here)

    def grade_case(self, case: Case, seed: int) -> Failure | None:
        """Return why a case is lost; None if it is not."""
        failure = self._graded(case, seed)
        if failure is None or self.kernel is None:
            return failure
        # Lines of the kernels are lines of the file that they are in.
        texts = {k: t.replace(str(self.kernel), str(self.file)) for k, t in vars(failure).items()}
        return Failure(**texts)

    def _graded(self, case: Case, seed: int) -> Failure | None:
        end = time.monotonic() + SHARE * self.exercise.seconds
        given = {**self.exercise.search, **case.given}
        plain = find(given.pop("technique"))
        frontiers = given.pop("frontiers", False)
        if self.kernel is not None:
            own = str(self.kernel)
            plain = dataclasses.replace(plain, kernel=own, headers=self.kernel.parent)
        graph = make_graph(kernel.seeded(str(given.pop("graph")), seed))
        source = int(given.pop("source", graph.hub))
        called = f"search on {graph.spec} from {source}"
        device = self.exercise.device_of(case)

        def run(schedule: str, sanitize: str, counting: bool) -> Ran:
            garbage.collect()  # the memory of the devices before this one
            driver = Driver(self.file, graph, end, self.exercise, self.kernel, given)
            technique = dataclasses.replace(plain, drive=driver)
            try:
                opened = open_machine("sim", device=device, schedule=schedule, counters=counting)
                search = runs.prepared(technique, graph, source, opened, given, sanitize=sanitize)
                found = search.on(opened, None, lambda: self._bounded(case))
            except DriverError as lost:
                return Ran(dataclasses.replace(lost.failure, called=called), Cost({}))
            except (SimulatorError, VerificationError, UsageError) as error:
                return Ran(self._of_kernels(error, called), Cost({}))
            if driver.cheated:
                return Ran(dataclasses.replace(driver.cheated, called=called), Cost({}))
            if frontiers and (words := wrong_sizes(found)):
                return Ran(Failure("result", words, called), Cost({}))
            return Ran(None, cost_of_driver(found, called) if counting else Cost({}))

        return self.grade_schedules(case, run)

    def _bounded(self, case: Case) -> AbstractContextManager[object]:
        """Bound the lane steps of kernels that were submitted; a technique's come to an end."""
        if self.kernel is None:
            return nullcontext()
        return simulator.sanitize("steps", steps=self.exercise.steps_of(case))

    def _of_kernels(self, error: Exception, called: str) -> Failure:
        """Return the failure of what was raised outside of the driver, as kernels are read."""
        failure = failure_of(error, called, self.kernel)
        if self.kernel is not None and failure.reason == "read":
            return dataclasses.replace(failure, message=f"in {NAME}: {failure.message}")
        return failure

    def rehearse(self, case: Case, seed: int, failure: Failure | None) -> None:
        """Search with the technique's own driver."""
        kernel.rehearse_search(self.exercise, case, seed, failure)


def _is_counted_here(counter: str) -> bool:
    return counter.startswith("bytes_by_name.") or counter in (PER_LEVEL, LEFT_OUT)


def cost_of_driver(found: Run, called: str) -> Cost:
    """Return what a search has cost, with what only drivers are held to."""
    each = {
        PER_LEVEL: found.counters["launches"] / (found.depth + 1),
        LEFT_OUT: levels_left_out(found),
    }
    cost = kernel.cost_of_search(found, called)
    return dataclasses.replace(cost, counters={**cost.counters, **each})


def wrong_sizes(found: Run) -> str:
    """Return the first level that was not announced with as many vertices as it has."""
    for launch in found.per_launch:
        if launch.frontier is None:
            return (
                f"a launch at level {launch.depth} was not announced with the level's size: "
                "host.level(depth, size)"
            )
    return kernel.wrong_queue(found)


def levels_left_out(found: Run) -> int:
    """Return how many levels a driver that announces levels did not announce."""
    announced = {launch.depth for launch in found.per_launch}
    return len({*range(found.depth + 1)} - announced) if any(announced) else 0


class Driver:
    """Stands in for a technique's driver: asks one in another process, and does what that wants.

    Parameters
    ----------
    file : Path
        The submission.
    graph : Graph
        The graph that is searched.
    end : float
        When it must be done, by the monotonic clock.
    exercise : Exercise
        The exercise.
    kernel : Path, optional
        The submission's own kernels.
    given : mapping, optional
        The options that the exercise names: with own kernels the driver gets no others.

    Attributes
    ----------
    cheated : Failure or None
        What is wrong with a result that is right.
    """

    def __init__(
        self,
        file: Path,
        graph: Graph,
        end: float,
        exercise: Exercise,
        kernel: Path | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        self.file = file
        self.kernel = kernel
        self.given = given or {}
        self.of = graph
        self.end = end
        self.exercise = exercise
        self.cheated: Failure | None = None
        self.text = file.read_text(encoding="utf-8")

    def __call__(self, host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
        """Run the search; raises DriverError where it comes to nothing."""
        if self.kernel is not None:
            options = {name: value for name, value in options.items() if name in self.given}
        deepest = int(reference_levels(self.of, source).max())
        service = HostService(host, graph, deepest + 1)
        with DriverProcess(self.end - time.monotonic(), SHARE * self.exercise.seconds) as process:
            try:
                self._begin(process)
                process.send(_search_message(service, graph, source, options))
                answer = self._serve(process, service, source)
            except DriverError as lost:
                failure = lost.failure
                if where := self._where(lost.line):
                    failure = dataclasses.replace(
                        failure, detail=f"it was at {where}", location=where
                    )
                raise DriverError(_with_printed(failure, process.printed)) from None
            print(process.printed, end="")  # kept with what else the case prints
            return answer

    def _begin(self, process: DriverProcess) -> None:
        """Have the driver read. All that it says of itself here, it says without knowing a case."""
        memory = min(DRIVER_MEMORY, self.exercise.memory)
        process.send({"source": self.text, "seconds": self.exercise.seconds, "memory": memory})
        process.receive()  # whether it is confined: then it runs the submission
        message = process.receive()
        if "unreadable" in message:
            raise DriverError(self._raised(message["unreadable"], "read"))
        if "raised" in message:
            raise DriverError(self._raised(message["raised"], "driver"))
        if message.get("loaded") is not True:
            words = "there is no function search(host, graph, source, **options)"
            raise DriverError(Failure("read", words, detail=_there_is(message.get("functions"))))

    def _serve(self, process: DriverProcess, service: HostService, source: int) -> SearchResult:
        while True:
            message = process.receive()
            if "raised" in message:
                raise DriverError(self._raised(message["raised"], "driver"))
            if "returned" in message:
                return self._returned(service, message["returned"], source)
            process.send({"value": self._answer(service, message)})

    def _answer(self, service: HostService, message: dict[str, Any]) -> object:
        where = self._where(message.get("line"))
        try:
            return service.respond(message)
        except UsageError as error:
            raise DriverError(_refused(error, where)) from None
        except SimulatorError as error:
            failure = failure_of(error, file=self.kernel or self.file)
            reason = "driver" if failure.reason == "read" else failure.reason
            detail = f"{where}\n{failure.detail}".strip()
            place = failure.location if self.kernel else where
            failure = dataclasses.replace(
                failure, reason=reason, detail=detail, location=place or where
            )
            raise DriverError(failure) from None

    def _returned(self, service: HostService, found: object, source: int) -> SearchResult:
        reply = found if isinstance(found, dict) else {}
        try:
            levels = self._result(service, reply.get("levels"), "search returned")
            parents = reply.get("parents")
            if parents is not None:
                parents = self._result(service, parents, "its parents are").array
        except RefusedError as error:
            raise DriverError(_refused(error, "")) from None
        own = service.by_the_host(levels, source)
        if own is not None:
            words = f"the host itself wrote the level of vertex {own[0]}, {own[1]}"
            hint = "levels are found by kernels: the host writes -1 everywhere, 0 for the source"
            self.cheated = Failure("driver", words, detail=hint)
        return SearchResult(levels.array, parents)

    def _result(self, service: HostService, value: object, what: str) -> HostArray:
        if not isinstance(value, dict):
            got = "nothing" if value is None else str(value)[:80]
            raise RefusedError(
                f"{what} {got}", "return the array of levels, or SearchResult(levels)"
            )
        part = service.part(value, "what search returned")
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
        """Return the failure for an exception, as the driver's process describes it."""
        reply = error if isinstance(error, dict) else {}
        kind, words = (str(reply.get(part, ""))[:2000] for part in ("type", "text"))
        if reason == "read" and kind in ("MemoryError", "RecursionError"):
            return Failure(reason, "the file is nested too deeply", detail=self._longest())
        if "set_int_max_str_digits" in words:  # which no submission can change
            words = "a number has more digits than can be written"
        if kind == "MemoryError":
            return Failure("memory", "the driver needs more memory than it may", detail=words)
        message = f"{kind}: {words}" if words else kind
        where = self._where(reply.get("line"))
        return Failure(reason, message, detail=where, location=where)

    def _longest(self) -> str:
        """Return the longest line, where nobody says which one is nested."""
        lengths = [len(line) for line in self.text.splitlines()]
        return self._where(lengths.index(max(lengths)) + 1)

    def _where(self, line: object) -> str:
        """Return a line of the driver, with its number."""
        lines = self.text.splitlines()
        if not isinstance(line, int) or not 1 <= line <= len(lines):
            return ""
        text = lines[line - 1].strip()
        shown = text if len(text) <= SHOWN_LINE else f"{text[:SHOWN_LINE]}…"
        return f"{self.file}, line {line}:\n  {shown}"


def _there_is(functions: object) -> str:
    """Return what a driver has instead of the function that is wanted."""
    names = [str(name)[:80] for name in functions] if isinstance(functions, list) else []
    return f"the file has {', '.join(names)}" if names else ""


def _search_message(
    service: HostService, graph: DeviceGraph, source: int, options: Mapping[str, Any]
) -> dict[str, object]:
    """Return what a driver gets to know of the search."""
    size = {"vertices": graph.vertices, "edges": graph.edges}
    machine = {
        "warp_size": service.host.warp_size,
        "multiprocessors": service.host.multiprocessors,
    }
    return {**service.graph, **size, **machine, "source": source, "options": dict(options)}


def _refused(error: UsageError, where: str) -> Failure:
    return Failure("driver", error.message, detail=f"{where}\n{error.hint}".strip(), location=where)


def _with_printed(failure: Failure, printed: str) -> Failure:
    if not printed.strip():
        return failure
    detail = f"{failure.detail}\nIt printed:\n{printed.rstrip()}".strip()
    return dataclasses.replace(failure, detail=detail)
