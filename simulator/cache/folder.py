"""The folder, which is the user's own."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: The variable of the environment, and what turns the cache off.
VARIABLE, OFF = "GPUBFS_CACHE", ("off", "0", "no", "none")
#: How what is not finished ends.
UNFINISHED = ".part"
#: What others must not have.
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def folder() -> Path | None:
    """Return the folder, which is made where it is missing; None where there can be none.

    There is none, either, where others could write into it.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted.lower() in OFF:
        return None
    with suppress(OSError, RuntimeError, ValueError):  # a system without a home, or a folder
        path = Path(wanted) if wanted else _usual()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_own(path.stat()) or (not wanted and not hasattr(os, "getuid")):
            return path
    return None


def is_own(status: os.stat_result) -> bool:
    """Whether a file or folder is this user's, and no other but the administrator can write it.

    Parameters
    ----------
    status : stat_result
        What the system says of it.

    Returns
    -------
    bool
        False, too, where the system does not know.

    Examples
    --------
    >>> is_own(os.stat_result((0o100666, 0, 0, 1, os.geteuid(), 0, 0, 0, 0, 0)))
    False
    """
    uid = os.geteuid() if hasattr(os, "geteuid") else -1
    return status.st_uid == uid and not status.st_mode & _WRITABLE


@contextmanager
def file(name: str) -> Iterator[Path | None]:
    """Yield where a file is, or is to be made, which is there as a whole from the end on.

    Parameters
    ----------
    name : str
        Its name in the folder.

    Yields
    ------
    Path or None
        A file that only this user can have written, or the place of a new one; None where there can
        be none.
    """
    place = folder()
    if place is None or _is_trusted(place / name):
        yield None if place is None else place / name
        return
    inner = None
    with suppress(OSError):
        inner = Path(tempfile.mkdtemp(UNFINISHED, dir=place))  # into which nobody else can look
    try:
        yield None if inner is None else inner / name
        with suppress(OSError):
            if inner is not None:
                (inner / name).chmod(0o600)
                os.replace(inner / name, place / name)
    finally:
        if inner is not None:
            shutil.rmtree(inner, ignore_errors=True)


def _is_trusted(path: Path) -> bool:
    """Whether a file is there that only this user can have written."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and (is_own(status) or not hasattr(os, "getuid"))


def _usual() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("gpubfs", appauthor=False)
