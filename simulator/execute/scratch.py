"""The memory that goes with a wave: its blocks' shared memory and its threads' own arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.geometry import Wave
from simulator.execute.memory import Allocation, Memory
from simulator.execute.provenance import Marks
from simulator.lanes.arithmetic import LaneError

#: What shared memory and local arrays hold before a kernel writes them: nonsense, as on a GPU.
POISON = 0xA5


class Scratch:
    """Shared and local memory of a wave, and who may use which part of it.

    Parameters
    ----------
    memory : Memory
        The device's.
    wave : Wave
        Told where its shared memory and local arrays are.
    static, dynamic : int
        Bytes of shared memory a block, declared and asked for at the launch.
    """

    def __init__(self, memory: Memory, wave: Wave, static: int, dynamic: int) -> None:
        self.memory = memory
        self.wave = wave
        self.dynamic = dynamic
        self.regions: list[Allocation] = []
        self.marks = Marks(memory.arena.size)
        wave.dynamic_offset = -(-static // 16) * 16
        wave.shared_pitch = -(-(wave.dynamic_offset + dynamic) // 16) * 16
        wave.shared_start = self._region(wave.slots * wave.shared_pitch).start
        self._rows: dict[Any, tuple[NDArray[Any], int]] = {}

    def _region(self, nbytes: int) -> Allocation:
        region = self.memory.allocate(nbytes, scratch=True)
        self.regions.append(region)
        self.memory.arena[region.start : region.end] = POISON
        return region

    def release(self) -> None:
        """Give the memory back."""
        for region in self.regions:
            self.memory.free(region)

    def shared(self, offset: int, length: int | None, dtype: Any) -> tuple[Any, Any, int]:
        """An array in every block's shared memory: by block and index, flat, and its address."""
        wave, size = self.wave, np.dtype(dtype).itemsize
        if length is None:
            offset = wave.dynamic_offset
            length = self.dynamic // size
        start = wave.shared_start + offset
        flat = self.flat(start, dtype)
        rows = np.ndarray((wave.slots, length), dtype, flat, 0, (wave.shared_pitch, size))
        return rows, flat, start

    def flat(self, address: int, dtype: Any) -> NDArray[Any]:
        """The blocks' shared memory from `address` on, as elements of `dtype`."""
        return self.memory.view(address, max(0, self.wave.shared_end - address), dtype)

    def rows(self, key: Any, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """The local array called `key`: a row of `count` elements a lane, and its address."""
        if key not in self._rows:
            lanes = self.wave.lane_count
            region = self._region(lanes * count * np.dtype(dtype).itemsize)
            self.wave.locals.append((region.start, region.end))
            view = self.memory.view(region.start, region.nbytes, dtype)
            self._rows[key] = view.reshape(lanes, count), region.start
        return self._rows[key]

    def check_owners(self, lanes: Any, address: Any) -> None:
        """Refuse addresses in what belongs to other blocks or threads than the lanes' own."""
        wave = self.wave
        shared = wave.shared_start, wave.shared_end
        what = "block's shared memory"
        _refuse_strangers(address, *shared, wave.slots, lanes // wave.padded, what)
        for own in wave.locals:
            _refuse_strangers(address, *own, wave.lane_count, lanes, "thread's own array")


def _refuse_strangers(
    address: Any, start: int, end: int, owners: int, lane_owner: Any, what: str
) -> None:
    """Refuse addresses in a region that owners have equal parts of, if they are not a lane's."""
    inside = (address >= start) & (address < end)
    if np.any(inside):
        strange = inside & ((address - start) // ((end - start) // owners) != lane_owner)
        if strange.any():
            raise LaneError(
                f"an address in another {what}",
                "It can only use its own; check the index.",
                strange,
            )
