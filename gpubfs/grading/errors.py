"""Errors that cost no student any points: mistakes of an exercise, failures of the machine.

A failure of the machine, such as a disk that is full, is not remembered: grading ends with what
happened, and whoever starts it again grades what is left.
"""

from __future__ import annotations

import errno
import inspect
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown

#: The file of an exercise that is Python.
PROBLEM_FILE = "problem.py"
#: This package has a file of that name, too, whose lines are no help.
_OURS = str(Path(__file__).parent / "problems" / PROBLEM_FILE)
#: The key of a line by which a grading process tells of a mistake.
EXERCISE_KEY = "mistake"
#: The remedy where nothing better is known.
HINT = "mend the exercise"
#: Characters of an error that messages show.
MAX_DESCRIPTION = 400


class ExerciseError(UsageError):
    """An exercise cannot be graded, whatever is submitted."""


@contextmanager
def exercise_errors() -> Iterator[None]:
    """Turn every exception into a mistake of the exercise: only its own code runs inside.

    Memory is the exception: what graded cases before this one may have left too little.
    """
    try:
        yield
    except (MemoryError, ExerciseError):
        raise
    except (Exception, SystemExit) as error:
        raise ExerciseError(describe(error), getattr(error, "hint", "") or HINT) from error


def describe(error: BaseException) -> str:
    """Return the last line of an error, with its line in `problem.py` if it came by there.

    Examples
    --------
    >>> describe(KeyError("size"))
    "KeyError: 'size'"
    """
    words = str(getattr(error, "message", None) or getattr(error, "msg", None) or error)
    if not isinstance(error, UsageError):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return f"{_line_of(error)}{' '.join(words.split())[:MAX_DESCRIPTION]}"


def _line_of(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and Path(error.filename or "").name == PROBLEM_FILE:
        return f"{PROBLEM_FILE}, line {error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)
    lines = [
        f.lineno for f in frames if Path(f.filename).name == PROBLEM_FILE and f.filename != _OURS
    ]
    return f"{PROBLEM_FILE}, line {lines[-1]}: " if lines else ""


def check_arguments(make: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise ExerciseError unless `make(rng, **given)` can be called.

    Examples
    --------
    >>> check_arguments(lambda rng, most: None, {"mst": 700})
    Traceback (most recent call last):
        ...
    gpubfs....ExerciseError: error: there is no argument of make in problem.py "mst"
      did you mean most? known: most
    """
    try:
        signature = inspect.signature(make)
    except (TypeError, ValueError):  # it does not say
        return
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [name for name, one in signature.parameters.items() if one.kind in kinds]
    any_name = any(one.kind == one.VAR_KEYWORD for one in signature.parameters.values())
    for name in given:
        if name not in names[1:] and not any_name:
            error = unknown(f"argument of make in {PROBLEM_FILE}", name, names[1:])
            raise ExerciseError(error.message, error.hint)
    try:
        signature.bind(None, **given)
    except TypeError as error:
        raise ExerciseError(
            f"make in {PROBLEM_FILE} cannot be called: {error}",
            "say it in given, or give it a default",
        ) from None


#: The key of a line by which a grading process tells of such a failure.
MACHINE_KEY = "machine"
#: Errors of the system that no submission can bring about.
MACHINE_ERRORS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EIO,
        errno.EROFS,
        errno.EAGAIN,
        errno.EMFILE,
        errno.ENFILE,
        errno.ECHILD,
    }
)
AGAIN = "no points were lost: mend it, and grade again"


class NotGradedError(UsageError):
    """A submission could not be graded, for a reason that is not its own.

    Parameters
    ----------
    message, hint : str
        What happened, and what to do.
    """

    def __init__(self, message: str, hint: str = AGAIN) -> None:
        super().__init__(message, hint)


def raise_ungraded(failed: Sequence[tuple[str, NotGradedError]]) -> None:
    """Raise one error for all submissions that were not graded, by what they are called."""
    if failed:
        name, error = failed[0]
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        hint = error.hint if error.hint != AGAIN else "no points were lost"
        words = f"not graded: {name}{more}: {error.message}"
        raise NotGradedError(words, f"{hint}; what was graded is kept: started again, it goes on")


def describe_os_error(error: OSError) -> str:
    """Return an error of the system with its file.

    >>> describe_os_error(OSError(errno.ENOSPC, "No space left on device", "/tmp/a"))
    'No space left on device: /tmp/a'
    """
    words = error.strerror or os.strerror(error.errno or 0)
    return f"{words}: {error.filename}" if error.filename else words
