"""Exercises that ask for a kernel: problems of their own, or searches of a technique."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from os.path import basename
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simulator
from gpubfs.errors import UsageError
from gpubfs.grading import names
from gpubfs.grading.errors import HINT, ExerciseError, describe
from gpubfs.grading.exercise import STEPS, Case, Exercise, exercise_kind
from gpubfs.grading.kinds import again, garbage
from gpubfs.grading.kinds.launching import launch, on_device
from gpubfs.grading.kinds.runs import KernelRun, LostError, Watching
from gpubfs.grading.kinds.schedules import ScheduledKind
from gpubfs.grading.limits.costs import Cost, Part, value_of, with_reading_atomics
from gpubfs.grading.outcome import Failure
from gpubfs.grading.problems import holes
from gpubfs.grading.problems.problem import (
    DEVICE_MEMORY,
    Problem,
    Unwritten,
    compare,
    load_make,
    wrong_element,
)
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.build import count
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import ENDLESS_LEVELS
from gpubfs.machines import open_machine
from gpubfs.search import runs
from gpubfs.search.catalogue import find
from gpubfs.search.counters import plain, total
from gpubfs.search.result import Run
from gpubfs.search.verify import VerificationError
from simulator.observe.counters import merge_sites
from simulator.observe.counting import Launch as Counted
from simulator.source import SimulatorError

#: What the arrays of a graph are called, which no search changes.
GRAPH = ("offsets", "neighbours")
#: How many levels behind the last one are let pass: levels that are wrong tell more than a search
#: that was stopped.
LEVELS_TOO_MANY = 64
#: What the array of levels is called in every technique.
LEVELS = "level"


@exercise_kind("write", "mend", "limit")
class KernelKind(ScheduledKind):
    """Run what the exercise's `problem.py` makes, or whole searches, with the submitted kernels."""

    suffix = ".cu"
    compares = True

    def __init__(self, exercise: Exercise, file: Path) -> None:
        super().__init__(exercise, file)
        self.make = None if exercise.search else load_make(exercise.folder)

    @classmethod
    def validate(cls, exercise: Exercise, path: Path) -> None:
        """Refuse names that do not exist, and an exercise without a technique or a problem."""
        if "technique" not in exercise.search:
            if exercise.search:
                raise names.no_technique(path)
            names.require_file(path, exercise)
        names.check_frontiers(path, exercise, allowed=True)
        names.check_searches(path, exercise)

    def grade_case(self, case: Case, seed: int) -> Failure | None:
        """Return why a case is lost; None if it is not."""
        run = self.run_of(case, seed)
        return self.grade_schedules(case, run, run.baseline, run.shortened())

    def compared(self, case: Case, seed: int) -> dict[str, tuple[float, float]]:
        """Return the score's counters of a case that was right in its first order."""
        if self.cost is None:
            return {}
        own = self.run_of(case, seed).baseline(case.schedules[0])
        return {n: (value_of(n, self.cost), value_of(n, own)) for n in self.exercise.score}

    def run_of(self, case: Case, seed: int) -> ProblemRun | SearchRun:
        """Return what a case runs, which is the same however often it is done."""
        if self.make is None:
            return SearchRun(self.exercise, self.file, case, seed)
        problem = self.make(np.random.default_rng(seed), **case.given)
        steps = self.exercise.steps_of(case)
        return ProblemRun(self.exercise.device_of(case), self.file, problem, steps=steps)

    def rehearse(self, case: Case, seed: int, failure: Failure | None) -> None:
        """Search without the submission; problems show their own mistakes before kernels run."""
        if self.exercise.search:
            missing = rehearse_search(self.exercise, case, seed, failure)
            if missing:
                raise ExerciseError(
                    f"{missing} is limited, and is not counted here", "limit another"
                )


