"""Where addresses lie: in which array, or part of one, and at which element."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpubfs.show.traces.frames.scene import Scene
from gpubfs.show.traces.frames.strips import strips_of

if TYPE_CHECKING:
    from simulator.observe.trace import Access


class ArrayExtent(NamedTuple):
    """An array by its name, where its element 0 is, and how many bytes each has."""

    name: str
    start: int
    size: int

    def element(self, address: int) -> str:
        """Return the element there, and the byte in it if that is not the first.

        >>> ArrayExtent("a", 512, 4).element(520), ArrayExtent("a", 512, 4).element(521)
        ('2', '2+1')
        """
        at, byte = divmod(address - self.start, self.size)
        return f"{at}+{byte}" if byte else str(at)


class AccessedArrays:
    """In which arrays an access's addresses lie; a pointer's may lie in several.

    Parameters
    ----------
    scene : Scene
        The step.
    access : Access
        One of its memory operations.
    """

    def __init__(self, scene: Scene, access: Access) -> None:
        self.scene = scene
        self.site = access.site
        self.named = access.site.array.partition(".")[0]
        self.first = int(access.addresses.min())
        self._around = [
            (strip.name, strip.start, strip.values.nbytes, strip.values.dtype.itemsize)
            for strip in strips_of(scene)
        ]
        self._around += [
            (array.name, array.address, array.length * array.dtype.itemsize, array.dtype.itemsize)
            for array in scene.launch.arrays
            if array.dtype.fields is not None
        ]
        self.found = {a: self._extent(a) for a in np.unique(access.addresses).tolist()}
        names = list(dict.fromkeys(extent.name for extent in self.found.values()))
        self.title = ", ".join(names)
        self.several = len(names) > 1

    def label(self, address: int) -> str:
        """Return the element there, with its array's name if there are several."""
        extent = self.found[address]
        return f"{extent.name if self.several else ''}[{extent.element(address)}]"

    def _extent(self, address: int) -> ArrayExtent:
        around = [row for row in self._around if row[1] <= address < row[1] + row[2]]
        for name, start, _, size in sorted(around, key=lambda row: row[0] != self.named):
            return ArrayExtent(self.site.array if name == self.named else name, start, size)
        return ArrayExtent(self.site.array or "memory", self.first, self._size)

    @property
    def _size(self) -> int:
        return self.site.stride or self.site.size or 1
