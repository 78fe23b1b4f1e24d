"""Bounds of time that hold on slow machines, too: a reference is taken in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

#: Seconds of processor time that the reference takes where bounds of tests were set.
REFERENCE = 0.05


@cache
def slowness() -> float:
    """How much slower this machine is than that one; 1 where it is as fast or faster."""
    return max(1.0, min(_seconds() for _ in range(5)) / REFERENCE)


def _seconds() -> float:
    """What the reference takes: words go into a dictionary, as those of a program do."""
    begun = time.process_time()
    found: dict[str, int] = {}
    for number in range(100_000):
        word = f"w{number % 997}"
        found[word] = found.get(word, 0) + number
    return time.process_time() - begun


def allowed(seconds: float) -> float:
    """Return so many seconds of the machine where bounds were set, as seconds of this one."""
    return seconds * slowness()


@contextmanager
def soon(seconds: float) -> Iterator[None]:
    """Fail if what is inside takes more processor time than that; others' work does not count."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < allowed(seconds)
