"""Shared and local memory of a wave, and who may use which part of it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.copies import AsyncCopies
from simulator.execute.memory import Allocation, Memory, extent
from simulator.execute.shared_pointers import BLOCKS, FOREIGN, TagStore
from simulator.execute.wave import POISON, Wave
from simulator.lanes.arithmetic import LaneError


class Scratch:
    """Shared and local memory of a wave, and who may use which part of it.

    Parameters
    ----------
    memory : Memory
        The device's.
    wave : Wave
        Gets to know where its shared memory and local arrays are.
    static, dynamic : int
        Bytes of shared memory a block, declared and asked for at the launch.
    align : int
        What the shared memory of each block begins at a multiple of.
    """

    def __init__(self, memory: Memory, wave: Wave, static: int, dynamic: int, align: int) -> None:
        self.memory = memory
        self.wave = wave
        self.dynamic = dynamic
        self.regions: list[Allocation] = []
        #: Which lanes have returned, once they run.
        self.exited: NDArray[np.bool_] | None = None
        #: The asynchronous copies of each gang that has begun some.
        self.copies: list[AsyncCopies] = []
        wave.dynamic_offset = -(-static // 16) * 16
        wave.shared_pitch = -(-(wave.dynamic_offset + dynamic) // align) * align
        wave.shared_start = self._region(wave.slots * wave.shared_pitch).start
        self._rows: dict[Any, tuple[NDArray[Any], int]] = {}

    @cached_property
    def tags(self) -> TagStore:
        """The tags of pointers in memory."""
        return TagStore(self.memory.arena.size)

    def _region(self, nbytes: int) -> Allocation:
        region = self.memory.allocate(nbytes, scratch=True)
        self.regions.append(region)
        self.memory.arena[region.start : region.end] = POISON
        return region

    def release(self) -> None:
        """Give the memory back."""
        for region in self.regions:
            self.memory.free(region)

    def land(self, barrier: int) -> None:
        """End the copies that are there once a phase of the barrier at an address is complete."""
        for copies in self.copies:
            copies.land(barrier)

    def shared(self, offset: int, length: int | None, dtype: Any) -> tuple[Any, Any, int]:
        """Return an array in every block's shared memory: by block, flat, and its address."""
        wave, size = self.wave, np.dtype(dtype).itemsize
        if length is None:
            offset = wave.dynamic_offset
            length = self.dynamic // size
        start = wave.shared_start + offset
        # Of bytes, for the pitch need not be a multiple of an element's.
        own = self.flat(start, np.uint8)
        rows = np.ndarray((wave.slots, length), dtype, own, 0, (wave.shared_pitch, size))
        return rows, self.flat(start, dtype), start

    def flat(self, address: int, dtype: Any) -> NDArray[Any]:
        """View the blocks' shared memory from `address` on as elements of `dtype`."""
        return self.memory.view(address, max(0, self.wave.shared_end - address), dtype)

    def rows(self, key: Any, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """Return the local array `key`: a row of `count` elements a lane, and its address."""
        if key not in self._rows:
            lanes = self.wave.lane_count
            region = self._region(lanes * count * np.dtype(dtype).itemsize)
            self.wave.locals.append((region.start, region.end))
            view = self.memory.view(region.start, region.nbytes, dtype)
            self._rows[key] = view.reshape(lanes, count), region.start
        return self._rows[key]

    def may_be_owned(self, reach: tuple[int, int]) -> bool:
        """Return whether addresses of this extent may lie in what blocks or threads own."""
        low, high = reach
        regions = ((self.wave.shared_start, self.wave.shared_end), *self.wave.locals)
        return any(low < end and high >= start for start, end in regions)

    def check_owners(self, lanes: Any, address: Any) -> None:
        """Refuse addresses in what belongs to other threads or clusters than the lanes' own."""
        wave, blocks = self.wave, self.wave.cluster_blocks
        shared = wave.shared_start, wave.shared_end
        cluster = lanes // (wave.padded * blocks)
        _refuse_foreign(address, *shared, wave.slots // blocks, cluster, BLOCKS)
        if blocks > 1:
            self._check_alive(lanes, address)
        for own in wave.locals:
            _refuse_foreign(address, *own, wave.lane_count, lanes, "thread's own array")

    def _check_alive(self, lanes: Any, address: Any) -> None:
        """Refuse addresses in the shared memory of other blocks that have ended."""
        wave = self.wave
        slot = (address - wave.shared_start) // wave.shared_pitch
        away = (address >= wave.shared_start) & (address < wave.shared_end)
        away = away & (slot != lanes // wave.padded)
        if not np.any(away) or self.exited is None:
            return
        slot = np.broadcast_to(slot, away.shape)
        looked_at = np.unique(slot[away])
        threads = self.exited.reshape(wave.slots, wave.padded)[looked_at, : wave.threads]
        left = looked_at[threads.all(axis=1)]
        if left.size:
            gone = away & np.isin(slot, left)
            first = int(slot[np.argmax(gone)])
            raise LaneError(
                f"an address in the shared memory of block {wave.block_index(first)}, "
                "which has ended",
                "It must not end before the others are done: "
                "let all threads of the cluster meet in cluster.sync() first.",
                gone,
            )


def _refuse_foreign(
    address: Any, start: int, end: int, owners: int, lane_owner: Any, what: str
) -> None:
    """Refuse addresses in a region that owners have equal parts of, if they are not a lane's."""
    low, high = extent(address)
    if low < end and high >= start:
        inside = (address >= start) & (address < end)
        foreign = inside & ((address - start) // ((end - start) // owners) != lane_owner)
        if foreign.any():
            raise LaneError(FOREIGN[0].format(what), FOREIGN[1], foreign)
