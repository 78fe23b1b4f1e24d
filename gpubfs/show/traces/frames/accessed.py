"""The arrays of a launch, queues in parts, and which elements an access or a value touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpubfs.search.technique import Parts
from gpubfs.show.traces.frames.scene import Scene
from simulator.ir.events import CONDITION, FOUND, STORED, TARGET, VALUE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.ir.events import Operand
    from simulator.observe.trace import Access

# Which arrays there are in a step, and which of them are queues, and how full those are.


#: What a queue's kernel calls the number of its elements, besides `queue_size` for `queue`.
SIZE = "size"


@dataclass(frozen=True)
class Strip:
    """One array as it is drawn.

    `start` is its address; `fill` how many of its elements are a queue's, if it is a queue;
    `grows` says that it is being filled; `block` whose shared memory it is in, -1 for global
    memory.
    """

    name: str
    values: NDArray[Any]
    written: NDArray[np.bool_]
    start: int
    fill: int | None = None
    grows: bool = False
    block: int = -1

    @property
    def queue(self) -> bool:
        """Whether it is a queue."""
        return self.fill is not None and self.values.size > 1


def strips_of(scene: Scene) -> Iterator[Strip]:
    """Return the launch's arrays and the shared ones of the warp's block; each part of a queue."""
    strips = [*_global(scene), *_shared(scene)]
    found = {strip.name: strip for strip in strips}
    for strip in strips:
        parts = scene.parts.get(strip.name)
        if parts is None or parts.sizes not in found:
            fill = _fill(scene, strip, found)
            yield replace(strip, **fill) if fill else strip
        else:
            yield from _parts(scene, strip, found[parts.sizes], parts)


def _global(scene: Scene) -> Iterator[Strip]:
    for array in scene.launch.arrays:
        if array.dtype.fields is None:
            values, written = scene.cursor.contents(array)
            yield Strip(array.name, values, written, array.address)


def _shared(scene: Scene) -> Iterator[Strip]:
    wave = scene.launch.waves[scene.step.wave]
    for array in scene.launch.shared:
        if array.dtype.fields is None:
            values, written = scene.cursor.shared(array, scene.slot)
            start = wave.shared_start + scene.slot * wave.shared_pitch
            start += wave.shared_offset(array.offset)
            yield Strip(array.name, values, written, start, block=scene.block)


def _fill(scene: Scene, strip: Strip, found: dict[str, Strip]) -> dict[str, Any]:
    """How many elements a queue has, as its kernel names that, and whether it is being filled."""
    names = (f"{strip.name}_{SIZE}", SIZE if "queue" in strip.name else "")
    for name in names:
        if name in scene.launch.scalars:
            return {"fill": int(scene.launch.scalars[name])}
        if name in found and found[name].values.size == 1:
            size = found[name]
            return {"fill": int(size.values[0]) if size.written[0] else 0, "grows": True}
    return {}


def _parts(scene: Scene, strip: Strip, sizes: Strip, parts: Parts) -> Iterator[Strip]:
    """Return the queues in an array: that of the warp's block, or else those that are full.

    Behind them comes what is left of the array.
    """
    capacity = int(scene.launch.scalars[parts.capacity])
    count = sizes.values.size // parts.stride
    own = scene.block if strip.block < 0 and count == scene.blocks else 0
    for number in sorted(range(count), key=lambda part: (part != own, part)):
        at = number * parts.stride
        fill = min(int(sizes.values[at]), capacity) if sizes.written[at] else 0
        if fill or number == own:
            part = _cut(strip, str(number), number * capacity, (number + 1) * capacity)
            yield replace(part, fill=fill, grows=True)
    if count * capacity < strip.values.size:
        yield _cut(strip, "rest", count * capacity, strip.values.size)


def _cut(strip: Strip, name: str, begin: int, end: int) -> Strip:
    """Return a part of an array."""
    return replace(
        strip,
        name=f"{strip.name}/{name}",
        values=strip.values[begin:end],
        written=strip.written[begin:end],
        start=strip.start + begin * strip.values.dtype.itemsize,
    )


# Where addresses lie: in which array, or part of one, and at which element.


#: An array, or a part of one: its name, its address, its bytes and those of an element.
Placed = tuple[str, int, int, int]


def placed(scene: Scene, strips: Iterable[Strip]) -> list[Placed]:
    """Return where the strips of a step are, and the arrays of structures, which are none."""
    around = [
        (strip.name, strip.start, strip.values.nbytes, strip.values.dtype.itemsize)
        for strip in strips
    ]
    around += [
        (array.name, array.address, array.length * array.dtype.itemsize, array.dtype.itemsize)
        for array in scene.launch.arrays
        if array.dtype.fields is not None
    ]
    return around


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
    around : sequence of Placed, optional
        What is `placed` in the step, where that is known.
    """

    def __init__(
        self, scene: Scene, access: Access, around: Sequence[Placed] | None = None
    ) -> None:
        self.scene = scene
        self.site = access.site
        self.named = access.site.array.partition(".")[0]
        addresses = sorted({*access.addresses.tolist()})
        self.first = addresses[0]
        self._around = placed(scene, strips_of(scene)) if around is None else around
        self.only = self._one(addresses)
        self.found = {a: self.only or self._extent(a) for a in addresses}
        names = list(dict.fromkeys(extent.name for extent in self.found.values()))
        self.title = ", ".join(names)
        self.several = len(names) > 1

    def label(self, address: int) -> str:
        """Return the element there, with its array's name if there are several."""
        extent = self.found[address]
        return f"{extent.name if self.several else ''}[{extent.element(address)}]"

    def _one(self, addresses: list[int]) -> ArrayExtent | None:
        """Return the array in which all of some ascending addresses lie, if no other is near."""
        first, last = addresses[0], addresses[-1]
        near = [row for row in self._around if row[1] <= last and first < row[1] + row[2]]
        whole = len(near) == 1 and near[0][1] <= first and last < near[0][1] + near[0][2]
        return self._extent(first) if whole else None

    def _extent(self, address: int) -> ArrayExtent:
        around = [row for row in self._around if row[1] <= address < row[1] + row[2]]
        for name, start, _, size in sorted(around, key=lambda row: row[0] != self.named):
            return ArrayExtent(self.site.array if name == self.named else name, start, size)
        return ArrayExtent(self.site.array or "memory", self.first, self._size)

    @property
    def _size(self) -> int:
        return self.site.stride or self.site.size or 1


