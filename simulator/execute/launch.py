"""Execute.

A launch in waves of resident blocks, each wave one gang that a generator runs in lockstep.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.compile.kernel import CompiledKernel
from simulator.count.tally import Tally
from simulator.device import Device, Launch
from simulator.execute.arithmetic import LaneError
from simulator.execute.faults import explain
from simulator.execute.geometry import Gang, Triple
from simulator.execute.memory import Allocation

#: Lanes logged between two countings: enough to hide NumPy's cost a call, few enough for a cache.
BUDGET = 1 << 18
#: What shared memory and local arrays hold before a kernel writes them: nonsense, as on a GPU.
POISON = 0xA5


@dataclass(frozen=True)
class Argument:
    """One kernel argument as generated code takes it.

    A value, and for pointers a view with an index shift.
    """

    value: Any
    view: NDArray[Any] | None = None
    shift: int = 0
    base: int = 0


class Wave:
    """What generated code sees of the machine while one gang runs.

    Its names are those of the prologue.
    """

    def __init__(self, device: Device, gang: Gang, log: list[Any] | None) -> None:
        self.gang = gang
        self.memory = device.memory
        self.scratch: list[Allocation] = []
        self.events = log
        self.log = deque(maxlen=0).append if log is None else log.append
        self.lanes = gang.lanes()
        self.lane_count = gang.lane_count
        self.budget = BUDGET
        self.warp_size = np.int32(gang.warp_size)
        self.gone = np.zeros(gang.lane_count, np.bool_)

    def extent(self, name: str, axis: str) -> np.uint32:
        """blockDim and gridDim."""
        sizes = self.gang.block if name == "blockDim" else self.gang.grid
        return np.uint32(sizes["xyz".index(axis)])

    def table(self, name: str) -> NDArray[Any]:
        """threadIdx and blockIdx, one element a lane."""
        return self.gang.table(name)

    def local(self, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """An array of `count` elements for every lane, and its address."""
        size = np.dtype(dtype).itemsize
        region = self._region(self.lane_count * count * size)
        self.gang.locals.append((region.start, region.end))
        view = self.memory.view(region.start, region.nbytes, dtype)
        return view.reshape(self.lane_count, count), region.start

    def shared(self, offset: int, length: int | None, dtype: Any) -> tuple[Any, Any, int]:
        """An array in every block's shared memory: by block and index, flat, and its address."""
        gang, size = self.gang, np.dtype(dtype).itemsize
        if length is None:
            offset = gang.dynamic_offset
            length = self.dynamic_shared // size
        start = gang.shared_start + offset
        flat = self.memory.view(start, max(0, gang.shared_end - start), dtype)
        rows = np.ndarray((gang.slots, length), dtype, flat, 0, (gang.shared_pitch, size))
        return rows, flat, start

    def flat(self, address: int, dtype: Any) -> NDArray[Any]:
        """The blocks' shared memory from `address` on, as elements of `dtype`."""
        return self.memory.view(address, max(0, self.gang.shared_end - address), dtype)

    def _region(self, nbytes: int) -> Allocation:
        region = self.memory.allocate(nbytes, scratch=True)
        self.scratch.append(region)
        self.memory.arena[region.start : region.end] = POISON
        return region

    def reserve_shared(self, static: int, dynamic: int) -> None:
        """Give every block of the gang its shared memory."""
        gang, self.dynamic_shared = self.gang, dynamic
        gang.dynamic_offset = -(-static // 16) * 16
        gang.shared_pitch = -(-(gang.dynamic_offset + dynamic) // 16) * 16
        gang.shared_start = self._region(gang.slots * gang.shared_pitch).start

    def release(self) -> None:
        """Give scratch memory back."""
        for region in self.scratch:
            self.memory.free(region)

    def resolve(self, lanes: Any, address: Any, dtype: Any) -> tuple[NDArray[Any], Any]:
        """Addresses, checked, as a typed view of memory and indices in it."""
        gang = self.gang
        view, index = self.memory.resolve(address, dtype)
        shared = (gang.shared_start, gang.shared_end)
        _refuse_strangers(
            address, *shared, gang.slots, lanes // gang.padded, "block's shared memory"
        )
        for own in gang.locals:
            _refuse_strangers(address, *own, gang.lane_count, lanes, "thread's own array")
        return view, index

    def load(self, lanes: Any, address: Any, dtype: Any) -> Any:
        """What stands at addresses, one a lane or one for all."""
        view, index = self.resolve(lanes, address, dtype)
        return view[index] if np.ndim(index) else np.full(lanes.size, view[index], dtype)

    def store(self, lanes: Any, address: Any, value: Any, dtype: Any) -> None:
        """Write to addresses, one a lane or one for all."""
        view, index = self.resolve(lanes, address, dtype)
        view[index] = value if np.ndim(index) or not np.ndim(value) else value[-1]

    def vote(self, kind: str, lanes: NDArray[np.int64], argument: Any) -> Any:
        """A barrier: every thread of a block that has not returned must be there."""
        gang = self.gang
        here = np.bincount(lanes // gang.padded, minlength=gang.slots)
        if lanes.size + np.count_nonzero(self.gone) != gang.slots * gang.threads:
            left = np.bincount(self.gone.nonzero()[0] // gang.padded, minlength=gang.slots)
            if ((here > 0) & (here + left != gang.threads)).any():
                block = int(((here > 0) & (here + left != gang.threads)).argmax())
                raise LaneError(
                    f"a barrier that {here[block]} of {gang.threads - left[block]} threads reach",
                    "Move the barrier out of the branch or loop: all threads must reach it.",
                    lanes // gang.padded == block,
                )
        if kind == "all":
            return None
        yes = np.bincount((lanes // gang.padded)[argument != 0], minlength=gang.slots)
        votes = {"count": yes, "and": yes == here, "or": yes > 0}[kind]
        return votes.astype(np.int32)[lanes // gang.padded]


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


def execute(
    device: Device,
    kernel: CompiledKernel,
    grid: Triple,
    block: Triple,
    arguments: list[Argument],
    dynamic_shared: int,
) -> None:
    """Run a launch to its end, and tell the device's records what it did."""
    profile = device.profile
    tally = Tally(profile.warp_size) if device.records else None
    total = grid[0] * grid[1] * grid[2]
    threads = block[0] * block[1] * block[2]
    resident = profile.resident_blocks(threads, kernel.shared_bytes + dynamic_shared)
    parameters = {a.base: n for a, n in zip(arguments, kernel.parameters, strict=True) if a.base}
    for first in range(0, total, resident):
        gang = Gang(grid, block, profile.warp_size, first, min(resident, total - first))
        gang.bases = {
            view: arguments[place].base + offset for view, (place, offset) in kernel.bases.items()
        }
        gang.label, gang.element = _namers(device, parameters)
        wave = Wave(device, gang, None if tally is None else [])
        try:
            wave.reserve_shared(kernel.shared_bytes, dynamic_shared)
            _run(kernel, wave, arguments, tally)
        finally:
            wave.release()
    if tally is not None:
        launch = Launch(kernel.name, grid, block, tally.counters(), tally.sites())
        for record in device.records:
            record.launches.append(launch)


def _run(
    kernel: CompiledKernel, wave: Wave, arguments: list[Argument], tally: Tally | None
) -> None:
    if tally is not None:
        tally.start(wave.gang)
    steps = kernel.function(wave, arguments)
    try:
        with np.errstate(all="ignore"):
            _drive(steps, wave, kernel, tally)
    except (IndexError, LaneError) as problem:
        fault = explain(problem, kernel, wave.gang)
        if fault is None:
            raise
        raise fault from None
    if tally is not None:
        _flush(wave, kernel, tally)
        tally.finish_wave()


def _drive(steps: Iterator[Any], wave: Wave, kernel: CompiledKernel, tally: Tally | None) -> None:
    """Resume the gang until it ends; what it yields are barriers and turns of long loops."""
    reply: Any = None
    while True:
        try:
            kind, _, lanes, argument = steps.send(reply)  # type: ignore[attr-defined]
        except StopIteration:
            return
        if kind == "turn":
            _flush(wave, kernel, tally)
            reply = wave.budget
            continue
        try:
            reply = wave.vote(kind, lanes, argument)
        except LaneError as problem:
            steps.throw(problem)  # type: ignore[attr-defined]


def _flush(wave: Wave, kernel: CompiledKernel, tally: Tally | None) -> None:
    if tally is not None and wave.events:
        tally.consume(wave.events, kernel.plan.blocks)
        wave.events.clear()


def _namers(device: Device, parameters: dict[int, str]) -> tuple[Any, Any]:
    """How counters name addresses: by label, else by the parameter whose array they lie in."""

    def label(address: int) -> str:
        allocation = device.memory.find(address)
        if allocation is None:
            return ""
        return allocation.label or parameters.get(allocation.start, "")

    def element(address: int, size: int, array: str) -> str:
        allocation = device.memory.find(address)
        if allocation is None:
            return f"{address:#x}"
        name = label(address) or array or f"allocation at {allocation.start:#x}"
        return f"{name}[{(address - allocation.start) // size}]"

    return label, element
