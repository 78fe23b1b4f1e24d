"""The cells of memory that a viewer shows, and what every step writes to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.machines.unwritten import UNKNOWN, unwritten
from gpubfs.show.traces.files.viewer.columns import Numbers, Whole
from gpubfs.show.traces.frames.lanes import shown
from simulator.observe.trace import Cursor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.show.traces.frames.accessed import Strip
    from simulator.observe.trace import TracedLaunch, TracedStep

#: Numbers from here on are kept as texts.
LARGE = 1 << 51


class Codes:
    """Values as whole numbers: twice the number, or twice the number of a text, and one."""

    def __init__(self) -> None:
        self.texts: Numbers[str] = Numbers()
        self.unknown = self.text(UNKNOWN)

    def text(self, text: str) -> int:
        """Return the code of a text."""
        return 2 * self.texts[text] + 1

    def of(self, values: NDArray[Any]) -> Whole:
        """Return codes of values, which are shown as in frames."""
        if values.dtype.kind in "iu" and (values.dtype.itemsize <= 4 or not _large(values)):
            return np.where(unwritten(values), self.unknown, values.astype(np.int64) * 2)
        if values.dtype.kind == "b":
            no = 0 if values.all() else self.text(shown(False))
            yes = self.text(shown(True)) if values.any() else 0
            return np.where(values, yes, no)
        if values.dtype.kind == "V":  # structures have no order, and are no keys
            return np.array([self.text(shown(value)) for value in values], np.int64)
        found = {value: self.text(shown(value)) for value in np.unique(values)}
        return np.array([found.get(v) or self.text(shown(v)) for v in values], np.int64)

    def elements(self, values: NDArray[Any], written: NDArray[np.bool_]) -> Whole:
        """Return codes of elements, some of which nothing has written."""
        return np.where(written, self.of(values), self.unknown)


def _large(values: NDArray[Any]) -> bool:
    return bool((np.abs(values.astype(np.float64)) > LARGE).any())


class Region:
    """Elements of one array, at one address or in the shared memory of one block."""

    def __init__(self, number: int, start: int, size: int, codes: Whole) -> None:
        self.number = number
        self.start = start
        self.size = size
        self.codes = codes

    @property
    def end(self) -> int:
        """The byte behind its last one."""
        return self.start + self.size * self.codes.size

    def at(self, addresses: Whole, width: int) -> Whole:
        """Return the elements that some bytes from each of the addresses on belong to."""
        inside = addresses[(addresses < self.end) & (addresses + width > self.start)]
        if not inside.size:
            return inside
        first, last = (inside - self.start) // self.size, (inside + width - 1 - self.start)
        every = [np.clip(first, 0, None)]
        for more in range(1, int((last // self.size - first).max()) + 1):
            every.append(np.minimum(first + more, last // self.size))
        found: Whole = np.unique(np.concatenate(every))
        return found[found < self.codes.size]


class Cells:
    """All regions of a trace, which nothing has written at first, and a log of what is written.

    Parameters
    ----------
    codes : Codes
        Numbers of values.
    """

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        self.regions: list[Region] = []
        self._known: dict[tuple[Any, ...], Region] = {}
        self._global: list[tuple[Region, Any]] = []
        self._names: dict[str, Region] = {}
        self._slots: dict[tuple[int, str], Region] = {}
        self._wave = -1
        self.log: list[tuple[int, Whole, Whole]] = []

    def _region(self, key: tuple[Any, ...], start: int, size: int, count: int) -> Region:
        if key not in self._known:
            unknown = np.full(count, self.codes.unknown)
            self._known[key] = Region(len(self.regions), start, size, unknown)
            self.regions.append(self._known[key])
        return self._known[key]

    def begin(self, launch: TracedLaunch) -> int:
        """Note what a launch finds in memory; returns how many elements differ from before."""
        cursor, found = Cursor(launch), 0
        self._wave, self._global, self._names, self._slots = -1, [], {}, {}
        for array in launch.arrays:
            if array.dtype.fields is None:
                values, written = cursor.contents(array)
                key = (array.address, array.dtype.str, values.size)
                region = self._region(key, array.address, array.dtype.itemsize, values.size)
                self._global.append((region, array))
                self._names[array.name] = region
                found += self._change(region, self.codes.elements(values, written))
        return found

    def enter(self, launch: TracedLaunch, number: int) -> int:
        """Begin a wave, whose shared memory nothing has written; returns what that changes."""
        if number == self._wave:
            return 0
        self._wave = number
        return sum(
            self._change(region, np.full(region.codes.size, self.codes.unknown))
            for key, region in self._known.items()
            if key[0] == "shared"
        )

    def _change(self, region: Region, codes: Whole) -> int:
        differs = np.flatnonzero(region.codes != codes)
        return self._write(region, differs, codes[differs])

    def _write(self, region: Region, elements: Whole, codes: Whole) -> int:
        if elements.size:
            region.codes[elements] = codes
            self.log.append((region.number, elements, codes))
        return int(elements.size)

    def step(self, launch: TracedLaunch, step: TracedStep, cursor: Cursor) -> int:
        """Note what a step writes; returns how many elements that is."""
        found = 0
        for addresses, content in step.written:
            width, first, last = content.shape[1], int(addresses.min()), int(addresses.max())
            for region, array in self._global:
                if first >= region.end or last + width <= region.start:
                    continue
                elements = region.at(addresses, width)
                if elements.size:
                    found += self._keep(region, elements, *cursor.contents(array))
            for region, array, slot in self._shared(launch, step, addresses):
                elements = region.at(addresses, width)
                found += self._keep(region, elements, *cursor.shared(array, slot))
        return found

    def _keep(self, region: Region, elements: Whole, values: Any, written: Any) -> int:
        codes = self.codes.elements(values[elements], written[elements])
        return self._write(region, elements, codes)

    def _shared(
        self, launch: TracedLaunch, step: TracedStep, addresses: Whole
    ) -> Iterator[tuple[Region, Any, int]]:
        """Yield the shared arrays of the blocks whose memory holds some of the addresses."""
        wave = launch.waves[step.wave]
        own = addresses[(addresses >= wave.shared_start) & (addresses < wave.shared_end)]
        for slot in np.unique((own - wave.shared_start) // max(wave.shared_pitch, 1)).tolist():
            for array in launch.shared:
                if array.dtype.fields is None:
                    yield self.shared(launch, step, array, slot), array, slot

    def shared(self, launch: TracedLaunch, step: TracedStep, array: Any, slot: int) -> Region:
        """Return the region of a shared array of a block, counted in the wave."""
        wave, size = launch.waves[step.wave], array.dtype.itemsize
        offset = wave.shared_offset(array.offset)
        start = wave.shared_start + slot * wave.shared_pitch + offset
        count = array.length
        if count is None:
            count = max(0, wave.dynamic_offset + launch.dynamic_shared - offset) // size
        region = self._region(("shared", start, array.dtype.str, count), start, size, count)
        self._slots[slot, array.name] = region
        return region

    def region(self, strip: Strip, slot: int) -> Region | None:
        """Return where the elements of a strip are, as a block of the wave sees it."""
        name = strip.name.partition("/")[0]
        return self._slots.get((slot, name)) if strip.block >= 0 else self._names.get(name)

    def columns(self) -> dict[str, Whole]:
        """Return the log: regions, elements and codes of each write."""
        none = np.empty(0, np.int64)
        sizes = [elements.size for _, elements, _ in self.log]
        return {
            "region": np.repeat(np.array([n for n, _, _ in self.log], np.int64), sizes),
            "element": np.concatenate([none, *(elements for _, elements, _ in self.log)]),
            "code": np.concatenate([none, *(codes for _, _, codes in self.log)]),
        }
