"""The process that grades one submission: a job on its input, a line of JSON a case on its output.

It runs under limits of memory, and whoever started it watches the clock. A submission is a kernel
for the simulator, or answers, and neither is Python; drivers, which are, run in a process of their
own behind `gpubfs.grading.kinds.drive`.
"""

from __future__ import annotations

import ctypes
import dataclasses
import errno
import hashlib
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from gpubfs.arguments import defined_at, described, is_kind, is_outside, running, shown
from gpubfs.errors import UsageError
from gpubfs.grading.driving.starting import end_server
from gpubfs.grading.errors import (
    EXERCISE_KEY,
    HINT,
    MACHINE_ERRORS,
    MACHINE_KEY,
    ExerciseError,
    describe_os_error,
)
from gpubfs.grading.exercise import (
    KINDS,
    Case,
    Exercise,
    ExerciseKind,
    UnreadableError,
)
from gpubfs.grading.kinds import garbage
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import KNOWN, REASONS, Failure, Outcome, redacted
from gpubfs.grading.processes.submission import FILE, copied, named
from gpubfs.search.plugins import load_plugins

if sys.platform != "win32":
    import resource

#: The first line of its output: from here on cases are graded.
READY = "ready"
#: What is imported before: no case waits for it.
SLOW = ("simulator", "scipy.sparse.csgraph")
#: What is said where nothing knows the line.
NESTED = "the file is nested too deeply"
#: MiB of address space that the simulator's arena takes, of which it touches little.
RESERVED = 2048
#: Linux: the number of the call that makes a process private, and of what it sets.
_SET_DUMPABLE = 4


def seed_of(secret: str, exercise: str, case: Case) -> int:
    """Return what a case's random numbers depend on: the secret, if it is hidden.

    >>> hidden = Case("a", 1, hidden=True)
    >>> seed_of("x", "e", hidden) == seed_of("y", "e", hidden)
    False
    """
    text = "\0".join([secret if case.hidden else "", exercise, case.name])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def outcomes(
    exercise: Exercise,
    file: Path,
    names: list[str],
    secret: str,
    measure: bool = False,
    known: dict[str, float] | None = None,
) -> Iterator[Outcome]:
    """Grade the cases of these names, one after the other.

    To `measure` is to tell what cases that are right have cost, whatever their limits. `known` is
    what earlier submissions have shown of the exercise, and gets what this one shows.

    Raises
    ------
    ExerciseError
        If the exercise itself cannot be graded.
    """
    with tempfile.TemporaryDirectory(prefix="gpubfs-") as folder:
        try:
            submission = _opened(exercise, copied(exercise, file, Path(folder)))
        except UnreadableError as error:
            submission = _Refused(exercise, file, error.failure)
        except RecursionError:
            submission = _Refused(exercise, file, Failure("read", NESTED))
        submission.known = {} if known is None else known
        for case in exercise.cases:
            if case.name in names:
                outcome = _outcome(submission, case, secret, measure)
                if outcome.failure is not None:
                    copy = Path(folder) / (FILE + exercise.suffix)
                    failure = named(outcome.failure, copy, file.name)
                    outcome = dataclasses.replace(outcome, failure=failure)
                yield outcome


@contextmanager
def _kind_errors(name: str, kind: type) -> Iterator[None]:
    """Turn what a plugin's kind of exercise raises into a mistake of the exercise.

    What is not: too little memory, what is nested too deeply, a submission that cannot be read, and
    failures of the machine. Kinds of this package keep their errors.

    Raises
    ------
    ExerciseError
        With the line of the plugin.
    """
    try:
        with running(f"the kind of exercise {name}", kind, (RecursionError,)):
            yield
    except (MemoryError, RecursionError, ExerciseError, UnreadableError):
        raise
    except Exception as error:
        cause = error.__cause__
        if isinstance(cause, OSError) and cause.errno in (*MACHINE_ERRORS, errno.ENOMEM):
            raise cause from None
        if not is_outside(kind):
            raise
        words, hint = (getattr(error, part, "") for part in ("message", "hint"))
        raise ExerciseError(str(words or described(error)), str(hint or HINT)) from error


def _opened(exercise: Exercise, file: Path) -> ExerciseKind:
    """Return the submission as its kind of exercise reads it."""
    kind = KINDS[exercise.kind]
    with _kind_errors(exercise.kind, kind):
        submission = kind(exercise, file)
    if getattr(submission, "exercise", None) is not exercise:
        raise ExerciseError(
            f"{defined_at(kind)}: the kind of exercise {exercise.kind} does not know its exercise",
            "call super().__init__(exercise, file) in its __init__",
        )
    return submission


