"""A launch's configuration: kernel, size, arguments, the simulated GPU, and the step budget."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.compile.compiled import PLAIN, SHIFTED, VIEWED, CompiledKernel
from simulator.compile.dtypes import numpy_dtype
from simulator.execute.memory import Allocation, Memory
from simulator.execute.wave import Triple
from simulator.ir.types import Pointer, Scalar, Struct, size_of


@dataclass(frozen=True)
class Argument:
    """One kernel argument as generated code takes it.

    A value, and for pointers a view with an index shift.
    """

    value: Any
    view: NDArray[Any] | None = None
    shift: int = 0
    base: int = 0


@dataclass(frozen=True)
class LaunchConfig:
    """What a launch begins with; `device_side` says that a kernel launched it."""

    kernel: CompiledKernel
    grid: Triple
    block: Triple
    arguments: list[Argument]
    dynamic_shared: int
    memory: Memory
    profile: Profile
    device_side: bool = False

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]


def structure_argument(memory: Memory, name: str, ctype: Struct, value: NDArray[Any]) -> Argument:
    """Copy a structure called `name` to memory of the launch's own."""
    allocation = memory.allocate(ctype.size, name, scratch=True)
    memory.arena[allocation.start : allocation.end] = value.reshape(-1).view(np.uint8)
    view = memory.view(allocation.start, ctype.size, numpy_dtype(ctype))
    argument = Argument(np.int64(allocation.start), view, 0, allocation.start)
    weakref.finalize(argument, memory.drop, allocation)
    return argument


