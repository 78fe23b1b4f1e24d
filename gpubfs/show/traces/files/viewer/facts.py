"""What a step shows, seen from each warp that takes part, as rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpubfs.show.traces.files.viewer.cells import Cells, Codes
from gpubfs.show.traces.files.viewer.columns import Lists, Numbers, Table, Whole
from gpubfs.show.traces.frames.accessed import (
    AccessedArrays,
    ArrayExtent,
    Computed,
    Placed,
    Strip,
    computed,
    placed,
    strips_of,
)
from gpubfs.show.traces.frames.frame import edges
from gpubfs.show.traces.frames.lanes import at_work, idle
from gpubfs.show.traces.frames.memory import figures

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.scene import Scene
    from simulator.observe.trace import Access

#: What rows have for a list that there is not.
NONE: tuple[int, ...] = ()


def warps_shown(scene: Scene, most: int | None = None) -> list[int]:
    """Return the warps that take part in a step, at most so many: that of the scene among them."""
    every = scene.launch.warps_of(scene.step).tolist() or [scene.warp]
    found: list[int] = every[:most]
    if scene.warp in every and scene.warp not in found:
        found[-1] = scene.warp
    return found


class Block(NamedTuple):
    """The memory of a block of threads: numbers of strips, their fills, and where they are."""

    strips: Whole
    fills: Whole
    around: list[Placed]


class Facts:
    """The views of all steps: a row for each warp that takes part in a step.

    A view has rows of its own for what its lanes compute, for its memory operations, and for what
    is said of idle lanes.

    Parameters
    ----------
    codes : Codes
        Numbers of values and texts.
    cells : Cells
        The memory that views have strips of.
    """

    def __init__(self, codes: Codes, cells: Cells) -> None:
        self.codes = codes
        self.cells = cells
        self.texts = codes.texts
        self.lists = Lists()
        self.strips: Numbers[tuple[Any, ...]] = Numbers()
        self.extents: Numbers[ArrayExtent] = Numbers()
        self.views, self.computed, self.accesses, self.idle = (Table() for _ in range(4))
        self._base = 0
        self._scenes: dict[int, dict[int, Scene]] = {}
        self._strips: dict[int, Block] = {}
        self._wave = -1

    def views_of(self, scene: Scene, warps: Sequence[int]) -> int:
        """Add the views of a step for some warps; returns how many there are."""
        self._forget_strips(scene)
        self._scenes = {scene.position.at: {scene.warp: scene}}
        for warp in warps:
            own = self._seen_from(scene, warp)
            if own.slot not in self._strips:
                self._strips[own.slot] = self._strips_of(own)
            self._view(own, self._strips[own.slot])
        return len(warps)

    def asked(self) -> dict[int, list[Access]]:
        """Return what the warps of the last views ask of memory."""
        scenes = next(iter(self._scenes.values()), {})
        return {warp: scene.accesses for warp, scene in scenes.items()}

    def _forget_strips(self, scene: Scene) -> None:
        """Forget the strips of the step before, unless memory is as it was then."""
        begins = not scene.position.number or scene.step.wave != self._wave
        if begins or scene.step.written:
            self._strips = {}
        self._wave = scene.step.wave

    def _strips_of(self, scene: Scene) -> Block:
        """Return the strips of a block."""
        for array in scene.launch.shared:
            if array.dtype.fields is None:
                self.cells.shared(scene.launch, scene.step, array, scene.slot)
        strips = list(strips_of(scene))
        fills = [-1 if strip.fill is None else strip.fill for strip in strips]
        numbers = [self._strip(strip, scene.slot) for strip in strips]
        around = placed(scene, strips)
        return Block(np.array(numbers, np.int64), np.array(fills, np.int64), around)

    def _seen_from(self, scene: Scene, warp: int) -> Scene:
        """Return a step as a warp sees it, the same for whoever asks."""
        known = self._scenes[scene.position.at]
        if warp not in known:
            known[warp] = replace(scene, warp=warp)
        return known[warp]

    def _list(self, values: list[int] | tuple[int, ...] | Whole) -> int:
        """Return a reference to a list, which the view's base makes small."""
        return self.lists.number(values) - self._base

    def _view(self, scene: Scene, block: Block) -> None:
        self._base = len(self.lists)
        rows, waiting = computed(scene), idle(scene)
        graph = scene.graph
        self.views.add(
            base=self._base,
            warp=scene.warp,
            block=scene.block,
            warp_in_block=scene.warp_in_block,
            active=scene.active,
            title=self.texts[at_work(scene)],
            states=self._list(scene.lanes),
            strips=self._list(block.strips),
            fills=self._list(block.fills),
            edges=self._list(NONE if graph is None else edges(scene, graph)),
            computed=len(rows),
            accesses=len(scene.accesses),
            idle=len(waiting),
        )
        for row in rows:
            self._computed(row)
        for access in scene.accesses:
            self._access(access, AccessedArrays(scene, access, block.around))
        for state, text in waiting:
            self.idle.add(state=state, text=self.texts[text])

    def _strip(self, strip: Strip, slot: int) -> int:
        region = self.cells.region(strip, slot)
        first = 0 if region is None else (strip.start - region.start) // region.size
        number = -1 if region is None else region.number
        count, queue = strip.values.size, int(strip.queue)
        return self.strips[strip.name, number, first, count, strip.block, queue, int(strip.grows)]

    def _computed(self, row: Computed) -> None:
        self.computed.add(
            name=self.texts[row.name],
            lanes=self._list(row.lanes),
            codes=self._list(self.codes.of(row.values)),
        )

    def _places(self, access: Access, arrays: AccessedArrays) -> tuple[Whole, Whole, Whole]:
        """Return for each lane the number of an array, its element, and the byte in that."""
        if arrays.only is not None:
            number = self.extents[arrays.only]
            places = np.divmod(access.addresses - arrays.only.start, arrays.only.size)
            return np.full(access.addresses.size, number), *places
        extents = [arrays.found[address] for address in access.addresses.tolist()]
        starts, sizes = np.array([(extent.start, extent.size) for extent in extents]).T
        numbers = np.array([self.extents[extent] for extent in extents])
        return numbers, *np.divmod(access.addresses - starts, sizes)

    def _access(self, access: Access, arrays: AccessedArrays) -> None:
        extents, elements, behind = self._places(access, arrays)
        values = access.stored if access.stored is not None else access.found
        order = access.order
        self.accesses.add(
            kind=self.texts[access.site.kind],
            title=self.texts[arrays.title],
            figures=self.texts[figures(access)],
            shared=int(access.shared),
            stored=int(access.stored is not None),
            merged=int(access.merged),
            sectors=access.sectors,
            stride=access.site.stride or access.site.size or 1,
            lanes=self._list(access.lanes),
            extents=self._list(extents),
            elements=self._list(2 * elements),
            bytes=self._list(behind if behind.any() else NONE),
            values=self._list(NONE if values is None else self.codes.of(values)),
            swapped=self._list(NONE if access.swapped is None else access.swapped.tolist()),
            order=self._list(NONE if (order[1:] > order[:-1]).all() else order),
        )
