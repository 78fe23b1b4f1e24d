"""Grades mutants: each in a process that is warm, case by case, until one is lost."""

from __future__ import annotations

import gc
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from gpubfs.grading.driving.own_kernel import kernels_in
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.kinds.drive import OWN
from gpubfs.grading.loading import load
from gpubfs.grading.processes.worker import outcomes
from tests.lessons.mutants import answers, cuda, drivers
from tests.lessons.mutants.mutant import Edit, Mutant, mutants

#: Lane steps that a launch may take: the solutions need less than a tenth.
STEPS = 1 << 23
#: Who makes the changes, by a file's ending.
MAKERS: dict[str, Callable[[str], Iterator[Edit]]] = {
    ".cu": cuda.edits,
    ".py": drivers.edits,
    ".toml": answers.edits,
}


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: the case that it loses and why, or "" if it loses none."""

    mutant: Mutant
    case: str = ""
    reason: str = ""
    message: str = ""
    seconds: float = 0.0


class _TimeUpError(BaseException):
    """Nothing that grading catches."""


def made(exercise: Exercise) -> list[Mutant]:
    """The mutants of an exercise's solution."""
    text = exercise.solution.read_text("utf-8")
    edits = MAKERS[exercise.suffix](text)
    if exercise.fields.get(OWN):  # kernels, whose places are those of the file
        edits = chain(edits, cuda.edits(kernels_in(text, exercise.solution.name)))
    return list(mutants(text, edits))


def graded(exercise: Exercise, ones: list[Mutant], secret: str, jobs: int = 1) -> Iterator[Verdict]:
    """The verdict on each, as soon as it is there."""
    folder = exercise.folder
    _warm(exercise, secret)
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        asked = {pool.submit(grade, str(folder), one, secret): one for one in ones}
        for future in as_completed(asked):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield Verdict(asked[future], "?", "crash", "the process died")


def _warm(exercise: Exercise, secret: str) -> None:
    """Grade the solution before processes are made: they have then what it imported and built."""
    text = exercise.solution.read_text("utf-8")
    lost = grade(str(exercise.folder), Mutant("none", 0, "the solution", text), secret)
    if lost.reason:
        raise RuntimeError(f"the solution of {exercise.name} loses {lost.case!r}: {lost.message}")
    gc.freeze()


def grade(folder: str, one: Mutant, secret: str) -> Verdict:
    """Grade one mutant up to the first case that it loses."""
    exercise = replace(load(Path(folder)), steps=STEPS)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gpubfs-mutant-") as here:
        file = Path(here) / f"mutant{exercise.suffix}"
        file.write_text(one.text, encoding="utf-8")
        lost = _first_lost(exercise, file, secret)
    gc.collect()
    return Verdict(one, *lost, seconds=time.monotonic() - began)


def _first_lost(exercise: Exercise, file: Path, secret: str) -> tuple[str, str, str]:
    for case in exercise.cases:
        try:
            with _limited(exercise.seconds):
                (outcome,) = outcomes(exercise, file, [case.name], secret)
        except _TimeUpError:
            return case.name, "time", "time is up"
        except Exception as error:
            return case.name, "crash", f"{type(error).__name__}: {error}"
        if outcome.failure is not None:
            return case.name, outcome.failure.reason, outcome.failure.message
    return "", "", ""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise _TimeUpError in here after so many seconds of this process's own."""

    def end(*_: Any) -> None:
        raise _TimeUpError

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
