"""What a command does with standard streams that are closed, broken, full, or not UTF-8."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import click

from gpubfs.errors import ModuleWarning


class ReaderGone(Exception):  # noqa: N818, for it is no error
    """Who reads the output has read enough."""


def is_one_place() -> bool:
    """Return whether standard output and standard error end in one place, as on a terminal."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (OSError, ValueError):
        return False


def finish() -> None:
    """Write what is left; Python would complain at its end that it cannot."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            drop(stream)


def open_streams() -> None:
    """Put the null device in the place of streams that are closed, and make writing tolerant.

    A closed stream's number would otherwise be given to the next file that is opened, and what is
    printed would end in it.
    """
    modes = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
    for number, (name, mode) in enumerate(modes):
        if getattr(sys, name) is None:
            if _is_closed(number):
                _fill(number)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # an ASCII terminal gets question marks


def _fill(number: int) -> None:
    descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest free number, mostly this one
    if descriptor != number:
        os.dup2(descriptor, number)
        os.close(descriptor)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def tell(words: str) -> None:
    """Print on standard error, if there is anybody to read it."""
    with suppress(OSError, ValueError):
        click.echo(words, err=True)


def drop(stream: TextIO) -> None:
    """Drop what is still to be flushed: the reader has gone, or the disk is full."""
    with suppress(io.UnsupportedOperation, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def broken_modules_told() -> Iterator[None]:
    """Tell of modules that are left out as errors are told, and of other warnings as usual."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Any, category: Any, *place: Any, **more: Any) -> None:
            if issubclass(category, ModuleWarning):
                tell(str(message).replace("error:", "warning:", 1))
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", ModuleWarning)
        yield
