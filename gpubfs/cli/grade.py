"""`gpubfs grade`: an exercise, a lesson, or what somebody handed in."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from os.path import relpath
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
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--exercise",
    "of",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="The exercise that PATH was handed in for, where PATH is a file elsewhere.",
)
@click.option("--hint", type=click.IntRange(1), metavar="N", help="Show the first N hints.")
@click.option("--printed", is_flag=True, help="Show what cases print that are not lost, too.")
@click.option(
    "--json",
    "to",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write results.json as Gradescope reads it; - is standard output.",
)
def grade(path: Path, of: Path | None, hint: int | None, printed: bool, to: Path | None) -> None:
    """Grade an exercise and say what to mend.

    PATH is an exercise's folder, whose starter is graded as you edited it, a lesson's folder for
    all its exercises, or a file that was handed in (with --exercise).

    Below a case that a kernel loses stands the command that traces it from where it goes wrong, and
    what the kernel prints by printf. A lesson ends with its marks, exercise by exercise.

    Results must be right on every case, in several orders of warps; some cases are watched by
    sanitizers, some have limits on counters. Nothing is timed. Hidden cases depend on the secret in
    the environment variable GPUBFS_SECRET and are left out without it.

    gpubfs learn grades an exercise again whenever you save it.

    \b
    Example: gpubfs grade lessons/00-warp/exercises/sum
    Example: gpubfs grade lessons/00-warp
    Example: gpubfs grade lessons/00-warp/exercises/sum --hint 1
    Example: gpubfs grade mine.cu --exercise lessons/00-warp/exercises/sum --json results.json
    """
    from gpubfs.grading.feedback import Feedback, write_gradescope
    from gpubfs.grading.totals import Totals

    if not path.exists():
        raise _missing(path)
    if to is not None and not to.parent.is_dir():
        raise UsageError(f"{to} cannot be written: there is no folder {to.parent}", "make it")
    grades = []
    for exercise, file in _submissions(path, of):
        made = graded(exercise, file)
        grades.append(made)
        if str(to) != "-":
            show(Feedback(made, trace_commands(exercise, file, made), printed), crop=False)
        _show_hints(exercise, hint, err=str(to) == "-")
    if len(grades) > 1 and str(to) != "-":
        click.echo()
        show(Totals(grades))
    if to is not None:
        write_gradescope(grades, to)
    if not all(made.full for made in grades):
        raise SystemExit(1)


def _missing(path: Path) -> UsageError:
    """Return the error for a path that is not there, with the exercise that may be meant."""
    from gpubfs.grading.learning.course import find

    try:
        known = {one.folder.name: one.folder for one in find().exercises}
    except UsageError:  # there is no course here
        known = {}
    near = get_close_matches(path.name, known, n=1)
    hint = "name an exercise's folder, or for a file elsewhere its exercise: --exercise FOLDER"
    if near:
        hint = f"did you mean {relpath(known[near[0]])}?"
    return UsageError(f"there is no file or folder {path}", hint)


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


def graded(exercise: Exercise, file: Path, tick: Callable[[], None] | None = None) -> Grade:
    """Return the grade of a submission, and show meanwhile how far it is.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    file : Path
        The submission.
    tick : callable, optional
        Called several times a second; what it raises ends grading.
    """
    from gpubfs.grading.processes.sandbox import grade as grade_in_sandbox

    title = f"grading {exercise.name}"
    with stopped_by_term(), spinner(title) as say:
        return grade_in_sandbox(
            exercise, file, notify=lambda outcome: say(f"{title}: {outcome.case}"), tick=tick
        )


def _show_hints(exercise: Exercise, count: int | None, err: bool) -> None:
    for number, hint in enumerate(exercise.hints[: count or 0], 1):
        click.echo(f"hint {number} of {len(exercise.hints)}: {hint}", err=err)
