"""A run of submitted kernels, watched: its steps as far as it came, or what its lines cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import simulator
from gpubfs.errors import UsageError
from gpubfs.grading import locating
from gpubfs.grading.costs import Cost, dearest_site
from gpubfs.grading.kinds.runs import KernelRun, LostError, Watching
from gpubfs.grading.kinds.schedules import Capped
from gpubfs.grading.outcome import Failure
from gpubfs.show.traces import LaunchTrace, Watch
from simulator.observe.counters import Site, merge_sites
from simulator.observe.counting import Record
from simulator.observe.trace import TraceTooLong
from simulator.source import Fault

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.scene import Position
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
    """

    run: KernelRun
    title: str
    schedule: str
    sanitize: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)

    def traced(self) -> RunTrace:
        """Do it, and return its steps as far as it came.

        Raises
        ------
        UsageError
            If it came to no step.
        """
        watch = Watch()
        lost, cost = self._performed(watch)
        at = self._located(watch.tracing.launches, lost, cost)
        launches, depths = watch.traced()
        if not launches:
            raise self._nothing(lost)
        return RunTrace(self, launches, depths, at, lost)

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
        words = f"{self.title}: no statement was executed: {lost.failure.message}"
        return UsageError(words, lost.failure.detail)

    def _performed(self, watching: Watching) -> tuple[LostError | None, Cost]:
        """Do it, without what it prints."""
        with redirect_stdout(Capped(0)):
            try:
                return None, self.run.perform(self.schedule, self.sanitize, watching)
            except LostError as lost:
                return lost, Cost({})

    def _located(
        self, launches: Sequence[TracedLaunch], lost: LostError | None, cost: Cost
    ) -> int | None:
        """Return the step at which it shows what is wrong, if that is known."""
        if lost is None:
            site = dearest_site(self.limits, cost)
            return None if site is None else locating.first_step_at(launches, site.span)
        if isinstance(lost.__cause__, Fault):
            return locating.step_of_fault(launches, lost.__cause__)
        if isinstance(lost.__cause__, TraceTooLong):
            return sum(len(launch.steps) for launch in launches) - 1
        return None if lost.element is None else locating.last_write(launches, *lost.element)


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
    ) -> None:
        super().__init__(launches, of.title, depths, of.run.searched(), of.run.parts)
        self.about, self.at = of.about, at
        self.failure = None if lost is None else lost.failure
        error = None if lost is None else lost.__cause__
        self._lanes = error.lanes if isinstance(error, Fault) else ()
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

    def _warp(self, position: Position) -> int:
        """Return the warp that is followed; where it goes wrong, that of the thread at fault."""
        if position.at != self.at or self._pinned is not None or not self._lanes:
            return super()._warp(position)
        wave = position.launch.waves[position.launch.steps[position.number].wave]
        return (self._lanes[0] - wave.first_block * wave.padded) // wave.warp_size

    def as_dict(self) -> dict[str, Any]:
        """Return what is run, the step where it goes wrong, and all steps, for JSON."""
        begin = None if self.at is None else self.at + 1
        failure = None if self.failure is None else self.failure.as_dict()
        known = {"failure": failure, **self.about, "wrong_step": begin, "cut": self.cut}
        return known | super().as_dict()
