"""Pointers to shared memory: the array and the block that each was made for, and its tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import extent, reserve
from simulator.execute.wave import VERBS, Wave
from simulator.ir.events import SharedArray
from simulator.ir.pointer_tags import MASK, MOST, RANK_SHIFT, SHIFT
from simulator.lanes.arithmetic import LaneError

# Which shared array a pointer was made from: its tag, in the high bits of the address.
#
# Shared arrays lie side by side, so that an address alone does not tell whether it is still meant
# for the array that its pointer came from. The bits above `SHIFT`, which no address needs, say
# which one that was: tag 0 says nothing. Pointer arithmetic keeps them; they are removed where
# memory is accessed, and where a program looks at the address itself. The bits above `RANK_SHIFT`
# say to which block of the cluster `map_shared_rank` led.


#: From which byte of a block's shared memory to which each array goes, by number.
Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]


class TagStore:
    """The tags of pointers in memory, which itself holds plain addresses.

    So programs that look at a pointer's bytes, swap it as an integer, or hand it to the host, see
    what they would on a GPU. A tag counts as long as the address that it was stored with is there.

    Parameters
    ----------
    size : int
        Bytes of memory.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._stored: NDArray[np.int64] | None = None

    def save(self, address: Any, pointer: Any) -> None:
        """Remember pointers that are stored at addresses; none outside of memory."""
        if self._stored is None:
            if not np.any(np.greater(pointer, MASK)):
                return
            self._stored = reserve(self._size).view(np.int64)
        index, pointer = np.broadcast_arrays(address >> 3, pointer)
        inside = (index >= 0) & (index < self._stored.size)
        self._stored[index[inside]] = pointer[inside]

    def restore(self, address: Any, plain: Any) -> Any:
        """Return plain addresses that were loaded from `address` with their tags."""
        if self._stored is None:
            return plain
        stored = self._stored[address >> 3]
        return np.where(stored & MASK == plain, stored, plain)[()]


def bounds(arrays: Sequence[SharedArray], wave: Wave, dynamic: int) -> Bounds:
    """Return where the shared arrays lie in a block's memory; tag 0 is everywhere."""
    starts, ends = [np.iinfo(np.int64).min], [np.iinfo(np.int64).max]
    for array in arrays:
        start = wave.shared_offset(array.offset)
        size = dynamic if array.length is None else array.length * array.dtype.itemsize
        starts.append(start)
        ends.append(start + size)
    return np.array(starts), np.array(ends)


#: What is wrong with an address that lies in what another block or thread has.
FOREIGN = "an address in another {}", "It can only use its own; check the index."
BLOCKS = "block's shared memory"


def check_array(
    arrays: Sequence[SharedArray],
    limits: Bounds,
    wave: Wave,
    lanes: Any,
    address: Any,
    size: int,
    kind: str,
) -> None:
    """Refuse addresses outside of the arrays of their tags, in the blocks that they lead to."""
    if _in_one_array(limits, wave, lanes, address, size):
        return
    number, slot = address >> SHIFT & MOST, _slots(wave, lanes, address)
    offset = (address & MASK) - wave.shared_start
    own = offset - slot * wave.shared_pitch
    low, high, named = limits[0][number], limits[1][number], address >> RANK_SHIFT > 0
    bad = (
        (own < low) | (own + size > high) | (named & ((own < 0) | (own + size > wave.shared_pitch)))
    )
    if not np.any(bad):
        return
    others = offset % max(1, wave.shared_pitch)
    foreign = (offset >= 0) & (offset < wave.slots * wave.shared_pitch)
    foreign &= bad & np.logical_not(named) & (others >= low) & (others + size <= high)
    if np.any(foreign):
        raise LaneError(f"{VERBS[kind]} {FOREIGN[0].format(BLOCKS)}", FOREIGN[1], foreign)
    first = int(np.argmax(bad))
    which, to, mapped = (int(np.broadcast_to(a, bad.shape)[first]) for a in (number, slot, named))
    block = f" of block {wave.block_index(to)}" if mapped else ""
    raise LaneError(*_outside(arrays, which, int(own[first]), limits, kind, block), bad)