# What the statement of a step computes, lane by lane.


#: What may be the value that a statement computes; the last one is.
COMPUTED = (VALUE, CONDITION, TARGET, FOUND, STORED)


@dataclass(frozen=True)
class Computed:
    """What a statement computes, for each lane of a warp that takes part.

    `name` is the variable, the array or the condition; `lanes` are counted in the warp.
    """

    name: str
    lanes: NDArray[np.int64]
    values: NDArray[Any]


def computed(scene: Scene) -> list[Computed]:
    """Return what the statement computes, as far as the warp takes part.

    The arguments of a call in their order; of other statements the last value.
    """
    part = scene.part
    if part.start == part.stop:
        return []
    found = list(scene.step.named(VALUE)) or list(scene.step.named(*COMPUTED))[-1:]
    if not found:
        return []
    own = scene.step.lanes[part] % scene.launch.warp_size
    return [
        Computed(_name(scene, operand), own, scene.step.of(value, part)) for operand, value in found
    ]


def _name(scene: Scene, operand: Operand) -> str:
    """Return what an operand's value is of."""
    if operand.form in (CONDITION, TARGET):
        return operand.site.span.text
    if operand.form == VALUE:
        return operand.site.array
    return f"{operand.site.array or _held(scene, operand) or 'memory'}[…]"


def _held(scene: Scene, operand: Operand) -> str:
    """Return the arrays that a pointer of unknown origin led to."""
    own = (access for access in scene.accesses if access.site is operand.site)
    return ", ".join(dict.fromkeys(AccessedArrays(scene, access).title for access in own))
