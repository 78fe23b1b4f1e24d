"""Groups of lanes that a mask names: ranks in them, and parts of them.

`lanes` is the ascending array of active lanes, `size` how many a warp has, `mask` one for all or
one a lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.lanes.bits import nth_set_bit

Array = Any

__all__ = [
    "any_rank",
    "any_size",
    "group_lane",
    "group_part",
    "group_rank",
    "lane_before",
    "lane_behind",
    "packed_bits",
    "tile_count",
    "tile_size",
]

_ONE = np.uint32(1)


def group_rank(lanes: Array, size: int, mask: Any) -> Array:
    """How many lanes of the group stand before each lane."""
    own = np.left_shift(_ONE, (lanes % size).astype(np.uint32))
    return np.bitwise_count(np.asarray(mask, np.uint32) & (own - _ONE)).astype(np.uint32)


def group_lane(lanes: Array, size: int, mask: Any, rank: Array) -> Array:
    """The lane of a rank; 32 where the group is too small."""
    return np.broadcast_to(nth_set_bit(mask, rank), lanes.shape)


def _stepped(lanes: Array, size: int, mask: Any, step: Array) -> Array:
    rank = group_rank(lanes, size, mask).astype(np.int64) + step
    found = nth_set_bit(mask, rank)
    return np.where(found == 32, (lanes % size).astype(np.int32), found)


def lane_before(lanes: Array, size: int, mask: Any, delta: Array) -> Array:
    """The lane `delta` ranks below, one's own where there is none."""
    return _stepped(lanes, size, mask, -np.asarray(delta, np.int64))


def lane_behind(lanes: Array, size: int, mask: Any, delta: Array) -> Array:
    """The lane `delta` ranks above, one's own where there is none."""
    return _stepped(lanes, size, mask, np.asarray(delta, np.int64))


def group_part(lanes: Array, size: int, mask: Any, threads: Any, warp: Array) -> Array:
    """The lanes of the group whose ranks lie in the same run of `threads` as one's own.

    Mask 0 means all threads of the `warp`.
    """
    masks = np.where(np.equal(mask, 0), warp, np.asarray(mask, np.uint32))
    part = group_rank(lanes, size, masks) // np.asarray(threads, np.uint32)
    result = np.zeros(lanes.shape, np.uint32)
    for place in range(int(size)):
        bit = np.uint32(1 << place)
        rank = np.bitwise_count(masks & np.uint32((1 << place) - 1))
        inside = (masks & bit != 0) & (rank // np.asarray(threads, np.uint32) == part)
        result |= np.where(inside, bit, np.uint32(0))
    return result


def packed_bits(lanes: Array, size: int, mask: Any, bits: Array) -> Array:
    """Bits of lanes moved together: bit r is that of the lane of rank r."""
    masks = np.broadcast_to(np.asarray(mask, np.uint32), lanes.shape)
    result = np.zeros(lanes.shape, np.uint32)
    for place in range(int(size)):
        rank = np.bitwise_count(masks & np.uint32((1 << place) - 1)).astype(np.uint32)
        held = bits >> np.uint32(place) & masks >> np.uint32(place) & _ONE
        result |= held << rank
    return result


def any_size(lanes: Array, size: int, mask: Any, block: Any) -> Array:
    """How many threads a group has; that of mask 0 has `block`."""
    count = np.bitwise_count(np.asarray(mask, np.uint32)).astype(np.uint32)
    return np.broadcast_to(np.where(np.equal(mask, 0), block, count), lanes.shape)


def any_rank(lanes: Array, size: int, mask: Any, block: Any) -> Array:
    """The rank in a group; in that of mask 0 it is `block`."""
    return np.where(np.equal(mask, 0), block, group_rank(lanes, size, mask))


def tile_size(size: int, threads: int) -> Any:
    """How many threads a tile has where warps have `size` lanes."""
    return np.uint32(min(threads, int(size)))


def tile_count(outer: Any, size: int, threads: int, in_warp: bool) -> Any:
    """How many tiles there are in a block of `outer` threads, or in a tile, which is `in_warp`."""
    whole = min(int(outer), int(size)) if in_warp else int(outer)
    return np.uint32(-(-whole // min(threads, int(size))))