class ProblemRun(KernelRun):
    """One problem, run in any order.

    Parameters
    ----------
    device : str
        The simulated GPU.
    file : Path
        The kernels.
    problem : Problem
        What is run, and what must come of it.
    *headers : Path
        Folders with the headers that the file includes, by default its own.
    steps : int
        Lane steps that a launch may take.
    """

    def __init__(
        self, device: str, file: Path, problem: Problem, *headers: Path, steps: int = STEPS
    ) -> None:
        self.device = device
        self.file = file
        self.problem = problem
        self.steps = steps
        self.folders = tuple(f"-I{folder}" for folder in headers or (file.parent,))

    def perform(
        self, schedule: str, sanitize: str, watching: Watching, counting: bool = True
    ) -> Cost:
        """Return the cost under this schedule and these sanitizers; raises LostError."""
        problem, arrays = self.problem, dict[str, Any]()
        garbage.collect()  # the memory of the devices before this one
        with ExitStack() as stack:
            device = simulator.Device(self.device, DEVICE_MEMORY, schedule, self.steps)
            stack.enter_context(device)
            record = stack.enter_context(simulator.counting()) if counting else None
            stack.enter_context(watching.begin())
            called = ""
            try:
                if sanitize:
                    names = sanitize.split(",")
                    stack.enter_context(simulator.sanitize(*names, allow=problem.allow))
                module = simulator.RawModule(
                    path=str(self.file),
                    options=self.folders,
                    enable_cooperative_groups=problem.cooperative,
                )
                arrays.update(on_device(problem, simulator))
                for name, array in arrays.items():
                    device.label(array, name)
                for number, one in enumerate(problem.launches):
                    called = str(one)
                    watching.at_level(number, None, None)
                    launch(module, one, arrays)
            except simulator.SimulatorError as error:
                hole = holes.behind_fault(problem, arrays, error) if arrays else ""
                raise LostError(self.failure_of(error, called, hole)) from error
            self.ordered_warps = device.ordered_warps
            found = {name: array.get() for name, array in arrays.items()}
            words, expected, got = compare(problem, found)
        if words:
            detail = again.hole_of(self, schedule, arrays, self.steps)
            failure = Failure("result", words, called, expected, got, detail)
            raise LostError(failure, wrong_element(problem, found))
        if record is None:
            return Cost({})
        kept = {name for name, start in problem.arrays.items() if _same(start, found[name])}
        return with_reading_atomics(_cost_of_launches(problem, record.launches), kept)


def _same(start: NDArray[Any] | Unwritten, end: NDArray[Any]) -> bool:
    return not isinstance(start, Unwritten) and np.array_equal(start, end)


def _cost_of_launches(problem: Problem, launches: Sequence[Counted]) -> Cost:
    """Return what all launches have cost, and each of those that the problem names."""
    counters = total(counted.counters for counted in launches)
    values = {"launches": len(launches)} | ({} if counters is None else plain(counters))
    sites = [site for counted in launches for site in counted.sites or ()]
    names = [str(one) for one in problem.launches]
    called = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    parts = [Part(n, plain(c.counters)) for n, c in zip(names, launches, strict=False)]
    return Cost(values, merge_sites(sites), called, parts if len(names) == len(launches) else ())


class SearchRun(KernelRun):
    """One search with kernels in the place of a technique's, under any schedule.

    Parameters
    ----------
    exercise : Exercise
        Its `search` names the technique and options. With ``frontiers = true`` each level's queue
        must be as long as the level: the levels are right even if it holds vertices twice.
    file : Path
        The kernels, in a folder with the headers that they include.
    case : Case
        Which graph is searched, from where, with which options.
    seed : int
        What is written for ``{seed}`` in the graph.
    """

    def __init__(self, exercise: Exercise, file: Path, case: Case, seed: int) -> None:
        options = {**exercise.search, **case.given}
        technique = find(options.pop("technique"))
        self.file = file
        self.own = technique
        self.technique = dataclasses.replace(technique, kernel=str(file), headers=file.parent)
        self.parts = technique.parts
        self.frontiers = options.pop("frontiers", False)
        self.graph = seeded(str(options.pop("graph")), seed)
        self.source = options.pop("source", None)
        self.options = options
        self.steps = exercise.steps_of(case)
        self.device = exercise.device_of(case)

    def searched(self) -> Graph:
        """Return the graph."""
        return make_graph(self.graph)

    def baseline(self, schedule: str) -> Cost:
        """Return what the technique's own kernel costs in the same search."""
        called = f"{self.own.name} on {self.graph}"
        garbage.collect()  # the memory of the devices before this one
        try:
            opened = open_machine("sim", device=self.device, schedule=schedule)
            search = runs.prepared(self.own, self.graph, self.source, opened, self.options)
            return cost_of_search(search.on(opened, None), called)
        except (SimulatorError, VerificationError, UsageError) as error:
            raise ExerciseError(f"{called} fails: {describe(error)}", HINT) from error

    def perform(
        self, schedule: str, sanitize: str, watching: Watching, counting: bool = True
    ) -> Cost:
        """Return the cost under this schedule and these sanitizers; raises LostError."""
        called = f"{self.technique.name} on {self.graph}"
        counted = 0

        def at_level(depth: int, frontier: int | None, vertices: int | None) -> None:
            nonlocal counted
            counted = frontier or 0
            check_depth(search, depth)
            watching.at_level(depth, frontier, vertices)

        garbage.collect()  # the memory of the devices before this one
        try:
            opened = open_machine("sim", device=self.device, schedule=schedule, counters=counting)
            search = runs.prepared(
                self.technique, self.graph, self.source, opened, self.options, sanitize=sanitize
            )
            found = search.on(opened, at_level, lambda: self._within(watching))
        except (SimulatorError, VerificationError, UsageError) as error:
            vertex = getattr(error, "vertex", None)
            element = None if vertex is None else (LEVELS, vertex)
            named = self.technique.arrays
            hole = holes.behind_search(error, counted, named) if self.frontiers else ""
            raise LostError(self.failure_of(error, called, hole), element) from error
        if self.frontiers and (words := wrong_queue(found)):
            raise LostError(Failure("result", words, called))
        return cost_of_search(found, called) if counting else Cost({})

    @contextmanager
    def _within(self, watching: Watching) -> Iterator[None]:
        """Prepare the current device for a search.

        The lane steps of a launch are bounded: graphs of exercises are small. What the package
        brings besides the submission is right in any order, and so runs in the soonest.
        """
        own = self.file.name
        device = simulator.current()
        device.in_lockstep = lambda kernel: basename(kernel.source.name) != own
        with simulator.sanitize("steps", steps=self.steps), watching.begin():
            yield
        self.ordered_warps = device.ordered_warps


