"""Mistakes of an exercise itself, which must cost no student any points."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown

#: The file of an exercise that is Python.
FILE = "problem.py"
#: This package has a file of that name, too, whose lines are no help.
_OURS = str(Path(__file__).parent / FILE)
#: The key of a line by which a grading process tells of a mistake.
KEY = "mistake"
#: The remedy where nothing better is known.
HINT = "mend the exercise"
#: Characters of an error that messages show.
MOST = 400


class MistakeError(UsageError):
    """An exercise cannot be graded, whatever is handed in."""


@contextmanager
def blamed() -> Iterator[None]:
    """Turn every exception into a mistake of the exercise: only its own code runs inside.

    Memory is the exception: what graded cases before this one may have left too little.
    """
    try:
        yield
    except (MemoryError, MistakeError):
        raise
    except (Exception, SystemExit) as error:
        raise MistakeError(described(error), getattr(error, "hint", "") or HINT) from error


def described(error: BaseException) -> str:
    """The last line of an error, with its place in `problem.py` if it came by there.

    Examples
    --------
    >>> described(KeyError("size"))
    "KeyError: 'size'"
    """
    words = str(getattr(error, "message", None) or getattr(error, "msg", None) or error)
    if not isinstance(error, UsageError):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return f"{_place(error)}{' '.join(words.split())[:MOST]}"


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and Path(error.filename or "").name == FILE:
        return f"{FILE}, line {error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename).name == FILE and f.filename != _OURS]
    return f"{FILE}, line {lines[-1]}: " if lines else ""


def check_arguments(make: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise MistakeError unless `make(rng, **given)` can be called.

    Examples
    --------
    >>> check_arguments(lambda rng, most: None, {"mst": 700})
    Traceback (most recent call last):
        ...
    gpubfs....MistakeError: error: there is no argument of make in problem.py "mst"
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
            error = unknown(f"argument of make in {FILE}", name, names[1:])
            raise MistakeError(error.message, error.hint)
    try:
        signature.bind(None, **given)
    except TypeError as error:
        raise MistakeError(
            f"make in {FILE} cannot be called: {error}", "say it in given, or give it a default"
        ) from None
