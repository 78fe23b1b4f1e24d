"""What kinds of values the keys of an `exercise.toml` take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpubfs.errors import UsageError

#: Characters of a wrong value that a message shows.
SHOWN = 60
#: What no number of an exercise comes near.
LARGE = 1 << 63


@dataclass(frozen=True)
class Rule:
    """What a key's value must be: a test, and the words of the remedy."""

    fits: Callable[[Any], bool]
    words: str


def is_number(value: object) -> bool:
    """Whether it is a finite number; true and false are none.

    >>> is_number(0.5), is_number(True), is_number(float("nan")), is_number("3")
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < LARGE  # false of nan, too


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_list(value: object, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


_WORD = Rule(_is_word, "give a text in quotation marks that is not empty")
_ABOVE = Rule(lambda value: is_number(value) and value > 0, "give a number above 0")
_TABLE = Rule(_is_table, "give a table: { name = value }")

#: The keys of the file, and of a case.
OF_FILE = {
    "title": _WORD,
    "kind": _WORD,
    "hints": Rule(
        lambda value: _is_list(value, _is_word) and bool(value), 'give a list: ["a hint", …]'
    ),
    "cases": Rule(
        lambda value: _is_list(value, _is_table) and bool(value), "begin each case with [[cases]]"
    ),
    "search": _TABLE,
    "includes": Rule(
        lambda value: _is_list(value, _is_word), 'give a list of headers: ["csr.cuh"]'
    ),
    "device": _WORD,
    "seconds": _ABOVE,
    "memory": _ABOVE,
}
OF_CASE = {
    "name": _WORD,
    "points": _ABOVE,
    "given": _TABLE,
    "hidden": Rule(lambda value: isinstance(value, bool), "give true or false"),
    "schedules": Rule(
        lambda value: _is_list(value, _is_word) and bool(value), 'give a list: ["lockstep"]'
    ),
    "sanitize": Rule(lambda value: isinstance(value, str), 'give a text: "all", or "race,init"'),
    "limits": _TABLE,
    "device": _WORD,
}
#: A limit, whatever its counter is called.
_LIMIT = Rule(
    lambda value: is_number(value) and value >= 0,
    'give a number from 0; names with dots have quotation marks: { "work.maximum" = 3 }',
)


def check(where: str, table: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Raise UsageError for a value that does not fit its key.

    Parameters
    ----------
    where : str
        What messages begin with: the file, and the part of it.
    table : mapping
        Values by key; the keys are known.
    rules : mapping of str to Rule
        What they must be.

    Examples
    --------
    >>> check("a.toml: case 'x'", {"points": "3"}, OF_CASE)
    Traceback (most recent call last):
        ...
    gpubfs.errors.UsageError: error: a.toml: case 'x': points is '3'
      give a number above 0
    """
    for key, value in table.items():
        _check(where, key, value, rules[key])


def check_limits(where: str, limits: Mapping[str, Any]) -> None:
    """The same for the limits of a case."""
    for name, most in limits.items():
        _check(where, f"limit {name}", most, _LIMIT)


def _check(where: str, key: str, value: object, rule: Rule) -> None:
    if not rule.fits(value):
        words = "empty" if value in ("", [], {}) else repr(value)[:SHOWN]
        raise UsageError(f"{where}: {key} is {words}", rule.words)