def check_depth(search: runs.Search, depth: int) -> None:
    """Stop a search that goes on far beyond the last vertex.

    Without this it would go on for as many levels as the graph has vertices.

    Raises
    ------
    UsageError
        If no vertex has been left for many levels.
    """
    if not depth or depth % LEVELS_TOO_MANY:
        return
    farthest = int(reference_levels(search.graph, search.source).max())
    if depth > farthest + LEVELS_TOO_MANY:
        raise UsageError(
            f"level {depth} is expanded, but no vertex is farther than {farthest} from the source",
            ENDLESS_LEVELS,
        )


def seeded(graph: str, seed: int) -> str:
    """Return a graph's specification with the seed in its place.

    >>> seeded("kron:7,seed={seed}", 1_000_003)
    'kron:7,seed=3'
    """
    return graph.replace("{seed}", str(seed % 1_000_000))


def cost_of_search(found: Run, called: str) -> Cost:
    """Return what a search has cost, in all and launch by launch."""
    parts = [Part(f"{x.kernel} at level {x.depth}", plain(x.counters)) for x in found.per_launch]
    return with_reading_atomics(Cost(found.counters, found.sites or (), called, parts), GRAPH)


def wrong_queue(found: Run) -> str:
    """Return the first level whose queue has more or fewer entries than the level has vertices."""
    queues = {launch.depth: launch.frontier for launch in found.per_launch}
    for depth in range(int(found.levels.max()) + 1):
        if depth not in queues and not any(queues.values()):  # without queues
            return f"level {depth} was found, but no launch expands it: each expands one level"
        size, entries = int((found.levels == depth).sum()), queues.get(depth, 0)
        if entries is not None and entries != size:
            has, held = count(size, "vertex", "vertices"), count(entries, "entry", "entries")
            return f"level {depth} has {has}, but its queue has {held}"
    return ""


def rehearse_search(exercise: Exercise, case: Case, seed: int, failure: Failure | None) -> str:
    """Prepare the search of a lost case; run the technique itself if it may be what it refuses.

    Returns
    -------
    str
        The first limited counter that the technique's own run does not have; "" if it has all.

    Raises
    ------
    ExerciseError
        If the search fails without the submission, too.
    """
    asked: dict[str, Any] = {**exercise.search, **case.given}
    asked.pop("frontiers", None)
    technique, spec = str(asked.pop("technique")), str(asked.pop("graph"))
    graph = seeded(spec, seed)
    try:
        opened = open_machine("sim", device=exercise.device_of(case))
        search = runs.prepared(technique, graph, asked.pop("source", None), opened, asked)
        return _missing(case, search.on(opened, None)) if _refused(failure) else ""
    except (MemoryError, OSError):
        raise
    except Exception as error:
        # Hidden graphs are called as the exercise calls them.
        hint = getattr(error, "hint", "") or HINT
        raise ExerciseError(describe(error).replace(graph, spec), hint) from error


def _refused(failure: Failure | None) -> bool:
    """Tell whether a failure may be the technique's refusal, or a limit on what is not counted.

    Results that are wrong have no hint as their detail, and limits not kept say what was expected.
    """
    if failure is None:
        return False
    said = failure.detail if failure.reason == "result" else failure.reason == "limit"
    return bool(said) and not failure.expected


def _missing(case: Case, found: Run) -> str:
    """Return the first limited counter that a run has not counted."""
    cost = Cost(found.counters, found.sites or ())
    return next((name for name in (*case.limits, *case.shares) if value_of(name, cost) is None), "")
