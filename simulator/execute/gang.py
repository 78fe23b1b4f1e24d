"""A gang: warps that one generator runs in lockstep, and all that generated code sees."""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.device_launches import Effects
from simulator.execute.scratch import POISON, Bounds, Scratch, bounds, check_array
from simulator.ir.events import SharedArray
from simulator.ir.pointer_tags import MASK
from simulator.lanes.atomics import store_any
from simulator.lanes.control_flow import CallStack

#: What a gang asks of others when it stops: the kind, a site or loop, the lanes, an argument.
Stop = tuple[str, int, NDArray[np.int64], Any]


class Gang:
    """Some warps of a wave that follow one another.

    Its lanes are counted from its first one, `first`, on. The attributes that generated code reads
    have the names of the prologue that `compile.kernel` writes.

    Parameters
    ----------
    scratch : Scratch
        The wave's shared and local memory.
    first, count : int
        Which lanes of the wave, padding included.
    log : callable
        Takes a logged basic block.
    gone : ndarray of bool, shape (count,)
        Marks the lanes that have returned; a view of the whole wave's.
    effects : Effects
        What the launch does besides computing in memory.
    budget, fuse : int
        Lane steps until it lets others run, and memory operations.
    """

    def __init__(
        self,
        scratch: Scratch,
        first: int,
        count: int,
        log: Callable[[Any], object],
        gone: NDArray[np.bool_],
        effects: Effects,
        budget: int,
        fuse: int,
    ) -> None:
        self.scratch = scratch
        self.wave = scratch.wave
        self.first = first
        self.log = log
        self.lanes = self.wave.lanes(first, count)
        self.lane_count = count
        self.budget = budget
        self.fuse = fuse
        self.warp_size = np.int32(self.wave.warp_size)
        self.gone = gone
        self.shared = scratch.shared
        self.steps: GeneratorType[Stop, Any, None] | None = None
        #: Chooses the order in which lanes of an atomic are served.
        self.lane_dice: np.random.Generator | None = None
        #: What the generator is sent when it goes on.
        self.reply: Any = None
        #: Block-wide barriers that it has passed.
        self.passed = 0
        self._locals = 0
        self._bounds: Bounds | None = None
        self.effects = effects
        self.calls = CallStack(self._rows, POISON)

    def extent(self, name: str, axis: str) -> np.uint32:
        """blockDim and gridDim."""
        sizes = self.wave.block if name == "blockDim" else self.wave.grid
        return np.uint32(sizes["xyz".index(axis)])

    def table(self, name: str) -> NDArray[Any]:
        """threadIdx, blockIdx and the place of the block in the wave, one element a lane."""
        return self.wave.table(name)[self.first : self.first + self.lane_count]

    def local(self, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """An array of `count` elements for every lane, and the first one's address."""
        self._locals += 1
        return self._rows(self._locals, count, dtype)

    def flat(self, address: int, dtype: Any) -> NDArray[Any]:
        """The blocks' shared memory from `address` on, as elements of `dtype`."""
        return self.scratch.flat(address, dtype)

    def _rows(self, key: Any, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """The gang's part of the wave's local array called `key`."""
        whole, start = self.scratch.rows(key, count, dtype)
        mine = whole[self.first : self.first + self.lane_count]
        return mine, start + self.first * count * np.dtype(dtype).itemsize

    def resolve(self, lanes: Any, address: Any, dtype: Any) -> tuple[NDArray[Any], Any]:
        """Addresses that are written, checked, as a typed view of memory and indices in it."""
        found = self._found(lanes, address, dtype)
        self.scratch.memory.check_writable(address)
        return found

    def _found(self, lanes: Any, address: Any, dtype: Any) -> tuple[NDArray[Any], Any]:
        """Addresses, checked, as a typed view of memory and indices in it."""
        view, index = self.scratch.memory.resolve(address, dtype)
        self.scratch.check_owners(lanes + self.first, address)
        return view, index

    def owned(
        self, arrays: list[SharedArray], lanes: Any, address: Any, size: int, kind: str
    ) -> Any:
        """Addresses without their marks, in the shared arrays that they are marked with."""
        if np.any(np.greater(address, MASK)):
            if self._bounds is None:
                self._bounds = bounds(arrays, self.wave, self.scratch.dynamic)
            check_array(arrays, self._bounds, self.wave, lanes + self.first, address, size, kind)
        return address & MASK

    def kept(self, address: Any, value: Any) -> Any:
        """Pointers without their marks, which are kept for the addresses that they go to."""
        self.scratch.marks.keep(address & MASK, value)
        return value & MASK

    def recalled(self, address: Any, value: Any) -> Any:
        """Pointers that stood at addresses, with the marks that they had when they were stored."""
        return self.scratch.marks.recall(address & MASK, value)

    def in_space(self, name: str, address: Any) -> Any:
        """Whether addresses are of shared memory, of threads' own arrays, or of neither."""
        own = [(self.wave.shared_start, self.wave.shared_end)] if name != "local" else []
        own += self.wave.locals if name != "shared" else []
        found = np.zeros(np.shape(address), np.bool_)
        for start, end in own:
            found |= (address >= start) & (address < end)
        return np.asarray(~found if name == "global" else found).astype(np.uint32)[()]

    def load(self, lanes: Any, address: Any, dtype: Any) -> Any:
        """What stands at addresses, one a lane or one for all."""
        view, index = self._found(lanes, address, dtype)
        return view[index] if np.ndim(index) else np.full(lanes.size, view[index], dtype)

    def store(self, lanes: Any, address: Any, value: Any, dtype: Any) -> None:
        """Write to addresses, one a lane or one for all."""
        view, index = self.resolve(lanes, address, dtype)
        if self.lane_dice is not None:
            store_any(self.lane_dice, view, index, value)
        else:
            view[index] = value if np.ndim(index) or not np.ndim(value) else value[-1]

    def advance(self) -> Stop | None:
        """Run until it stops for others; None when it has ended."""
        assert self.steps is not None
        reply, self.reply = self.reply, None
        try:
            return self.steps.send(reply)
        except StopIteration:
            return None
