"""What the lanes of a warp that share a mask find out together: matches and reductions.

`lanes` is the ascending array of active lanes, `size` how many a warp has, `mask` one for all or
one a lane. Lanes of a warp with the same mask form a group; lanes that their own mask does not name
count for nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any

__all__ = [
    "match_all",
    "match_any",
    "reduce_add",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_xor",
]


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
