"""`gpubfs grade-all`: a whole class."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import show
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.cohort import Job


@click.command("grade-all")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--exercise",
    "paths",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    default=(Path("lessons"),),
    show_default=True,
    help="The exercises: one, a lesson's or the whole course's folder; may be repeated.",
)
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("grades"),
    show_default=True,
    help="Where results, marks.csv and report.html go.",
)
@click.option(
    "--jobs", type=click.IntRange(1), help="How many at a time; one for each core by default."
)
@click.option("--scheduler", metavar="ADDRESS", default="", help="Let a Dask cluster grade.")
def grade_all(
    folder: Path, paths: tuple[Path, ...], to: Path, jobs: int | None, scheduler: str
) -> None:
    """Grade a class, several at a time.

    FOLDER has a folder for each student, and in it files named after the exercises (SLUG.cu, or
    LESSON/SLUG.cu), or the lessons as the student edited them. Every result is written down at
    once: started again, it goes on where it stopped, and grades only what has changed.

    Hidden cases depend on the secret in the environment variable GPUBFS_SECRET and are left out
    without it.

    \b
    Example: gpubfs grade-all handed-in --exercise lessons/03-frontier-queues --to grades
    """
    from gpubfs.grading import cohort
    from gpubfs.grading.exercise import exercises
    from gpubfs.grading.marks import report, table
    from gpubfs.grading.sandbox import SECRET

    found = [exercise for path in paths for exercise in exercises(path)]
    if not found:
        raise UsageError("there is no exercise in " + ", ".join(map(str, paths)))
    there = cohort.jobs(folder, found)
    graded = cohort.Cohort(there, to, os.environ.get(SECRET, ""))
    with _bar(len(there)) as told:
        marked = graded.run(jobs or os.cpu_count() or 1, scheduler, told)
    sheets = report(marked)
    to.mkdir(parents=True, exist_ok=True)
    (to / "marks.csv").write_text(table(marked), encoding="utf-8")
    page = "".join(sheet.html() for sheet in sheets)
    (to / "report.html").write_text(
        f"<!DOCTYPE html><meta charset='utf-8'><title>report</title>{page}\n", encoding="utf-8"
    )
    show(*sheets)
    click.echo(f"\nwritten: {to / 'marks.csv'}, {to / 'report.html'}, {to / cohort.RESULTS}")


@contextmanager
def _bar(count: int) -> Iterator[Callable[[Job], None]]:
    """A progress bar on a terminal; elsewhere a line now and then."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Rest

    if not sys.stderr.isatty():
        yield _Lines(count)
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rest()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("grading", total=count)
        yield lambda job: bar.update(task, advance=1, description=f"graded {job.student}")


class _Lines:
    """A line on standard error for every tenth of the jobs."""

    def __init__(self, count: int) -> None:
        self.count, self.done = count, 0

    def __call__(self, job: Job) -> None:
        before, self.done = self.done, self.done + 1
        if before * 10 // self.count != self.done * 10 // self.count:
            click.echo(f"{self.done} of {self.count} graded", err=True)
