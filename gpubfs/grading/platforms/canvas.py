"""Canvas's gradebook: its export is read, and what its import takes is written."""

from __future__ import annotations

from gpubfs.grading.platforms.gradebook import Gradebook
from gpubfs.grading.platforms.roster import Person, match
from gpubfs.grading.platforms.tables import Table, number
from gpubfs.grading.platforms.upload import Column, Upload, columns_of, filled, same_points

#: The columns that say who a row is of; Canvas needs those that are written in the export.
WHO = ("Student", "ID", "SIS User ID", "SIS Login ID", "Root Account", "Integration ID", "Section")
#: What the row with the points of the columns begins with.
POINTS = "Points Possible"


def canvas_upload(
    book: Gradebook, export: Table, title: str | None = None, out_of: float | None = None
) -> Upload:
    """Return the table for Canvas's import.

    A column that the export has, by its title before Canvas's number in brackets, is filled; any
    other becomes a new assignment. Students who are not found, and those who handed in nothing,
    keep what they have.

    Parameters
    ----------
    book : Gradebook
        The marks.
    export : Table
        The export of Canvas's gradebook.
    title : str, optional
        Of one column with the sums; without it there is a column for each exercise.
    out_of : float, optional
        The points that the sums are made parts of.

    Raises
    ------
    UsageError
        If the table is no export of Canvas's.
    """
    student, _, _ = (export.needed(name) for name in ("Student", "ID", "Section"))
    who = [found for name in WHO if (found := export.column(name)) is not None]
    first = next((n for n, row in enumerate(export.rows) if _is_points(row[student])), None)
    above = [""] * len(export.titles) if first is None else export.rows[first]
    people = [row for row in export.rows[0 if first is None else first + 1 :] if row[student]]
    placed, unplaced = match(book.rows, [_person(export, row) for row in people])
    columns = columns_of(book, title, out_of)
    places = [_place(export, column) for column in columns]
    names = [
        column.title if place is None else export.titles[place]
        for column, place in zip(columns, places, strict=True)
    ]
    rows = [[*(export.titles[n] for n in who), *names]]
    reached = ["" if place is None else above[place] for place in places]
    most = [old or number(c.points) for old, c in zip(reached, columns, strict=True)]
    rows.append([f"    {POINTS}", *("" for _ in who[1:]), *most])
    for index, row in enumerate(people):
        marks = (
            filled(column, placed.get(index), "" if place is None else row[place])
            for column, place in zip(columns, places, strict=True)
        )
        rows.append([*(row[n] for n in who), *marks])
    pairs = zip(columns, reached, strict=True)
    notes = [note for column, old in pairs for note in same_points(column, old, "Canvas")]
    return Upload(rows, export.delimiter, unplaced, notes)


def _is_points(cell: str) -> bool:
    return cell.strip().casefold() == POINTS.casefold()


def _person(export: Table, row: list[str]) -> Person:
    ids = export.cells(row, "ID", "SIS User ID", "SIS Login ID", "Integration ID")
    return Person(tuple(ids), tuple(export.cells(row, "Student")))


def _place(export: Table, column: Column) -> int | None:
    """Return the number of the column that the export has for it."""
    wanted = column.title.strip().casefold()
    for index, title in enumerate(export.titles):
        own = title.strip().casefold()
        name, bracket, rest = own.rpartition(" (")
        if own == wanted or (bracket and name == wanted and rest.rstrip(")").isdigit()):
            return index
    return None
