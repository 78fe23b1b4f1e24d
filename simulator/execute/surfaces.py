"""Reads and writes of surfaces by bytes of rows, and what becomes of those that are outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import Memory
from simulator.execute.textures import (
    Bindings,
    Fetched,
    Image,
    Lanes,
    Surface,
    Values,
    among,
    joined,
)
from simulator.ir.textures import CLAMP, TRAP, ZERO, Access
from simulator.lanes.arithmetic import LaneError


class Written(NamedTuple):
    """Which lane has written what at which address; lanes ascend."""

    lanes: Lanes
    addresses: Lanes
    values: Values


def read(
    bindings: Bindings,
    memory: Memory,
    access: Access,
    lanes: Lanes,
    handle: Any,
    given: Sequence[Any],
) -> Fetched:
    """Read values by some lanes; outside of the surface zeros, where that is asked for."""
    arguments = [np.broadcast_to(np.asarray(one), lanes.shape) for one in given]

    def one(surface: Surface, mask: Any) -> tuple[list[Values], Lanes]:
        where = _placed(surface.image, access, arguments, mask)
        view = memory.typed(access.dtype)
        at = np.maximum(where, surface.image.start) // access.dtype.itemsize
        found = [np.where(where < 0, 0, view[at + part]) for part in range(access.channels)]
        return found, where[:, None]

    return joined(bindings.each(access, handle, lanes.size, Surface), access, lanes, one)


def write(
    bindings: Bindings,
    memory: Memory,
    access: Access,
    lanes: Lanes,
    handle: Any,
    given: Sequence[Any],
    random: np.random.Generator | None,
) -> Written:
    """Write values by some lanes; of those at one place the last wins, or any by `random`."""
    spread = [np.broadcast_to(np.asarray(one), lanes.shape) for one in given]
    arguments, values = spread[: -access.channels], spread[-access.channels :]
    addresses = np.full(lanes.shape, -1)
    for surface, mask in bindings.each(access, handle, lanes.size, Surface):
        addresses[mask] = _placed(surface.image, access, arguments, mask)
    order = np.arange(lanes.size) if random is None else random.permutation(lanes.size)
    order = order[addresses[order] >= 0]
    view, at = memory.typed(access.dtype), addresses[order] // access.dtype.itemsize
    for part, value in enumerate(values):
        view[at + part] = value[order]
    inside = addresses >= 0
    whole = np.stack([value[inside] for value in values], axis=1).view(access.whole)
    return Written(lanes[inside], addresses[inside], whole[:, 0])


def _placed(image: Image, access: Access, arguments: list[Values], mask: Any) -> Lanes:
    """Return the addresses of surface accesses, -1 for those that are outside and do nothing."""
    *coordinates, mode = (one[mask].astype(np.int64) for one in arguments)
    along = list(coordinates)
    while len(along) < 3:
        along.insert(access.shape.axes, np.zeros_like(mode))
    last = image.row - access.size, image.extent[1] - 1, image.extent[2] - 1
    outside = np.zeros(mode.shape, np.bool_)
    for one, most in zip(along, last, strict=True):
        outside |= (one < 0) | (one > most)
    _check_surface(image, access, along, mode, outside, mask)
    clamped = [np.clip(one, 0, max(0, most)) for one, most in zip(along, last, strict=True)]
    return np.where(outside & (mode == ZERO), -1, image.address(*clamped))


def _check_surface(
    image: Image,
    access: Access,
    along: list[Lanes],
    mode: Lanes,
    outside: NDArray[np.bool_],
    mask: NDArray[np.bool_],
) -> None:
    """Refuse surface accesses that are a fault on a GPU, or that nothing defines."""
    strange = ~np.isin(mode, (ZERO, CLAMP, TRAP))
    if strange.any():
        what = f"`{access.name}` with the boundary mode {int(mode[strange][0])}"
        hint = "There are cudaBoundaryModeTrap, cudaBoundaryModeClamp and cudaBoundaryModeZero."
        raise LaneError(what, hint, among(mask, strange))
    askew = along[0] % access.size != 0
    if askew.any():
        what = f"`{access.name}` at byte {int(along[0][askew][0])} of a row: its values have "
        what += f"{access.size} bytes"
        hint = f"x counts bytes: multiply it by {access.size}."
        raise LaneError(what, hint, among(mask, askew))
    trapped = outside & (mode == TRAP)
    if trapped.any():
        place = ", ".join(str(int(one[trapped][0])) for one in along)
        size = f"{image.row} bytes by {image.extent[1]} by {image.extent[2]}"
        what = f"`{access.name}` outside of its surface: ({place}) of {size}"
        hint = (
            "x counts bytes, y rows. Compare them with the surface's size, or pass "
            "cudaBoundaryModeZero or cudaBoundaryModeClamp."
        )
        raise LaneError(what, hint, among(mask, trapped))
