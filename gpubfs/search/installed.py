"""Entry points of installed packages, looked for without importing what reads packages' data."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: How folders end into which installers write what there is to say of a package.
FOLDERS = (".dist-info", ".egg-info", "EGG-INFO")


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
    section = f"[{group}]".encode()
    written = map(_written, [place or os.curdir for place in sys.path])
    if not any(text is None or section in text for text in written):
        return ()
    from importlib.metadata import entry_points as found

    return found(group=group)


@cache
def _written(place: str) -> bytes | None:
    """Return all entry points of packages in a folder; of what is no folder nobody knows."""
    if os.path.isfile(place) or place.endswith(".egg"):
        return None
    names = os.listdir(place) if os.path.isdir(place) else []
    folders = (name for name in names if name.endswith(FOLDERS))
    files = (os.path.join(place, folder, "entry_points.txt") for folder in folders)
    return b"".join(_content(file) for file in files)


def _content(file: str) -> bytes:
    with suppress(OSError), open(file, "rb") as opened:
        return opened.read()
    return b""
