"""Entries of the folder: bytes by a name, whole or not there, the oldest of which leave."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from simulator.cache.folder import UNFINISHED, folder, is_own
from simulator.cache.version import is_unchanged

#: Bytes of all entries together, and of one.
MOST, LARGEST = 64 << 20, 8 << 20
#: How their files end.
ENDING = ".kept"
#: Seconds after which what is not finished never will be.
ABANDONED = 3600.0
#: How many bytes are written before the folder is measured again.
PORTION = MOST // 8
#: A link is not followed, and a pipe not waited for.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_MAGIC, _DIGEST = b"gpubfs\x01\n", 16

_written = PORTION


def read(name: str) -> bytes | None:
    """Return what is kept under a name.

    Parameters
    ----------
    name : str
        A digest of all that it depends on.

    Returns
    -------
    bytes or None
        None where nothing is kept, what is kept is broken, or another user could have written it.
    """
    place = folder()
    if place is None:
        return None
    file = place / f"{name}{ENDING}"
    with suppress(OSError, MemoryError):
        content = _content(file)
        body = content[len(_MAGIC) + _DIGEST :]
        if content == _MAGIC + _digest(body) + body:
            with suppress(OSError):  # others' folders can be read only
                os.utime(file)
            return body
    return None


def write(name: str, body: bytes) -> None:
    """Keep bytes under a name, if there is a place: all of them or none.

    Parameters
    ----------
    name : str
        As `read` takes it.
    body : bytes
        What replaces what is kept there.
    """
    global _written
    place = folder()
    if place is None or len(body) > LARGEST or not hasattr(os, "geteuid") or not is_unchanged():
        return
    with suppress(OSError):  # of a folder that is full or can be read only
        _replace(place / f"{name}{ENDING}", _MAGIC + _digest(body) + body)
        _written += len(body)
        if _written >= PORTION:
            _written = 0
            _shrink(place)


def _content(file: Path) -> bytes:
    """Read a file that only this user can have written."""
    number = os.open(file, _FLAGS)
    with open(number, "rb") as opened:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or not is_own(status):
            raise PermissionError(f"{file} is not this user's own")
        return opened.read(LARGEST + 64)


def _replace(file: Path, content: bytes) -> None:
    """Write a file that is there as a whole, or as it was before."""
    number, part = tempfile.mkstemp(UNFINISHED, "", file.parent)
    try:
        with open(number, "wb") as opened:
            opened.write(content)
        os.replace(part, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST).digest()


def _shrink(place: Path) -> None:
    """Remove what has not been used for longest, until all is a little less than allowed."""
    found: list[tuple[float, int, str]] = []
    with os.scandir(place) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.endswith((ENDING, UNFINISHED)):
                    status = entry.stat(follow_symlinks=False)
                    found.append((status.st_mtime, status.st_size, entry.path))
    newest = max(found, default=(0.0, 0, ""))[0]
    most = MOST - PORTION
    for used, size, path in sorted(found, reverse=True):
        most -= size
        if most < 0 or (path.endswith(UNFINISHED) and used < newest - ABANDONED):
            _remove(path)


def _remove(path: str) -> None:
    """Remove a file, or a folder in which one was being made."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        os.unlink(path)