def pointer_argument(
    memory: Memory, ctype: Pointer, address: int, allocation: Allocation
) -> tuple[str, Argument]:
    """Bind an address in an allocation: with a view where its elements fit, else bare."""
    pointer = np.int64(address)
    if not isinstance(ctype.to, (Scalar, Pointer, Struct)):
        return PLAIN, Argument(pointer, base=allocation.start)
    size = size_of(ctype.to)
    if not size:  # of a structure that is declared and never defined
        return PLAIN, Argument(pointer)
    offset = address - allocation.start
    if offset % size:
        return PLAIN, Argument(pointer)
    view = memory.view(allocation.start, allocation.nbytes, numpy_dtype(ctype.to))
    mode = SHIFTED if offset else VIEWED
    return mode, Argument(pointer, view, offset // size, allocation.start)


#: Lane steps that a launch may take unless more are asked for. They stand for the simulator's time:
#:
#: 1. Array operations take time for each active lane, so that an iteration costs its lanes.
#: 2. A short array takes as long as one of some thousand elements, for NumPy's calls take time of
#:    their own: an iteration costs ITERATION_STEPS besides. A loop of one lane ends in time, too.
#: 3. Threads and grids take time before they have done anything: THREAD_COST, GRID_COST.
STEPS = 1 << 31
ITERATION_STEPS = 2048
THREAD_COST, GRID_COST = 16, 8192


@dataclass
class Budget:
    """The steps of a launch and of those that it leads to: how many are `left` of the `limit`."""

    limit: int
    left: int

    def begin(self, threads: int) -> None:
        """Count a grid that begins."""
        self.left -= threads * THREAD_COST + GRID_COST


@dataclass(frozen=True)
class Profile:
    """The figures of a GPU that change what a kernel does or how it is counted.

    Attributes
    ----------
    name : str
        The key of `PROFILES`.
    title : str
        The product's name.
    multiprocessors, threads_per_multiprocessor, blocks_per_multiprocessor : int
        How many threads and blocks can be resident; a larger grid runs in waves.
    shared_per_multiprocessor, shared_per_block, shared_per_block_optin : int
        Bytes of shared memory; the second is what a block may use without asking for more, the
        third the most that it may have if it asks: kernels opt in to it for dynamic shared memory,
        and GPUs before compute capability 7.0 have no more to give.
    memory : int
        Bytes of device memory. The simulator reserves addresses for it, not pages.
    warp_size : int
        Lanes of a warp: 32 on every NVIDIA GPU, fewer on the toy profiles, as papers draw.
    pending_launches : int
        Launches by kernels that may have begun and not ended, unless the host allows more.
    cluster_blocks : int
        Blocks of a cluster at most; 0 for GPUs without clusters, which are all those before compute
        capability 9.0.
    compute_capability : tuple of int
        Its major and minor number.
    """

    name: str
    title: str
    multiprocessors: int
    threads_per_multiprocessor: int
    blocks_per_multiprocessor: int
    shared_per_multiprocessor: int
    memory: int
    shared_per_block_optin: int = 48 << 10
    shared_per_block: int = 48 << 10
    warp_size: int = 32
    threads_per_block: int = 1024
    banks: int = 32
    pending_launches: int = 2048
    cluster_blocks: int = 0
    compute_capability: tuple[int, int] = (9, 0)

    @property
    def resident_threads(self) -> int:
        """Threads of the whole GPU at full occupancy."""
        return self.multiprocessors * self.threads_per_multiprocessor

    def resident_blocks(self, threads: int, shared: int, cluster: int = 1) -> int:
        """Return how many blocks run at the same time.

        Parameters
        ----------
        threads : int
            Threads of a block.
        shared : int
            Bytes of shared memory of a block.
        cluster : int
            Blocks of a cluster, which run together.

        Returns
        -------
        int
            Blocks of the whole GPU, at least one a multiprocessor; of clusters only whole ones,
            which may be none. That multiprocessors are in groups, none of which a cluster leaves,
            is not taken into account.

        Examples
        --------
        >>> PROFILES["h200"].resident_blocks(256, 0)
        1056
        """
        padded = -(-threads // self.warp_size) * self.warp_size
        fit = min(self.blocks_per_multiprocessor, self.threads_per_multiprocessor // padded)
        if shared:
            fit = min(fit, self.shared_per_multiprocessor // shared)
        return max(1, fit) * self.multiprocessors // cluster * cluster


_GIB = 1 << 30


_KIB = 1 << 10


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            *("h200", "NVIDIA H200", 132, 2048, 32, 228 * _KIB, 141 * 10**9, 227 * _KIB),
            cluster_blocks=8,
        ),
        Profile(
            *("rtx3090", "NVIDIA GeForce RTX 3090", 82, 1536, 16, 100 * _KIB, 24 * _GIB),
            shared_per_block_optin=99 * _KIB,
            compute_capability=(8, 6),
        ),
        Profile(
            *("v100", "NVIDIA V100", 80, 2048, 32, 96 * _KIB, 32 * _GIB, 96 * _KIB),
            compute_capability=(7, 0),
        ),
        Profile(
            *("p6000", "NVIDIA Quadro P6000", 30, 2048, 32, 96 * _KIB, 24 * _GIB),
            compute_capability=(6, 1),
        ),
        Profile(
            *("titan-xp", "NVIDIA TITAN Xp", 30, 2048, 32, 96 * _KIB, 12 * _GIB),
            compute_capability=(6, 1),
        ),
        Profile(
            *("rtx2080ti", "NVIDIA GeForce RTX 2080 Ti", 68, 1024, 16, 64 * _KIB, 11 * _GIB),
            shared_per_block_optin=64 * _KIB,
            compute_capability=(7, 5),
        ),
        Profile(
            *("gtx980", "NVIDIA GeForce GTX 980", 16, 2048, 32, 96 * _KIB, 4 * _GIB),
            compute_capability=(5, 2),
        ),
        Profile(
            *("k80", "NVIDIA Tesla K80, one GPU of it", 13, 2048, 16, 112 * _KIB, 12 * _GIB),
            compute_capability=(3, 7),
        ),
        Profile(
            *("gtx780", "NVIDIA GeForce GTX 780", 12, 2048, 16, 48 * _KIB, 3 * _GIB),
            compute_capability=(3, 5),
        ),
        *(
            Profile(
                *(f"toy{n}", f"toy GPU, {n} lanes a warp", 2, 4 * n, 4, 48 * _KIB, 64 << 20),
                warp_size=n,
                cluster_blocks=8,
            )
            for n in (2, 4, 8)
        ),
    )
}
