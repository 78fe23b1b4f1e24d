"""Moodle's grading worksheet and gradebook: its exports are read, what its imports take written."""

from __future__ import annotations

from gpubfs.errors import UsageError
from gpubfs.grading.platforms.gradebook import Gradebook, person
from gpubfs.grading.platforms.roster import match
from gpubfs.grading.platforms.tables import Table
from gpubfs.grading.platforms.upload import (
    Column,
    Upload,
    columns_of,
    filled,
    is_same,
    points_in,
)

#: The columns of a gradebook that say who a row is of.
WHO = ("First name", "Last name", "Username", "ID number", "Email address")
#: Columns of a worksheet that would change what stands on Moodle, or are of no use there.
TEXTS = ("Feedback comments", "Online text")


def moodle_upload(
    book: Gradebook, export: Table, title: str | None = None, out_of: float | None = None
) -> Upload:
    """Return the table for Moodle's import.

    An assignment's grading worksheet, which has the columns Identifier and Grade, is returned with
    the sums in its column Grade, as parts of its Maximum grade, and without comments and texts,
    which stay as they are on Moodle. Of the export of a whole gradebook the columns that say who
    somebody is are kept, and the marks are put behind them.

    Parameters
    ----------
    book : Gradebook
        The marks.
    export : Table
        The worksheet, or the gradebook, with titles in English.
    title : str, optional
        In a gradebook, of one column with the sums; without it there is a column for each exercise.
    out_of : float, optional
        The points that the sums are made parts of.

    Raises
    ------
    UsageError
        If the table is neither, or a worksheet whose maximum is not `out_of`.
    """
    if export.column("Identifier") is not None and export.column("Grade") is not None:
        return _worksheet(book, export, out_of)
    export.needed("Email address")
    who = [found for name in WHO if (found := export.column(name)) is not None]
    placed, unplaced = match(book.rows, [person(export, row) for row in export.rows])
    columns = columns_of(book, title, out_of)
    rows = [[*(export.titles[n] for n in who), *(column.title for column in columns)]]
    for index, row in enumerate(export.rows):
        marks = (filled(column, placed.get(index)) for column in columns)
        rows.append([*(row[n] for n in who), *marks])
    return Upload(rows, export.delimiter, unplaced)


def _worksheet(book: Gradebook, export: Table, out_of: float | None) -> Upload:
    grade = export.needed("Grade")
    placed, unplaced = match(book.rows, [person(export, row) for row in export.rows])
    column, notes = _scaled(book, _most(export, out_of))
    kept = [n for n, title in enumerate(export.titles) if title.strip() not in TEXTS]
    rows = [[export.titles[n] for n in kept]]
    for index, row in enumerate(export.rows):
        mark = filled(column, placed.get(index), row[grade])
        rows.append([mark if n == grade else row[n] for n in kept])
    return Upload(rows, export.delimiter, unplaced, notes)


def _most(export: Table, out_of: float | None) -> float | None:
    """Return the points of an assignment, which is not given others."""
    column = export.column("Maximum grade")
    most = points_in(export.rows[0][column]) if export.rows and column is not None else None
    if most is not None and out_of is not None and not is_same(most, out_of):
        raise UsageError(
            f"{export.name}: the maximum grade is {most:g}, and --out-of says {out_of:g}",
            "leave out --out-of, or change the assignment and download its worksheet anew",
        )
    return out_of if most is None else most


def _scaled(book: Gradebook, most: float | None) -> tuple[Column, list[str]]:
    """Return the sums as parts of an assignment's points, and that they were made so."""
    (column,) = columns_of(book, "Grade")
    if most is None or is_same(most, column.points):
        return column, []
    words = f"marks of {column.points:g} points are written as parts of {most:g}, as Moodle has it"
    return column.out_of(most), [words]
