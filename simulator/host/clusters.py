"""Whether a launch can have its clusters of blocks, and why it is refused."""

from __future__ import annotations

from simulator.compile.compiled import CompiledKernel
from simulator.execute.launch_config import Profile
from simulator.execute.wave import Triple
from simulator.host.shared_memory import Refusal


def cluster_refusal(
    profile: Profile, kernel: CompiledKernel, grid: Triple, threads: int, dynamic: int
) -> Refusal | None:
    """Return why a kernel that needs clusters cannot be launched with them, or None if it can.

    Parameters
    ----------
    profile : Profile
        Where it is to be launched.
    kernel : CompiledKernel
        What is launched, with what its `__cluster_dims__` says.
    grid : tuple of int
        Blocks along x, y and z.
    threads : int
        Threads of a block.
    dynamic : int
        Bytes of dynamic shared memory of a block.
    """
    blocks, dims = kernel.cluster_blocks, " x ".join(map(str, kernel.cluster))
    if not profile.cluster_blocks:
        return (
            "needs clusters of blocks",
            f"{profile.title} has none: GPUs have them from compute capability 9.0 on.",
        )
    if any(size % part for size, part in zip(grid, kernel.cluster, strict=True)):
        return (
            f"launched with a grid of {' x '.join(map(str, grid))} blocks",
            f"Its clusters have {dims} blocks, and a grid must be a multiple of that along each\n"
            "axis (cudaErrorInvalidClusterSize).",
        )
    if not profile.resident_blocks(threads, kernel.shared_bytes + dynamic, blocks):
        return (
            f"launched with clusters of {blocks} blocks of {threads} threads",
            f"{profile.title} does not hold so many at the same time: take smaller blocks, or\n"
            "fewer of them in a cluster.",
        )
    return None
