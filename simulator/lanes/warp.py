"""What the lanes of a warp exchange: votes, shuffles, matches, reductions, groups.

Lanes are numbered through the gang; those of one warp follow one another. `lanes` is the ascending
array of active lanes; `size` is how many a warp has. Every function looks only at active lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.lanes.arithmetic import LaneError, nth_set_bit

__all__ = [
    "active_mask",
    "all_lanes",
    "any_lane",
    "any_rank",
    "any_size",
    "ballot",
    "binary_partition",
    "check_mask",
    "exclusive_scan_add",
    "exclusive_scan_and",
    "exclusive_scan_max",
    "exclusive_scan_min",
    "exclusive_scan_or",
    "exclusive_scan_xor",
    "group_lane",
    "group_part",
    "group_rank",
    "inclusive_scan_add",
    "inclusive_scan_and",
    "inclusive_scan_max",
    "inclusive_scan_min",
    "inclusive_scan_or",
    "inclusive_scan_xor",
    "labeled_partition",
    "lane_before",
    "lane_behind",
    "match_all",
    "match_any",
    "packed_bits",
    "parted_mask",
    "reduce_add",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_xor",
    "shuffle",
    "shuffle_down",
    "shuffle_up",
    "shuffle_xor",
    "tile_count",
    "tile_size",
]

# Matches and reductions among the lanes of a warp that share a mask.
#
# `mask` is one for all or one a lane. Lanes of a warp with the same mask form a group; lanes that
# their own mask does not name do not count.


Array = Any


def _groups(*keys: Array) -> tuple[Array, Array, Array]:
    """Equal tuples of keys: an order that puts them together, where each begins, and how many."""
    order = np.lexsort(keys[::-1])
    changes = np.zeros(order.size, np.bool_)
    for key in keys:
        arranged = key[order]
        changes[1:] |= arranged[1:] != arranged[:-1]
    starts = np.append(0, changes.nonzero()[0])
    return order, starts, np.diff(np.append(starts, order.size))


def _spread(order: Array, counts: Array, results: Array) -> Array:
    """One result a group, for each of its lanes in their own order."""
    spread = np.empty(order.size, results.dtype)
    spread[order] = np.repeat(results, counts)
    return spread


def _named(lanes: Array, size: int, mask: Any) -> tuple[Array, Array]:
    """Each lane's own bit if its mask names it, else 0; and the masks, one a lane."""
    masks = np.broadcast_to(np.asarray(mask, np.uint32), lanes.shape)
    return np.left_shift(np.uint32(1), (lanes % size).astype(np.uint32)) & masks, masks


def _bits(value: Array) -> Array:
    """Floats as the integers with the same bits: those are what is compared."""
    return value.view(f"u{value.dtype.itemsize}")


