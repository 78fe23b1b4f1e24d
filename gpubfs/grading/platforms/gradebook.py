"""One gradebook: marks of exercises and of notebooks, after what is lost by being late."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from gpubfs.errors import UsageError
from gpubfs.grading.platforms.lateness import LateRule, time_of
from gpubfs.grading.platforms.marks import ClassMarks, Mark
from gpubfs.grading.platforms.roster import Person, match
from gpubfs.grading.platforms.tables import Table, number
from gpubfs.grading.writing import shown

#: What stands before the names of nbgrader's assignments.
NOTEBOOK = "notebook "
#: The title of the column with what was lost.
LOST = "lost by being late"
#: Titles of columns with names, and with what no one else has.
NAMES = ("full name", "name", "student")
IDS = ("student_id", "student", "id", "login", "username", "email", "email address", "id number")
TIMES = ("time", "timestamp", "submitted", "last modified (submission)")


@dataclass(frozen=True)
class Gradebook:
    """Marks in columns.

    Attributes
    ----------
    points : dict of str to float
        What can be reached in each column.
    rows : dict of str to dict
        The marks of each student; None where nothing was handed in.
    lost : dict of str to float or None
        What each student has lost by being late, in all; None where nobody could.
    """

    points: dict[str, float]
    rows: dict[str, dict[str, float | None]]
    lost: dict[str, float] | None = None

    def total(self, student: str) -> float | None:
        """Return a student's sum; None where nothing was handed in at all."""
        marks = [mark for mark in self.rows[student].values() if mark is not None]
        return sum(marks) if marks else None

    def table(self) -> list[list[str]]:
        """Return the gradebook as rows of cells, the second of which has what can be reached."""
        most = [*self.points.values(), sum(self.points.values())]
        rows = [["student", *self.points, "total"], ["points possible", *map(number, most)]]
        for student, own in self.rows.items():
            marks = (number(own.get(title)) for title in self.points)
            rows.append([shown(student), *marks, number(self.total(student))])
        if self.lost is not None:
            lost = [number(self.lost.get(student, 0.0)) for student in self.rows]
            columns = [LOST, "", *lost]
            rows = [[*row, cell] for row, cell in zip(rows, columns, strict=True)]
        return rows


def gradebook(
    marks: ClassMarks,
    rule: LateRule | None = None,
    times: Mapping[str, datetime] | None = None,
) -> Gradebook:
    """Return the gradebook of a class's exercises.

    Parameters
    ----------
    marks : ClassMarks
        The marks.
    rule : LateRule, optional
        What is lost by handing in late.
    times : mapping of str to datetime, optional
        When each student handed in; by default, when each file was last changed. Nothing is lost
        where no time is known.
    """

    def left(student: str, name: str, mark: Mark) -> float | None:
        at = mark.time if times is None else times.get(student)
        if mark.got is None or rule is None or at is None:
            return mark.got
        return rule.mark(mark.got, marks.points[name], at)

    rows = {
        student: {name: left(student, name, mark) for name, mark in own.items()}
        for student, own in marks.students.items()
    }
    return Gradebook(dict(marks.points), rows, _lost(marks, rows) if rule else None)


def _lost(marks: ClassMarks, rows: Mapping[str, Mapping[str, float | None]]) -> dict[str, float]:
    """Return what each student had before, less what is left."""
    return {
        student: sum((mark.got or 0.0) - (rows[student][name] or 0.0) for name, mark in own.items())
        for student, own in marks.students.items()
    }


def with_notebooks(book: Gradebook, export: Table) -> Gradebook:
    """Return a gradebook with the assignments of nbgrader's export beside the exercises.

    Students whom only nbgrader knows get rows of their own. Scores are taken as they are:
    nbgrader has its own rule of what is lost by being late.

    Raises
    ------
    UsageError
        If it is no export of nbgrader's, or a score is no number.
    """
    columns = [export.needed(title) for title in ("assignment", "student_id", "score", "max_score")]
    people = {row[columns[1]]: person(export, row) for row in export.rows}
    found, _ = match(book.rows, list(people.values()))
    names = {other: found.get(number, other) for number, other in enumerate(people)}
    points = dict(book.points)
    rows = {student: dict(own) for student, own in book.rows.items()}
    for row in export.rows:
        assignment, _, score, most = (row[column].strip() for column in columns)
        title = NOTEBOOK + assignment
        points[title] = max(points.get(title, 0.0), _score(export, most) or 0.0)
        mark = _score(export, score)
        there = mark or export.cells(row, "timestamp")  # of nothing it writes 0, and no time
        rows.setdefault(names[row[columns[1]]], {})[title] = mark if there else None
    return Gradebook(points, rows, book.lost)


def person(table: Table, row: list[str]) -> Person:
    """Return who a row is of, by the columns that tables of people have."""
    ids = table.cells(row, *IDS)
    ids += [one.removeprefix("Participant").strip() for one in table.cells(row, "identifier")]
    parts = table.cells(row, "first_name", "last_name") or table.cells(
        row, "first name", "last name"
    )
    names = [*table.cells(row, *NAMES), *([" ".join(parts)] if parts else [])]
    return Person(tuple(ids), tuple(names))


def _score(table: Table, text: str) -> float | None:
    if text in ("", "None", "-"):
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise UsageError(f"{table.name}: {text[:40]!r} is no score", "export it anew")
    return score


def times_of(table: Table, students: Mapping[str, object]) -> tuple[dict[str, datetime], list[str]]:
    """Return when students handed in by a table, and of whom it says nothing.

    Raises
    ------
    UsageError
        If it has no column with times, or a time cannot be read.
    """
    column = table.column(*TIMES)
    if column is None:
        raise UsageError(f"{table.name} has no column with times", f"call it {TIMES[0]}")
    rows, unknown = match(students, [person(table, row) for row in table.rows])
    texts = {student: table.rows[row][column].strip() for row, student in rows.items()}
    times = {student: time_of(text) for student, text in texts.items() if text not in ("", "-")}
    return times, unknown + [student for student in texts if student not in times]
