"""`gpubfs leaderboard`: a class's submissions by what they cost, in counters."""

from __future__ import annotations

import html
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.cli.common import check_page, json_option, print_json, show, stopped_by_term
from gpubfs.cli.grade_all import bar
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.cohort.board_page import BoardPage
    from gpubfs.grading.exercise import Exercise
    from gpubfs.render.sheets import Sheet

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
#: How pages may end.
PAGES = (".html", ".md")


@click.command()
@click.argument("folder", type=_FOLDER)
@click.option("--exercise", "of", type=_FOLDER, required=True, metavar="DIR", help="The exercise.")
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("leaderboard"),
    show_default=True,
    help="Where results go, so that nothing is run twice.",
)
@click.option(
    "--jobs", type=click.IntRange(1), help="How many at a time; one for each core by default."
)
@click.option("--scheduler", metavar="ADDRESS", help="Let a Dask cluster run the submissions.")
@click.option(
    "--anonymous",
    is_flag=True,
    help="Codes in the place of names. They depend on the secret; --json without this says whose.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the leaderboard as a page, too: FILE.html, or FILE.md in Markdown.",
)
@json_option
def leaderboard(**options: Any) -> None:
    """Rank a class's submissions for an exercise by what their searches cost.

    FOLDER is the class, as for grade-all. Each submission is run in the same sandbox as for marks,
    on the graphs of all cases, the hidden ones with the secret in GPUBFS_SECRET. It has a place if
    its results are right in all cases, in all orders of warps, and the sanitizers find nothing;
    limits are for marks alone. All others are listed with the reason.

    The score is 100 times the geometric mean, over the graphs, of the weighted mean of counters,
    each divided by what the technique's own kernel counts on the same graph. So the technique has
    100, and less is better. Weights are those under [score] in the exercise.toml. Where the
    technique counts nothing, 1 is added to both. Equal scores share a place. Nothing is timed: a
    faster machine changes nothing, unless a case is too slow for the exercise's `seconds`.

    JSON has the cost on each graph, hidden ones too: it is for instructors.

    \b
    Example: gpubfs leaderboard handed-in --exercise lessons/12-best/exercises/capstone
    Example: gpubfs leaderboard handed-in --exercise lessons/12-best/exercises/capstone \\
               --anonymous --page board.html
    """
    _rank(Options(**options))


@dataclass(frozen=True)
class Options:
    """What was given on the command line."""

    folder: Path
    of: Path
    to: Path
    jobs: int | None
    scheduler: str | None
    anonymous: bool
    page: Path | None
    as_json: bool


def _rank(options: Options) -> None:
    from gpubfs.grading.cohort.grading import Cohort
    from gpubfs.grading.cohort.ranking import board, board_dict, check_score, ranked
    from gpubfs.grading.loading import load
    from gpubfs.grading.platforms import downloads
    from gpubfs.grading.processes.sandbox import SECRET

    exercise = load(options.of)
    check_score(exercise)
    _check(options)
    jobs, unmatched = downloads.class_jobs(options.folder, [exercise])
    secret = os.environ.get(SECRET, "")
    cohort = Cohort(jobs, options.to, secret, measure=True)
    with stopped_by_term(), bar(len(jobs)) as at_job:
        marked = cohort.run(options.jobs or os.cpu_count() or 1, options.scheduler or "", at_job)
    # Without a secret, codes that nobody can make of names are others each time.
    entries = ranked(marked, exercise, secret or secrets.token_hex())
    notes = _notes(exercise, secret, SECRET)
    sheets = board(entries, exercise, options.anonymous, notes)
    if options.page is not None:
        from gpubfs.grading.cohort.board_page import BoardPage

        shown = BoardPage(entries, exercise, options.anonymous, notes)
        _write_page(options.page, sheets, shown)
    if options.as_json:
        print_json(board_dict(entries, exercise, options.anonymous, notes))
        return
    show(*sheets)
    if unmatched:
        some = "1 file was" if len(unmatched) == 1 else f"{len(unmatched)} files were"
        click.echo(f"{some} taken for no submission; gpubfs grade-all lists them", err=True)
    if options.page is not None:
        click.echo(f"written: {options.page}")


def _check(options: Options) -> None:
    """Raise UsageError for what cannot be done, before anything is run."""
    if options.scheduler is not None and not options.scheduler.strip():
        words = "give one, such as tcp://scheduler:8786, or leave out --scheduler"
        raise UsageError("--scheduler has no address", words)
    if options.to.resolve().is_relative_to(options.folder.resolve()):
        words = f"{options.to} is in {options.folder}, where every folder is a student's"
        raise UsageError(words, "name another folder with --to")
    if options.page is not None and options.page.suffix.lower() not in PAGES:
        raise UsageError(
            f"a page does not end in {options.page.suffix or 'nothing'}", "FILE.html or FILE.md"
        )
    check_page(options.page)


def _notes(exercise: Exercise, secret: str, variable: str) -> list[str]:
    """Return what stands below: which cases were left out."""
    hidden = sum(case.hidden for case in exercise.cases)
    if secret or not hidden:
        return []
    cases = "1 hidden case was" if hidden == 1 else f"{hidden} hidden cases were"
    return [f"{cases} left out: {variable} is not set."]


def _write_page(page: Path, sheets: tuple[Sheet, ...], shown: BoardPage) -> None:
    from gpubfs.grading.writing import write

    if page.suffix.lower() == ".md":
        write(page, "\n".join(map(_section, sheets)))
        return
    write(page, str(shown))


def _section(sheet: Sheet) -> str:
    """Return a table in Markdown below its title; what students write is text and no markup."""
    plain = sheet.translated(lambda text: html.escape(" ".join(text.split()), quote=False))
    return f"## {plain.title}\n\n{plain.markdown()}\n"
