"""Lanes in a random order, where CUDA leaves the order open: atomics, and stores to one address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import ALWAYS

__all__ = ["any_order", "shuffled_order", "store_any"]


def shuffled_order(launch: Any, lanes: NDArray[np.int64], merged: str) -> NDArray[np.int64]:
    """An order for the lanes of one atomic: any, but warps whose atomics are merged stay whole.

    `lanes` ascend. Of such a warp the lanes are served together and as they are numbered: `merged`
    says whether all warps are such, those all of whose lanes take part, or none.
    """
    dice = launch.lane_dice.random(lanes.size)
    if merged:
        warps = lanes // launch.warp_size
        first = np.searchsorted(warps, warps)
        together = np.searchsorted(warps, warps, "right") - first == launch.warp_size
        dice = np.where(together | (merged == ALWAYS), dice[first], dice)
    return np.argsort(dice, kind="stable")


def any_order(order: Any, operation: Callable[..., Any], view: Any, index: Any, *rest: Any) -> Any:
    """An atomic operation with its lanes served in `order`; `rest` are operands and lanes."""
    *operands, count = rest
    place = np.empty_like(order)
    place[order] = np.arange(count)
    shuffled = [v[order] if np.ndim(v) else v for v in (index, *operands)]
    found = operation(view, *shuffled, count)
    return tuple(f[place] for f in found) if isinstance(found, tuple) else found[place]


def store_any(dice: np.random.Generator, view: Any, index: Any, value: Any) -> None:
    """A store by which of lanes with the same address any wins; `index` may be a tuple."""
    if not np.ndim(value):
        view[index] = value
        return
    order = dice.permutation(len(value))
    if isinstance(index, tuple):
        view[tuple(part[order] if np.ndim(part) else part for part in index)] = value[order]
    elif np.ndim(index):
        view[index[order]] = value[order]
    else:
        view[index] = value[order[0]]
