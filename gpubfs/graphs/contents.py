"""The contents of a graph's file: read once from its beginning to its end, unpacked, and as text.

A pipe can be read as well as a file, since nothing is opened twice and nothing is sought.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from pathlib import Path

from gpubfs.errors import nearest
from gpubfs.graphs.errors import GraphError

#: Bytes that are unpacked at a time.
CHUNK = 1 << 23

UTF8 = codecs.BOM_UTF8

#: Other byte order marks with their encodings; the longer ones first, since they begin alike.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def load(path: str) -> bytes:
    """The contents of a file, unpacked if it is gzipped.

    Raises
    ------
    GraphError
        If it is missing, a folder, unreadable, empty, a tar archive or a damaged gzip file.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError:  # it cannot be written in the file system's encoding
        raise GraphError("no file can have this name", path, hint="check the path") from None
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(path, data)
    if not data:
        raise GraphError("the file is empty", path, hint="check the download")
    if data[257:262] == b"ustar":
        raise GraphError("the file is a tar archive", path, hint="unpack it and name one member")
    return data


def plain(path: str, data: bytes) -> bytes:
    r"""Text as it is read: UTF-8 without a byte order mark, each line ended by one line feed.

    Lines end as Unix, Windows and old Macs have it: ``\n``, ``\r\n`` or ``\r``, and also
    ``\r\r\n``, which is what becomes of Windows' ends that are translated twice.

    Raises
    ------
    GraphError
        If it begins like UTF-16 or UTF-32 and is not.

    Examples
    --------
    >>> plain("a.txt", b"\xef\xbb\xbf0 1\r1 2\r\n")
    b'0 1\n1 2\n'
    >>> plain("a.txt", "0 1\n".encode("utf-16"))
    b'0 1\n'
    """
    data = _decoded(path, data).removeprefix(UTF8)
    if b"\r" in data:
        for end in (b"\r\r\n", b"\r\n", b"\r"):
            data = data.replace(end, b"\n")
    return data


def _decoded(path: str, data: bytes) -> bytes:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding).encode()
            except UnicodeError:
                name = encoding.upper()
                raise GraphError(
                    f"the file begins with the byte order mark of {name} and is no {name} text",
                    path,
                    hint="save it as UTF-8 or as ASCII",
                ) from None
    return data


def _unreadable(path: str, error: OSError) -> GraphError:
    place = Path(path)
    if isinstance(error, FileNotFoundError):
        siblings = _names(place.parent)
        guess = nearest(place.name, siblings)
        return GraphError("there is no such file", path, hint=guess.strip() or "check the path")
    if isinstance(error, IsADirectoryError) or os.path.isdir(path):
        hint = f"name a file in it, for example {path.rstrip('/')}/graph.mtx"
        return GraphError("this is a folder", path, hint=hint)
    if isinstance(error, PermissionError):
        return GraphError("reading is not permitted", path, hint="check the file's permissions")
    return GraphError(f"reading failed: {error.strerror or error}", path, hint="check the path")


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


def _unpacked(path: str, data: bytes) -> bytes:
    parts: list[bytes] = []
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            while part := stream.read(CHUNK):
                parts.append(part)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        line = 1 + sum(part.count(b"\n") for part in parts)
        raise GraphError(
            "the gzip data is damaged or ends early", path, line, "download or compress it again"
        ) from None
    return b"".join(parts)
