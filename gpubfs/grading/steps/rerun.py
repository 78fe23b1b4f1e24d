"""A case of an exercise that is to be run once more, here: under what loses it, to be watched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown
from gpubfs.grading import names
from gpubfs.grading.exercise import KINDS, Case, Exercise, UnreadableError
from gpubfs.grading.kinds.drive import OWN as OWN_KERNEL
from gpubfs.grading.kinds.kernel import KernelKind
from gpubfs.grading.kinds.runs import KernelRun
from gpubfs.grading.kinds.schedules import Lost, Ran
from gpubfs.grading.outcome import Failure, Outcome
from gpubfs.grading.processes import clock
from gpubfs.grading.processes.sandbox import SECRET
from gpubfs.grading.processes.submission import copied, named
from gpubfs.grading.processes.worker import seed_of
from gpubfs.grading.steps.watching import Watched

#: Why points are lost where there is a run to look at.
SEEN = ("result", "schedule", "fault", "sanitizer", "limit", "time")


@dataclass(frozen=True)
class Rerun:
    """A case with a submission, and how it is to be run.

    Attributes
    ----------
    exercise : Exercise
        The exercise.
    case : Case
        The case.
    run : KernelRun
        What it runs.
    schedule, sanitize : str
        Under which it is run: those that lose it, if any do.
    failure : Failure or None
        Why it is lost; None if it is not.
    limits : mapping of str to float
        The limits that it was held to, if it is lost by one.
    """

    exercise: Exercise
    case: Case
    run: KernelRun
    schedule: str
    sanitize: str
    failure: Failure | None = None
    limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def watched(self) -> Watched:
        """The run, to be watched."""
        number = number_of(self.exercise, self.case.name)
        title = f'{self.exercise.name}, case {number} "{self.case.name}", {self.schedule}'
        over = self.failure is not None and self.failure.reason == "limit"
        limits = self.limits if over else {}
        about, failure = self._about(number), self.failure
        seconds = self.exercise.seconds
        how = self.schedule, self.sanitize
        return Watched(self.run, title, *how, about, limits, failure, seconds)

    def _about(self, number: int) -> dict[str, Any]:
        """Return what is run and why it is lost, for JSON."""
        case = self.case
        failure = None if self.failure is None else self.failure.as_dict()
        called = {"exercise": self.exercise.name, "case": case.name, "number": number}
        own = {name: getattr(self, name) for name in ("schedule", "sanitize")}
        known = {"device": self.exercise.device_of(case), "failure": failure}
        return called | own | known


def has_steps(exercise: Exercise, outcome: Outcome) -> bool:
    """Return whether a case was lost by a run that can be looked at."""
    failure = outcome.failure
    runs = issubclass(KINDS[exercise.kind], KernelKind)
    return runs and failure is not None and failure.reason in SEEN and not outcome.hidden


def number_of(exercise: Exercise, case: str) -> int:
    """Return the number of a case of this name, from 1."""
    return [one.name for one in exercise.cases].index(case) + 1


@contextmanager
def opened(
    exercise: Exercise, file: Path, case: str = "", schedule: str | None = None
) -> Iterator[Rerun]:
    """Choose a case and find out how a submission loses it; what it needs is there meanwhile.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    file : Path
        The submission.
    case : str
        The case, by its number or name; by default the first that is lost, else the first.
    schedule : str, optional
        The only order of warps to run it in; by default those of the case.

    Yields
    ------
    Rerun
        The case, under what loses it.

    Raises
    ------
    UsageError
        If there is nothing to run: the exercise asks for no kernel, there is no such case, the
        file cannot be compiled.
    """
    kind = KINDS[exercise.kind]
    if not issubclass(kind, KernelKind):
        words = f"{exercise.name} asks for no kernel (its kind is {exercise.kind})"
        if exercise.fields.get(OWN_KERNEL):
            words = (
                f"{exercise.name} asks for kernels and their driver, which is not stepped through"
            )
        raise UsageError(f"{words}: there are no steps of yours to show", kind.instead)
    wanted = _wanted(exercise, case, schedule)
    with tempfile.TemporaryDirectory(prefix="gpubfs-") as folder:
        try:
            copy = copied(exercise, file, Path(folder), file.stem)
        except UnreadableError as error:
            raise UsageError(f"{file}: {error}", "name the file that you edited") from None
        yield _chosen(kind(exercise, copy), wanted, copy)


def _wanted(exercise: Exercise, name: str, schedule: str | None) -> list[Case]:
    """Return the cases of which one is run, in the order in which they are tried."""
    secret = os.environ.get(SECRET, "")
    found = [one for one in exercise.cases if secret or not one.hidden]
    if name:
        found = [_case_named(exercise, name)]
        if found[0].hidden and not secret:
            words = f"case {name} of {exercise.name} is hidden: its data depend on a secret"
            raise UsageError(words, "take a case that gpubfs grade grades here")
    if not found:
        raise UsageError(f"all cases of {exercise.name} are hidden", "ask your instructor")
    if schedule is None:
        return found
    names.check_schedule("--schedule", schedule)
    return [replace(one, schedules=(schedule,)) for one in found]


def _case_named(exercise: Exercise, name: str) -> Case:
    """Return the case of this name or number."""
    known = {one.name: one for one in exercise.cases}
    numbered = {str(number): one for number, one in enumerate(exercise.cases, 1)}
    if name not in known | numbered:
        listed = [f'{number} "{one.name}"' for number, one in numbered.items()]
        raise unknown(f"case of {exercise.name} called", name, listed)
    return (numbered | known)[name]


def _chosen(submission: KernelKind, cases: Sequence[Case], copy: Path) -> Rerun:
    """Return the first case that is lost, or the first."""
    exercise, secret = submission.exercise, os.environ.get(SECRET, "")
    first: Rerun | None = None
    for case in cases:
        run = submission.run_of(case, seed_of(secret, exercise.name, case))
        lost = _lost(submission, case, run)
        if lost is not None:
            failure = _readable(lost.failure, copy)
            return Rerun(exercise, case, run, lost.schedule, lost.sanitize, failure, lost.limits)
        first = first or Rerun(exercise, case, run, case.schedules[0], case.sanitize)
    assert first is not None
    return first


def _lost(submission: KernelKind, case: Case, run: KernelRun) -> Lost | None:
    """Return how a case is lost; it has the time that grading gives it."""
    under, seconds = [(case.schedules[0], case.sanitize)], submission.exercise.seconds

    def noted(schedule: str, sanitize: str, counting: bool) -> Ran:
        under.append((schedule, sanitize))
        return run(schedule, sanitize, counting)

    try:
        with clock.limited(seconds):
            return submission.first_lost(case, noted, run.baseline, run.shortened())
    except clock.TimeUpError:
        return Lost(clock.time_up(seconds), *under[-1])


def _readable(failure: Failure, copy: Path) -> Failure:
    """Return a failure with the submission's own name; refuse one of what cannot even be run."""
    found = named(failure, copy, copy.name)
    if found.reason not in SEEN:
        raise UsageError(f"there are no steps: {found.message}", found.detail)
    return found
