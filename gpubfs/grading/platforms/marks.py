"""A class's marks as `gpubfs grade-all` leaves them in ``marks.json``, for gradebooks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.submissions import Job, Marked
from gpubfs.grading.writing import write

#: The file's name, in the folder for results.
FILE = "marks.json"


@dataclass(frozen=True)
class Mark:
    """One student's mark in one exercise.

    Attributes
    ----------
    got : float or None
        The points; None where nothing was handed in.
    time : datetime or None
        When the file was last changed, where that is known.
    """

    got: float | None = None
    time: datetime | None = None


@dataclass(frozen=True)
class ClassMarks:
    """A class's marks.

    Attributes
    ----------
    points : dict of str to float
        What can be reached in each exercise.
    students : dict of str to dict
        The mark of each student in each exercise.
    """

    points: dict[str, float]
    students: dict[str, dict[str, Mark]]


def write_marks(jobs: Iterable[Job], marked: Iterable[Marked], to: Path) -> Path:
    """Write the marks of graded jobs into the folder for results; return the file."""
    files = {(job.student, job.exercise.name): job.file for job in jobs}
    points: dict[str, float] = {}
    students: dict[str, dict[str, Any]] = {}
    for one in marked:
        name = one.grade.exercise
        points[name] = one.grade.points
        got = one.grade.got if one.grade.file else None
        own = {"got": got, "time": _changed(files.get((one.student, name)))}
        students.setdefault(one.student, {})[name] = own
    write(to / FILE, json.dumps({"points": points, "students": students}, indent=1) + "\n")
    return to / FILE


def _changed(file: Path | None) -> str | None:
    """Return when a file was last changed."""
    try:
        seconds = file.lstat().st_mtime if file else None
    except OSError:
        return None
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def read_marks(folder: Path) -> ClassMarks:
    """Read the marks in a folder for results.

    Raises
    ------
    UsageError
        If there are none.
    """
    path = folder / FILE
    hint = "gpubfs grade-all writes it"
    try:
        data = json.loads(path.read_text("utf-8"))
        students = {
            student: {name: _mark(mark) for name, mark in own.items()}
            for student, own in data["students"].items()
        }
        points = {name: float(most) for name, most in data["points"].items()}
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"there is no {FILE} in {folder}", hint) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path} is not as it must be", hint) from None
    return ClassMarks(points, students)


def _mark(data: dict[str, Any]) -> Mark:
    time, got = data["time"], data["got"]
    read = None if time is None else datetime.fromisoformat(time)
    return Mark(None if got is None else float(got), read)