def _graded(submission: ExerciseKind, case: Case, seed: int) -> Failure | None:
    """Return what its kind says of a case, if that is a failure or None."""
    name = submission.exercise.kind
    with _kind_errors(name, type(submission)):
        failure: Any = submission.grade_case(case, seed)
    if failure is None:
        return None
    wrong = "" if is_kind(failure, Failure) else f"grade_case returns {shown(failure)}"
    for key, text in () if wrong else vars(failure).items():
        if not is_kind(text, str):
            wrong = f"grade_case returns a Failure with {key}={shown(text)}, which is no text"
    if not wrong and failure.reason not in REASONS:
        wrong = f"grade_case returns a Failure for the reason {failure.reason!r}"
    if wrong:
        hint = f"return None or a Failure of texts, for one of the reasons {', '.join(REASONS)}"
        where = defined_at(type(submission))
        raise ExerciseError(f"{where}: the kind of exercise {name}: {wrong}", hint)
    return Failure(**vars(failure))


def _outcome(submission: ExerciseKind, case: Case, secret: str, measure: bool) -> Outcome:
    exercise, seed = submission.exercise, seed_of(secret, submission.exercise.name, case)
    costs: dict[str, tuple[float, float]] = {}
    if measure:
        case = dataclasses.replace(case, limits={}, shares={})
    try:
        failure = _failure(submission, case, seed)
        if measure and failure is None:
            costs = submission.compared(case, seed)
    except (MemoryError, _NoMemoryError):
        failure = Failure("memory", f"more than {exercise.memory:,.0f} MiB were needed")
    except RecursionError:
        failure = Failure("read", NESTED)
    printed = submission.printed
    made = redacted(Outcome(case.name, case.points, case.hidden, failure, printed=printed))
    return dataclasses.replace(made, costs=costs)


def _failure(submission: ExerciseKind, case: Case, seed: int) -> Failure | None:
    """Return why a case is lost; raise ExerciseError if it would be without the submission, too."""
    try:
        failure = _graded(submission, case, seed)
    except (MemoryError, RecursionError, ExerciseError):
        raise
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise _NoMemoryError from None
        raise  # the machine's
    except Exception:
        submission.rehearse(case, seed, None)
        raise  # it is not the exercise: this process is lost, and the case
    if failure is not None:
        with _kind_errors(submission.exercise.kind, type(submission)):
            submission.rehearse(case, seed, failure)
    return failure


class _NoMemoryError(Exception):
    """The system has no more memory for the submission."""


class _Refused(ExerciseKind):
    """A submission that need not be looked at."""

    def __init__(self, exercise: Exercise, file: Path, failure: Failure) -> None:
        super().__init__(exercise, file)
        self.failure = failure

    def grade_case(self, case: Case, seed: int) -> Failure | None:
        return self.failure


def limit_memory(mebibytes: float) -> None:
    """Let the process take so much more memory than it has now, where the system can do that."""
    if sys.platform == "win32":  # whoever started it watches the clock only
        return
    most = _address_space() + int((RESERVED + mebibytes) * (1 << 20))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _address_space() -> int:
    """Return the bytes of address space that the process has."""
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[0]
    except OSError:
        return 4 << 30
    return int(pages) * resource.getpagesize()


def deny_inspection() -> None:
    """Let no other process of the same user read this one's memory and environment, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def keep_off_the_disk() -> None:
    """Let this process neither use nor keep results of the simulator: submissions run in it."""
    from simulator.program.kept import use_disk

    use_disk(False)


def main() -> None:
    """Grade the job on standard input; say which case is next, and what became of it."""
    job: dict[str, Any] = json.load(sys.stdin)
    replies, sys.stdout = sys.stdout, sys.stderr
    deny_inspection()
    keep_off_the_disk()
    try:
        _grade(job, replies)
    except ExerciseError as error:
        _reply(replies, {EXERCISE_KEY: error.message, "hint": error.hint})
    except OSError as error:
        if error.errno not in MACHINE_ERRORS:
            raise
        _reply(replies, {MACHINE_KEY: describe_os_error(error)})


def _grade(job: dict[str, Any], replies: IO[str]) -> None:
    try:
        load_plugins()
        exercise = load(Path(job["exercise"]))
    except UsageError as error:
        raise ExerciseError(error.message, error.hint) from None
    for name in SLOW:
        importlib.import_module(name)
    garbage.of_a_brief_process()
    limit_memory(exercise.memory)
    print(READY, file=replies, flush=True)
    known = dict(job[KNOWN])
    given = exercise, Path(job["file"]), job["cases"], job["secret"], job["measure"], known
    for outcome in outcomes(*given):
        if outcome.case == job["cases"][-1]:
            end_server()  # after its last answer this process is killed, and buries nobody
        new = {name: one for name, one in known.items() if name not in job[KNOWN]}
        _reply(replies, outcome.as_dict() | {KNOWN: new})


def _reply(replies: IO[str], message: dict[str, Any]) -> None:
    print(json.dumps(message), file=replies, flush=True)


if __name__ == "__main__":
    main()
