"""What platforms' tables have in common: columns of marks, filled into rows of people."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from gpubfs.errors import UsageError
from gpubfs.grading.platforms.gradebook import Gradebook
from gpubfs.grading.platforms.tables import number


@dataclass(frozen=True)
class Column:
    """A column to upload: its title, what can be reached in it, and the marks of the students."""

    title: str
    points: float
    marks: dict[str, float | None]

    def out_of(self, most: float) -> Column:
        """Return the same marks as parts of other points.

        >>> Column("a", 20, {"ada": 15, "bob": None}).out_of(100)
        Column(title='a', points=100, marks={'ada': 75.0, 'bob': None})
        """
        if not self.points:
            return self
        share = most / self.points
        marks = {who: None if one is None else one * share for who, one in self.marks.items()}
        return Column(self.title, most, marks)


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


def columns_of(
    book: Gradebook, title: str | None = None, out_of: float | None = None
) -> list[Column]:
    """Return one column with the sums, of this title; without one, a column for each exercise.

    The sums may be made parts of other points.

    Raises
    ------
    UsageError
        If there are other points, and no sums.
    """
    if title is not None:
        marks = {student: book.total(student) for student in book.rows}
        sums = Column(title, sum(book.points.values()), marks)
        return [sums if out_of is None else sums.out_of(out_of)]
    if out_of is not None:
        raise UsageError("--out-of is for one column with the sums", "give --column, too")
    return [
        Column(name, points, {student: own.get(name) for student, own in book.rows.items()})
        for name, points in book.points.items()
    ]


def filled(column: Column, student: str | None, before: str = "") -> str:
    """Return the cell of a student; of nobody, and without a mark, what it was before."""
    mark = None if student is None else column.marks[student]
    return before if mark is None else number(mark)


def points_in(text: str) -> float | None:
    """Return the points that a cell says, with a point or a comma; None where there are none.

    >>> points_in("100,00"), points_in("20.00"), points_in("A scale")
    (100.0, 20.0, None)
    """
    try:
        found = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return found if math.isfinite(found) and found > 0 else None


def is_same(one: float, other: float) -> bool:
    """Tell whether points are the same, as tables have them."""
    return abs(one - other) < 1e-6


def same_points(column: Column, text: str, where: str) -> list[str]:
    """Return a note where a platform's column is worth something else; nothing where it is not."""
    most = points_in(text)
    if most is None or is_same(most, column.points):
        return []
    words = f"{column.title} is of {most:g} points on {where}, and here of {column.points:g}"
    return [f"{words}: --out-of {most:g} makes them the same"]
