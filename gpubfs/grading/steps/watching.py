"""A run of submitted kernels, watched: its steps as far as it came, or what its lines cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import simulator
from gpubfs.errors import UsageError
from gpubfs.grading.kinds.runs import KernelRun, LostError, Unwatched, Watching
from gpubfs.grading.kinds.schedules import CAUSES, Capped
from gpubfs.grading.limits.costs import Cost
from gpubfs.grading.outcome import Failure
from gpubfs.grading.processes import clock
from gpubfs.grading.steps import explaining, locating
from gpubfs.grading.steps.racing import step_of_fault
from gpubfs.show.traces import LaunchTrace, Watch
from gpubfs.show.traces.remark import Remark
from simulator.observe.counters import Site, merge_sites
from simulator.observe.counting import Record
from simulator.observe.trace import TraceTooLong
from simulator.source import Fault

if TYPE_CHECKING:
    from simulator.observe.trace import TracedLaunch


@dataclass(frozen=True)
class Watched:
    """A run, and how it is to be done.

    Attributes
    ----------
    run : KernelRun
        What is run.
    title : str
        What to call it, in one line.
    schedule, sanitize : str
        The order of warps and the sanitizers.
    about : mapping
        What JSON has of it besides.
    limits : mapping of str to float
        Counters that should not be more than this.
    failure : Failure, optional
        Why it is known to be lost.
    seconds : float, optional
        After which it is stopped; by default never.
    """

    run: KernelRun
    title: str
    schedule: str
    sanitize: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    failure: Failure | None = None
    seconds: float | None = None

    def traced(self) -> RunTrace:
        """Do it, and return its steps as far as it came.

        Raises
        ------
        UsageError
            If it came to no step.
        """
        watch = Watch()
        lost, cost = self._performed(watch)
        at, remarks = self._explained(watch.tracing.launches, lost, cost)
        launches, depths = watch.traced()
        if not launches:
            raise self._nothing(lost)
        return RunTrace(self, launches, depths, at, lost, remarks)

    def counted(self) -> tuple[list[Site], Failure | None]:
        """Do it, and count at each place of the source, as far as it comes.

        Returns
        -------
        list of Site, Failure or None
            What was counted, and what is wrong with the run.

        Raises
        ------
        UsageError
            If it did nothing.
        """
        counting = Counting()
        lost, _ = self._performed(counting)
        launches = (*counting.record.launches, *counting.record.stopped)
        if not launches:
            raise self._nothing(lost)
        sites = merge_sites([site for launch in launches for site in launch.sites])
        return sites, None if lost is None else lost.failure

    def _nothing(self, lost: LostError | None) -> UsageError:
        """Return the error where no statement was executed, which may have a reason."""
        if lost is None:
            return UsageError(f"{self.title}: no statement is executed", "write some")
        if isinstance(lost.__cause__, clock.TimeUpError):
            words = f"{self.title}: {lost.failure.message}, which its first launch does not end in"
            return UsageError(words, "step through it: gpubfs trace shows how far it comes")
        words = f"{self.title}: no statement was executed: {lost.failure.message}"
        return UsageError(words, lost.failure.detail)

    def _performed(
        self, watching: Watching, sanitize: str | None = None
    ) -> tuple[LostError | None, Cost]:
        """Do it, perhaps under other sanitizers, without what it prints."""
        sanitize = self.sanitize if sanitize is None else sanitize
        with redirect_stdout(Capped(0)):
            try:
                return None, self._in_time(sanitize, watching)
            except LostError as lost:
                return lost, Cost({})

    def _in_time(self, sanitize: str, watching: Watching) -> Cost:
        """Return the cost; that time is up is a way to be lost, too."""
        try:
            with clock.limited(self.seconds):
                return self.run.perform(self.schedule, sanitize, watching)
        except clock.TimeUpError as error:
            assert self.seconds is not None
            raise LostError(clock.time_up(self.seconds)) from error

    def _explained(
        self, launches: Sequence[TracedLaunch], lost: LostError | None, cost: Cost
    ) -> tuple[int | None, list[Remark]]:
        """Return the step at which it shows what is wrong, if that is known, and what is said."""
        said = explaining.reasons(self.failure, None if lost is None else lost.failure)
        if lost is None:
            at, found = explaining.of_limit(launches, self.limits, cost)
            return at, [*said, *found]
        if isinstance(lost.__cause__, Fault):
            at = step_of_fault(launches, lost.__cause__)
            return at, [*said, *explaining.of_fault(launches, lost.__cause__, at)]
        steps = sum(len(launch.steps) for launch in launches)
        if steps and isinstance(lost.__cause__, TraceTooLong | clock.TimeUpError):
            full = isinstance(lost.__cause__, TraceTooLong)
            return steps - 1, [*said, *explaining.of_cut(launches, steps - 1, full)]
        at = None if lost.element is None else locating.last_write(launches, *lost.element)
        told = [*said, *explaining.of_element(at, lost.element)]
        return at, [*told, *self._causes(launches)]

    def _causes(self, launches: Sequence[TracedLaunch]) -> list[Remark]:
        """Return what sanitizers know of a result that is wrong in some orders of warps only."""
        if self.failure is None or self.failure.reason != "schedule":
            return []
        cause, _ = self._performed(Unwatched(), CAUSES)
        if cause is None or not isinstance(cause.__cause__, Fault) or not cause.__cause__.accesses:
            return []
        found = explaining.of_fault(launches, cause.__cause__, None)
        return [*explaining.reasons(cause.failure), *found]


class Counting:
    """Counts what the launches of a run do, also of those that a fault stops."""

    def __init__(self) -> None:
        self.record = Record()

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Count on the current device."""
        with simulator.counting() as self.record:
            yield

    def at_level(self, depth: int, frontier: int | None, vertices: int | None) -> None:
        """Do nothing: all levels are counted together."""


