"""`gpubfs release`: the lessons for nbgrader, with solutions and without."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--lessons",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default="lessons",
    show_default=True,
    metavar="FOLDER",
    help="Where the lessons are.",
)
@click.option("--force", is_flag=True, help="Replace lessons that are in FOLDER already.")
def release(folder: Path, lessons: Path, force: bool) -> None:
    """Write the lessons for instructors and for students, as nbgrader lays them out.

    FOLDER/source has each notebook as it is, for `nbgrader generate_assignment`. FOLDER/release has
    it without solutions and hidden tests. Both have the exercises with fresh starters and without
    solutions, so that what nbgrader copies gives nothing away.

    Every notebook's nbgrader metadata are checked before anything is written.

    \b
    Example: gpubfs release course
    """
    from gpubfs.grading.notebooks.release import release as write

    for path in write(lessons, folder, force):
        click.echo(path)
