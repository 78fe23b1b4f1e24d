"""How pictures get into files: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What makes a picture.
Draw = Callable[[], "Figure"]

SUFFIXES = (".svg", ".png", ".pdf")

#: Dots per inch of a .png.
DPI = 150


@contextmanager
def kept(path: Path | None) -> Iterator[Callable[[Draw], None]]:
    """Yield a function that writes a picture; without a path it does nothing.

    The path is tried before anything is measured. The picture is written beside it under another
    name, and gets its own when it is whole: who interrupts gets no half a picture, and keeps the
    one that was there.

    Raises
    ------
    UsageError
        If no picture can be written there.
    """
    if path is None:
        yield lambda draw: None
        return
    if path.suffix.lower() not in SUFFIXES:
        given = path.suffix or "no suffix"
        raise UsageError(
            f"the picture {path} has {given}, which says no format that can be written",
            f"give a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
        )
    goal = path.resolve()
    part = goal.with_name(f".{goal.stem}.{os.getpid()}.part")
    try:
        _try(path, goal, part)
        yield lambda draw: _write(draw, part, goal)
    finally:
        with suppress(OSError):
            part.unlink()


def _try(path: Path, goal: Path, part: Path) -> None:
    if goal.is_dir():
        raise UsageError(f"the picture {path} is a folder", "give the name of a file")
    try:
        if goal.exists():
            goal.open("ab").close()
        part.open("wb").close()
    except OSError as error:
        raise UsageError(
            f"the picture {path} cannot be written: {error.strerror or error}",
            "give a name in a folder that exists and that you may write to",
        ) from None


def _write(draw: Draw, part: Path, goal: Path) -> None:
    kind = goal.suffix.lower().removeprefix(".")
    draw().savefig(part, format=kind, dpi=DPI)
    part.replace(goal)
