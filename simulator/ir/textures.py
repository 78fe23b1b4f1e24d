"""What functions of textures and surfaces read or write: which kind, with which coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: CUDA's enumerators of what becomes of surface accesses outside of the surface.
BOUNDARY_MODES = {
    "cudaBoundaryModeZero": 0,
    "cudaBoundaryModeClamp": 1,
    "cudaBoundaryModeTrap": 2,
}
ZERO, CLAMP, TRAP = BOUNDARY_MODES.values()


@dataclass(frozen=True)
class Shape:
    """How texels are arranged.

    `axes` counts those that coordinates have; a `layered` one is a stack of such, `cubemap` says
    that six of them are the faces of a cube, and `linear` that it is memory and no CUDA array.

    Examples
    --------
    >>> str(Shape(2, layered=True)), str(Shape(1, linear=True)), str(Shape(2, cubemap=True))
    ('a layered 2D texture', 'a texture of linear memory', 'a cubemap')
    """

    axes: int
    layered: bool = False
    cubemap: bool = False
    linear: bool = False

    def __str__(self) -> str:
        if self.linear:
            return "a texture of linear memory"
        layered = "layered " * self.layered
        return f"a {layered}cubemap" if self.cubemap else f"a {layered}{self.axes}D texture"

    @property
    def suffix(self) -> str:
        """How names of functions end that access it."""
        name = "Cubemap" if self.cubemap else f"{self.axes}D"
        return "1Dfetch" if self.linear else name + "Layered" * self.layered


@dataclass(frozen=True)
class Access:
    """A function of the source: its name, which shape it is for, and the type of its values.

    `gathers` says that it takes one channel of four texels.
    """

    name: str
    shape: Shape
    dtype: np.dtype[np.generic]
    channels: int
    gathers: bool = False

    @property
    def coordinates(self) -> int:
        """How many coordinates it takes, layers and faces included."""
        return self.shape.axes + self.shape.cubemap + self.shape.layered

    @property
    def whole(self) -> np.dtype[np.generic]:
        """The type of a value: a number, or a vector of several."""
        names = "xyzw"[: self.channels]
        return self.dtype if len(names) == 1 else np.dtype([(n, self.dtype) for n in names])

    @property
    def size(self) -> int:
        """Bytes of a value."""
        return self.dtype.itemsize * self.channels
