"""What is handed in for an exercise: which file, and which case of it a command is to show."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.cli.common import spinner
from gpubfs.cli.streams import tell
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.exercise import Exercise
    from gpubfs.grading.outcome import Failure, Grade
    from gpubfs.grading.steps.watching import Watched

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@dataclass(frozen=True)
class Submitted:
    """A case of an exercise, and a file that was made for it.

    Attributes
    ----------
    folder : Path
        The exercise's folder.
    case : str
        The case's number or name; empty where the first is meant that is lost.
    file : Path or None
        The file; by default the exercise's starter.
    """

    folder: Path
    case: str = ""
    file: Path | None = None

    @contextmanager
    def opened(self, schedule: str | None) -> Iterator[Watched]:
        """Find out how the case is lost, and say so; yields its run, to be watched."""
        from gpubfs.grading.loading import load
        from gpubfs.grading.steps.rerun import opened

        exercise, file = submission(load(self.folder), self.file)
        bar = spinner(f"running {exercise.name}")
        with bar as say, opened(exercise, file, self.case, schedule) as found:
            watched = found.watched
            say(f"watching {watched.title}")
            tell_failure(watched.title, found.failure)
            yield watched


def tell_failure(title: str, failure: Failure | None, word: str = "lost") -> None:
    """Say on standard error what is shown, and why it is lost, or whatever `word` calls it."""
    from gpubfs.grading.feedback import clean, failure_lines

    tell(f"{title}: {'passed' if failure is None else word}")
    for text in [] if failure is None else failure_lines(clean(failure)):
        for line in text.splitlines():
            tell(f"  {line}")


def submitted_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a case of an exercise; the command gets `submitted`, or None."""

    @wraps(command)
    def called(
        *others: Any, folder: Path | None, case: str, submission: Path | None, **more: Any
    ) -> Any:
        if folder is None and (case or submission is not None):
            name = "--case" if case else "--submission"
            raise UsageError(f"{name} is for exercises", "add --exercise FOLDER")
        chosen = None if folder is None else Submitted(folder, case, submission)
        return command(*others, submitted=chosen, **more)

    file = click.Path(path_type=Path, exists=True)
    options = (
        click.option(
            "--exercise",
            "folder",
            type=FOLDER,
            metavar="FOLDER",
            help="Show your kernel for this exercise, in a case that gpubfs grade grades.",
        ),
        click.option(
            "--case",
            default="",
            metavar="CASE",
            help="The case, by its number or name; by default the first that is lost.",
        ),
        click.option(
            "--submission",
            type=file,
            metavar="FILE",
            help="The file that was made for the exercise; by default its starter, as edited.",
        ),
    )
    made: Callable[..., Any] = called
    for one in reversed(options):
        made = one(made)
    return made


def require(*names: str) -> None:
    """Raise the error for the first parameter of the command that is missing."""
    context = click.get_current_context()
    for name in names:
        if not context.params.get(name):
            wanted = next(one for one in context.command.params if one.name == name)
            raise click.MissingParameter(ctx=context, param=wanted)


def submission(exercise: Exercise, file: Path | None = None) -> tuple[Exercise, Path]:
    """Return an exercise and what is graded for it: a file that fits, or its starter.

    Raises
    ------
    UsageError
        If the file cannot be meant for it, or the starter is not there.
    """
    if file is not None:
        return exercise, _fitting(exercise, file)
    if not exercise.starter.is_file():
        raise _no_starter(exercise)
    return exercise, exercise.starter


def _fitting(exercise: Exercise, file: Path) -> Path:
    """Return a file that may have been meant for an exercise."""
    from gpubfs.grading.loading import suffixes

    if file.is_dir():
        raise UsageError(
            f"{file} is a folder",
            f"name the {exercise.suffix} file that was handed in for {exercise.name}",
        )
    if file.suffix in suffixes() - {exercise.suffix}:
        raise UsageError(
            f"{file} is no {exercise.suffix} file, as {exercise.name} wants it",
            f"name the file that you made of {exercise.starter.name}",
        )
    return file


def _no_starter(exercise: Exercise) -> UsageError:
    """Return the error where what is graded is not there; perhaps it has another name."""
    name, folder = exercise.starter.name, exercise.folder
    others = sorted(path for path in folder.glob(f"*{exercise.suffix}") if path.stem != "solution")
    hint = f"edit {name}, and leave its name"
    if others:
        hint = f"rename it, or: gpubfs grade {others[0]} --exercise {folder}"
    return UsageError(f"there is no {name} in {folder}", hint)


def trace_commands(exercise: Exercise, file: Path, grade: Grade) -> dict[str, str]:
    """Return for each case that has steps to be looked at the command that shows them."""
    from gpubfs.grading.steps.rerun import has_steps, number_of

    return {
        outcome.case: _trace_command(exercise, file, number_of(exercise, outcome.case))
        for outcome in grade.outcomes
        if has_steps(exercise, outcome)
    }


def _trace_command(exercise: Exercise, file: Path, number: int) -> str:
    """Return a command as a shell takes it. It begins at the step where it goes wrong."""
    plugins = click.get_current_context().find_root().params.get("plugins", ())
    parts = ["gpubfs", *(part for name in plugins for part in ("--plugin", name)), "trace"]
    parts += ["--exercise", from_here(exercise.folder), "--case", str(number)]
    if file.resolve() != exercise.starter:
        parts += ["--submission", from_here(file.resolve())]
    return shlex.join(parts)


def from_here(path: Path) -> str:
    """Return a path below this folder as seen from it, and any other as it is."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
