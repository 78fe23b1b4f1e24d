"""The state of memory and of every lane after any step of a launch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import BARRIER, CLUSTER_WAIT, GRID, SharedArray
from simulator.observe.trace.steps import Lanes, TracedArray, TracedLaunch, TracedStep

#: What a lane does in a step: no thread is there, it takes part, it is masked while others of its
#: warp take part or wait, it waits at a barrier, it has returned.
NOBODY, ACTIVE, MASKED, WAITING, ENDED = range(5)

#: Where lanes wait for others.
_BARRIERS = (BARRIER, CLUSTER_WAIT, GRID)
#: Every so many steps the state is kept, so that going back costs no more than that.
_STRIDE = 128


@dataclass
class _State:
    """What there is after a step: bytes of memory, which of them have been written, and lanes."""

    memory: list[NDArray[np.uint8]]
    written: list[NDArray[np.bool_]]
    last: Lanes
    waiting: NDArray[np.bool_]
    ended: NDArray[np.bool_]

    def copy(self) -> _State:
        memory, written = [m.copy() for m in self.memory], [w.copy() for w in self.written]
        return _State(memory, written, self.last.copy(), self.waiting.copy(), self.ended.copy())


class Cursor:
    """A position in a launch, and the state of memory and lanes there.

    Parameters
    ----------
    launch : TracedLaunch
        The launch; it has at least one step.

    Examples
    --------
    >>> import simulator
    >>> kernel = simulator.RawKernel('''
    ... extern "C" __global__ void square(int *a) {
    ...   int x = a[threadIdx.x];
    ...   a[threadIdx.x] = x * x;
    ... }''', "square")
    >>> with simulator.tracing() as trace:
    ...     kernel((1,), (4,), (simulator.arange(4, dtype="int32"),))
    >>> cursor = Cursor(trace.launches[0])
    >>> [cursor.at(step).values("a")[0].tolist() for step in (0, 1, 0)]
    [[0, 1, 2, 3], [0, 1, 4, 9], [0, 1, 2, 3]]
    """

    def __init__(self, launch: TracedLaunch) -> None:
        self.launch = launch
        self.step = -1
        self._starts = np.array([a.start for a, _, _ in launch.before], np.int64)
        self._own = self._shared_ranges()
        self._kept: dict[int, _State] = {}
        self._state = self._begin(0)
        self._shown = -1, np.empty(0, np.int64)
        self._ends: dict[int, tuple[Lanes, Lanes]] = {}

    def _shared_ranges(self) -> list[tuple[int, int]]:
        """Where each wave's shared memory begins and ends."""
        return [(wave.shared_start, wave.shared_end) for wave in self.launch.waves]

    def _begin(self, wave: int) -> _State:
        """Make the state when the launch begins."""
        memory = [content.copy() for _, content, _ in self.launch.before]
        written = [
            np.ones(content.size, np.bool_) if mask is None else mask.astype(np.bool_)
            for _, content, mask in self.launch.before
        ]
        for start, end in self._own:
            memory.append(np.zeros(end - start, np.uint8))
            written.append(np.zeros(end - start, np.bool_))
        return _State(memory, written, *self._lanes(wave))

    def _lanes(self, wave: int) -> tuple[Lanes, NDArray[np.bool_], NDArray[np.bool_]]:
        count = self.launch.waves[wave].lane_count
        none = np.zeros(count, np.bool_)
        return np.full(count, -1), none, none.copy()

    def at(self, step: int) -> Cursor:
        """Go to the state after a step.

        Parameters
        ----------
        step : int
            The step's number, from 0.

        Returns
        -------
        Cursor
            Itself.
        """
        if step < self.step:
            kept = max((number for number in self._kept if number <= step), default=-1)
            self._state = self._begin(0) if kept < 0 else self._kept[kept].copy()
            self.step = kept
        while self.step < step:
            self.step += 1
            self._apply(self.launch.steps[self.step])
            if self.step % _STRIDE == _STRIDE - 1 and self.step not in self._kept:
                self._kept[self.step] = self._state.copy()
        return self

    def _apply(self, step: TracedStep) -> None:
        state = self._state
        before = self.launch.steps[self.step - 1].wave if self.step else 0
        if step.wave != before:
            state.last, state.waiting, state.ended = self._lanes(step.wave)
        for address, content in step.written:
            self._write(step.wave, address, content)
        if state.waiting.any():
            self._release(step)
        state.last[step.lanes] = self.step
        if any(operand.form in _BARRIERS for operand in step.block.operands):
            state.waiting[step.lanes] = True
        if step.ends:
            state.ended[step.lanes] = True

    def _release(self, step: TracedStep) -> None:
        """End the waiting at a barrier behind which some lanes have gone on."""
        state = self._state
        through = step.lanes[state.waiting[step.lanes]]
        if through.size:
            wave = self.launch.waves[step.wave]
            forms = {o.form for o in self.launch.steps[state.last[through[0]]].block.operands}
            together = wave.padded
            if forms & {CLUSTER_WAIT, GRID}:
                together = state.waiting.size if GRID in forms else together * wave.cluster_blocks
            state.waiting.reshape(-1, together)[through // together] = False

    def _write(self, wave: int, address: Lanes, content: NDArray[np.uint8]) -> None:
        """Bytes at addresses, which need not lie in one array."""
        start, end = self._own[wave]
        low, high = int(address.min()), int(address.max())
        if start <= low and high < end:
            self._write_to(len(self._starts) + wave, address - start, content)
            return
        one = int(np.searchsorted(self._starts, low, "right")) - 1
        if one >= 0 and high < self._starts[one] + self._state.memory[one].size:
            self._write_to(one, address - self._starts[one], content)
            return
        region = np.searchsorted(self._starts, address, "right") - 1
        region[(address >= start) & (address < end)] = len(self._starts) + wave
        for number in np.unique(region[region >= 0]):
            mine = region == number
            base = start if number >= len(self._starts) else int(self._starts[number])
            self._write_to(int(number), address[mine] - base, content[mine])

    def _write_to(self, region: int, begins: Lanes, content: NDArray[np.uint8]) -> None:
        """Write within one array; what lies behind its end is none of its bytes."""
        memory, written = self._state.memory[region], self._state.written[region]
        width = content.shape[1]
        if begins.max() + width > memory.size:
            inside = begins + width <= memory.size
            begins, content = begins[inside], content[inside]
        at = begins[:, None] + np.arange(width)
        memory[at] = content
        written[at] = True

    # Memory.

    def values(self, name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return what an array of the launch holds here, and which elements have been written.

        Parameters
        ----------
        name : str
            The parameter's name.

        Returns
        -------
        ndarray, bool ndarray
            The elements, and which of them have been written.

        Raises
        ------
        KeyError
            If no parameter of that name is an array.
        """
        array = {a.name: a for a in self.launch.arrays}[name]
        return self.contents(array)

    def contents(self, array: TracedArray) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return `values` of one of `launch.arrays`.

        Parameters
        ----------
        array : TracedArray
            One of `launch.arrays`.

        Returns
        -------
        ndarray, bool ndarray
            The elements, and which of them have been written.
        """
        region = int(np.searchsorted(self._starts, array.address, "right")) - 1
        offset = array.address - int(self._starts[region])
        return self._typed(region, offset, array.dtype, array.length)

    def shared(self, array: SharedArray, block: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return `values` of a shared array of a block, counted in the wave.

        Parameters
        ----------
        array : SharedArray
            One of `launch.shared`.
        block : int
            The block, counted in the wave.

        Returns
        -------
        ndarray, bool ndarray
            The elements, and which of them have been written.
        """
        number = self.launch.steps[max(self.step, 0)].wave
        wave = self.launch.waves[number]
        offset = wave.shared_offset(array.offset)
        length = array.length
        if length is None:
            end = wave.dynamic_offset + self.launch.dynamic_shared
            length = max(0, end - offset) // array.dtype.itemsize
        region = len(self._starts) + number
        return self._typed(region, block * wave.shared_pitch + offset, array.dtype, length)

    def _typed(
        self, region: int, offset: int, dtype: np.dtype[Any], length: int
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        size = dtype.itemsize
        end = offset + length * size
        content = self._state.memory[region][offset:end]
        written = self._state.written[region][offset:end]
        whole = content.size // size * size
        return content[:whole].view(dtype), _every(written[:whole], dtype)

    # Lanes.

    def states(self) -> Lanes:
        """Return what every lane of the wave does: NOBODY, ACTIVE, MASKED, WAITING or ENDED.

        Returns
        -------
        int64 array of shape (lanes of the wave,)
            One a lane.
        """
        if self._shown[0] != self.step:
            step = self.launch.steps[self.step]
            wave = self.launch.waves[step.wave]
            state = np.full(wave.lane_count, NOBODY)
            threads = wave.lanes(0, wave.lane_count)
            state[threads] = MASKED
            state[self._state.waiting] = WAITING
            state[threads[(self._over(step.wave) | self._state.ended)[threads]]] = ENDED
            state[step.lanes] = ACTIVE
            self._shown = self.step, state
        return self._shown[1]

    def _over(self, number: int) -> NDArray[np.bool_]:
        """Find the threads that have ended the kernel: nothing follows, and no barrier."""
        if number >= self.launch.ended:
            return np.zeros(self._state.waiting.size, np.bool_)
        warp, block = self._final(number)
        return (self.step > warp) & ~self._state.waiting | (self.step > block)

    def _final(self, number: int) -> tuple[Lanes, Lanes]:
        """Find for each lane of a wave the last step of its warp, and that of its block."""
        if number not in self._ends:
            wave, final = self.launch.waves[number], self.launch.final[number]
            blocks = final.reshape(wave.slots, -1).max(axis=1)
            self._ends[number] = final.repeat(wave.warp_size), blocks.repeat(wave.padded)
        return self._ends[number]

    def lanes(self, warp: int) -> Lanes:
        """Return `states` of the lanes of one warp.

        Parameters
        ----------
        warp : int
            The warp, counted in the wave.

        Returns
        -------
        int64 array of shape (warp_size,)
            One a lane.
        """
        return self.states()[self._of(warp)]

    def last(self, warp: int) -> Lanes:
        """Return the last step in which each lane of a warp took part; -1 before its first.

        Parameters
        ----------
        warp : int
            The warp, counted in the wave.

        Returns
        -------
        int64 array of shape (warp_size,)
            One a lane.
        """
        return self._state.last[self._of(warp)].copy()

    def _of(self, warp: int) -> slice:
        size = self.launch.warp_size
        return slice(warp * size, (warp + 1) * size)

    def next(self, warp: int, most: int = 4096) -> Lanes:
        """Find the next step of each lane of a warp; -1 for none of the next `most`.

        Parameters
        ----------
        warp : int
            The warp, counted in the wave.
        most : int
            How many steps to look at.

        Returns
        -------
        int64 array of shape (warp_size,)
            One a lane.
        """
        size, count = self.launch.warp_size, len(self.launch.steps)
        wave = self.launch.steps[self.step].wave
        lanes = self._places[wave] + warp * size + np.arange(size)
        after = np.searchsorted(self._parts, lanes * count + self.step + 1)
        lane, step = np.divmod(self._parts[np.minimum(after, self._parts.size - 1)], count)
        there = (after < self._parts.size) & (lane == lanes) & (step <= self.step + most)
        return np.where(there, step, -1)

    @cached_property
    def _places(self) -> Lanes:
        """The number of each wave's first lane, where lanes of all waves are counted together."""
        return np.cumsum([0, *(wave.lane_count for wave in self.launch.waves)])

    @cached_property
    def _parts(self) -> Lanes:
        """Which lane takes part in which step, ascending: lane times number of steps, plus step."""
        steps = self.launch.steps
        sizes = [step.lanes.size for step in steps]
        wave = self._places[np.repeat([step.wave for step in steps], sizes)]
        lanes = np.concatenate([step.lanes for step in steps]) + wave
        return np.sort(lanes * len(steps) + np.repeat(np.arange(len(steps)), sizes))


def _every(written: NDArray[np.bool_], dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """Which elements of some bytes have been written from end to end, but for their padding."""
    size = dtype.itemsize
    if dtype.fields is None and size in (1, 2, 4, 8):  # as numbers, which is many times as fast
        found: NDArray[np.bool_] = written.view(f"u{size}") == int.from_bytes(b"\1" * size)
        return found
    every: NDArray[np.bool_] = np.all(written.reshape(-1, size)[:, _own_bytes(dtype, 0)], axis=1)
    return every


def _own_bytes(dtype: np.dtype[Any], start: int) -> list[int]:
    """Return the bytes of an element from byte `start` on that belong to a member."""
    if dtype.subdtype is not None:
        of, shape = dtype.subdtype
        parts = range(start, start + dtype.itemsize, of.itemsize) if shape else ()
        return [at for part in parts for at in _own_bytes(of, part)]
    if dtype.fields is None:
        return list(range(start, start + dtype.itemsize))
    return [at for of, offset, *_ in dtype.fields.values() for at in _own_bytes(of, start + offset)]
