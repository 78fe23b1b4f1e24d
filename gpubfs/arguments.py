"""Values that Python callers give: each of its kind, or one error that names the argument.

NumPy's integers and truth values count as Python's own; truth values are no numbers.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from typing import Any

from gpubfs.errors import UsageError

#: What makes the error, of a message and a remedy.
Error = Callable[[str, str], Exception]


def whole(
    value: Any, what: str, least: int, most: int | None = None, error: Error = UsageError
) -> int:
    """Return a whole number from `least` to `most`.

    Examples
    --------
    >>> whole("3", "repeats", 1)
    Traceback (most recent call last):
        ...
    gpubfs.errors.UsageError: error: repeats='3' is not a whole number
      give a whole number from 1
    """
    bounds = f"from {least}" if most is None else f"from {least} to {most}"
    hint = f"give a whole number {bounds}"
    if not is_whole(value):
        raise error(f"{what}={shown(value)} is not a whole number", hint)
    number = int(value)
    if number < least or (most is not None and number > most):
        raise error(f"{what}={number} is out of range", hint)
    return number


def truth(value: Any, what: str, error: Error = UsageError) -> bool:
    """Return true or false, NumPy's included."""
    if not _is_truth(value):
        raise error(f"{what}={shown(value)} is no truth value", "give True or False")
    return bool(value)


def text(value: Any, what: str, hint: str, error: Error = UsageError) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise error(f"{what}={shown(value)} is no text", hint)
    return value


def texts(value: Any, what: str, hint: str, error: Error = UsageError) -> tuple[str, ...]:
    """Strings, or one alone.

    >>> texts("sim", "machines", ""), texts(["sim", "gpu"], "machines", "")
    (('sim',), ('sim', 'gpu'))
    """
    given = (value,) if isinstance(value, str) else several(value, what, hint, error)
    return tuple(text(one, what, hint, error) for one in given)


def several(value: Any, what: str, hint: str, error: Error = UsageError) -> tuple[Any, ...]:
    """Return what something that can be gone through holds; text is not taken apart."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        try:
            return tuple(value)
        except TypeError:  # an array without dimensions cannot be gone through after all
            pass
    raise error(f"{what}={shown(value)} is no list", hint)


def function(value: Any, what: str, error: Error = UsageError) -> Any:
    """Something that can be called."""
    if not callable(value):
        raise error(f"{what}={shown(value)} cannot be called", "give a function")
    return value


def shown(value: Any) -> str:
    """Return a value as messages show it: in one line, and not too long.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"
    """
    line = " ".join(repr(value).split())
    return line if len(line) <= 40 else line[:39] + "…"


def is_whole(value: Any) -> bool:
    """Whether something is a whole number and no truth value.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, numbers.Integral) and not _is_truth(value)


def is_kind(value: Any, kind: type) -> bool:
    """Whether something is of a kind, which its caller may have promised in vain."""
    return isinstance(value, kind)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
