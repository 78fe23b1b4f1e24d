"""Traces as files: a page, a picture of one step, the text of all, or a film."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path
from secrets import token_hex

from gpubfs.errors import UsageError
from gpubfs.show.traces.files.film import SUFFIXES as FILMS
from gpubfs.show.traces.files.film import WHOLE, Film, check_film, write_film
from gpubfs.show.traces.files.page import page
from gpubfs.show.traces.files.picture import svg
from gpubfs.show.traces.files.styled import HEIGHT, WIDTH, plain, step_of
from gpubfs.show.traces.steppable import Steppable

SUFFIXES = (".html", ".svg", ".txt", *FILMS)


def export(
    show: Steppable,
    path: Path,
    at: int = 0,
    width: int | None = None,
    height: int | None = None,
    film: Film = WHOLE,
) -> None:
    """Write a trace into a file, whole or not at all.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    path : pathlib.Path
        The file: a page to step through if its name ends in ``.html``, the picture of step `at` if
        in ``.svg``, all steps as plain text if in ``.txt``, a film if in ``.gif``, ``.mp4``,
        ``.webm`` or ``.cast``. One that is there is replaced.
    at : int
        The step of a picture, and the one that a page begins with.
    width, height : int, optional
        Characters of a line and lines of a step in pictures and texts, 100 and 40 unless given;
        of a film 116 and 32.
    film : Film
        The steps of a film, and how fast they are shown.

    Raises
    ------
    UsageError
        If the name ends otherwise, the file cannot be written, or there is no step `at`.
    """
    suffix = _suffix(path)
    new = _reserved(path)  # before the work
    try:
        if suffix in FILMS:
            with _refusals(path):
                write_film(show, new, suffix, film, width, height)
                new.replace(os.path.realpath(path))
            return
        content = _content(show, suffix, at, width or WIDTH, height or HEIGHT)
        with _refusals(path):
            new.write_text(content, "utf-8", newline="\n")
            new.replace(os.path.realpath(path))
    finally:
        new.unlink(missing_ok=True)


def check_path(path: Path) -> None:
    """Refuse a file that `export` could not write, before there is anything to write.

    Raises
    ------
    UsageError
        As `export` does.
    """
    check_film(_suffix(path))
    _reserved(path).unlink()


def text(show: Steppable, width: int = WIDTH, height: int = HEIGHT) -> str:
    """All steps as text without styles, each below a line that numbers it."""
    return "".join(
        f"──── {step_of(at, len(show))} ────\n{_picture(show, at, width, height)}\n"
        for at in range(len(show))
    )


def _picture(show: Steppable, at: int, width: int, height: int) -> str:
    lines = (plain(line).rstrip() for line in show.frame(at, width, height))
    return "".join(f"{line}\n" for line in lines)


def _content(show: Steppable, suffix: str, at: int, width: int, height: int) -> str:
    if suffix == ".txt":
        return text(show, width, height)
    if not 0 <= at < len(show):
        raise UsageError(f"there is no step {at + 1}", f"the last one is {len(show)}")
    return page(show, at) if suffix == ".html" else svg(show, at, width, height)


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f'what a file holds is said by the end of its name, which "{path.name}" does not',
            "end it in .html for a page, .svg for a picture of one step, .txt for all as text, or "
            "for a film in .gif, .mp4, .webm or .cast",
        )
    return suffix


def _reserved(path: Path) -> Path:
    """Return an empty file in the folder of `path`, from where it can take its place at once."""
    target = Path(os.path.realpath(path))  # what a link stands for is replaced, not the link
    new = target.with_name(f".gpubfs-{token_hex(8)}")
    with _refusals(path):
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        new.touch(exist_ok=False)
    return new


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Raise what the file system refuses as an error for people."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}",
            "name a file in a folder of yours",
        ) from error
