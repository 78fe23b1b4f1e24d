"""Textures and surfaces of a device: what their handles stand for, and how lanes access them.

A CUDA array is rows of texels in device memory, one row after another. How a GPU arranges them is
not documented; nothing that a kernel computes depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import Memory
from simulator.ir.textures import CLAMP, TRAP, ZERO, Access, Shape
from simulator.lanes import sampling
from simulator.lanes.arithmetic import LaneError
from simulator.lanes.sampling import Taps

Lanes = NDArray[np.int64]
Values = NDArray[Any]

#: The faces of a cube.
FACES = 6


@dataclass(frozen=True)
class Image:
    """Texels in device memory.

    Attributes
    ----------
    start : int
        The address of the first one.
    dtype : dtype
        Of a channel.
    channels : int
        Numbers of a texel: 1, 2 or 4.
    extent : tuple of int
        Texels along x, y and z; z counts layers and faces, too.
    pitch : int
        Bytes from a row to the next.
    shape : Shape
        Which functions access it.
    gathers : bool
        Whether it was made for `tex2Dgather`.
    """

    start: int
    dtype: np.dtype[Any]
    channels: int
    extent: tuple[int, int, int]
    pitch: int
    shape: Shape
    gathers: bool = False

    @property
    def texel(self) -> int:
        """Bytes of a texel."""
        return self.dtype.itemsize * self.channels

    @property
    def row(self) -> int:
        """Bytes of a row of texels."""
        return self.extent[0] * self.texel

    def address(self, x: Lanes, y: Lanes, z: Lanes) -> Lanes:
        """Return the addresses of bytes `x` of rows `y` of slices `z`."""
        return self.start + (z * self.extent[1] + y) * self.pitch + x


@dataclass(frozen=True)
class Texture:
    """An image, and how it is sampled.

    Attributes
    ----------
    image : Image
        What is fetched.
    modes : tuple of int
        The address mode of each axis, one of `simulator.lanes.sampling`.
    filters : bool
        Whether it is linearly filtered.
    normalised : bool
        Whether coordinates go from 0 to 1.
    as_floats : bool
        Whether integers are read as floats from 0 or -1 to 1.
    border : tuple of float
        What is outside, by channel.
    """

    image: Image
    modes: tuple[int, int, int]
    filters: bool = False
    normalised: bool = False
    as_floats: bool = False
    border: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def reads_floats(self) -> bool:
        """Whether its values are floats."""
        return self.as_floats or self.image.dtype.kind == "f"


@dataclass(frozen=True)
class Surface:
    """An image that kernels read and write by bytes and rows."""

    image: Image


class Fetched(NamedTuple):
    """Components, and which lane has read which address; lanes ascend and may be repeated."""

    parts: list[Values]
    lanes: Lanes
    addresses: Lanes


class Written(NamedTuple):
    """Which lane has written what at which address; lanes ascend."""

    lanes: Lanes
    addresses: Lanes
    values: Values


_handles = count(1)


class Bindings:
    """The textures and surfaces of one device by their handles, which no other device has."""

    def __init__(self) -> None:
        self._bound: dict[int, Texture | Surface] = {}
        self._destroyed: set[int] = set()

    def add(self, item: Texture | Surface) -> int:
        """Return a new handle."""
        handle = next(_handles)
        self._bound[handle] = item
        return handle

    def remove(self, handle: int) -> None:
        """Destroy what a handle stands for."""
        if self._bound.pop(handle, None) is not None:
            self._destroyed.add(handle)

    def each(
        self, access: Access, handle: Any, count: int, kind: type[Texture | Surface]
    ) -> Iterator[tuple[Any, Any]]:
        """Yield what lanes access, and which lanes: mostly one thing, and all of them."""
        handles = np.unique(handle)
        for one in handles.tolist():
            mask = np.broadcast_to(np.equal(handle, one), count)
            yield self._find(access, one, mask, kind), mask

    def _find(
        self, access: Access, handle: int, mask: NDArray[np.bool_], kind: type[Texture | Surface]
    ) -> Texture | Surface:
        found = self._bound.get(handle)
        wanted = kind.__name__.lower()
        if found is None:
            raise LaneError(*self._nothing(access, handle, wanted), mask)
        if not isinstance(found, kind):
            what = f"`{access.name}` takes a {wanted}, and this is a {type(found).__name__.lower()}"
            raise LaneError(what, f"Pass a {kind.__name__}Object of the same array.", mask)
        if found.image.shape != access.shape:
            shape = str(found.image.shape).replace("texture", wanted)
            what = f"`{access.name}` does not access {shape}"
            hint = f"Call `{access.name.replace(access.shape.suffix, found.image.shape.suffix)}`."
            raise LaneError(what, hint, mask)
        return found

    def _nothing(self, access: Access, handle: int, wanted: str) -> tuple[str, str]:
        if handle in self._destroyed:
            what = f"`{access.name}` with a {wanted} object that has been destroyed"
            return what, "Keep the object on the host as long as kernels use it."
        what = f"`{access.name}` with {handle:#x}, which is no {wanted} object of this device"
        return what, f"Pass a {wanted.capitalize()}Object of the device that the kernel runs on."


# Fetches.


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

    return _joined(bindings.each(access, handle, lanes.size, Texture), access, lanes, one)


def _joined(
    groups: Iterator[tuple[Any, Any]],
    access: Access,
    lanes: Lanes,
    each: Callable[[Any, Any], tuple[list[Values], Lanes]],
) -> Fetched:
    """Put together what groups of lanes have read; addresses below 0 are none."""
    parts = [np.empty(lanes.size, access.dtype) for _ in range(access.channels)]
    touched, addresses = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for item, mask in groups:
        values, where = each(item, mask)
        for part, value in zip(parts, values, strict=True):
            part[mask] = value
        touched.append(np.repeat(lanes[mask], where.shape[1]))
        addresses.append(where.ravel())
    every, where = np.concatenate(touched), np.concatenate(addresses)
    real = where >= 0
    every, where = every[real], where[real]
    order = np.argsort(every, kind="stable") if len(touched) > 2 else slice(None)
    return Fetched(parts, every[order], where[order])


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
        raise LaneError(what, "They count from 0.", _among(mask, wrong))


_KINDS = {"f": "floats", "i": "integers", "u": "unsigned integers"}


def _sampled(
    memory: Memory, texture: Texture, access: Access, given: list[Values]
) -> tuple[list[Values], Lanes]:
    """Return the components that lanes fetch, and the addresses of all texels that they read."""
    image = texture.image
    layer = np.zeros(given[0].shape, np.int64)
    if access.shape.layered:
        faces = FACES if access.shape.cubemap else 1
        layer = np.clip(given[access.coordinates - 1].astype(np.int64), 0, _layers(image) - 1)
        layer = layer * faces
    if access.shape.cubemap:
        number, *given[:2] = sampling.face(*given[:3])
        layer = layer + number
    if access.gathers:
        parts, where = _gathered(memory, texture, given)
        return [part.astype(access.dtype) for part in parts[: access.channels]], where
    taps = [_taps(texture, axis, given[axis]) for axis in range(access.shape.axes)]
    alone = Taps((layer,), (np.ones(layer.shape),))
    while len(taps) < 2:
        taps.append(Taps((np.zeros_like(layer),), (np.ones(layer.shape),)))
    if len(taps) < 3:
        taps.append(alone)
    channels = range(access.channels)
    total: list[Values] = []
    addresses = []
    for picks in product(*(range(len(one.texels)) for one in reversed(taps))):
        pairs = list(zip(taps, reversed(picks), strict=True))
        where = _addresses(image, *(tap.texels[pick] for tap, pick in pairs))
        values = [_channel(memory, texture, where, channel) for channel in channels]
        addresses.append(where)
        if texture.filters:
            weight = np.prod([tap.weights[pick] for tap, pick in pairs], axis=0)
            values = [weight * value for value in values]
        total = [a + b for a, b in zip(total, values, strict=True)] if total else values
    return [value.astype(access.dtype) for value in total], np.stack(addresses, axis=1)


def _layers(image: Image) -> int:
    """Return how many layers an image has; a cube of six faces is one."""
    return image.extent[2] // (FACES if image.shape.cubemap else 1)


def _taps(texture: Texture, axis: int, coordinate: Values) -> Taps:
    """Return the texels along an axis that a fetch reads."""
    size, mode = texture.image.extent[axis], texture.modes[axis]
    if texture.image.shape.linear:
        texel = coordinate.astype(np.int64)
        return Taps((sampling.addressed(texel, size, sampling.BORDER),), (np.ones(texel.shape),))
    where = sampling.position(coordinate, size, mode, texture.normalised)
    along = sampling.linear if texture.filters else sampling.nearest
    return along(where, size, mode)


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


def _gathered(memory: Memory, texture: Texture, given: list[Values]) -> tuple[list[Values], Lanes]:
    """Return one channel of the four texels around a point, counter-clockwise from the lower left.

    Which channel is the last of the arguments.
    """
    *axes, channel = given
    index = []
    for axis, coordinate in enumerate(axes):
        size, mode = texture.image.extent[axis], texture.modes[axis]
        low, _ = sampling.footprint(sampling.position(coordinate, size, mode, texture.normalised))
        index.append([sampling.addressed(low + step, size, mode) for step in (0, 1)])
    where = [
        _addresses(texture.image, index[0][right], index[1][below], np.zeros(len(channel), int))
        for right, below in ((0, 1), (1, 1), (1, 0), (0, 0))
    ]
    parts = []
    for one in where:
        every = [_channel(memory, texture, one, c) for c in range(texture.image.channels)]
        parts.append(np.choose(channel, every))
    return parts, np.stack(where, axis=1)


# Surfaces.


def surface_read(
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

    return _joined(bindings.each(access, handle, lanes.size, Surface), access, lanes, one)


def surface_write(
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
        raise LaneError(what, hint, _among(mask, strange))
    askew = along[0] % access.size != 0
    if askew.any():
        what = f"`{access.name}` at byte {int(along[0][askew][0])} of a row: its values have "
        what += f"{access.size} bytes"
        hint = f"x counts bytes: multiply it by {access.size}."
        raise LaneError(what, hint, _among(mask, askew))
    trapped = outside & (mode == TRAP)
    if trapped.any():
        place = ", ".join(str(int(one[trapped][0])) for one in along)
        size = f"{image.row} bytes by {image.extent[1]} by {image.extent[2]}"
        what = f"`{access.name}` outside of its surface: ({place}) of {size}"
        hint = (
            "x counts bytes, y rows. Compare them with the surface's size, or pass "
            "cudaBoundaryModeZero or cudaBoundaryModeClamp."
        )
        raise LaneError(what, hint, _among(mask, trapped))


def _among(mask: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of all lanes are `chosen` among those that `mask` marks."""
    found = np.zeros(mask.shape, np.bool_)
    found[mask.nonzero()[0][chosen]] = True
    return found
