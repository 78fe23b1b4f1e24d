"""A case under all schedules that it names: the first thing that is wrong, and what is printed.

Each schedule is a run of its own, and a submission prints the same in most of them: what is kept is
of the run that is wrong, or of the first.
"""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable
from contextlib import redirect_stdout

from gpubfs.grading.costs import Cost, exceeded_limit
from gpubfs.grading.exercise import Case, ExerciseKind
from gpubfs.grading.outcome import Failure

#: Characters that are kept of what a case prints.
MAX_PRINTED = 2000

#: The sanitizers that may know why an index is wrong.
CAUSES = "race,init"

#: What is wrong with a case in an order under some sanitizers, and its cost.
Run = Callable[[str, str], tuple[Failure | None, Cost]]


class ScheduledKind(ExerciseKind):
    """What kernels, searches and drivers have in common: they run under several schedules."""

    def grade_schedules(self, case: Case, run: Run) -> Failure | None:
        """Return the first thing that is wrong under a schedule, or found by a sanitizer, or dear.

        The sanitizers watch every schedule: which path threads take may depend on it. Limits are
        held against the first one.
        """
        self.printed = ""
        for number, schedule in enumerate(case.schedules):
            with redirect_stdout(Capped(MAX_PRINTED)) as printed:
                failure, cost = run(schedule, case.sanitize)
            if failure is not None and failure.reason == "fault" and not case.sanitize:
                failure = _with_cause(failure, run, schedule)
            if failure is not None or not number:
                self.printed = printed.text()
            if failure is not None:
                return _under_schedule(failure, case.schedules[0], schedule) if number else failure
            if not number:
                failure = exceeded_limit(case.limits, cost)
                if failure is not None:
                    return failure
        return None


def _with_cause(failure: Failure, run: Run, schedule: str) -> Failure:
    """Return the failure with its cause, where a sanitizer knows one.

    An index beyond an array's end may come from a race, or from memory that nothing has written:
    then it is not a bounds check that is missing.
    """
    with redirect_stdout(Capped(0)):
        cause, _ = run(schedule, CAUSES)
    if cause is None or cause.reason != "sanitizer":
        return failure
    detail = f"{cause.detail}\nWhat comes of it: {failure.message}"
    return dataclasses.replace(cause, reason="fault", detail=detail)


def _under_schedule(failure: Failure, first: str, schedule: str) -> Failure:
    """Return the failure of a later schedule: those before it went well."""
    words = f"right in {first}, but not in the order {schedule}: {failure.message}"
    if failure.reason == "sanitizer":
        return dataclasses.replace(failure, message=words)
    return dataclasses.replace(failure, reason="schedule", message=words, general="")


class Capped(io.TextIOBase):
    """A text to write to, of which the beginning is kept.

    >>> text = Capped(3)
    >>> text.write("ab") + text.write("cd")
    4
    >>> print(text.text())
    abc
    … 1 more character was printed
    """

    def __init__(self, most: int) -> None:
        self._room = most
        self._parts: list[str] = []
        self._left_out = 0

    def write(self, text: str) -> int:
        """Keep as much as there is room for."""
        kept = text[: self._room]
        self._room -= len(kept)
        self._left_out += len(text) - len(kept)
        if kept:
            self._parts.append(kept)
        return len(text)

    def text(self) -> str:
        """Return what was kept, and how much more there was."""
        kept, more = "".join(self._parts), self._left_out
        if not more:
            return kept
        words = "1 more character was" if more == 1 else f"{more:,} more characters were"
        return f"{kept.rstrip()}\n… {words} printed"
