"""Matrices that a warp holds together: which lane has what of them, and their products.

The instructions that multiply take matrices in pieces of eight by a few numbers. Of such a piece
lane `4 * g + t` has some numbers of line `g`, those from `t` times so many on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.matrices import ACCUMULATOR, ALIGNMENT, ROW_MAJOR, WARP, A, Fragment
from simulator.lanes.rounding import from_bfloat16

Array = Any
Numbers = NDArray[np.int64]

# Which lane has what.


#: How many numbers of a line a lane has by one register, of what is multiplied and of sums.
_RUNS = {"__half": 2, "__nv_bfloat16": 2, "signed char": 4, "unsigned char": 4}
_RUN_OF_SUMS = 2
#: How many numbers each lane has at least of matrices of halves that are multiplied.
_LEAST = 16


@dataclass(frozen=True)
class _Pieces:
    """How a matrix is cut: whether its lines are rows, and where the pieces are, in order.

    `corners` are the first line of each and where it begins in it; `run` is how many numbers that
    follow one another a lane has of each.
    """

    of_rows: bool
    corners: tuple[tuple[int, int], ...]
    run: int


@cache
def _pieces(fragment: Fragment) -> _Pieces:
    """Cut a matrix; a product of 8 rows and 32 columns is executed as that of 32 rows, turned."""
    turned = fragment.shape[:2] == (8, 32)
    sums = fragment.use == ACCUMULATOR
    of_rows = not turned if sums else fragment.use == A
    lines, length = fragment.rows, fragment.columns
    if not of_rows:
        lines, length = length, lines
    run = _RUN_OF_SUMS if sums else _RUNS.get(fragment.number, 1)
    # Of the first factor, and of sums, sixteen lines go together.
    together = min(lines, 16) if sums or of_rows != turned else 8
    corners = (
        (first + eight, start)
        for first in range(0, lines, together)
        for start in range(0, length, 4 * run)
        for eight in range(0, together, 8)
    )
    return _Pieces(of_rows, tuple(corners), run)


@cache
def places(fragment: Fragment) -> tuple[Numbers, Numbers]:
    """Return the row and the column of each number of each lane: arrays of shape (32, numbers).

    Examples
    --------
    >>> rows, columns = places(Fragment(ACCUMULATOR, (16, 16, 16), "float"))
    >>> list(zip(rows[5].tolist(), columns[5].tolist()))
    [(1, 2), (1, 3), (9, 2), (9, 3), (1, 10), (1, 11), (9, 10), (9, 11)]
    """
    rows, columns = _distinct(fragment)
    if fragment.number == "__half" and fragment.use != ACCUMULATOR:
        times = _LEAST // rows.shape[1]
        return np.tile(rows, times), np.tile(columns, times)
    return rows, columns


@cache
def _distinct(fragment: Fragment) -> tuple[Numbers, Numbers]:
    """Return the same without what lanes have once more."""
    pieces = _pieces(fragment)
    line, along = (np.repeat(side, pieces.run) for side in np.array(pieces.corners).T)
    step = np.tile(np.arange(pieces.run), len(pieces.corners))
    g, t = np.divmod(np.arange(WARP)[:, None], 4)
    lines, starts = line + g, along + step + pieces.run * t
    return (lines, starts) if pieces.of_rows else (starts, lines)


# What a load or a store accesses.


#: The types of numbers in memory, and what a lane can access at most at a time.
_DTYPES = {"__half": "f2", "__nv_bfloat16": "u2", "signed char": "i1", "unsigned char": "u1"}
_DTYPES |= {"double": "f8", "int": "i4"}
_WIDEST = 16


@dataclass(frozen=True, eq=False)
class Transfer:
    """A load or a store of a matrix: where it lies in memory, and what lanes access there.

    Attributes
    ----------
    name : str
        The function that does it.
    dtype : dtype
        The type of a number.
    lines, starts : int64 arrays of shape (32, numbers)
        For each number of a lane the line in memory, a row or a column, and the place in it.
    first_lines, first_starts : int64 arrays of shape (accesses, 32)
        The same of the first number that each access of the warp moves for a lane.
    size : int
        Bytes that an access moves for a lane.
    """

    name: str
    dtype: np.dtype[Any]
    lines: Numbers
    starts: Numbers
    first_lines: Numbers
    first_starts: Numbers
    size: int

    @property
    def align(self) -> int:
        """Return what the matrix begins at a multiple of: the bytes that a lane holds of it."""
        return min(ALIGNMENT, int(self.lines.shape[1]) * self.dtype.itemsize)

    @property
    def accesses(self) -> int:
        """How many requests it makes."""
        return len(self.first_lines)

    @cached_property
    def sources(self) -> Numbers:
        """Return where the numbers of each access come from, counted through those of the warp."""
        held = {
            place: at
            for at, place in enumerate(zip(self.lines.flat, self.starts.flat, strict=True))
        }
        many = range(self.size // self.dtype.itemsize)
        firsts = zip(self.first_lines.flat, self.first_starts.flat, strict=True)
        found = [held[line, start + at] for line, start in firsts for at in many]
        return np.array(found).reshape(self.accesses, WARP, len(many))

    def moved(self, numbers: Array, dtype: Any) -> list[Array]:
        """Return what each access moves for each lane, as elements of `dtype`.

        `numbers` has a row a lane.
        """
        warps = np.ascontiguousarray(numbers).reshape(-1, WARP * numbers.shape[1])
        each = (np.ascontiguousarray(warps[:, source]) for source in self.sources)
        return [one.view(dtype).reshape(-1) for one in each]


@cache
def transfer(name: str, fragment: Fragment, layout: str, shared: bool) -> Transfer:
    """Return how `name` moves a matrix between memory, shared memory perhaps, and lanes.

    Examples
    --------
    >>> from simulator.ir.matrices import COLUMN_MAJOR
    >>> a = Fragment(A, (16, 16, 16), "__half", ROW_MAJOR)
    >>> moved = transfer("load_matrix_sync", a, ROW_MAJOR, False)
    >>> moved.accesses, moved.size, moved.first_starts[0, :6].tolist()
    (4, 4, [0, 2, 4, 6, 0, 2])
    """
    by_rows = layout == ROW_MAJOR
    dtype = np.dtype(_DTYPES.get(fragment.number, "f4"))
    held = places(fragment) if by_rows else places(fragment)[::-1]
    firsts, numbers = _accesses(fragment, by_rows, shared, dtype.itemsize)
    return Transfer(name, dtype, *held, *firsts, numbers * dtype.itemsize)


def _accesses(
    fragment: Fragment, by_rows: bool, shared: bool, size: int
) -> tuple[tuple[Numbers, Numbers], int]:
    """Return where lanes begin each access, in lines of memory, and how many numbers it moves."""
    pieces = _pieces(fragment)
    along = by_rows == pieces.of_rows
    if shared and fragment.use != ACCUMULATOR and (size == 2 or along):
        together = _TOGETHER.get(fragment.number, 0)
        if together:
            return _by_lines(pieces, along, together), _WIDEST // size
    if size == 2 and not along:
        return _turned(pieces), pieces.run
    rows, columns = _distinct(fragment)
    lines, starts = (rows, columns) if by_rows else (columns, rows)
    numbers = min(pieces.run, _WIDEST // size) if along else 1
    return (lines.T[::numbers], starts.T[::numbers]), numbers


#: How many pieces of 8 lines, 16 bytes each, an instruction moves at most that loads such from
#: shared memory; of other numbers it loads none.
_TOGETHER = {"__half": 4, "signed char": 2, "unsigned char": 2}


def _by_lines(pieces: _Pieces, along: bool, together: int) -> tuple[Numbers, Numbers]:
    """Return the accesses of instructions for which each lane names a line of a piece.

    Where there are not four pieces, the other lanes name the very first line.
    """
    corners = np.array(pieces.corners)[:, :: 1 if along else -1]
    lines = (corners[:, None] + np.stack([np.arange(8), np.zeros(8, int)], axis=1)).tolist()
    accesses = []
    for at in range(0, len(lines), together):
        named = [line for piece in lines[at : at + together] for line in piece]
        accesses.append(named + named[:1] * (WARP - len(named)))
    found = np.array(accesses)
    return found[..., 0], found[..., 1]


def _turned(pieces: _Pieces) -> tuple[Numbers, Numbers]:
    """Return the accesses to pieces whose lines go across those of memory.

    Lanes load them as if they went along, and exchange what they have loaded.
    """
    g, t = np.divmod(np.arange(WARP), 4)
    corners = np.array(pieces.corners)
    return corners[:, 1:] + g, corners[:, :1] + pieces.run * t


# Products.


@dataclass(frozen=True)
class Product:
    """A product: both factors, what is added, and the sum; `saturates` is of integers."""

    a: Fragment
    b: Fragment
    c: Fragment
    d: Fragment
    saturates: bool = False

    def of(self, a: Array, b: Array, c: Array) -> Array:
        """Return what lanes get of it: arrays of shape (lanes, numbers), of whole warps.

        Products are exact. They are added as doubles, and sums rounded once.
        """
        factors = _matrices(self.a, a), _matrices(self.b, b)
        found = np.matmul(*factors) + _matrices(self.c, c)
        rows, columns = places(self.d)
        return self._rounded(found[:, rows, columns].reshape(len(c), -1))

    def _rounded(self, sums: Array) -> Array:
        """Return sums as the numbers of their type."""
        if self.d.number != "int":
            return sums.astype(_DTYPES.get(self.d.number, "f4"))
        whole = sums.astype(np.int64)
        if self.saturates:
            whole = np.clip(whole, -(1 << 31), (1 << 31) - 1)
        return whole.astype(np.int32)


def _matrices(fragment: Fragment, numbers: Array) -> Array:
    """Put the numbers of lanes together: a matrix of doubles for each warp."""
    rows, columns = _distinct(fragment)
    found = np.empty((len(numbers) // WARP, fragment.rows, fragment.columns))
    held = numbers.reshape(-1, WARP, numbers.shape[1])[:, :, : rows.shape[1]]
    found[:, rows, columns] = _exact(fragment.number, held)
    return found


def _exact(number: str, held: Array) -> Array:
    """Return numbers as they are multiplied: of a tf32, the bits that count."""
    if number == "__nv_bfloat16":
        return from_bfloat16(held)
    if number == "tf32":
        bits = np.ascontiguousarray(held).view(np.uint32)
        return (bits & np.uint32(0xFFFFE000)).view(np.float32)
    return held


def to_tf32(value: Array) -> Array:
    """Round floats to the 11 significant bits of tf32; what lies in the middle goes away from zero.

    Examples
    --------
    >>> to_tf32(np.float32([1 + 2**-11, -1 - 2**-12, np.inf])).tolist()
    [1.0009765625, -1.0, inf]
    """
    bits = np.asarray(value).view(np.uint32)
    rounded = (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(value), value, rounded.view(np.float32))
