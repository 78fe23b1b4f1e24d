"""The process that grades one submission: a job on its input, a line of JSON a case on its output.

It runs under limits of memory, and whoever started it watches the clock. What is handed in is a
kernel for the simulator, or answers, and neither is Python; drivers, which are, run in a process of
their own behind `gpubfs.grading.driving.drivers`.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import importlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol

from gpubfs.grading import infrastructure
from gpubfs.grading.checks.answers import AnswerChecks
from gpubfs.grading.checks.kernels import KernelChecks
from gpubfs.grading.checks.rehearsal import rehearse
from gpubfs.grading.checks.searches import SearchChecks
from gpubfs.grading.driving.drivers import DriverChecks
from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.exercises.loading import load
from gpubfs.grading.exercises.mistakes import KEY, MistakeError
from gpubfs.grading.hidden import private
from gpubfs.grading.limits import MOST_BYTES, keep_to_oneself, limit_memory
from gpubfs.grading.outcome import Failure, Outcome
from gpubfs.kernels import KERNELS

#: The name of what was handed in, in the folder in which it is graded.
FILE = "submission"
#: The first line of its output: from here on cases are graded.
READY = "ready"
#: What is imported before: no case waits for it.
SLOW = ("simulator", "scipy.sparse.csgraph")
#: What is said where nothing knows the line.
NESTED = "the file is nested too deeply"


class Checks(Protocol):
    """Looks at one case after the other.

    `printed` is what the submission has printed in the last one.
    """

    printed: str

    def check(self, case: Case, seed: int) -> Failure | None:
        """Why a case is lost; None if it is not."""


def seed_of(secret: str, exercise: str, case: Case) -> int:
    """What a case's random numbers depend on: the secret, if it is hidden.

    >>> hidden = Case("a", 1, hidden=True)
    >>> seed_of("x", "e", hidden) == seed_of("y", "e", hidden)
    False
    """
    text = "\0".join([secret if case.hidden else "", exercise, case.name])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def outcomes(exercise: Exercise, file: Path, names: list[str], secret: str) -> Iterator[Outcome]:
    """Grade the cases of these names, one after the other.

    Raises
    ------
    MistakeError
        If the exercise itself cannot be graded.
    """
    with tempfile.TemporaryDirectory(prefix="gpubfs-") as folder:
        try:
            checks = _checks(exercise, _brought(exercise, file, Path(folder)))
        except _UnreadableError as error:
            checks = _Refused(Failure("read", str(error)))
        except RecursionError:
            checks = _Refused(Failure("read", NESTED))
        for case in exercise.cases:
            if case.name in names:
                outcome = _outcome(exercise, checks, case, secret)
                yield _named(outcome, Path(folder), f"{FILE}{exercise.suffix}", file.name)


def _named(outcome: Outcome, folder: Path, graded: str, name: str) -> Outcome:
    """The outcome with the name that the file was handed in by, and others by their own."""
    failure = outcome.failure
    if failure is None:
        return outcome
    parts = {
        key: text.replace(str(folder / graded), name)
        .replace(f"{folder}{os.sep}", "")
        .replace(f"{KERNELS}{os.sep}", "")
        for key, text in vars(failure).items()
    }
    return dataclasses.replace(outcome, failure=Failure(**parts))


def _outcome(exercise: Exercise, checks: Checks, case: Case, secret: str) -> Outcome:
    try:
        failure = _failure(exercise, checks, case, seed_of(secret, exercise.name, case))
    except (MemoryError, _NoMemoryError):
        failure = Failure("memory", f"more than {exercise.memory:,.0f} MiB were needed")
    except RecursionError:
        failure = Failure("read", NESTED)
    printed = checks.printed
    return private(Outcome(case.name, case.points, case.hidden, failure, printed=printed))


def _failure(exercise: Exercise, checks: Checks, case: Case, seed: int) -> Failure | None:
    """Why a case is lost; raises MistakeError if it would be without what was handed in, too."""
    try:
        failure = checks.check(case, seed)
    except (MemoryError, RecursionError, MistakeError):
        raise
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise _NoMemoryError from None
        raise  # the machine's
    except Exception:
        rehearse(exercise, case, seed)
        raise  # it is not the exercise: this process is lost, and the case
    if failure is not None and not isinstance(checks, _Refused):
        rehearse(exercise, case, seed, failure)
    return failure


class _NoMemoryError(Exception):
    """The system has no more memory for what was handed in."""


class _UnreadableError(Exception):
    """What was handed in is not even text."""


class _Refused:
    """Nothing need be looked at."""

    printed = ""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure

    def check(self, case: Case, seed: int) -> Failure | None:
        return self.failure


def _brought(exercise: Exercise, file: Path, folder: Path) -> Path:
    """The file, in a folder with nothing but the headers that it may include."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise _UnreadableError(f"the file cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise _UnreadableError(f"the file has more than {MOST_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        words = f"the file is no UTF-8 text: byte {error.start} is not; save it as UTF-8"
        raise _UnreadableError(words) from None
    if not text.strip():
        raise _UnreadableError("the file is empty")
    for name in exercise.includes:
        shutil.copyfile(KERNELS / name, folder / name)
    target = folder / (FILE + exercise.suffix)
    target.write_bytes(text.encode())
    return target


def _checks(exercise: Exercise, file: Path) -> Checks:
    """Who looks at submissions of this kind."""
    if exercise.kind == "predict":
        return AnswerChecks(exercise, file)
    if exercise.kind == "drive":
        return DriverChecks(exercise, file)
    if exercise.search:
        return SearchChecks(exercise, file)

    return KernelChecks(exercise, file)


def main() -> None:
    """Grade the job on standard input; say which case is next, and what became of it."""
    job: dict[str, Any] = json.load(sys.stdin)
    answer, sys.stdout = sys.stdout, sys.stderr
    keep_to_oneself()
    try:
        _grade(job, answer)
    except MistakeError as error:
        print(json.dumps({KEY: error.message, "hint": error.hint}), file=answer, flush=True)
    except OSError as error:
        if error.errno not in infrastructure.ERRORS:
            raise
        told = {infrastructure.KEY: infrastructure.described(error)}
        print(json.dumps(told), file=answer, flush=True)


def _grade(job: dict[str, Any], answer: IO[str]) -> None:
    exercise = load(Path(job["exercise"]))
    for name in SLOW:
        importlib.import_module(name)
    limit_memory(exercise.memory)
    print(READY, file=answer, flush=True)
    for outcome in outcomes(exercise, Path(job["file"]), job["cases"], job["secret"]):
        print(json.dumps(outcome.as_dict()), file=answer, flush=True)


if __name__ == "__main__":
    main()