def match_any(lanes: Array, size: int, mask: Any, value: Array) -> Array:
    """__match_any_sync: the lanes of the group that hold the same value."""
    own, masks = _named(lanes, size, mask)
    order, starts, counts = _groups(lanes // size, masks, _bits(value))
    return _spread(order, counts, np.bitwise_or.reduceat(own[order], starts))


def match_all(lanes: Array, size: int, mask: Any, value: Array) -> Array:
    """__match_all_sync: the lanes of the group if all hold the same value, else 0."""
    own, masks = _named(lanes, size, mask)
    order, starts, counts = _groups(lanes // size, masks)
    everybody = _spread(order, counts, np.bitwise_or.reduceat(own[order], starts))
    return np.where(match_any(lanes, size, mask, value) == everybody, everybody, np.uint32(0))


def _reduction(operation: np.ufunc, neutral: Callable[[Any], Any]) -> Callable[..., Array]:
    """`operation` over the values of each group; lanes not named hold what changes nothing."""

    def reduce(lanes: Array, size: int, mask: Any, value: Array) -> Array:
        own, masks = _named(lanes, size, mask)
        counted = np.where(own != 0, value, value.dtype.type(neutral(value.dtype)))
        order, starts, counts = _groups(lanes // size, masks)
        # Without a type, NumPy adds in 64 bits.
        reduced = operation.reduceat(counted[order], starts, dtype=counted.dtype)
        return _spread(order, counts, reduced)

    return reduce


def _largest(dtype: Any) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _smallest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


reduce_add = _reduction(np.add, lambda dtype: 0)
reduce_min = _reduction(np.minimum, _largest)
reduce_max = _reduction(np.maximum, _smallest)
reduce_and = _reduction(np.bitwise_and, lambda dtype: ~dtype.type(0))
reduce_or = _reduction(np.bitwise_or, lambda dtype: 0)
reduce_xor = _reduction(np.bitwise_xor, lambda dtype: 0)


# Scans of cooperative groups, in steps of 1, 2, 4 … ranks, as floats are added on a GPU.


def _scan(operation: np.ufunc, exclusive: bool) -> Callable[..., Array]:
    """`operation` over the values of a group's lanes up to each one, or before it."""

    def scan(lanes: Array, size: int, mask: Any, value: Array) -> Array:
        _, masks = _named(lanes, size, mask)
        order, starts, counts = _groups(lanes // size, masks)
        rank = np.arange(order.size) - np.repeat(starts, counts)
        found, step = value[order], 1
        while step < counts.max():
            behind = (rank >= step).nonzero()[0]
            found[behind] = operation(found[behind], found[behind - step])
            step *= 2
        if exclusive:
            found = np.where(rank == 0, found.dtype.type(0), np.roll(found, 1))
        result = np.empty_like(found)
        result[order] = found
        return result

    return scan


inclusive_scan_add, exclusive_scan_add = (_scan(np.add, late) for late in (False, True))
inclusive_scan_min, exclusive_scan_min = (_scan(np.minimum, late) for late in (False, True))
inclusive_scan_max, exclusive_scan_max = (_scan(np.maximum, late) for late in (False, True))
inclusive_scan_and, exclusive_scan_and = (_scan(np.bitwise_and, late) for late in (False, True))
inclusive_scan_or, exclusive_scan_or = (_scan(np.bitwise_or, late) for late in (False, True))
inclusive_scan_xor, exclusive_scan_xor = (_scan(np.bitwise_xor, late) for late in (False, True))


# Cooperative groups, as masks: ranks in them, and parts of them.


_ONE = np.uint32(1)


def group_rank(lanes: Array, size: int, mask: Any) -> Array:
    """Return how many lanes of the group stand before each lane."""
    own = np.left_shift(_ONE, (lanes % size).astype(np.uint32))
    return np.bitwise_count(np.asarray(mask, np.uint32) & (own - _ONE)).astype(np.uint32)


def group_lane(lanes: Array, size: int, mask: Any, rank: Array) -> Array:
    """Find the lane of a rank; 32 where the group is too small."""
    return np.broadcast_to(nth_set_bit(mask, rank), lanes.shape)


def _stepped(lanes: Array, size: int, mask: Any, step: Array) -> Array:
    rank = group_rank(lanes, size, mask).astype(np.int64) + step
    found = nth_set_bit(mask, rank)
    return np.where(found == 32, (lanes % size).astype(np.int32), found)


def lane_before(lanes: Array, size: int, mask: Any, delta: Array) -> Array:
    """Find the lane `delta` ranks below, one's own where there is none."""
    return _stepped(lanes, size, mask, -np.asarray(delta, np.int64))


def lane_behind(lanes: Array, size: int, mask: Any, delta: Array) -> Array:
    """Find the lane `delta` ranks above, one's own where there is none."""
    return _stepped(lanes, size, mask, np.asarray(delta, np.int64))


def group_part(lanes: Array, size: int, mask: Any, threads: Any, warp: Array) -> Array:
    """Find the lanes of the group whose ranks are in the same run of `threads` as one's own.

    Mask 0 means all threads of the `warp`.
    """
    masks = np.where(np.equal(mask, 0), warp, np.asarray(mask, np.uint32))
    part = group_rank(lanes, size, masks) // np.asarray(threads, np.uint32)
    result = np.zeros(lanes.shape, np.uint32)
    for lane in range(int(size)):
        bit = np.uint32(1 << lane)
        rank = np.bitwise_count(masks & np.uint32((1 << lane) - 1))
        inside = (masks & bit != 0) & (rank // np.asarray(threads, np.uint32) == part)
        result |= np.where(inside, bit, np.uint32(0))
    return result


def binary_partition(
    lanes: Array, size: int, mask: Any, predicate: Array
) -> tuple[Array, Array, Array]:
    """Part a group by a predicate: the own part, whether it is the second one, and how many."""
    _, masks = _named(lanes, size, mask)
    holding = ballot(lanes, size, masks, predicate)
    parted = (holding != 0) & (holding != masks)
    part = np.where(predicate | ~parted, np.where(parted, holding, masks), masks & ~holding)
    return part, (predicate & parted).astype(np.uint32), parted.astype(np.uint32) + _ONE


def labeled_partition(
    lanes: Array, size: int, mask: Any, label: Array
) -> tuple[Array, Array, Array]:
    """Part a group by a label; parts are numbered by their first lanes."""
    _, masks = _named(lanes, size, mask)
    part = match_any(lanes, size, mask, label)
    first = part & (~part + _ONE)
    own = np.left_shift(_ONE, (lanes % size).astype(np.uint32))
    leaders = ballot(lanes, size, masks, first == own)
    before = np.bitwise_count(leaders & (first - _ONE))
    return part, before.astype(np.uint32), np.bitwise_count(leaders).astype(np.uint32)


def packed_bits(lanes: Array, size: int, mask: Any, bits: Array) -> Array:
    """Bits of lanes moved together: bit r is that of the lane of rank r."""
    masks = np.broadcast_to(np.asarray(mask, np.uint32), lanes.shape)
    result = np.zeros(lanes.shape, np.uint32)
    for lane in range(int(size)):
        rank = np.bitwise_count(masks & np.uint32((1 << lane) - 1)).astype(np.uint32)
        held = bits >> np.uint32(lane) & masks >> np.uint32(lane) & _ONE
        result |= held << rank
    return result


def any_size(lanes: Array, size: int, mask: Any, block: Any) -> Array:
    """Return how many threads a group has; that of mask 0 has `block`."""
    count = np.bitwise_count(np.asarray(mask, np.uint32)).astype(np.uint32)
    return np.broadcast_to(np.where(np.equal(mask, 0), block, count), lanes.shape)


def any_rank(lanes: Array, size: int, mask: Any, block: Any) -> Array:
    """Return the rank in a group; in that of mask 0 it is `block`."""
    return np.where(np.equal(mask, 0), block, group_rank(lanes, size, mask))


def tile_size(size: int, threads: int) -> Any:
    """Return how many threads a tile has where warps have `size` lanes."""
    return np.uint32(min(threads, int(size)))


def tile_count(outer: Any, size: int, threads: int, in_warp: bool) -> Any:
    """How many tiles there are in a block of `outer` threads, or in a tile, which is `in_warp`."""
    whole = min(int(outer), int(size)) if in_warp else int(outer)
    return np.uint32(-(-whole // min(threads, int(size))))


#: Bits of a mask.
_BITS = 32


def ballot(lanes: Array, size: int, mask: Any, predicate: Array) -> Array:
    """__ballot_sync.

    A bit for each active lane of the warp that `mask` names and whose predicate holds.
    """
    if size == _BITS and not getattr(mask, "ndim", 0) and whole_warps(lanes, size):
        words = np.packbits(predicate, bitorder="little").view("<u4")
        if not names_all(mask, _BITS):
            words = words & np.uint32(mask)
        return words.repeat(_BITS)
    lane = (lanes % size).astype(np.uint32)
    bits = (predicate.astype(np.uint32) << lane) & mask
    return _whole_warp(lanes // size, bits) & mask


def _whole_warp(warps: Array, bits: Array) -> Array:
    """Combine the bits of each warp's lanes, for each of its lanes."""
    if warps[0] == warps[-1]:  # lanes ascend
        return np.full(bits.shape, np.bitwise_or.reduce(bits))
    starts = np.append(0, (warps[1:] != warps[:-1]).nonzero()[0] + 1)
    together = np.bitwise_or.reduceat(bits, starts)
    return np.repeat(together, np.diff(np.append(starts, warps.size)))


def active_mask(lanes: Array, size: int) -> Array:
    """__activemask."""
    return ballot(lanes, size, np.uint32(0xFFFFFFFF), np.ones(lanes.size, np.bool_))


def parted_mask(gang: Any, lanes: Array, size: int) -> Array:
    """__activemask of lanes that need not be together, as CUDA does not promise that they are.

    In about every second warp the lanes diverge by chance: each gets those of its own side alone.
    """
    random = gang.lane_random
    whole = random.random(gang.lane_count // size + 1) < 0.5
    side = (random.random(lanes.size) < 0.5) | whole[lanes // size]
    every = np.uint32(0xFFFFFFFF)
    return np.where(side, ballot(lanes, size, every, side), ballot(lanes, size, every, ~side))


def any_lane(lanes: Array, size: int, mask: Any, predicate: Array) -> Array:
    """__any_sync."""
    return (ballot(lanes, size, mask, predicate) != 0).astype(np.int32)


def all_lanes(lanes: Array, size: int, mask: Any, predicate: Array) -> Array:
    """__all_sync."""
    return (ballot(lanes, size, mask, ~predicate) == 0).astype(np.int32)


def _width_of(width: Any, size: int) -> Any:
    """Return the width of a shuffle's groups.

    CUDA's default of 32 means the whole warp on smaller ones too.
    """
    if not isinstance(width, np.ndarray):
        return min(int(width), size)
    return np.minimum(width, size).astype(np.int64)


def _segments(lanes: Array, size: int, mask: Any, value: Array, *others: Any) -> Array | None:
    """Return the values of whole segments of warps, a row each; None where a lane is missing.

    Of `others`, a width and what says which lane is read, each must be the same for all lanes.
    """
    if not whole_warps(lanes, size):
        return None
    for one in (mask, *others):
        if isinstance(one, np.ndarray) and one.ndim:
            return None
    size = int(size)
    if not names_all(mask, size):
        return None
    group = _width_of(others[0], size)
    if group < 1 or size % group:
        return None
    return value.reshape(-1, group)


def shuffle(lanes: Array, size: int, mask: Any, value: Array, source: Any, width: Any) -> Array:
    """__shfl_sync: the value of lane `source` of the group."""
    rows = _segments(lanes, size, mask, value, width, source)
    if rows is not None:
        return rows[:, int(source) % rows.shape[1]].repeat(rows.shape[1])
    group = _width_of(width, size)
    first = lanes - lanes % group
    source = first + np.mod(np.asarray(source).astype(np.int64), group)
    return _pick(lanes, size, mask, value, source)


def shuffle_up(lanes: Array, size: int, mask: Any, value: Array, delta: Any, width: Any) -> Array:
    """__shfl_up_sync.

    The value of the lane `delta` below, one's own where there is none in the group.
    """
    rows = _segments(lanes, size, mask, value, width, delta)
    if rows is not None:
        found, by = rows.copy(), int(delta)
        if 0 < by < rows.shape[1]:
            found[:, by:] = rows[:, :-by]
        return found.reshape(-1)
    group = _width_of(width, size)
    target = lanes - np.asarray(delta).astype(np.int64)
    source = np.where(target < lanes - lanes % group, lanes, target)
    return _pick(lanes, size, mask, value, source)


def shuffle_down(lanes: Array, size: int, mask: Any, value: Array, delta: Any, width: Any) -> Array:
    """__shfl_down_sync.

    The value of the lane `delta` above, one's own where there is none in the group.
    """
    rows = _segments(lanes, size, mask, value, width, delta)
    if rows is not None:
        found, by = rows.copy(), int(delta)
        if 0 < by < rows.shape[1]:
            found[:, :-by] = rows[:, by:]
        return found.reshape(-1)
    group = _width_of(width, size)
    target = lanes + np.asarray(delta).astype(np.int64)
    source = np.where(target >= lanes - lanes % group + group, lanes, target)
    return _pick(lanes, size, mask, value, source)


def shuffle_xor(lanes: Array, size: int, mask: Any, value: Array, bits: Any, width: Any) -> Array:
    """__shfl_xor_sync: the value of the lane whose number differs in `bits`."""
    rows = _segments(lanes, size, mask, value, width, bits)
    if rows is not None and 0 <= int(bits) < rows.shape[1]:
        return rows[:, np.arange(rows.shape[1]) ^ int(bits)].reshape(-1)
    group = _width_of(width, size)
    target = lanes ^ np.asarray(bits).astype(np.int64)
    source = np.where(target >= lanes - lanes % group + group, lanes, target)
    return _pick(lanes, size, mask, value, source)


#: Of all lanes none.
_NONE = np.zeros(1, np.bool_)


def _pick(lanes: Array, size: int, mask: Any, value: Array, source: Array) -> Array:
    """Read the values of the lanes `source`, which must be active and named by the mask."""
    first, last = lanes[0], lanes[-1]
    at = source - first
    whole = last - first == lanes.size - 1
    if not whole or at.min() < 0 or source.max() > last:
        at = np.searchsorted(lanes, source)
        missing = lanes[np.minimum(at, lanes.size - 1)] != source
    else:
        missing = _NONE
    if missing.any():
        raise LaneError(
            "a shuffle reads a lane that is not active",
            "Let every lane named in the mask take part, or read only lanes that do.",
            missing,
        )
    if np.ndim(mask) or not names_all(mask, int(size)):
        _check_named(lanes, size, mask, source)
    return value[at]


def _check_named(lanes: Array, size: int, mask: Any, source: Array) -> None:
    """Refuse to read lanes that come with another mask: they do not take part."""
    mask = np.broadcast_to(np.asarray(mask, np.uint32), lanes.shape)
    lane = (source % size).astype(np.uint32)
    strange = (mask >> lane & np.uint32(1) == 0) & (source != lanes)
    if strange.any():
        first = int(strange.argmax())
        raise LaneError(
            f"a shuffle reads lane {int(lane[first])}, which its mask {int(mask[first]):#x} "
            "does not name",
            "Lanes that come with another mask do not take part: name every lane that is read.",
            strange,
        )


def check_mask(gang: Any, lanes: Array, mask: Any, exited: Array) -> None:
    """Refuse masks that leave out a calling lane, or name one that could come and does not.

    `gang` tells which lanes are threads, `exited` which of them have returned.
    """
    size = int(gang.warp_size)
    if np.ndim(mask) == 0 and names_all(mask, size) and whole_warps(lanes, size):
        return
    own_lane, warps = (lanes % size).astype(np.uint32), lanes // size
    mask = np.broadcast_to(np.asarray(mask, np.uint32), lanes.shape)
    left_out = (mask >> own_lane) & np.uint32(1) == 0
    if left_out.any():
        first = int(left_out.argmax())
        raise LaneError(
            f"the mask {int(mask[first]):#x} does not name lane {own_lane[first]}, which calls",
            "A mask must name every lane that calls; take it before the branch by __ballot_sync.",
            left_out,
            "sync",
        )
    missing = (
        mask & ~_whole_warp(warps, np.uint32(1) << own_lane) & _alive(gang, warps, exited, size)
    )
    if missing.any():
        first = int(np.argmax(missing != 0))
        names = [str(lane) for lane in range(size) if int(missing[first]) >> lane & 1]
        what = f"lane {names[0]}" if len(names) == 1 else f"lanes {', '.join(names)}"
        raise LaneError(
            f"the mask {int(mask[first]):#x} names {what}, not active here",
            "Name only the lanes that take part, or let all of them come: call it outside the "
            "branch.",
            missing != 0,
            "sync",
        )


def names_all(mask: Any, size: int) -> bool:
    """Return whether a mask names every lane of a warp of `size` lanes."""
    every = (1 << size) - 1
    return int(mask) & every == every


#: The lanes that `whole_warps` saw last, the size, and what it found: votes and shuffles of the
#: same lanes follow one another. Nobody changes arrays of lanes.
_seen_last: tuple[Array | None, int, bool] = (None, 0, False)


def whole_warps(lanes: Array, size: int) -> bool:
    """Return whether ascending lanes are all lanes of some warps."""
    global _seen_last
    seen, of, found = _seen_last
    if seen is not lanes or of != size:
        found = _whole_warps_of(lanes, int(size))
        _seen_last = lanes, int(size), found
    return found


def _whole_warps_of(lanes: Array, size: int) -> bool:
    if not lanes.size:
        return True
    lowest = int(lanes[0])
    if lanes.size % size or lowest % size:
        return False
    if int(lanes[-1]) - lowest == lanes.size - 1:
        return True
    first, last = lanes[::size], lanes[size - 1 :: size]
    return bool((first % size == 0).all() and (last - first == size - 1).all())


def _alive(gang: Any, warps: Array, exited: Array, size: int) -> Array:
    """For each of `warps` the lanes that are threads and have not returned, as bits."""
    threads = np.zeros(exited.size, np.bool_)
    threads[gang.lanes] = True
    bits = (threads & ~exited).reshape(-1, size).astype(np.uint32) << np.arange(
        size, dtype=np.uint32
    )
    return np.bitwise_or.reduce(bits, axis=1)[warps]
