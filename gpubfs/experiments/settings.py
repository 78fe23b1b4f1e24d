"""What experiments let users choose: whole numbers and shares, each with its range.

An experiment names the check of each of its settings; all are made before a graph is built. A check
is called with a value and the setting's name, and returns the value in plain Python or raises a
UsageError with the name, the value and the range.
"""

from __future__ import annotations

import numbers as abstract
from collections.abc import Callable, Sequence
from typing import Any

from gpubfs.arguments import is_truth, several, shown, whole
from gpubfs.errors import UsageError
from gpubfs.search.catalogue import find
from gpubfs.search.option import AUTO

Check = Callable[[Any, str], Any]

#: In words, how many values a list must have at least.
FEWEST = {1: "one", 2: "two"}


def number(least: int, most: int | None = None) -> Check:
    """Return the check of a whole number.

    Parameters
    ----------
    least, most : int
        Its range; without `most` it has no end.

    Examples
    --------
    >>> number(1)(3, "rounds")
    3
    """
    return lambda value, name: whole(value, name, least, most)


def numbers(least: int, most: int | None = None, *, fewest: int = 1) -> Check:
    """Return the check of a list of different whole numbers.

    Parameters
    ----------
    least, most : int
        The range of each; without `most` it has no end.
    fewest : int
        How many there are at least: 1 or 2.

    Examples
    --------
    >>> numbers(1)([100, 1000], "updates")
    (100, 1000)
    """
    bounds = f"from {least}" if most is None else f"from {least} to {most}"
    return _listed(number(least, most), f"whole numbers {bounds}", fewest)


def values_for(technique: str, option: str, *, fewest: int = 1) -> Check:
    """Return the check of a list of different numbers that an option of a technique can be.

    Parameters
    ----------
    technique, option : str
        Their names; the option has a range, or choices, of which "auto" is left out.
    fewest : int
        How many there are at least: 1 or 2.

    Examples
    --------
    >>> values_for("dfq-global", "capacity")([64, 4096], "capacities")
    (64, 4096)
    """

    def check(value: Any, name: str) -> Any:
        (own,) = (one for one in find(technique).options if one.name == option)
        if own.choices:
            return _choices([one for one in own.choices if one != AUTO])(value, name)
        assert own.minimum is not None
        most = None if own.maximum is None else int(own.maximum)
        return numbers(max(1, int(own.minimum)), most, fewest=fewest)(value, name)

    return check


def _choices(choices: Sequence[Any]) -> Check:
    """Return the check of a list of different numbers out of some."""
    known = ", ".join(map(str, choices))

    def one(value: Any, name: str) -> int:
        if is_truth(value) or value not in choices:
            raise UsageError(f"{name}={shown(value)} is not a choice", f"give one of {known}")
        return int(value)

    return _listed(one, f"numbers out of {known}", 1)


def shares(*, zero: bool = False) -> Check:
    """Return the check of a list of different shares of a whole.

    Parameters
    ----------
    zero : bool
        Whether a share may be nothing.

    Examples
    --------
    >>> shares()([0.1, 1], "shares")
    (0.1, 1.0)
    """
    bounds = "from 0 to 1" if zero else "above 0 up to 1"

    def one(value: Any, name: str) -> float:
        hint = f"give a number {bounds}"
        if not isinstance(value, abstract.Real) or is_truth(value):
            raise UsageError(f"{name}={shown(value)} is not a number", hint)
        amount = float(value)
        if not (0 < amount <= 1 or (zero and amount == 0)):
            raise UsageError(f"{name}={shown(value)} is out of range", hint)
        return amount

    return _listed(one, f"numbers {bounds}", 1)


def _listed(check: Check, what: str, fewest: int) -> Check:
    """Return the check of a list, of which each value passes a check."""

    def every(value: Any, name: str) -> tuple[Any, ...]:
        given = several(value, name, f"give a list of {what}")
        found = tuple(check(one, f"{name}[{at}]") for at, one in enumerate(given))
        for at, one in enumerate(found):
            if one in found[:at]:
                raise UsageError(f"{name} has {one} twice", "give it once")
        if len(found) < fewest:
            hint = f"give at least {FEWEST[fewest]} of these: {what}"
            raise UsageError(f"{name}={shown(given)} has too few values", hint)
        return found

    return every
