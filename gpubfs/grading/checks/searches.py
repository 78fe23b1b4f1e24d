"""Checks of a kernel file that is handed in in the place of a technique's: whole searches."""

from __future__ import annotations

import dataclasses
import gc
from contextlib import AbstractContextManager
from pathlib import Path

import simulator
from gpubfs.errors import UsageError
from gpubfs.grading.checks.failures import of_error
from gpubfs.grading.checks.kernels import STEPS
from gpubfs.grading.checks.orders import OrderChecks
from gpubfs.grading.costs.cost import Cost, Part
from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.outcome import Failure
from gpubfs.graphs.build import count
from gpubfs.machines import open_machine
from gpubfs.search import runs
from gpubfs.search.catalogue import find
from gpubfs.search.counters import plain
from gpubfs.search.result import Run
from gpubfs.search.verify import VerificationError
from simulator.source import SimulatorError


class SearchChecks(OrderChecks):
    """Searches graphs with a technique whose kernels are those that were handed in.

    Parameters
    ----------
    exercise : Exercise
        Its `search` names the technique and options. With ``frontiers = true`` each level's queue
        must be as long as the level: the levels are right even if it holds vertices twice.
    file : Path
        What was handed in, in a folder with the headers that it may include.
    """

    def __init__(self, exercise: Exercise, file: Path) -> None:
        options = dict(exercise.search)
        technique = find(options.pop("technique"))
        self.file = file
        self.technique = dataclasses.replace(technique, kernel=str(file), headers=file.parent)
        self.frontiers = options.pop("frontiers", False)
        self.options = options
        self.device_of = exercise.device_of

    def check(self, case: Case, seed: int) -> Failure | None:
        """Why a case is lost; None if it is not."""
        given = {**self.options, **case.given}
        graph = str(given.pop("graph")).replace("{seed}", str(seed % 1_000_000))
        source = given.pop("source", None)
        called = f"{self.technique.name} on {graph}"

        def run(schedule: str, sanitize: str) -> tuple[Failure | None, Cost]:
            gc.collect()  # the memory of the devices before this one
            try:
                opened = open_machine("sim", device=self.device_of(case), schedule=schedule)
                search = runs.prepared(
                    self.technique, graph, source, opened, given, sanitize=sanitize
                )
                found = search.on(opened, None, _few_steps)
            except (SimulatorError, VerificationError, UsageError) as error:
                return of_error(error, called, self.file), Cost({})
            words = _uneven(found) if self.frontiers else ""
            failure = Failure("result", words, called) if words else None
            return failure, cost_of(found, called)

        return self.in_orders(case, run)


def cost_of(found: Run, called: str) -> Cost:
    """What a search has cost, in all and launch by launch."""
    parts = [Part(f"{x.kernel} at level {x.depth}", plain(x.counters)) for x in found.per_launch]
    return Cost(found.counters, found.sites or (), called, parts)


def _few_steps() -> AbstractContextManager[object]:
    """Bounds the lane steps of a launch on the current device: graphs of exercises are small."""
    return simulator.sanitize("steps", steps=STEPS)


def _uneven(found: Run) -> str:
    """The first level whose queue has more or fewer entries than the level has vertices."""
    queues = {launch.depth: launch.frontier for launch in found.per_launch}
    for depth in range(int(found.levels.max()) + 1):
        if depth not in queues and not any(queues.values()):  # without queues
            return f"level {depth} was found, but no launch expands it: each expands one level"
        size, entries = int((found.levels == depth).sum()), queues.get(depth, 0)
        if entries is not None and entries != size:
            has, held = count(size, "vertex", "vertices"), count(entries, "entry", "entries")
            return f"level {depth} has {has}, but its queue has {held}"
    return ""
