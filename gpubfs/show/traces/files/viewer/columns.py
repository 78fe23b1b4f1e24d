"""Columns of whole numbers, and lists and texts that are kept once, packed for a page."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Whole = NDArray[np.int64]

#: Columns shorter than this are not tried both as they are and as differences.
SHORT = 16
#: Numbers of at least this size are not exact in JavaScript.
INEXACT = 1 << 53


class Numbers(dict[T, int]):
    """Numbers of things, from 0 in the order in which they are first asked for.

    >>> numbers = Numbers()
    >>> numbers["a"], numbers["b"], numbers["a"]
    (0, 1, 0)
    """

    def __missing__(self, thing: T) -> int:
        self[thing] = len(self)
        return self[thing]


class Lists:
    """Lists of whole numbers, each of which is kept once.

    >>> lists = Lists()
    >>> lists.number([1, 2]), lists.number([]), lists.number([1, 2])
    (0, 1, 0)
    """

    def __init__(self) -> None:
        self._known: Numbers[bytes] = Numbers()

    def __len__(self) -> int:
        return len(self._known)

    def number(self, values: Sequence[int] | Whole) -> int:
        """Return the number of a list."""
        if not len(values):
            return self._known[b""]
        return self._known[np.asarray(values, np.int64).tobytes()]

    def columns(self) -> dict[str, Whole]:
        """Return how long the lists are, and their values one list behind the other."""
        sizes = np.array([len(key) // 8 for key in self._known], np.int64)
        return {"sizes": sizes, "values": np.frombuffer(b"".join(self._known), np.int64)}


class Table:
    """Rows of whole numbers under names.

    >>> table = Table()
    >>> table.add(a=1, b=2)
    >>> table.add(a=3, b=4)
    >>> table.columns()
    {'a': array([1, 3]), 'b': array([2, 4])}
    """

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._rows: list[tuple[int, ...]] = []

    def add(self, **row: int) -> None:
        """Add a row; all have the same names, in the same order."""
        if not self._rows:
            self._names = tuple(row)
        self._rows.append(tuple(row.values()))

    def columns(self) -> dict[str, Whole]:
        """Return the columns by name."""
        columns = np.ascontiguousarray(np.array(self._rows, np.int64).T)
        return dict(zip(self._names, columns, strict=True)) if self._rows else {}


def packed(tables: object, columns: Mapping[str, Iterable[int] | Whole]) -> str:
    """Pack tables, which JSON can hold, and columns of whole numbers, in base64.

    Deflated there are: the length of a head in 4 bytes, the head as JSON, and the columns. The head
    has the tables, and of each column its name, how many numbers it has, how many bytes each, and
    whether differences are kept. Of a column all lowest bytes come first, then the next ones.
    """
    heads, bodies = [], []
    for name, values in columns.items():
        head, body = _column(np.asarray(values, np.int64))
        heads.append([name, *head])
        bodies.append(body)
    text = json.dumps({"tables": tables, "columns": heads}, separators=(",", ":")).encode()
    whole = b"".join([len(text).to_bytes(4, "little"), text, *bodies])
    return base64.b64encode(zlib.compress(whole, 9)).decode()


def unpacked(text: str) -> tuple[Any, dict[str, Whole]]:
    """Return what `packed` has packed.

    >>> unpacked(packed(["a"], {"b": [3, -1]}))
    (['a'], {'b': array([ 3, -1])})
    """
    whole = zlib.decompress(base64.b64decode(text))
    end = 4 + int.from_bytes(whole[:4], "little")
    head = json.loads(whole[4:end])
    found = {}
    for name, count, size, differences, _ in head["columns"]:
        planes = np.frombuffer(whole[end : end + count * size], np.uint8).reshape(size, count)
        end += count * size
        folded = np.zeros(count, np.uint64)
        for place, plane in enumerate(planes):
            folded |= plane.astype(np.uint64) << np.uint64(8 * place)
        half = (folded >> np.uint64(1)).astype(np.int64)
        values = np.where(folded & np.uint64(1), ~half, half)
        found[name] = np.cumsum(values) if differences else values
    return head["tables"], found


def _column(values: Whole) -> tuple[list[int], bytes]:
    """Return what the head says of a column, and its bytes."""
    assert not values.size or int(np.abs(values).max()) < INEXACT
    wide = int(bool(values.size and int(np.abs(values).max()) >= 1 << 31))
    size, body = _planes(values)
    if values.size < SHORT:
        return [values.size, size, 0, wide], body
    other_size, other = _planes(np.diff(values, prepend=0))
    if len(zlib.compress(other, 1)) < len(zlib.compress(body, 1)):
        return [values.size, other_size, 1, wide], other
    return [values.size, size, 0, wide], body


def _planes(values: Whole) -> tuple[int, bytes]:
    """Return how many bytes numbers need, and these, all lowest ones first; signs are lowest."""
    folded = ((values << 1) ^ (values >> 63)).astype("<u8")
    most = int(folded.max()) if values.size else 0
    size = next(size for size in (1, 2, 4, 8) if most < 1 << (8 * size))
    planes = folded.view(np.uint8).reshape(values.size, 8)[:, :size].T
    return size, np.ascontiguousarray(planes).tobytes()
