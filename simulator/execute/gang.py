"""A gang: warps that one generator runs in lockstep, and all that generated code sees."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute import fetches, matrices, shared_pointers, surfaces
from simulator.execute.copies import AsyncCopies, check_in_flight
from simulator.execute.device import Device, Schedule
from simulator.execute.device_launches import Launchable, LaunchQueue
from simulator.execute.launch_config import Budget, LaunchConfig
from simulator.execute.memory import bits, extent, first_of, within
from simulator.execute.memory_barriers import MemoryBarriers
from simulator.execute.scratch import Scratch
from simulator.execute.shared_pointers import Bounds
from simulator.execute.textures import Bindings
from simulator.execute.wave import POISON, Wave
from simulator.ir.events import LaunchTarget, SharedArray
from simulator.ir.launch_errors import PENDING_COUNT_EXCEEDED
from simulator.ir.pointer_tags import MASK, MOST, SHIFT
from simulator.ir.textures import Access
from simulator.lanes.atomics import store_any
from simulator.lanes.control_flow import CallStack
from simulator.lanes.matrices import Product, Transfer
from simulator.lanes.printing import Format, Printed

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
    exited : ndarray of bool, shape (count,)
        Marks the lanes that have returned; a view of the whole wave's.
    effects : SideEffects
        What the launch does besides computing in memory.
    schedule : Schedule
        How long it runs until it lets others run: lane steps, and memory operations.
    """

    def __init__(
        self,
        scratch: Scratch,
        first: int,
        count: int,
        log: Callable[[Any], object],
        exited: NDArray[np.bool_],
        effects: SideEffects,
        schedule: Schedule,
    ) -> None:
        self.scratch = scratch
        self.wave = scratch.wave
        self.first = first
        self.log = log
        self.lanes = self.wave.lanes(first, count)
        self.lane_count = count
        self.budget = schedule.budget()
        self.preempt_after = schedule.preempt_after()
        self.warp_size = np.int32(self.wave.warp_size)
        self.exited = exited
        self.shared = scratch.shared
        self.steps: GeneratorType[Stop, Any, None] | None = None
        #: Chooses the order in which lanes of an atomic are served.
        self.lane_random = schedule.lane_random
        #: What the generator is sent when it goes on.
        self.reply: Any = None
        #: Block-wide barriers that it has passed.
        self.barriers_passed = 0
        self._locals = 0
        self._bounds: Bounds | None = None
        #: Where the shared memory of its block begins and ends, if it is of one block alone.
        self._own_memory = _own_memory(self.wave, first, count)
        self._array_starts: dict[int, Any] = {}
        #: Addresses that were found to be in the shared memory of the lanes' own blocks, the last.
        self._in_own_block: Any = None
        self.effects = effects

    @cached_property
    def calls(self) -> CallStack:
        """The local arrays of functions that call themselves."""
        return CallStack(self._rows, POISON)

    def extent(self, name: str, axis: str) -> np.uint32:
        """Return a component of blockDim or gridDim."""
        sizes = self.wave.block if name == "blockDim" else self.wave.grid
        return np.uint32(sizes["xyz".index(axis)])

    def table(self, name: str) -> NDArray[Any]:
        """Return threadIdx, blockIdx or the block's slot in the wave, one element a lane."""
        return self.wave.table(name)[self.first : self.first + self.lane_count]

    def local(self, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """Return an array of `count` elements for every lane, and the first one's address."""
        self._locals += 1
        return self._rows(self._locals, count, dtype)

    def flat(self, address: int, dtype: Any) -> NDArray[Any]:
        """View the blocks' shared memory from `address` on as elements of `dtype`."""
        return self.scratch.flat(address, dtype)

    def _rows(self, key: Any, count: int, dtype: Any) -> tuple[NDArray[Any], int]:
        """Return the gang's part of the wave's local array called `key`."""
        whole, start = self.scratch.rows(key, count, dtype)
        mine = whole[self.first : self.first + self.lane_count]
        return mine, start + self.first * count * np.dtype(dtype).itemsize

    def resolve(self, lanes: Any, address: Any, dtype: Any) -> tuple[NDArray[Any], Any]:
        """Check addresses to write to: a typed view of memory, and indices in it."""
        found = self._found(lanes, address, dtype)
        self.scratch.memory.check_writable(address)
        return found

    def _found(self, lanes: Any, address: Any, dtype: Any) -> tuple[NDArray[Any], Any]:
        """Check addresses: a typed view of memory, and indices in it."""
        memory = self.scratch.memory
        start, end = self._own_memory
        if address is self._in_own_block:
            low_bits = memory.element(dtype).low_bits
            if not low_bits or not bits(address) & low_bits:
                return memory.indexed(address, dtype)
        if start <= first_of(address) < end:
            element = memory.element(dtype)
            aligned = not start & element.low_bits
            if aligned and within(address - start, end - start - element.size, element.low_bits):
                return memory.indexed(address, dtype)
        holder = memory.holder(address, dtype)
        if holder is not None and not holder.scratch:
            return memory.indexed(address, dtype)
        reach = extent(address)
        found = memory.resolve(address, dtype, reach)
        if self.scratch.may_be_owned(reach):
            self.scratch.check_owners(lanes + self.first, address)
        return found

    def check_tag(
        self, arrays: list[SharedArray], lanes: Any, address: Any, size: int, kind: str
    ) -> Any:
        """Check that addresses lie in the shared arrays of their tags, and remove the tags."""
        tag = first_of(address) >> SHIFT
        if tag <= 0 and 0 <= bits(address) <= MASK:
            return address
        if self._bounds is None:
            self._bounds = shared_pointers.bounds(arrays, self.wave, self.scratch.dynamic)
        if 0 < tag <= MOST:
            low, high = (int(limits[tag]) for limits in self._bounds)
            start = self._array_start(tag, lanes, address)
            if start is not None and within(address - start, high - low - size):
                self._in_own_block = address - (tag << SHIFT)
                return self._in_own_block
        if extent(address)[1] > MASK:
            who = self.wave, lanes + self.first
            shared_pointers.check_array(arrays, self._bounds, *who, address, size, kind)
        return address & MASK

    def _array_start(self, tag: int, lanes: Any, address: Any) -> Any:
        """Return the tagged addresses at which the shared array of a tag begins, one a lane.

        One for all of them if the gang is of one block; None where one address is of several.
        """
        start = self._array_starts.get(tag)
        if start is None:
            assert self._bounds is not None
            offset = (tag << SHIFT) + int(self._bounds[0][tag])
            mine = slice(self.first, self.first + self.lane_count)
            own = self._own_memory[0] if self._own_memory[1] else self.wave.own_shared[mine]
            start = self._array_starts[tag] = own + offset
        if not isinstance(start, np.ndarray):
            return start
        if not isinstance(address, np.ndarray) or address.shape != lanes.shape:
            return None
        return start if lanes.size == self.lane_count else start[lanes]

    def save_tag(self, address: Any, value: Any) -> Any:
        """Remove the tags of pointers, and save them for the addresses that they are stored at."""
        self.scratch.tags.save(address & MASK, value)
        return value & MASK

    def restore_tag(self, address: Any, value: Any) -> Any:
        """Return pointers loaded from addresses with the tags that were saved there."""
        return self.scratch.tags.restore(address & MASK, value)

    def map_shared_rank(self, lanes: Any, address: Any, rank: Any) -> NDArray[np.int64]:
        """Return pointers to the same place in the shared memory of other blocks."""
        return shared_pointers.map_shared_rank(self.wave, lanes + self.first, address, rank)

    def query_shared_rank(self, lanes: Any, address: Any) -> NDArray[np.uint32]:
        """Return the ranks of the blocks in whose shared memory addresses lie."""
        return shared_pointers.query_shared_rank(self.wave, lanes + self.first, address)

    def in_space(self, name: str, lanes: Any, address: Any) -> NDArray[np.uint32]:
        """Return whether addresses are of shared memory, of threads' own arrays, or of neither."""
        wave = self.wave
        at = np.broadcast_to(address, lanes.shape)
        shared = (at >= wave.shared_start) & (at < wave.shared_end)
        found = wave.is_local(at)
        if name == "global":
            found = ~(found | shared)
        elif name != "local":
            blocks = wave.cluster_blocks if name == "cluster" else 1
            slot = (at - wave.shared_start) // max(1, wave.shared_pitch)
            own = (lanes + self.first) // wave.padded
            found = shared & (slot // blocks == own // blocks)
        return found.astype(np.uint32)

    def _own_shared(self, lanes: Any) -> NDArray[np.int64]:
        """Return where the shared memory of each lane's block begins."""
        return np.asarray(self.wave.own_shared[self.first + lanes])

    def to_shared(self, lanes: Any, address: Any) -> NDArray[np.uint64]:
        """Return addresses in the block's shared memory as they are counted from its start."""
        own = np.asarray(address, np.int64) - self._own_shared(lanes)
        return own.astype(np.uint64)

    def from_shared(self, lanes: Any, address: Any) -> NDArray[np.int64]:
        """Return pointers to the block's shared memory, whose addresses begin at 0."""
        pointers: NDArray[np.int64] = np.asarray(address).astype(np.int64) + self._own_shared(lanes)
        return pointers

    def load(self, lanes: Any, address: Any, dtype: Any) -> Any:
        """Load from addresses, one a lane or one for all."""
        view, index = self._found(lanes, address, dtype)
        if isinstance(index, np.ndarray) and index.ndim:
            return view[index]
        return np.full(lanes.size, view[index], dtype)

    def texts(self, lanes: Any, address: Any, most: int | None) -> NDArray[np.object_]:
        """Read the characters at each address, as far as the first zero, or `most` of them."""
        at = np.array(np.broadcast_to(address, lanes.shape), np.int64)
        columns: list[NDArray[np.uint8]] = []
        while most is None or len(columns) < most:
            codes = self.load(lanes, at, np.uint8)
            if not codes.any():
                break
            columns.append(codes)
            at += codes != 0  # a lane that has ended reads its zero again
        rows = np.array(columns, np.uint8).reshape(len(columns), lanes.size).T
        found = np.empty(lanes.size, object)
        found[:] = [row[row != 0].tobytes().decode("utf-8", "replace") for row in rows]
        return found

    def store(self, lanes: Any, address: Any, value: Any, dtype: Any) -> None:
        """Write to addresses, one a lane or one for all."""
        view, index = self.resolve(lanes, address, dtype)
        if self.lane_random is not None:
            store_any(self.lane_random, view, index, value)
        else:
            view[index] = value if np.ndim(index) or not np.ndim(value) else value[-1]

    def matrix_addresses(
        self, lanes: Any, how: Transfer, start: Any, ldm: Any
    ) -> tuple[NDArray[np.int64], ...]:
        """Return where a warp accesses a matrix: by access, and of the numbers of each lane."""
        return matrices.addresses(self.wave, lanes, how, start, ldm)

    def load_matrix(self, lanes: Any, how: Transfer, address: Any) -> NDArray[Any]:
        """Load the numbers of matrices, a row a lane."""
        view, index = matrices.checked(self._found, lanes, address, how.dtype)
        found: NDArray[Any] = view[index]
        return found

    def store_matrix(self, lanes: Any, how: Transfer, address: Any, numbers: Any) -> None:
        """Store the numbers of matrices, a row a lane."""
        view, index = matrices.checked(self.resolve, lanes, address, how.dtype)
        view[index] = numbers

    def multiply(self, lanes: Any, how: Product, *factors: Any) -> NDArray[Any]:
        """Multiply matrices, and add to the product."""
        matrices.check_warps(self.wave, lanes, "mma_sync")
        found: NDArray[Any] = how.of(*factors)
        return found

    def fetch(self, lanes: Any, access: Access, handle: Any, *given: Any) -> tuple[Any, ...]:
        """Fetch from textures: the components, then which lane has read which address."""
        memory, bindings = self.scratch.memory, self.effects.bindings
        found = fetches.fetch(bindings, memory, access, lanes, handle, given)
        return *found.parts, found.lanes, found.addresses

    def read_surface(self, lanes: Any, access: Access, handle: Any, *given: Any) -> tuple[Any, ...]:
        """Read from surfaces: the components, then which lane has read which address."""
        memory, bindings = self.scratch.memory, self.effects.bindings
        found = surfaces.read(bindings, memory, access, lanes, handle, given)
        return *found.parts, found.lanes, found.addresses

    def write_surface(
        self, lanes: Any, access: Access, handle: Any, *given: Any
    ) -> surfaces.Written:
        """Write to surfaces: which lane has written what at which address."""
        who = self.effects.bindings, self.scratch.memory, access, lanes, handle
        return surfaces.write(*who, given, self.lane_random)

    @cached_property
    def copies(self) -> AsyncCopies:
        """The asynchronous copies that its threads have begun."""
        made = AsyncCopies(self)
        self.scratch.copies.append(made)
        return made

    @cached_property
    def memory_barriers(self) -> MemoryBarriers:
        """What its threads do at barriers in memory."""
        return MemoryBarriers(self)

    def check_in_flight(self, lanes: Any, address: Any, size: int, kind: str, name: str) -> None:
        """Refuse accesses to what an asynchronous copy of any thread may be writing."""
        check_in_flight(self.scratch.copies, lanes, address, size, kind, name)

    @cached_property
    def errors(self) -> NDArray[np.int32]:
        """CUDA's code of the last launch by each lane that failed; 0 where there is none."""
        return np.zeros(self.lane_count, np.int32)

    def launch(self, lanes: Any, target: LaunchTarget, *how: Any) -> None:
        """Launch a kernel by each of some lanes; those whose launch fails keep the error."""
        failed = self.effects.children.add(target, lanes.size, *how)
        if failed.any():
            self.errors[lanes[failed]] = PENDING_COUNT_EXCEEDED

    def last_errors(self, lanes: Any, takes: bool) -> NDArray[np.int32]:
        """Return the last error of each of some lanes, which has none any more if it is taken."""
        found: NDArray[np.int32] = self.errors[lanes]
        if takes:
            self.errors[lanes] = 0
        return found

    def advance(self) -> Stop | None:
        """Run until it stops for others; None when it has ended."""
        assert self.steps is not None
        reply, self.reply = self.reply, None
        try:
            return self.steps.send(reply)
        except StopIteration:
            return None


def _own_memory(wave: Wave, first: int, count: int) -> tuple[int, int]:
    """Return from where to where the shared memory goes that some lanes may use, of one block.

    Twice 0 if they are of several, or may use that of others.
    """
    slot = first // wave.padded
    start = wave.shared_start + slot * wave.shared_pitch
    alone = first + count <= (slot + 1) * wave.padded and wave.cluster_blocks == 1
    return (start, start + wave.shared_pitch) if alone else (0, 0)


#: Cycles that one reading of the clock takes, about those of a GPU.
TICK = 32


class SideEffects:
    """What a launch from the host does besides computing in memory: `gang.effects` of the code.

    What only some kernels use is made when it is first used.

    Parameters
    ----------
    device : Device
        Where it runs.
    kernels : callable
        A kernel of the program by its name, for kernels that launch kernels.
    """

    def __init__(self, device: Device, kernels: Callable[[str], Launchable]) -> None:
        self.budget = Budget(device.steps, device.steps)
        self._device = device
        self._kernels = kernels

    @cached_property
    def children(self) -> LaunchQueue:
        """The launches by its kernels."""
        return LaunchQueue(self._device, self._kernels)

    @cached_property
    def printed(self) -> Printed:
        """The text that its kernels have printed."""
        return Printed()

    def printf(self, form: Format, count: int, *columns: Any) -> None:
        """Print by `count` lanes."""
        self.printed.add(form, count, columns)

    @property
    def bindings(self) -> Bindings:
        """The textures and surfaces of the device."""
        return self._device.bindings

    def clock(self) -> np.int64:
        """Return a count that grows with each reading, and with nothing else: no measurement."""
        self._device.ticks += TICK
        return np.int64(self._device.ticks)

    def checkpoint(self) -> Any:
        """Return what has been done so far, for a grid that may have to begin again."""
        done = self.printed.checkpoint(), self.children.checkpoint()
        return *done, self._device.ticks, self.budget.left

    def rollback(self, checkpoint: Any) -> None:
        """Forget what was done since `checkpoint`."""
        printed, children, self._device.ticks, self.budget.left = checkpoint
        self.printed.rollback(printed)
        self.children.rollback(children)

    def run_children(self, execute: Callable[[LaunchConfig], None]) -> None:
        """Run what kernels have launched, and what that launches, by `execute`."""
        if "children" in vars(self):
            self.children.run(execute)

    def finish(self) -> None:
        """Print what was printed: the launch has ended, well or not."""
        if "printed" in vars(self):
            self.printed.flush()
