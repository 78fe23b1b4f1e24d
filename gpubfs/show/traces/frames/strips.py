"""Which arrays there are in a step, and which of them are queues, and how full those are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpubfs.search.technique import Parts
from gpubfs.show.traces.frames.scene import Scene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
            yield replace(strip, **_fill(scene, strip, found))
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
