"""Options of commands that write films of steps: which steps, and how fast."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gpubfs.show.traces.files.film import Film

Command = Callable[..., Any]


def film_options(command: Command) -> Command:
    """Add --export, --steps and --fps to a command, which gets `to` and `film`."""

    @wraps(command)
    def called(
        *arguments: Any, to: Path | None, steps: range | None, fps: float | None, **others: Any
    ) -> Any:
        return command(*arguments, to=to, film=film_of(to, steps, fps), **others)

    made: Command = called
    for option in reversed(OPTIONS):
        made = option(made)
    return made


def film_of(to: Path | None, steps: range | None, fps: float | None) -> Film | None:
    """Return what a film shows, None if none is made; options of films are refused there."""
    from gpubfs.show.traces.files.film import FPS, SUFFIXES, Film

    if to is not None and to.suffix.lower() in SUFFIXES:
        return Film(steps, FPS if fps is None else fps)
    for flag, value in (("--steps", steps), ("--fps", fps)):
        if value is not None:
            kinds = ", ".join(SUFFIXES)
            raise click.UsageError(f"{flag} is for films, which --export makes of {kinds}")
    return None


def _steps(context: click.Context, parameter: click.Parameter, value: str | None) -> range | None:
    """Two steps with a hyphen or a colon between them, or one, as a range from 0."""
    if value is None:
        return None
    first, _, last = value.replace(":", "-").partition("-")
    ends = first, last or first
    if not all(end.isdecimal() for end in ends) or not 1 <= int(ends[0]) <= int(ends[1]):
        raise click.BadParameter(f"{value!r} is no range of steps, as 10-60 is")
    return range(int(ends[0]) - 1, int(ends[1]))


OPTIONS = (
    click.option(
        "--export",
        "to",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write a page of all steps (.html), the picture of a step (.svg), all as text "
        "(.txt), or a film (.gif, .mp4, .webm, or .cast for terminals).",
    ),
    click.option(
        "--steps",
        metavar="FIRST-LAST",
        callback=_steps,
        help="The steps of a film, such as 10-60: by default all.",
    ),
    click.option(
        "--fps",
        type=click.FloatRange(0.1, 50),
        metavar="NUMBER",
        help="Steps of a film a second: by default 2.",
    ),
)
