"""`gpubfs grade-all`: a whole class."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.cli.common import Terminated, show, stopped_by_term
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.cohort.grading import Cohort
    from gpubfs.grading.cohort.submissions import Job, Marked, Unmatched

#: How many files that were not taken are shown, and students of whom nothing was found.
SHOWN = 10
#: How many of the lost cases; the report has all of them.
SHOWN_CASES = 20


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
    help="Where results, marks.csv, report.html and feedback go.",
)
@click.option(
    "--jobs", type=click.IntRange(1), help="How many at a time; one for each core by default."
)
@click.option("--scheduler", metavar="ADDRESS", help="Let a Dask cluster grade.")
@click.option(
    "--without-hidden",
    is_flag=True,
    help="Leave hidden cases out, and replace results that have them.",
)
def grade_all(**options: Any) -> None:
    """Grade a class, several at a time.

    FOLDER has a folder for each student, and in it files named after the exercises (SLUG.cu, or
    LESSON/SLUG.cu), or the lessons as the student edited them. Links are not followed. What Canvas
    and Moodle let you download of a whole class is understood as it is, too. Every result is
    written down at once: started again, it goes on where it stopped, and grades only what has
    changed.

    It writes marks.csv, where the cell of what was not handed in is empty and counts as 0 in the
    sum; marks.json for `gpubfs marks`, which makes tables for Canvas and Moodle of it; report.html;
    and a text for each student with the feedback on all exercises.

    Hidden cases depend on the secret in the environment variable GPUBFS_SECRET and are left out
    without it.

    \b
    Example: gpubfs grade-all handed-in --exercise lessons/03-frontier-queues --to grades
    """
    _grade_class(Options(**options))


@dataclass(frozen=True)
class Options:
    """What was given on the command line."""

    folder: Path
    paths: tuple[Path, ...]
    to: Path
    jobs: int | None
    scheduler: str | None
    without_hidden: bool


def _grade_class(options: Options) -> None:
    from gpubfs.grading.cohort.grading import Cohort
    from gpubfs.grading.loading import exercises
    from gpubfs.grading.platforms import downloads, marks
    from gpubfs.grading.processes.sandbox import SECRET

    folder, to = options.folder, options.to
    if options.scheduler is not None and not options.scheduler.strip():
        words = "give one, such as tcp://scheduler:8786, or grade here, without --scheduler"
        raise UsageError("--scheduler has no address", words)
    if to.resolve().is_relative_to(folder.resolve()):
        words = f"{to} is in {folder}, where every folder is a student's"
        raise UsageError(words, "name another folder with --to")
    found = [exercise for path in options.paths for exercise in exercises(path)]
    if not found:
        raise UsageError("there is no exercise in " + ", ".join(map(str, options.paths)))
    jobs, unmatched = downloads.class_jobs(folder, found)
    secret = "" if options.without_hidden else os.environ.get(SECRET, "")
    cohort = Cohort(jobs, to, secret)
    if not secret:
        _look_for_hidden(cohort, options.without_hidden)
    with stopped_by_term(), bar(len(jobs)) as at_job:
        marked = cohort.run(options.jobs or os.cpu_count() or 1, options.scheduler or "", at_job)
    table = marks.write_marks(jobs, marked, to)
    _report(options, jobs, unmatched, marked, f"{SECRET} is not set")
    click.echo(f"for `gpubfs marks`: {table}")


def _look_for_hidden(cohort: Cohort, without_hidden: bool) -> None:
    """Refuse to replace results with hidden cases by ones without, unless that is wanted."""
    count = cohort.with_hidden()
    what = "1 result has" if count == 1 else f"{count} results have"
    if count and not without_hidden:
        raise UsageError(
            f"{what} hidden cases in {cohort.to}, and GPUBFS_SECRET is not set",
            "set it; or replace them by results without hidden cases: --without-hidden",
        )
    if count:
        click.echo(f"{what} hidden cases in {cohort.to}, and will not have them any more", err=True)


def _report(
    options: Options,
    jobs: list[Job],
    unmatched: list[Unmatched],
    marked: list[Marked],
    no_secret: str,
) -> None:
    """Write everything down, and show what matters."""
    from gpubfs.grading.cohort import report
    from gpubfs.grading.cohort.minutes import minutes_taken

    folder, why = options.folder, "as you asked" if options.without_hidden else no_secret
    notes = report.notes(folder, marked, why)
    minutes = minutes_taken(folder, jobs)
    written = report.write_report(marked, unmatched, notes, minutes, options.to)
    show(
        *report.report_sheets(marked, SHOWN_CASES),
        *report.hidden_only_sheets(marked, SHOWN),
        *report.unmatched_sheets(marked, unmatched, SHOWN),
    )
    click.echo("\n" + "".join(f"{note}\n" for note in notes), nl=False)
    click.echo("written: " + ", ".join(map(str, written)))


@contextmanager
def bar(count: int) -> Iterator[Callable[[Job], None]]:
    """Show how far it is: a bar on a terminal, elsewhere lines; if stopped, say how to go on."""
    try:
        with _progress(count) as at_job:
            yield at_job
    except (KeyboardInterrupt, Terminated):
        click.echo("results so far are kept; the same command goes on", err=True)
        raise


@contextmanager
def _progress(count: int) -> Iterator[Callable[[Job], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Rest

    from gpubfs.grading.writing import shown

    if not sys.stderr.isatty():
        yield _Lines(count)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Rest(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("grading", total=count)
        yield lambda job: bar.update(task, advance=1, description=f"graded {shown(job.student)}")


class _Lines:
    """A line on standard error for every tenth of the jobs."""

    def __init__(self, count: int) -> None:
        self.count, self.done = count, 0

    def __call__(self, job: Job) -> None:
        before, self.done = self.done, self.done + 1
        if before * 10 // self.count != self.done * 10 // self.count:
            click.echo(f"{self.done} of {self.count} graded", err=True)
