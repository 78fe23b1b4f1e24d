"""Moodle's grading worksheet and gradebook: its exports are read, what its imports take written."""

from __future__ import annotations

from gpubfs.grading.platforms.gradebook import Gradebook, person
from gpubfs.grading.platforms.roster import match
from gpubfs.grading.platforms.tables import Table
from gpubfs.grading.platforms.upload import Upload, columns_of, filled, same_points

#: The columns of a gradebook that say who a row is of.
WHO = ("First name", "Last name", "Username", "ID number", "Email address")
#: Columns of a worksheet that would change what stands on Moodle, or are of no use there.
TEXTS = ("Feedback comments", "Online text")


def moodle_upload(book: Gradebook, export: Table, title: str | None = None) -> Upload:
    """Return the table for Moodle's import.

    An assignment's grading worksheet, which has the columns Identifier and Grade, is returned with
    the sums in its column Grade, and without comments and texts, which stay as they are on Moodle.
    Of the export of a whole gradebook the columns that say who
    somebody is are kept, and the marks are put behind them.

    Parameters
    ----------
    book : Gradebook
        The marks.
    export : Table
        The worksheet, or the gradebook, with titles in English.
    title : str, optional
        In a gradebook, of one column with the sums; without it there is a column for each exercise.

    Raises
    ------
    UsageError
        If the table is neither.
    """
    if export.column("Identifier") is not None and export.column("Grade") is not None:
        return _worksheet(book, export)
    export.needed("Email address")
    who = [found for name in WHO if (found := export.column(name)) is not None]
    placed, unplaced = match(book.rows, [person(export, row) for row in export.rows])
    columns = columns_of(book, title)
    rows = [[*(export.titles[n] for n in who), *(column.title for column in columns)]]
    for index, row in enumerate(export.rows):
        marks = (filled(column, placed.get(index)) for column in columns)
        rows.append([*(row[n] for n in who), *marks])
    return Upload(rows, export.delimiter, unplaced)


def _worksheet(book: Gradebook, export: Table) -> Upload:
    grade, most = export.needed("Grade"), export.column("Maximum grade")
    placed, unplaced = match(book.rows, [person(export, row) for row in export.rows])
    (column,) = columns_of(book, "Grade")
    kept = [n for n, title in enumerate(export.titles) if title.strip() not in TEXTS]
    rows = [[export.titles[n] for n in kept]]
    for index, row in enumerate(export.rows):
        mark = filled(column, placed.get(index), row[grade])
        rows.append([mark if n == grade else row[n] for n in kept])
    text = export.rows[0][most] if export.rows and most is not None else ""
    return Upload(rows, export.delimiter, unplaced, same_points(column, text, "Moodle"))
