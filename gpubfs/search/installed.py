"""Entry points of installed packages, looked for without importing what reads packages' data."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: Where installers write the entry points of a package, in a folder of Python's path.
FILES = ("*.dist-info", "*.egg-info", os.path.join("EGG-INFO"))


def entry_points(group: str) -> Iterable[EntryPoint]:
    """Return the entry points of a group, as `importlib.metadata` does.

    Parameters
    ----------
    group : str
        What their section is called.

    Returns
    -------
    iterable of EntryPoint
        Nothing, in a small part of the time, where no package on the path has such a section.
    """
    if not any(_may_have(place or os.curdir, f"[{group}]".encode()) for place in sys.path):
        return ()
    from importlib.metadata import entry_points as found

    return found(group=group)


@cache
def _may_have(place: str, section: bytes) -> bool:
    """Whether a package in a folder may have such a section; of what is no folder nobody knows."""
    if os.path.isfile(place) or place.endswith(".egg"):
        return True
    files = (os.path.join(glob.escape(place), one, "entry_points.txt") for one in FILES)
    return any(section in _content(file) for pattern in files for file in glob.iglob(pattern))


def _content(file: str) -> bytes:
    with suppress(OSError), open(file, "rb") as opened:
        return opened.read()
    return b""
