"""Loads and stores of matrices by whole warps: who must come with what, and where numbers lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.wave import Wave
from simulator.ir.matrices import WARP
from simulator.ir.pointer_tags import MASK
from simulator.lanes.arithmetic import LaneError
from simulator.lanes.matrices import Transfer
from simulator.lanes.warp import whole_warps

Numbers = NDArray[np.int64]

#: The bytes of which the distance of two lines is a multiple.
_LINE = 16
#: How many lanes a message names.
_NAMED = 4


def check_warps(wave: Wave, lanes: Numbers, name: str) -> None:
    """Refuse a call by a part of a warp.

    Raises
    ------
    LaneError
        that names the lanes which are missing
    """
    if wave.warp_size != WARP:
        what = f"`{name}` needs warps of {WARP} lanes, and this device's have {wave.warp_size}"
        raise LaneError(what, "Choose the profile of a GPU.")
    if whole_warps(lanes, WARP):
        return
    warps, counts = np.unique(lanes // WARP, return_counts=True)
    parts = warps[counts < WARP]
    bad = np.isin(lanes // WARP, parts)
    present = set((lanes[lanes // WARP == parts[0]] % WARP).tolist())
    missing = [str(lane) for lane in range(WARP) if lane not in present]
    who = f"lane {missing[0]}" if len(missing) == 1 else f"lanes {', '.join(missing)}"
    who = who if len(missing) <= _NAMED else f"{len(missing)} lanes"
    what = f"`{name}` lacks {who}"
    hint = "All 32 lanes of a warp must call it together: outside of branches, in whole warps."
    raise LaneError(what, hint, bad, "sync")


def addresses(
    wave: Wave, lanes: Numbers, how: Transfer, start: Any, ldm: Any
) -> tuple[Numbers, ...]:
    """Return where a warp accesses a matrix.

    Parameters
    ----------
    wave : Wave
        The wave of the lanes.
    lanes : int64 array
        The active lanes, which are whole warps.
    how : Transfer
        How the matrix lies there.
    start, ldm
        The address of its first number, and the numbers from one line to the next: each one for
        all, or an array.

    Returns
    -------
    tuple of int64 arrays
        For each access the address of each lane, and of all numbers an array with a row a lane.

    Raises
    ------
    LaneError
        where lanes are missing or disagree, or the matrix does not lie as it must
    """
    check_warps(wave, lanes, how.name)
    _check_space(wave, how, np.asarray(start, np.int64))
    first, stride = _agreed(start, how.name, "pointers"), _agreed(ldm, how.name, "distances")
    _check_place(how, np.asarray(start, np.int64), np.asarray(ldm, np.int64))
    many = lanes.size // WARP
    accesses = _places(how, how.first_lines.T, how.first_starts.T, first, stride, many)
    numbers = _places(how, how.lines, how.starts, first, stride, many)
    return *np.ascontiguousarray(accesses.T), numbers & MASK


def _places(
    how: Transfer, lines: Numbers, starts: Numbers, first: Numbers, stride: Numbers, many: int
) -> Numbers:
    """Return the addresses of what each lane of `many` warps has, a row a lane."""
    start, apart = first[..., None, None], stride[..., None, None]
    found = start + (lines * apart + starts) * how.dtype.itemsize
    return np.broadcast_to(found, (many, *lines.shape)).reshape(-1, lines.shape[1])


def _agreed(value: Any, name: str, what: str) -> Numbers:
    """Return the one value of each warp, or of all.

    Raises
    ------
    LaneError
        where the lanes of a warp have different ones
    """
    found = np.asarray(value, np.int64)
    if not found.ndim:
        return found
    each = found.reshape(-1, WARP)
    other = each != each[:, :1]
    if other.any():
        text = f"a warp gives different {what}"
        hint = f"All its lanes call `{name}` with the same arguments: compute them by warps."
        raise LaneError(text, hint, other.ravel(), "sync")
    return each[:, 0]


def _check_space(wave: Wave, how: Transfer, start: Numbers) -> None:
    own = wave.is_local(start & MASK)
    if np.any(own):
        what = f"`{how.name}` of a thread's own array"
        raise LaneError(what, "A matrix lies in global or shared memory.", own)


def _check_place(how: Transfer, start: Numbers, ldm: Numbers) -> None:
    """Refuse what does not lie as the functions need it."""
    off = (start & MASK) % how.align != 0
    if off.any():
        what = f"an address that is no multiple of {how.align}"
        hint = f"Matrices of `{how.name}` begin at such: align arrays, and step by whole tiles."
        raise LaneError(what, hint, off)
    odd = ldm * how.dtype.itemsize % _LINE != 0
    if odd.any():
        least = _LINE // how.dtype.itemsize
        what = f"lines that are {int(ldm.flat[int(np.argmax(odd))])} numbers apart"
        hint = f"`{how.name}` needs a multiple of {least}: fill lines up."
        raise LaneError(what, hint, odd)


def checked(
    resolve: Callable[..., Any], lanes: Numbers, address: Numbers, dtype: np.dtype[Any]
) -> tuple[NDArray[Any], Numbers]:
    """Check addresses, a row of them a lane: a typed view of memory, and indices in it."""
    try:
        return resolve(lanes[:, None], address, dtype)  # type: ignore[no-any-return]
    except LaneError as error:
        bad = np.broadcast_to(True if error.bad is None else error.bad, address.shape)
        raise LaneError(error.what, error.hint, bad.any(axis=1), error.sanitizer) from None
