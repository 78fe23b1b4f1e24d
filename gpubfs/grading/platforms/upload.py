"""What platforms' tables have in common: columns of marks, filled into rows of people."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpubfs.grading.platforms.gradebook import Gradebook
from gpubfs.grading.platforms.tables import number


@dataclass(frozen=True)
class Column:
    """A column to upload: its title, what can be reached in it, and the marks of the students."""

    title: str
    points: float
    marks: dict[str, float | None]


@dataclass(frozen=True)
class Upload:
    """A table to upload.

    Attributes
    ----------
    rows : list of list of str
        The table, with its titles.
    delimiter : str
        What stands between cells.
    unplaced : list of str
        Students with marks who are nobody of the platform's table.
    notes : list of str
        What is to be said of it.
    """

    rows: list[list[str]]
    delimiter: str
    unplaced: list[str]
    notes: list[str] = field(default_factory=list)


def columns_of(book: Gradebook, title: str | None = None) -> list[Column]:
    """Return one column with the sums, of this title; without one, a column for each exercise."""
    if title is not None:
        marks = {student: book.total(student) for student in book.rows}
        return [Column(title, sum(book.points.values()), marks)]
    return [
        Column(name, points, {student: own.get(name) for student, own in book.rows.items()})
        for name, points in book.points.items()
    ]


def filled(column: Column, student: str | None, before: str = "") -> str:
    """Return the cell of a student; of nobody, and without a mark, what it was before."""
    mark = None if student is None else column.marks[student]
    return before if mark is None else number(mark)


def same_points(column: Column, text: str, where: str) -> list[str]:
    """Return a note where a platform's column is worth something else; nothing where it is not."""
    try:
        same = not text.strip() or abs(float(text) - column.points) < 1e-6
    except ValueError:
        same = True
    if same:
        return []
    return [f"{column.title} is of {text.strip()} points on {where}, and here of {column.points:g}"]