class RunTrace(LaunchTrace):
    """The steps of a run, as far as it came.

    Parameters
    ----------
    of : Watched
        What was run.
    launches : sequence of TracedLaunch
        What was recorded.
    depths : sequence of int
        The level that each launch expands, or its number.
    at : int, optional
        The step at which it shows what is wrong.
    lost : LostError, optional
        How the run was lost.
    remarks : sequence of Remark
        Why, and which steps show it.

    Attributes
    ----------
    failure : Failure or None
        What is wrong with the run.
    cut : bool
        Whether there is more than a trace can hold.
    """

    def __init__(
        self,
        of: Watched,
        launches: Sequence[TracedLaunch],
        depths: Sequence[int],
        at: int | None = None,
        lost: LostError | None = None,
        remarks: Sequence[Remark] = (),
    ) -> None:
        graph, parts = of.run.searched(), of.run.parts
        super().__init__(launches, of.title, depths, graph, parts, remarks=remarks)
        self.about, self.at = of.about, at
        self.failure = None if lost is None else lost.failure
        error = None if lost is None else lost.__cause__
        self.cut = isinstance(error, TraceTooLong)

    @property
    def begin(self) -> int:
        """The step at which it shows what is wrong; else as of any trace."""
        return super().begin if self.at is None else self.at

    @property
    def beginning(self) -> str:
        """Why it begins there, in words; where it goes wrong is said elsewhere."""
        return super().beginning if self.at is None else ""

    @property
    def first_printed(self) -> int:
        """The step at which it shows what is wrong; else the first."""
        return self.at or 0

    def as_dict(self) -> dict[str, Any]:
        """Return what is run, the step where it goes wrong, and all steps, for JSON."""
        begin = None if self.at is None else self.at + 1
        failure = None if self.failure is None else self.failure.as_dict()
        known = {"failure": failure, **self.about, "wrong_step": begin, "cut": self.cut}
        known["remarks"] = [remark.as_dict() for remark in self.remarks]
        return known | super().as_dict()