def _in_one_array(limits: Bounds, wave: Wave, lanes: Any, address: Any, size: int) -> bool:
    """Return whether the lanes are of one block, and all addresses in one array of it."""
    lowest, highest = extent(address)
    number, slot = lowest >> SHIFT, int(lanes[0]) // wave.padded
    if number != highest >> SHIFT or number > MOST or slot != int(lanes[-1]) // wave.padded:
        return False
    start = wave.shared_start + slot * wave.shared_pitch
    first, end = (lowest & MASK) - start, (highest & MASK) - start + size
    return first >= int(limits[0][number]) and end <= int(limits[1][number])


def _outside(
    arrays: Sequence[SharedArray], number: int, offset: int, limits: Bounds, kind: str, block: str
) -> tuple[str, str]:
    """Explain an access at byte `offset` of a block's memory, and the remedy."""
    if not number:
        what = f"{VERBS[kind]} byte {offset} of the shared memory{block}, which is out of it"
        return what, "The pointer was made by map_shared_rank: check the index."
    array, start = arrays[number - 1], int(limits[0][number])
    size = array.dtype.itemsize
    length = (int(limits[1][number]) - start) // size
    what = (
        f"{VERBS[kind]} {array.name}[{(offset - start) // size}]{block} through a pointer, "
        f"but {array.name} has {length} element{'s' if length != 1 else ''}"
    )
    inside = [
        other.name
        for other, low, high in zip(arrays, limits[0][1:], limits[1][1:], strict=True)
        if low <= offset < high
    ]
    there = f", and {inside[0]} is what lies there" if inside else ""
    return what, f"The pointer was made from {array.name}{there}: compare it with the end."


# Distributed shared memory: pointers to the shared memory of the other blocks of a cluster.


def map_shared_rank(wave: Wave, lanes: Any, address: Any, rank: Any) -> NDArray[np.int64]:
    """Return pointers to what lies at `address` in the block of each `rank` of the lanes' clusters.

    Raises
    ------
    LaneError
        If there is no such block, or an address is not in shared memory.
    """
    blocks, rank = wave.cluster_blocks, np.asarray(rank, np.int64)
    wrong = (rank < 0) | (rank >= blocks)
    if wrong.any():
        which = int(rank[wrong].flat[0]) if rank.ndim else int(rank)
        what = f"rank {which} in a cluster of {blocks} block{'s' if blocks > 1 else ''}"
        raise LaneError(what, "Ranks begin at 0: compare with num_blocks() of the cluster.", wrong)
    slot, offset = _located(wave, lanes, address)
    target = (slot // blocks * blocks + rank) * wave.shared_pitch + offset
    tag = (address & MOST << SHIFT) + ((rank + 1) << RANK_SHIFT)
    return np.asarray(wave.shared_start + target + tag)


def query_shared_rank(wave: Wave, lanes: Any, address: Any) -> NDArray[np.uint32]:
    """Return the ranks of the blocks in whose shared memory addresses lie.

    Raises
    ------
    LaneError
        If one is not in shared memory.
    """
    slot, _ = _located(wave, lanes, address)
    return np.asarray(slot % wave.cluster_blocks).astype(np.uint32)


def _slots(wave: Wave, lanes: Any, address: Any) -> Any:
    """Return the slots of the blocks that pointers lead to: the lanes' own, or those mapped to."""
    slot, rank = lanes // wave.padded, address >> RANK_SHIFT
    if wave.cluster_blocks == 1 or not np.any(rank):
        return slot
    return np.where(rank > 0, slot // wave.cluster_blocks * wave.cluster_blocks + rank - 1, slot)


def _located(wave: Wave, lanes: Any, address: Any) -> tuple[Any, Any]:
    """Return in the shared memory of which slot addresses lie, and how far from its start.

    The end of a block's memory belongs to it, too, where a pointer says which block it leads to.
    """
    slot = _slots(wave, lanes, address)
    offset = (address & MASK) - wave.shared_start
    own = offset - slot * wave.shared_pitch
    astray = (own < 0) | (own > wave.shared_pitch)
    if np.any(astray):
        slot = np.where(astray, offset // max(1, wave.shared_pitch), slot)
        outside = (slot < 0) | (slot >= wave.slots)
        outside |= slot // wave.cluster_blocks != lanes // wave.padded // wave.cluster_blocks
        if np.any(outside):
            what = "an address that is not in the shared memory of the cluster"
            raise LaneError(what, "Take the address of a __shared__ variable.", outside)
    return slot, offset - slot * wave.shared_pitch
