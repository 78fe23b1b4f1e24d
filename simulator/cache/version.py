"""What results depend on besides what they are made of: this package, Python and its packages."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

#: When this package was imported, in nanoseconds.
_IMPORTED = time.time_ns()
#: Nanoseconds that its import may have taken before, and that clocks may differ by.
_MARGIN = 2_000_000_000
#: This package's folder.
PACKAGE = str(Path(__file__).parents[1])

Files = tuple[tuple[str, int, int, int], ...]


@cache
def version() -> str:
    """Return a digest of this package's files, of Python, NumPy and Lark.

    Files are not read: their paths, sizes and times of change stand for what is in them.

    Returns
    -------
    str
        Empty where files have changed since they were imported, or cannot be told: nothing may be
        kept, nor be used, then.

    Examples
    --------
    >>> version() == version()
    True
    """
    return digest_of(_first(), _IMPORTED)


def digest_of(files: Files, imported: int) -> str:
    """Return a digest of files and of what they run on.

    Parameters
    ----------
    files : tuple of (str, int, int, int)
        The path, the size and the times of change in nanoseconds of each.
    imported : int
        When they were imported.

    Returns
    -------
    str
        Empty where there are none, or some have changed since.
    """
    changed = max((max(one[2:]) for one in files), default=sys.maxsize)
    if changed > imported - _MARGIN:
        return ""
    made = (files, _python(), _lark())
    return hashlib.blake2b(repr(made).encode(), digest_size=16).hexdigest()


def is_unchanged() -> bool:
    """Whether this package's files still are what `version` tells of."""
    return bool(version()) and state_of(PACKAGE) == _first()


@cache
def _first() -> Files:
    return state_of(PACKAGE)


def state_of(folder: str) -> Files:
    """Return the path, the size and the times of change of each file below a folder.

    Parameters
    ----------
    folder : str
        A package's.

    Returns
    -------
    tuple of (str, int, int, int)
        Without what Python makes of the files; nothing where there is no folder.
    """
    with suppress(OSError):
        return tuple(sorted(_files(folder)))
    return ()


def _files(folder: str) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                yield from _files(entry.path)
            else:
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _python() -> tuple[object, ...]:
    import numpy as np

    return sys.version, sys.platform, sys.byteorder, sys.maxsize, sys.flags.optimize, np.__version__


def _lark() -> bytes:
    """Return the file of the parser's package that names its version."""
    spec = importlib.util.find_spec("lark")
    return Path(spec.origin).read_bytes() if spec and spec.origin else b""
