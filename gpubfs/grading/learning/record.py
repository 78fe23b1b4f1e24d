"""What somebody has reached in one exercise, and how it is written down."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

#: The version of the file's layout.
VERSION = 1


@dataclass(frozen=True)
class Record:
    """The marks of an exercise so far, and the time that was spent on it.

    Attributes
    ----------
    best, points : float
        The most points that were reached, and of how many.
    done : bool
        Whether they were all that there are.
    best_sha256 : str
        The SHA-256 of the submission that reached them first.
    last : float
        The points of the last submission.
    last_sha256 : str
        Its SHA-256.
    first_sha256 : str
        That of the first one: mostly of the starter, as it was before it was edited.
    tries : int
        How many different submissions were graded, one after the other.
    seconds : float
        How long it was worked on, while `gpubfs learn` was watching.
    """

    best: float = 0.0
    points: float = 0.0
    done: bool = False
    best_sha256: str = ""
    last: float = 0.0
    last_sha256: str = ""
    first_sha256: str = ""
    tries: int = 0
    seconds: float = 0.0

    def graded(self, got: float, points: float, full: bool, sha256: str) -> Record:
        """Return the record after one more submission was graded.

        Examples
        --------
        >>> record = Record().graded(2, 10, False, "a").graded(10, 10, True, "b")
        >>> record = record.graded(3, 10, False, "c")
        >>> record.best, record.done, record.best_sha256, record.last, record.tries
        (10, True, 'b', 3, 3)
        """
        better = not self.best_sha256 or (full, got) > (self.done, self.best)
        new = replace(
            self,
            last=got,
            last_sha256=sha256,
            first_sha256=self.first_sha256 or sha256,
            tries=self.tries + (sha256 != self.last_sha256),
        )
        if not better:
            return new
        return replace(new, best=got, points=points, done=full, best_sha256=sha256)

    def worked(self, seconds: float) -> Record:
        """Return the record after so much more time."""
        return replace(self, seconds=round(self.seconds + seconds, 1))

    @property
    def graded_once(self) -> bool:
        """Whether anything was graded."""
        return bool(self.first_sha256)


class NotUnderstoodError(Exception):
    """A file of progress holds what this version has not written."""


def read(content: bytes) -> dict[str, dict[str, Any]]:
    """Return what a file of progress says of each exercise, by its folder's name.

    Raises
    ------
    NotUnderstoodError
        If it is no such file, or has something in it that cannot be understood.
    """
    try:
        data = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise NotUnderstoodError("it is no JSON") from error
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise NotUnderstoodError(f"it is no progress of version {VERSION}")
    found = data.get("exercises")
    if not isinstance(found, dict):
        raise NotUnderstoodError("it names no exercises")
    for name, entry in found.items():
        _check(name, entry)
    try:
        written(found)
    except RecursionError as error:
        raise NotUnderstoodError("it is nested too deeply") from error
    return found


def _check(name: str, entry: object) -> None:
    """Raise NotUnderstoodError unless an entry is a record; more keys than it has may be there."""
    if not isinstance(entry, dict):
        raise NotUnderstoodError(f"{name!r} is no table")
    for one in fields(Record):
        value, usual = entry.get(one.name, one.default), one.default
        number = isinstance(usual, int | float) and not isinstance(usual, bool)
        fits = _is_amount(value) if number else isinstance(value, type(usual))
        if not fits:
            raise NotUnderstoodError(f"{one.name} of {name!r} is {value!r:.40}")


def _is_amount(value: object) -> bool:
    """Return whether a value is a number from 0 that is not endless."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < 1e15 and math.isfinite(value)


def record_of(entry: Mapping[str, Any]) -> Record:
    """Return the record in an entry."""
    return Record(**{one.name: entry[one.name] for one in fields(Record) if one.name in entry})


def written(entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a file of progress, which `read` understands."""
    return json.dumps({"version": VERSION, "exercises": entries}, indent=1, sort_keys=True) + "\n"


def with_record(entry: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """Return an entry with a record in it, and what else was there."""
    return {**entry, **asdict(record)}
