"""`gpubfs grade`: an exercise, a lesson, or what somebody handed in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import show, spinner, stopped_by_term
from gpubfs.cli.submitted import submission, trace_commands
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.exercise import Exercise
    from gpubfs.grading.outcome import Grade


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--exercise",
    "of",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="The exercise that PATH was handed in for, where PATH is a file elsewhere.",
)
@click.option("--hint", type=click.IntRange(1), metavar="N", help="Show the first N hints.")
@click.option(
    "--json",
    "to",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write results.json as Gradescope reads it; - is standard output.",
)
def grade(path: Path, of: Path | None, hint: int | None, to: Path | None) -> None:
    """Grade an exercise and say what to mend.

    PATH is an exercise's folder, whose starter is graded as you edited it, a lesson's folder for
    all its exercises, or a file that was handed in (with --exercise).

    Below a case that a kernel loses stands the command that traces it from where it goes wrong.

    Results must be right on every case, in several orders of warps; some cases are watched by
    sanitizers, some have limits on counters. Nothing is timed. Hidden cases depend on the secret in
    the environment variable GPUBFS_SECRET and are left out without it.

    \b
    Example: gpubfs grade lessons/00-warp/exercises/sum
    Example: gpubfs grade lessons/00-warp/exercises/sum --hint 1
    Example: gpubfs grade mine.cu --exercise lessons/00-warp/exercises/sum --json results.json
    """
    from gpubfs.grading.feedback import Feedback, write_gradescope

    if to is not None and not to.parent.is_dir():
        raise UsageError(f"{to} cannot be written: there is no folder {to.parent}", "make it")
    grades = []
    for exercise, file in _submissions(path, of):
        made = _graded(exercise, file)
        grades.append(made)
        if str(to) != "-":
            show(Feedback(made, trace_commands(exercise, file, made)), crop=False)
        _show_hints(exercise, hint, err=str(to) == "-")
    if to is not None:
        write_gradescope(grades, to)
    if not all(made.full for made in grades):
        raise SystemExit(1)


def _submissions(path: Path, of: Path | None) -> list[tuple[Exercise, Path]]:
    """Return the exercises that are to be graded, and the files that were submitted for them."""
    from gpubfs.grading.loading import exercises, load

    if of is not None:
        return [submission(load(of), path)]
    found = exercises(path if path.is_dir() else path.parent)
    if not found:
        raise UsageError(
            f"there is no exercise in {path}",
            "name an exercise's folder, or for a file its exercise: --exercise FOLDER",
        )
    if path.is_file():
        return [submission(found[0], path)]
    if path.resolve() == found[0].folder:
        return [submission(found[0])]
    return [(exercise, exercise.starter) for exercise in found]


def _graded(exercise: Exercise, file: Path) -> Grade:
    from gpubfs.grading.sandbox import grade as graded

    with stopped_by_term(), spinner(f"grading {exercise.name}") as say:
        return graded(exercise, file, notify=lambda o: say(f"grading {exercise.name}: {o.case}"))


def _show_hints(exercise: Exercise, count: int | None, err: bool) -> None:
    for number, hint in enumerate(exercise.hints[: count or 0], 1):
        click.echo(f"hint {number} of {len(exercise.hints)}: {hint}", err=err)
