"""Textures and surfaces of a device: texels in memory, and what handles stand for.

A CUDA array is rows of texels in device memory, one row after another. How a GPU arranges them is
not documented; nothing that a kernel computes depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.ir.textures import Access, Shape
from simulator.lanes.arithmetic import LaneError

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


class Fetched(NamedTuple):
    """Components, and which lane has read which address; lanes ascend and may be repeated."""

    parts: list[Values]
    lanes: Lanes
    addresses: Lanes


def joined(
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


def among(mask: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of all lanes are `chosen` among those that `mask` marks."""
    found = np.zeros(mask.shape, np.bool_)
    found[mask.nonzero()[0][chosen]] = True
    return found
