"""What the lanes of a warp tell each other: votes and shuffles.

Lanes are numbered through the gang; those of one warp follow one another. `lanes` is the ascending
array of active lanes; `size` is how many a warp has. Every function looks only at active lanes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.lanes.arithmetic import LaneError

Array = Any

__all__ = [
    "active_mask",
    "all_lanes",
    "any_lane",
    "ballot",
    "check_mask",
    "parted_mask",
    "shuffle",
    "shuffle_down",
    "shuffle_up",
    "shuffle_xor",
]


def ballot(lanes: Array, size: int, mask: Any, predicate: Array) -> Array:
    """__ballot_sync.

    A bit for each active lane of the warp that `mask` names and whose predicate holds.
    """
    place = (lanes % size).astype(np.uint32)
    bits = (predicate.astype(np.uint32) << place) & mask
    return _whole_warp(lanes // size, bits) & mask


def _whole_warp(warps: Array, bits: Array) -> Array:
    """The bits of each warp's lanes together, for each of its lanes."""
    starts = np.append(0, (warps[1:] != warps[:-1]).nonzero()[0] + 1)
    together = np.bitwise_or.reduceat(bits, starts)
    return np.repeat(together, np.diff(np.append(starts, warps.size)))


def active_mask(lanes: Array, size: int) -> Array:
    """__activemask."""
    return ballot(lanes, size, np.uint32(0xFFFFFFFF), np.ones(lanes.size, np.bool_))


def parted_mask(launch: Any, lanes: Array, size: int) -> Array:
    """__activemask of lanes that need not be together, as CUDA does not promise that they are.

    Of every second warp, by chance, each lane is told of those on its own side alone.
    """
    dice = launch.lane_dice
    whole = dice.random(launch.lane_count // size + 1) < 0.5
    side = (dice.random(lanes.size) < 0.5) | whole[lanes // size]
    every = np.uint32(0xFFFFFFFF)
    return np.where(side, ballot(lanes, size, every, side), ballot(lanes, size, every, ~side))


def any_lane(lanes: Array, size: int, mask: Any, predicate: Array) -> Array:
    """__any_sync."""
    return (ballot(lanes, size, mask, predicate) != 0).astype(np.int32)


def all_lanes(lanes: Array, size: int, mask: Any, predicate: Array) -> Array:
    """__all_sync."""
    return (ballot(lanes, size, mask, ~predicate) == 0).astype(np.int32)


def _width_of(width: Any, size: int) -> Any:
    """The width of a shuffle's groups.

    CUDA's default of 32 means the whole warp on smaller ones too.
    """
    return np.minimum(width, size).astype(np.int64)


def shuffle(lanes: Array, size: int, mask: Any, value: Array, source: Any, width: Any) -> Array:
    """__shfl_sync: the value of lane `source` of the group."""
    group = _width_of(width, size)
    first = lanes - lanes % group
    source = first + np.mod(np.asarray(source).astype(np.int64), group)
    return _pick(lanes, size, mask, value, source)


def shuffle_up(lanes: Array, size: int, mask: Any, value: Array, delta: Any, width: Any) -> Array:
    """__shfl_up_sync.

    The value of the lane `delta` below, one's own where there is none in the group.
    """
    group = _width_of(width, size)
    target = lanes - np.asarray(delta).astype(np.int64)
    source = np.where(target < lanes - lanes % group, lanes, target)
    return _pick(lanes, size, mask, value, source)


def shuffle_down(lanes: Array, size: int, mask: Any, value: Array, delta: Any, width: Any) -> Array:
    """__shfl_down_sync.

    The value of the lane `delta` above, one's own where there is none in the group.
    """
    group = _width_of(width, size)
    target = lanes + np.asarray(delta).astype(np.int64)
    source = np.where(target >= lanes - lanes % group + group, lanes, target)
    return _pick(lanes, size, mask, value, source)


def shuffle_xor(lanes: Array, size: int, mask: Any, value: Array, bits: Any, width: Any) -> Array:
    """__shfl_xor_sync: the value of the lane whose number differs in `bits`."""
    group = _width_of(width, size)
    target = lanes ^ np.asarray(bits).astype(np.int64)
    source = np.where(target >= lanes - lanes % group + group, lanes, target)
    return _pick(lanes, size, mask, value, source)


def _pick(lanes: Array, size: int, mask: Any, value: Array, source: Array) -> Array:
    """The values of the lanes `source`, all of which must be active, and named by the mask."""
    place = np.searchsorted(lanes, source)
    missing = lanes[np.minimum(place, lanes.size - 1)] != source
    if missing.any():
        raise LaneError(
            "a shuffle reads a lane that is not active",
            "Let every lane named in the mask take part, or read only lanes that do.",
            missing,
        )
    if np.ndim(mask) or not names_all(mask, int(size)):
        _check_named(lanes, size, mask, source)
    return value[place]


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


def check_mask(launch: Any, lanes: Array, mask: Any, gone: Array) -> None:
    """Refuse masks that leave out a calling lane, or name one that could come and does not.

    `launch` tells which lanes are threads, `gone` which of them have returned.
    """
    size = int(launch.warp_size)
    if np.ndim(mask) == 0 and names_all(mask, size) and whole_warps(lanes, size):
        return
    place, warps = (lanes % size).astype(np.uint32), lanes // size
    mask = np.broadcast_to(np.asarray(mask, np.uint32), lanes.shape)
    left_out = (mask >> place) & np.uint32(1) == 0
    if left_out.any():
        first = int(left_out.argmax())
        raise LaneError(
            f"the mask {int(mask[first]):#x} does not name lane {int(place[first])}, which calls",
            "A mask must name every lane that calls; take it before the branch by __ballot_sync.",
            left_out,
            "sync",
        )
    missing = mask & ~_whole_warp(warps, np.uint32(1) << place) & _alive(launch, warps, gone, size)
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
    """Whether a mask names every lane of a warp of `size` lanes."""
    every = (1 << size) - 1
    return int(mask) & every == every


def whole_warps(lanes: Array, size: int) -> bool:
    """Whether ascending lanes are all lanes of some warps."""
    first, last = lanes[::size], lanes[size - 1 :: size]
    if first.size != last.size:
        return False
    return bool((first % size == 0).all() and (last - first == size - 1).all())


def _alive(launch: Any, warps: Array, gone: Array, size: int) -> Array:
    """For each of `warps` the lanes that are threads and have not returned, as bits."""
    threads = np.zeros(gone.size, np.bool_)
    threads[launch.lanes] = True
    bits = (threads & ~gone).reshape(-1, size).astype(np.uint32) << np.arange(size, dtype=np.uint32)
    return np.bitwise_or.reduce(bits, axis=1)[warps]
