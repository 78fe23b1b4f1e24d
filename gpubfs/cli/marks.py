"""`gpubfs marks`: a class's marks as tables for Canvas, for Moodle, or for yourself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.platforms.gradebook import Gradebook
    from gpubfs.grading.platforms.upload import Upload

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("grades", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--canvas", type=_FILE, metavar="CSV", help="Canvas's export of its gradebook.")
@click.option(
    "--moodle",
    type=_FILE,
    metavar="CSV",
    help="Moodle's grading worksheet of an assignment, or its export of a gradebook.",
)
@click.option("--column", metavar="TITLE", help="One column with the sums, of this title.")
@click.option(
    "--out-of",
    type=click.FloatRange(0, min_open=True),
    metavar="POINTS",
    help="Make the sums parts of these points; a worksheet of Moodle's says them itself.",
)
@click.option("--nbgrader", type=_FILE, metavar="CSV", help="Add what `nbgrader export` writes.")
@click.option("--due", metavar="TIME", help="Until when nothing is late, as 2026-11-02 12:00.")
@click.option("--late", metavar="RULE", help="What is lost later, as 10%/day of the points.")
@click.option("--grace", metavar="SPAN", default="", help="How much later it begins, as 15m.")
@click.option(
    "--times",
    type=_FILE,
    metavar="CSV",
    help="When each student handed in; otherwise it is when each file was last changed.",
)
@click.option(
    "--to",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("gradebook.csv"),
    show_default=True,
    metavar="CSV",
    help="The table to write.",
)
def marks(**options: Any) -> None:
    """Make a gradebook of what grade-all found, for Canvas, for Moodle, or for yourself.

    GRADES is the folder that grade-all has written. Without a platform, the table has a row for
    each student, a column for each exercise and notebook, a row with what can be reached, and sums.

    With --canvas or --moodle, names and numbers are taken from the platform's own export, and marks
    put beside them: in a column for each exercise, or in one with --column. A student is found by
    the folder's name, which may be a login, a number, or the name; Canvas's and Moodle's downloads
    have the number in their names. Who is not found is named, and the command ends with 1. Moodle's
    worksheet says what its assignment is worth: sums become parts of that; --out-of says it of
    other columns.

    A late rule takes a part of an exercise's points for each day that has begun since it was due.
    Times are those of --times, a table with the columns student and time or Moodle's grading
    worksheet; without it, those at which files were last changed, which a download may have set.
    A time without a zone is this machine's. Marks of nbgrader have its own rule.

    \b
    Example: gpubfs marks grades --nbgrader course/grades.csv
    Example: gpubfs marks grades --canvas export.csv --column "Lesson 0" --to upload.csv
    Example: gpubfs marks grades --moodle worksheet.csv --times worksheet.csv \\
               --due "2026-11-02 12:00" --late 10%/day --grace 15m
    """
    _write(Options(**options))


@dataclass(frozen=True)
class Options:
    """What was given on the command line."""

    grades: Path
    canvas: Path | None
    moodle: Path | None
    column: str | None
    out_of: float | None
    nbgrader: Path | None
    due: str | None
    late: str | None
    grace: str
    times: Path | None
    to: Path


def _write(options: Options) -> None:
    from gpubfs.grading.platforms.tables import write_table
    from gpubfs.grading.writing import shown

    _check(options)
    book = _gradebook(options)
    made = _upload(options, book)
    if made is None:
        write_table(options.to, book.table())
    else:
        write_table(options.to, made.rows, made.delimiter)
        for note in made.notes:
            click.echo(note, err=True)
    click.echo(f"written: {options.to}")
    if made is not None and made.unplaced:
        names = ", ".join(map(shown, made.unplaced))
        click.echo(f"not found in the platform's table: {names}", err=True)
        raise SystemExit(1)


def _check(options: Options) -> None:
    if options.canvas and options.moodle:
        raise UsageError("--canvas and --moodle are for one table each", "give one of them")
    if options.column and not (options.canvas or options.moodle):
        raise UsageError("--column is for a platform's table", "give --canvas or --moodle, too")
    if options.out_of and not (options.canvas or options.moodle):
        raise UsageError("--out-of is for a platform's table", "give --canvas or --moodle, too")
    if bool(options.due) != bool(options.late):
        raise UsageError("--due and --late belong together", "give both, or none")
    if not options.due and (options.grace or options.times):
        raise UsageError("--grace and --times are for a late rule", "give --due and --late, too")


def _gradebook(options: Options) -> Gradebook:
    from gpubfs.grading.platforms import gradebook
    from gpubfs.grading.platforms.lateness import late_rule
    from gpubfs.grading.platforms.marks import read_marks
    from gpubfs.grading.platforms.tables import read_table

    found = read_marks(options.grades)
    rule = None
    if options.due and options.late:
        rule = late_rule(options.due, options.late, options.grace)
    times = None
    if options.times:
        times, unknown = gradebook.times_of(read_table(options.times), found.students)
        _say_unknown(unknown)
    elif rule:
        click.echo("late by when files were last changed; --times gives other times", err=True)
    book = gradebook.gradebook(found, rule, times)
    return (
        gradebook.with_notebooks(book, read_table(options.nbgrader)) if options.nbgrader else book
    )


def _say_unknown(students: list[str]) -> None:
    from gpubfs.grading.writing import shown

    if students:
        names = ", ".join(map(shown, students))
        click.echo(f"no time is known, and nothing taken for being late: {names}", err=True)


def _upload(options: Options, book: Gradebook) -> Upload | None:
    from gpubfs.grading.platforms.canvas import canvas_upload
    from gpubfs.grading.platforms.moodle import moodle_upload
    from gpubfs.grading.platforms.tables import read_table

    column = options.column, options.out_of
    if options.canvas:
        return canvas_upload(book, read_table(options.canvas), *column)
    if options.moodle:
        return moodle_upload(book, read_table(options.moodle), *column)
    return None
