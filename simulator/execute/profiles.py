"""The GPUs that the simulator can pretend to be.

What bounds a launch and how many blocks are resident.
"""

from __future__ import annotations

from dataclasses import dataclass


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
    shared_per_multiprocessor, shared_per_block : int
        Bytes of shared memory; the second is what a block may use without asking for more.
    memory : int
        Bytes of device memory. The simulator reserves addresses for it, not pages.
    warp_size : int
        Lanes of a warp: 32 on every NVIDIA GPU, fewer on the toy profiles, as papers draw.
    """

    name: str
    title: str
    multiprocessors: int
    threads_per_multiprocessor: int
    blocks_per_multiprocessor: int
    shared_per_multiprocessor: int
    memory: int
    shared_per_block: int = 48 << 10
    warp_size: int = 32
    threads_per_block: int = 1024
    banks: int = 32

    def resident_blocks(self, threads: int, shared: int) -> int:
        """How many blocks of `threads` threads and `shared` bytes run at the same time.

        Examples
        --------
        >>> PROFILES["h200"].resident_blocks(256, 0)
        1056
        """
        padded = -(-threads // self.warp_size) * self.warp_size
        fit = min(self.blocks_per_multiprocessor, self.threads_per_multiprocessor // padded)
        if shared:
            fit = min(fit, self.shared_per_multiprocessor // shared)
        return max(1, fit) * self.multiprocessors


_GIB = 1 << 30
_KIB = 1 << 10

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("h200", "NVIDIA H200", 132, 2048, 32, 228 * _KIB, 141 * 10**9),
        Profile("rtx3090", "NVIDIA GeForce RTX 3090", 82, 1536, 16, 100 * _KIB, 24 * _GIB),
        Profile("v100", "NVIDIA V100", 80, 2048, 32, 96 * _KIB, 32 * _GIB),
        Profile("p6000", "NVIDIA Quadro P6000", 30, 2048, 32, 96 * _KIB, 24 * _GIB),
        Profile("gtx780", "NVIDIA GeForce GTX 780", 12, 2048, 16, 48 * _KIB, 3 * _GIB),
        Profile("toy2", "toy GPU, 2 lanes a warp", 2, 8, 4, 48 * _KIB, 64 << 20, warp_size=2),
        Profile("toy4", "toy GPU, 4 lanes a warp", 2, 16, 4, 48 * _KIB, 64 << 20, warp_size=4),
    )
}
