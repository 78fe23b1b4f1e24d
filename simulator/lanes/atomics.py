"""Atomic operations, applied as if the lanes were served one by one in ascending order.

Each function takes a flat view of memory, the index that each lane aims at (an array, or one int
for all), the operand (an array or scalar) and the number of lanes; it updates the view and returns
what each lane found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import ALWAYS

__all__ = [
    "any_order",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_dec",
    "atomic_exch",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "shuffled_order",
    "store_any",
]

# Lanes in a random order, where CUDA leaves the order open: atomics, and stores to one address.


def shuffled_order(gang: Any, lanes: NDArray[np.int64], merged: str) -> NDArray[np.int64]:
    """Draw an order for the lanes of one atomic; warps whose atomics are merged stay whole.

    `lanes` ascend. Of such a warp the lanes are served together and as they are numbered: `merged`
    says whether all warps are such, those all of whose lanes take part, or none.
    """
    keys = gang.lane_random.random(lanes.size)
    if merged:
        warps = lanes // gang.warp_size
        first = np.searchsorted(warps, warps)
        together = np.searchsorted(warps, warps, "right") - first == gang.warp_size
        keys = np.where(together | (merged == ALWAYS), keys[first], keys)
    return np.argsort(keys, kind="stable")


def any_order(order: Any, operation: Callable[..., Any], view: Any, index: Any, *rest: Any) -> Any:
    """Serve the lanes of an atomic in `order`; `rest` are operands and the number of lanes."""
    *operands, count = rest
    rank = np.empty_like(order)
    rank[order] = np.arange(count)
    shuffled = [v[order] if np.ndim(v) else v for v in (index, *operands)]
    found = operation(view, *shuffled, count)
    return tuple(f[rank] for f in found) if isinstance(found, tuple) else found[rank]


def store_any(random: np.random.Generator, view: Any, index: Any, value: Any) -> None:
    """Store so that of lanes with the same address any wins; `index` may be a tuple."""
    if not np.ndim(value):
        view[index] = value
        return
    order = random.permutation(len(value))
    if isinstance(index, tuple):
        view[tuple(part[order] if np.ndim(part) else part for part in index)] = value[order]
    elif np.ndim(index):
        view[index[order]] = value[order]
    else:
        view[index] = value[order[0]]


Array = Any


class _Groups:
    """Lanes sorted by what they aim at.

    `order` sorts, `heads` are the positions at which a new index begins.
    """

    def __init__(self, index: Array) -> None:
        self.order = np.argsort(index, kind="stable")
        self.index = index[self.order]
        fresh = np.empty(index.size, np.bool_)
        fresh[0] = True
        np.not_equal(self.index[1:], self.index[:-1], out=fresh[1:])
        self.heads = fresh.nonzero()[0]
        self.sizes = np.diff(np.append(self.heads, index.size))

    @property
    def distinct(self) -> bool:
        """Whether no two lanes aim at the same element."""
        return bool(self.heads.size == self.index.size)

    @property
    def tails(self) -> Array:
        """The last position of each group."""
        return self.heads + self.sizes - 1

    def unsort(self, values: Array) -> Array:
        """Values in sorted order, back in the order of lanes."""
        result = np.empty_like(values)
        result[self.order] = values
        return result


def _spread(value: Any, count: int, dtype: Any) -> Array:
    if isinstance(value, np.ndarray) and value.ndim:
        return value
    spread = np.empty(count, dtype)
    spread.fill(value)
    return spread


def _grouped(view: Array, index: Any, value: Any, count: int) -> tuple[_Groups, Array]:
    """Sort the lanes by what they aim at, and with them their operands."""
    groups = _Groups(index if np.ndim(index) else np.full(count, index, np.int64))
    return groups, _spread(value, count, view.dtype)[groups.order]


def atomic_add(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicAdd. Integers wrap around; floats are added in lane order."""
    if not isinstance(index, np.ndarray):
        return _add_one(view, index, _spread(value, count, view.dtype))
    if count == 1:
        return _single(view, index, value, np.add)
    if view.dtype.kind == "f":
        return _by_rank(view, index, value, count, lambda old, v: old + v)
    groups, values = _grouped(view, index, value, count)
    old = view[groups.index]
    if not groups.distinct:
        before = np.cumsum(values, dtype=view.dtype) - values
        old = old + (before - np.repeat(before[groups.heads], groups.sizes))
    view[groups.index[groups.tails]] = (old + values)[groups.tails]
    return groups.unsort(old)


def _add_one(view: Array, index: int, values: Array) -> Array:
    """All lanes add to one element."""
    if values.size == 1:
        old = view[index : index + 1].copy()
        view[index] += values[0]
        return old
    sums = np.empty(values.size + 1, view.dtype)
    sums[0] = view[index]
    sums[1:] = values
    np.add.accumulate(sums, out=sums)
    view[index] = sums[-1]
    return sums[:-1]


def _single(view: Array, index: Array, value: Any, operation: Callable[[Any, Any], Any]) -> Array:
    old = view[index]
    view[index] = operation(old, value)
    return old


