"""Numbers that students predict in notebooks: too high or too low, and after a second try why.

A notebook goes on whatever was predicted: `check` raises nothing. What it returns shows itself, and
is 0 or 1 to nbgrader, which takes a number in the place of a cell's result for its points.
"""

from __future__ import annotations

import html
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

from gpubfs.errors import unknown

FILE = Path(__file__).parent / "explained.toml"
OPEN = "write down your number in the cell above"
#: How many different wrong guesses it takes until the reason is told.
TRIES = 2

#: The wrong guesses of this session, by prediction and variable.
_guessed: dict[tuple[str, str], set[float]] = {}


@dataclass(frozen=True)
class Verdict:
    """What becomes of the guesses of a cell.

    Attributes
    ----------
    rows : tuple of str
        A line for each guess.
    right : bool
        Whether all of them are right.
    """

    rows: tuple[str, ...]
    right: bool

    def __str__(self) -> str:
        return "\n".join(self.rows)

    def __repr__(self) -> str:
        return f"{float(self.right)}"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(row)}</p>" for row in self.rows)


def check(name: str, *, within: float = 0.0, **guesses: tuple[Any, Any]) -> Verdict:
    """Compare guesses with what was counted.

    Parameters
    ----------
    name : str
        The prediction's grade_id, by which explanations are found in ``explained.toml``.
    within : float
        By how much a guess may differ.
    **guesses
        For each variable the guess, which is None or ... as long as it is open, and the number.

    Returns
    -------
    Verdict
        It shows itself as the last value of a cell.

    Examples
    --------
    >>> print(check("03-star", on_the_star=(None, 300)))
    on_the_star: write down your number in the cell above
    >>> print(check("03-star", on_the_star=(75, 300)))
    on_the_star: 75 is too low; try again
    >>> print(check("03-star", on_the_star=(300, 300)))
    on_the_star: 300 is right. 300: all leaves look back at the hub, and here to look is to swap, \
on level[0].
    """
    texts = explanations().get(name)
    if texts is None:
        raise unknown("prediction called", name, explanations())
    rows, right = [], True
    for variable, (guess, counted) in guesses.items():
        good = _is_number(guess) and abs(guess - counted) <= within
        why = texts[variable].format(counted=counted)
        wrong = "" if good else _wrong((name, variable), guess, counted, why)
        rows.append(f"{variable}: {wrong or f'{guess} is right. {why}'}")
        right = right and good
    return Verdict(tuple(rows), right)


def _wrong(key: tuple[str, str], guess: Any, counted: Any, why: str) -> str:
    """What is said of a guess that is open, no number, or wrong."""
    if guess is None or guess is ...:
        return OPEN
    if not _is_number(guess):
        return f"{guess!r:.60} is no number; {OPEN}"
    tried = _guessed.setdefault(key, set())
    tried.add(float(guess))
    much = "too high" if guess > counted else "too low"
    again = "try again" if len(tried) < TRIES else why
    return f"{guess} is {much}{'; ' if again == 'try again' else '. '}{again}"


def _is_number(guess: Any) -> bool:
    real = isinstance(guess, Real) and guess is not True and guess is not False
    return real and math.isfinite(guess)


@cache
def explanations() -> Mapping[str, Mapping[str, str]]:
    """The texts of all lessons, by prediction and variable."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
