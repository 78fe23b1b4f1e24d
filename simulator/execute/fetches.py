"""Fetches from textures: coordinates to texels in memory, and their values together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import Memory
from simulator.execute.textures import (
    FACES,
    Bindings,
    Fetched,
    Image,
    Lanes,
    Texture,
    Values,
    among,
    joined,
)
from simulator.ir.textures import Access
from simulator.lanes import sampling
from simulator.lanes.arithmetic import LaneError
from simulator.lanes.sampling import Taps


def fetch(
    bindings: Bindings,
    memory: Memory,
    access: Access,
    lanes: Lanes,
    handle: Any,
    given: Sequence[Any],
) -> Fetched:
    """Fetch texels by some lanes."""
    coordinates = [np.broadcast_to(np.asarray(one), lanes.shape) for one in given]

    def one(texture: Texture, mask: Any) -> tuple[list[Values], Lanes]:
        _check_type(texture, access, mask)
        picked = [coordinate[mask] for coordinate in coordinates]
        if access.gathers:
            _check_channel(texture.image.channels, picked[-1], mask)
        return _sampled(memory, texture, access, picked)

    return joined(bindings.each(access, handle, lanes.size, Texture), access, lanes, one)


def _check_type(texture: Texture, access: Access, mask: Any) -> None:
    """Refuse values of which CUDA does not say what they are."""
    image, floats = texture.image, access.dtype.kind == "f"
    if floats != texture.reads_floats:
        held = f"{8 * image.dtype.itemsize}-bit {_KINDS[image.dtype.kind]}"
        read = " that are read as floats" if texture.as_floats else ""
        what = f"`{access.name}` of a texture of {held}{read}"
        wanted = "float" if texture.reads_floats else "an integer type"
        hint = f"Name {wanted} in its `<…>`"
        more = "" if texture.reads_floats else ", or make it with cudaReadModeNormalizedFloat"
        raise LaneError(f"{what} for {_KINDS[access.dtype.kind]}", f"{hint}{more}.", mask)
    if not access.gathers and access.channels > image.channels:
        has = f"{image.channels} channel{'s' if image.channels > 1 else ''}"
        what = f"`{access.name}` reads {access.channels} channels of a texture that has {has}"
        raise LaneError(what, "What the others would be is undefined: name a shorter vector.", mask)
    if access.gathers and not image.gathers:
        what = "`tex2Dgather` of an array that was not made for it"
        raise LaneError(what, "Make the CUDAarray with cudaArrayTextureGather.", mask)


def _check_channel(channels: int, asked: Values, mask: Any) -> None:
    wrong = (asked < 0) | (asked >= channels)
    if wrong.any():
        what = f"`tex2Dgather` of channel {int(asked[wrong][0])} of a texture of {channels}"
        raise LaneError(what, "They count from 0.", among(mask, wrong))


_KINDS = {"f": "floats", "i": "integers", "u": "unsigned integers"}


def _sampled(
    memory: Memory, texture: Texture, access: Access, given: list[Values]
) -> tuple[list[Values], Lanes]:
    """Return the components that lanes fetch, and the addresses of all texels that they read."""
    corners = list(_corners(texture, access, given))
    addresses = np.stack([where for where, _ in corners], axis=1)
    if access.gathers:
        texels = (corners[at][0] for at in _AROUND[: access.channels])
        found = [_asked(memory, texture, where, given[-1]) for where in texels]
    else:
        found = [_weighted(memory, texture, corners, at) for at in range(access.channels)]
    return [value.astype(access.dtype) for value in found], addresses


#: Of the four texels around a point (x fastest), counter-clockwise from the lower left.
_AROUND = (2, 3, 1, 0)
#: The addresses of a texel for each lane, and how much it counts.
_Corner = tuple[Lanes, NDArray[np.float64]]


def _corners(texture: Texture, access: Access, given: list[Values]) -> Iterator[_Corner]:
    """Yield the texels that lanes read, x fastest."""
    image, taps = texture.image, [_nowhere(given[0].size)] * 3
    along, layer = _in_layer(image, access, given)
    for axis, coordinate in enumerate(along):
        taps[axis] = _taps(texture, axis, coordinate, texture.filters or access.gathers)
    if access.shape.layered or access.shape.cubemap:
        taps[2] = taps[2]._replace(texels=(layer,))
    for z, y, x in product(*(zip(*one, strict=True) for one in reversed(taps))):
        yield _addresses(image, x[0], y[0], z[0]), x[1] * y[1] * z[1]


def _nowhere(count: int) -> Taps:
    """Return the only texel along an axis that there is not."""
    return Taps((np.zeros(count, np.int64),), (np.ones(count),))


def _in_layer(image: Image, access: Access, given: list[Values]) -> tuple[list[Values], Lanes]:
    """Return the coordinates in a layer or face, and which one; layers that are not are the last.

    The faces of the cubes of an array are counted cube by cube.
    """
    shape, layer = access.shape, np.zeros(given[0].shape, np.int64)
    along = given[: shape.axes]
    if shape.layered:
        last = image.extent[2] // (FACES if shape.cubemap else 1) - 1
        layer = np.clip(given[access.coordinates - 1].astype(np.int64), 0, last)
    if shape.cubemap:
        face, *along = sampling.face(*given[:3])
        layer = layer * FACES + face
    return along, layer


def _taps(texture: Texture, axis: int, coordinate: Values, both: bool) -> Taps:
    """Return the texels along an axis that a fetch reads: one, or `both` neighbours of a point."""
    size, mode = texture.image.extent[axis], texture.modes[axis]
    if texture.image.shape.linear:
        texel = sampling.addressed(coordinate.astype(np.int64), size, sampling.BORDER)
        return _nowhere(texel.size)._replace(texels=(texel,))
    where = sampling.position(coordinate, size, mode, texture.normalised)
    return (sampling.linear if both else sampling.nearest)(where, size, mode)


def _weighted(memory: Memory, texture: Texture, corners: list[_Corner], channel: int) -> Values:
    """Return a channel of the texels at corners together; what counts nothing may be anything."""
    if len(corners) == 1:
        return _channel(memory, texture, corners[0][0], channel)
    total: Values = np.zeros(corners[0][0].shape)
    for where, weight in corners:
        value = _channel(memory, texture, where, channel).astype(np.float64)
        total += np.where(weight == 0, 0, weight * value)
    return total


def _asked(memory: Memory, texture: Texture, where: Lanes, channel: Values) -> Values:
    """Return of texels the channel that each lane asks for."""
    channels = range(texture.image.channels)
    return np.choose(channel, [_channel(memory, texture, where, one) for one in channels])


def _addresses(image: Image, x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Return the addresses of texels, -1 for those that are outside along an axis."""
    outside = (x < 0) | (y < 0) | (z < 0)
    return np.where(outside, -1, image.address(x * image.texel, y, z))


def _channel(memory: Memory, texture: Texture, where: Lanes, channel: int) -> Values:
    """Return a channel of texels as it is read, the border's where they are outside."""
    dtype = texture.image.dtype
    at = np.maximum(where, texture.image.start) // dtype.itemsize + channel
    found = memory.typed(dtype)[at]
    if texture.as_floats:
        found = np.maximum(found / np.float32(np.iinfo(dtype).max), np.float32(-1))
    border = np.asarray(texture.border[channel]).astype(found.dtype)
    return np.where(where < 0, border, found)
