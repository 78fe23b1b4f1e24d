"""Kernels of the user's own: of an exercise, or of any file, and what cannot be said besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpubfs.cli.launched import Launched
from gpubfs.cli.settings import Settings
from gpubfs.cli.submitted import Submitted
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.steps.watching import Watched


@contextmanager
def own_kernel(
    given: Settings,
    names: Sequence[str],
    others: Mapping[str, object],
    submitted: Submitted | None,
    launched: Launched,
) -> Iterator[Watched]:
    """Find out what is run, and refuse what is given besides.

    Parameters
    ----------
    given : Settings
        The device and the schedule.
    names : sequence of str
        The techniques or files that are named.
    others : mapping of str to object
        What is for techniques only, by its flag.
    submitted : Submitted or None
        The case of an exercise.
    launched : Launched
        How a file is launched.

    Yields
    ------
    Watched
        The run.
    """
    if submitted is not None:
        own = {"a technique": names, "--device": given.device}
        _refuse(own | dict(others) | launched.given(), "--exercise", OF_CASE)
        with submitted.opened(given.schedule) as watched:
            yield watched
    else:
        _refuse(others, "a CUDA file", "leave it out: it is for techniques, which search graphs")
        yield launched.watched(names, given.device, given.schedule)


#: What to know where something is given besides --exercise.
OF_CASE = "a case of an exercise says itself what is run, and on which graph and device"


def _refuse(others: Mapping[str, object], what: str, hint: str) -> None:
    """Raise UsageError for the first thing that is given, and must not be."""
    for name, value in others.items():
        if value is not None and value is not False and value not in ((), ""):
            raise UsageError(f"{name} and {what} exclude each other", hint)
