"""What is written for people: files that are whole or as before, and names that can be printed."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

#: The bytes that a file's name may have.
LONGEST = 255


def write(path: Path, text: str) -> None:
    """Write a file as UTF-8, whole or not at all; an error of the system names it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(
        f".gpubfs-{os.getpid()}"
    )  # a short name: the file's own may be at the limit
    try:
        new.write_bytes(encoded(text))
        new.replace(path)
    except OSError as error:
        error.filename = str(path)  # a disk that is full names none
        raise
    finally:
        with suppress(FileNotFoundError):
            new.unlink()


def encoded(text: str) -> bytes:
    r"""Return the text as UTF-8; what UTF-8 cannot encode is escaped.

    >>> encoded("\ud800")
    b'\\ud800'
    """
    return text.encode("utf-8", "backslashreplace")


def fitting(name: str, suffix: str) -> str:
    """Return a file's name with an ending that is still a name: long ones end in a digest.

    Examples
    --------
    >>> fitting("ada", ".txt"), len(fitting("a" * 255, ".txt"))
    ('ada.txt', 255)
    """
    encoded = os.fsencode(name)
    if len(encoded) + len(suffix) <= LONGEST:
        return name + suffix
    digest = hashlib.blake2b(encoded, digest_size=8).hexdigest()
    room = LONGEST - len(suffix) - len(digest) - 1
    begun = name
    while len(os.fsencode(begun)) > room:
        begun = begun[:-1]
    return f"{begun}-{digest}{suffix}"


def shown(name: str) -> str:
    r"""Return the name of a file or folder as it can be printed: the rest is escaped.

    Examples
    --------
    >>> print(shown("Zoë"), shown("bad\udcff"), shown("a\x1b[2J"))
    Zoë bad\xff a\x1b[2J
    """
    try:
        text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a character, as Windows allows
        text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
