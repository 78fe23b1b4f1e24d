"""A case under all schedules that it names: the first thing that is wrong, and what is printed.

Each schedule is a run of its own, and a submission prints the same in most of them: what is kept is
of the run that is wrong, or of the first.
"""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import NamedTuple

from gpubfs.grading.exercise import Case, ExerciseKind
from gpubfs.grading.failures import ENDLESS
from gpubfs.grading.limits.costs import Cost, exceeded_limit
from gpubfs.grading.limits.shares import exceeded_share, limits_of
from gpubfs.grading.outcome import Failure
from simulator.execute.device import schedule_named

#: Characters and lines that are kept of what a case prints.
MAX_PRINTED, MAX_LINES = 2000, 40

#: The sanitizers that may know why an index is wrong.
CAUSES = "race,init"


class Ran(NamedTuple):
    """What came of a run.

    Attributes
    ----------
    failure : Failure or None
        What is wrong.
    cost : Cost
        What was counted, if it was to be.
    ordered_warps : bool
        Whether the schedule has chosen the order of several warps in any launch.
    """

    failure: Failure | None
    cost: Cost
    ordered_warps: bool = True


#: Runs a case in an order under some sanitizers; the last says whether its cost is counted.
Run = Callable[[str, str, bool], Ran]
#: What the same costs in an order without the submission, by the technique itself.
Baseline = Callable[[str], Cost]


@dataclass(frozen=True)
class Lost:
    """A case that was lost: why, under which schedule and sanitizers, and the limits there."""

    failure: Failure
    schedule: str
    sanitize: str
    limits: Mapping[str, float] = field(default_factory=dict)


class ScheduledKind(ExerciseKind):
    """What kernels, searches and drivers have in common: they run under several schedules."""

    #: What the case that was graded last has cost in its first order; None if it was wrong there.
    cost: Cost | None = None

    def grade_schedules(
        self, case: Case, run: Run, baseline: Baseline | None = None, shortened: Run | None = None
    ) -> Failure | None:
        """Return the first that is wrong under a schedule, or found by a sanitizer, or dear."""
        lost = self.first_lost(case, run, baseline, shortened)
        return None if lost is None else lost.failure

    def first_lost(
        self, case: Case, run: Run, baseline: Baseline | None = None, shortened: Run | None = None
    ) -> Lost | None:
        """Return how a case is lost first.

        The sanitizers watch every schedule: which path threads take may depend on it. Limits are
        held against the first one. Where no launch has more than one warp, schedules that differ in
        the order of warps alone are the same, and one of them is run. Why a kernel does not end is
        looked for in a run that is `shortened`, if there is one: it shows soon.
        """
        self.printed, self.cost = "", None
        asked = bool(case.limits or case.shares or self.exercise.score)
        alone: set[str] = set()
        for number, schedule in enumerate(case.schedules):
            if _order_of_lanes(schedule) in alone:
                continue
            with redirect_stdout(Capped(MAX_PRINTED, MAX_LINES)) as printed:
                failure, cost, ordered = run(schedule, case.sanitize, asked and not number)
            if not ordered:
                alone.add(_order_of_lanes(schedule))
            lost = None if failure is None else Lost(failure, schedule, case.sanitize)
            if lost is not None and lost.failure.reason == "fault" and not case.sanitize:
                endless = lost.failure.general == ENDLESS
                lost = _with_cause(lost, shortened if shortened and endless else run, endless)
            if lost is not None or not number:
                self.printed = printed.text()
            if lost is not None:
                return _after_others(lost, case.schedules[0]) if number else lost
            if asked and not number:
                self.cost = cost
                dear = _dear(case, cost, baseline)
                if dear is not None:
                    return dear
        return None


def _dear(case: Case, cost: Cost, baseline: Baseline | None) -> Lost | None:
    """Return which counter is over its limit in the first order, if one is."""
    limits, failure = case.limits, exceeded_limit(case.limits, cost)
    if failure is None and case.shares and baseline is not None:
        own = baseline(case.schedules[0])
        limits = limits_of(case.shares, own)
        failure = exceeded_share(case.shares, cost, own)
    return None if failure is None else Lost(failure, case.schedules[0], case.sanitize, limits)


def _order_of_lanes(schedule: str) -> str:
    """Return a name for the order in which a schedule serves the lanes of one warp."""
    return schedule if schedule_named(schedule).lane_random is not None else "their own"


def _with_cause(lost: Lost, run: Run, endless: bool) -> Lost:
    """Return the failure with its cause, where a sanitizer knows one.

    An index beyond an array's end may come from a race, or from memory that nothing has written:
    then it is not a bounds check that is missing. A loop may also go on for ever beside a race.
    """
    with redirect_stdout(Capped(0)):
        cause, *_ = run(lost.schedule, CAUSES, False)
    if cause is None or cause.reason != "sanitizer":
        return lost
    failure, words = lost.failure, "What may come of it" if endless else "What comes of it"
    place = f"\n{failure.location}" if endless and failure.location else ""
    detail = f"{cause.detail}\n{words}: {failure.message}{place}"
    found = dataclasses.replace(cause, reason="fault", detail=detail)
    return Lost(found, lost.schedule, CAUSES)


def _after_others(lost: Lost, first: str) -> Lost:
    """Return what is lost under a later schedule: those before it went well."""
    failure = lost.failure
    words = f"right in {first}, but not in the order {lost.schedule}: {failure.message}"
    if failure.reason == "sanitizer":
        changed = dataclasses.replace(failure, message=words)
    else:
        changed = dataclasses.replace(failure, reason="schedule", message=words, general="")
    return dataclasses.replace(lost, failure=changed)


class Capped(io.TextIOBase):
    """A text to write to, of which the beginning is kept.

    Parameters
    ----------
    most : int
        The characters that are kept.
    lines : int, optional
        The lines that are kept, by default all that `most` allows.

    Examples
    --------
    >>> text = Capped(3)
    >>> text.write("ab") + text.write("cd")
    4
    >>> print(text.text())
    abc
    … 1 more character was printed
    """

    def __init__(self, most: int, lines: int | None = None) -> None:
        self._room = most
        self._lines = most if lines is None else lines
        self._parts: list[str] = []
        self._left_out = self._ends = 0

    def write(self, text: str) -> int:
        """Keep as much as there is room for."""
        kept = self._first_lines(text[: self._room])
        if len(kept) < len(text):
            self._room = 0  # what comes behind a gap would look as if it followed
        else:
            self._room -= len(kept)
        self._lines -= kept.count("\n")
        self._left_out += len(text) - len(kept)
        self._ends += text.count("\n", len(kept))
        if kept:
            self._parts.append(kept)
        return len(text)

    def _first_lines(self, text: str) -> str:
        """Return as many lines of a text as there is room for."""
        parts = text.split("\n", self._lines)
        return text if len(parts) <= self._lines else text[: len(text) - len(parts[-1])]

    def text(self) -> str:
        """Return what was kept, and how much more there was."""
        kept, more = "".join(self._parts), self._left_out
        if not more:
            return kept
        words = "1 more character was" if more == 1 else f"{more:,} more characters were"
        lines = f", in {self._ends:,} more lines" if self._ends > 1 else ""
        return f"{kept.rstrip()}\n… {words} printed{lines}"
