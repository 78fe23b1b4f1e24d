"""What a run of submitted kernels is: done under any schedule, watched by anybody, won or lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, Self

from gpubfs.grading.errors import ExerciseError
from gpubfs.grading.failures import failure_of
from gpubfs.grading.kinds.schedules import Ran
from gpubfs.grading.limits.costs import Cost
from gpubfs.grading.outcome import Failure
from gpubfs.graphs import Graph
from gpubfs.search.technique import Parts
from simulator.observe.sanitizers.checker import AFTERWARDS
from simulator.source import Fault


class LostError(Exception):
    """What a run computes is wrong, or it does not come to its end.

    Parameters
    ----------
    failure : Failure
        Why.
    element : tuple of str and int, optional
        The array that is wrong by its name, and the first of its elements that is.
    """

    def __init__(self, failure: Failure, element: tuple[str, int] | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.element = element


class Watching(Protocol):
    """What sees the launches of a run, such as a trace."""

    def begin(self) -> AbstractContextManager[object]:
        """Return a context on the device of the run, in which all its launches are."""

    def at_level(self, depth: int, frontier: int | None, vertices: int | None) -> None:
        """Hear that launches expand level `depth` from here on."""


class Unwatched:
    """Sees nothing."""

    def begin(self) -> AbstractContextManager[object]:
        """Return a context that does nothing."""
        return nullcontext()

    def at_level(self, depth: int, frontier: int | None, vertices: int | None) -> None:
        """Do nothing."""


class KernelRun(ABC):
    """Kernels that are run in any order.

    Attributes
    ----------
    file : Path
        The file with the kernels.
    parts : mapping of str to Parts
        Arrays that are cut into queues.
    steps : int
        Lane steps that a launch may take.
    ordered_warps : bool
        Whether the schedule has chosen the order of several warps in the run that was last.
    is_short : bool
        Whether that a launch does not end says nothing, for it may take few steps.
    """

    file: Path
    steps: int
    parts: Mapping[str, Parts] = MappingProxyType({})
    ordered_warps = True
    is_short = False

    def searched(self) -> Graph | None:
        """Return the graph that is searched; None where there is none."""
        return None

    @abstractmethod
    def perform(
        self, schedule: str, sanitize: str, watching: Watching, counting: bool = True
    ) -> Cost:
        """Return the cost under this schedule and these sanitizers, if it is counted.

        Raises
        ------
        LostError
            If anything is wrong; its cause is the error behind it, if there is one.
        """

    def baseline(self, schedule: str) -> Cost:
        """Return what the same costs without the submission, by the technique itself.

        Raises
        ------
        ExerciseError
            If there is no technique, or it fails.
        """
        raise ExerciseError("there is no technique to compare with", "leave out shares and score")

    def shortened(self) -> Self:
        """Return the same run, whose launches may take an eighth of the steps."""
        made = copy(self)
        made.steps, made.is_short = max(1, self.steps // 8), True
        return made

    def failure_of(self, error: Exception, called: str, hole: str = "") -> Failure:
        """Return the failure that an error of this run stands for, as `failures.failure_of` does.

        Of a short run, what a sanitizer finds is not followed by where its steps were used up.
        """
        if self.is_short and isinstance(error, Fault) and error.sanitizer:
            error.notes = tuple(one for one in error.notes if not one[0].startswith(AFTERWARDS))
        return failure_of(error, called, self.file, hole)

    def __call__(self, schedule: str, sanitize: str, counting: bool) -> Ran:
        """Return what is wrong under this schedule and these sanitizers, and the cost."""
        self.ordered_warps = True
        try:
            cost = self.perform(schedule, sanitize, Unwatched(), counting)
        except LostError as lost:
            return Ran(lost.failure, Cost({}))
        return Ran(None, cost, self.ordered_warps)