def atomic_sub(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicSub."""
    return atomic_add(view, index, np.negative(_spread(value, count, view.dtype)), count)


def _associative(
    view: Array, index: Any, value: Any, count: int, operation: Callable[[Any, Any], Any]
) -> Array:
    """Any associative operation, by a segmented scan that doubles its reach."""
    groups, scan = _grouped(view, index, value, count)
    rank = np.arange(count) - np.repeat(groups.heads, groups.sizes)
    reach = 1
    longest = int(groups.sizes.max())
    while reach < longest:
        inside = (rank >= reach).nonzero()[0]
        scan[inside] = operation(scan[inside - reach], scan[inside])
        reach *= 2
    old = view[groups.index]
    later = (rank > 0).nonzero()[0]
    first = old
    old = first.copy()
    old[later] = operation(first[later], scan[later - 1])
    view[groups.index[groups.tails]] = operation(old, _last(scan, old, value, groups))[groups.tails]
    return groups.unsort(old)


def _last(scan: Array, old: Array, value: Any, groups: _Groups) -> Array:
    values = _spread(value, scan.size, scan.dtype)
    return values[groups.order]


def atomic_min(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicMin."""
    return _associative(view, index, value, count, np.minimum)


def atomic_max(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicMax."""
    return _associative(view, index, value, count, np.maximum)


def atomic_and(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicAnd."""
    return _associative(view, index, value, count, np.bitwise_and)


def atomic_or(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicOr."""
    return _associative(view, index, value, count, np.bitwise_or)


def atomic_xor(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicXor."""
    return _associative(view, index, value, count, np.bitwise_xor)


def atomic_exch(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicExch: each lane finds what the one before it left."""
    return _associative(view, index, value, count, lambda _, new: new)


def atomic_inc(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicInc: one more, back to 0 past the operand."""
    return _by_rank(
        view, index, value, count, lambda old, v: np.where(old >= v, 0, old + old.dtype.type(1))
    )


def atomic_dec(view: Array, index: Any, value: Any, count: int) -> Array:
    """atomicDec: one less, back to the operand from 0 or from above it."""
    return _by_rank(
        view,
        index,
        value,
        count,
        lambda old, v: np.where((old == 0) | (old > v), v, old - old.dtype.type(1)),
    )


def _by_rank(
    view: Array, index: Any, value: Any, count: int, operation: Callable[[Any, Any], Any]
) -> Array:
    """Any operation: first the first lane of each element, then the second of each, and so on."""
    groups, values = _grouped(view, index, value, count)
    found = np.empty(count, view.dtype)
    by_size = np.argsort(-groups.sizes, kind="stable")
    heads, sizes = groups.heads[by_size], groups.sizes[by_size]
    live, rank = heads.size, 0
    while live:
        served = heads[:live] + rank
        at = groups.index[served]
        found[served] = view[at]
        view[at] = operation(found[served], values[served])
        rank += 1
        live = int(np.searchsorted(-sizes, -rank, side="left"))
    return groups.unsort(found)


def atomic_cas(
    view: Array, index: Any, compare: Any, value: Any, count: int
) -> tuple[Array, Array]:
    """atomicCAS: what each lane found, and which lanes swapped. Floats are compared bit by bit."""
    if view.dtype.kind == "f":
        bits = f"u{view.dtype.itemsize}"
        compare, value = (np.asarray(v, view.dtype).view(bits) for v in (compare, value))
        old, swapped = atomic_cas(view.view(bits), index, compare, value, count)
        return old.view(view.dtype), swapped
    index = index if np.ndim(index) else np.full(count, index, np.int64)
    if count == 1:
        old = view[index]
        swapped = np.equal(old, compare)
        if swapped[0]:
            view[index] = value
        return old, swapped
    if np.ndim(compare) == 0 and np.ndim(value) == 0 and compare != value:
        return _cas_same(view, index, compare, value, count)
    return _cas_each(view, index, compare, value, count)


def _cas_same(
    view: Array, index: Array, compare: Any, value: Any, count: int
) -> tuple[Array, Array]:
    """All lanes compare with and write the same.

    Of each element's lanes only the first can swap.
    """
    old = view[index]
    swapped = old == compare
    hopeful = swapped.nonzero()[0]
    if hopeful.size > 1:
        groups = _Groups(index[hopeful])
        if not groups.distinct:
            late = np.ones(hopeful.size, np.bool_)
            late[groups.order[groups.heads]] = False
            swapped[hopeful[late]] = False
            old[hopeful[late]] = value
    view[index[swapped]] = value
    return old, swapped


def _cas_each(
    view: Array, index: Array, compare: Any, value: Any, count: int
) -> tuple[Array, Array]:
    compares, values = _spread(compare, count, view.dtype), _spread(value, count, view.dtype)
    groups = _Groups(index)
    sorted_rank = np.arange(count) - np.repeat(groups.heads, groups.sizes)
    rank = groups.unsort(sorted_rank)
    old = np.empty(count, view.dtype)
    swapped = np.zeros(count, np.bool_)
    for lanes in np.split(np.argsort(rank, kind="stable"), np.cumsum(np.bincount(rank))[:-1]):
        old[lanes] = view[index[lanes]]
        wins = lanes[old[lanes] == compares[lanes]]
        view[index[wins]] = values[wins]
        swapped[wins] = True
    return old, swapped
