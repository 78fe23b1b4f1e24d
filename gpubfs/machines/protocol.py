"""What a host needs of a machine that runs kernels: an interface shaped like CuPy's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def too_much_shared(device: str, kernel: str, size: int) -> UsageError:
    """Return what to raise where a block cannot have `size` bytes of dynamic shared memory.

    Parameters
    ----------
    device : str
        The simulated profile or the GPU's name.
    kernel : str
        The kernel's name.
    size : int
        Bytes.
    """
    return UsageError(
        f"{device} does not have {size:,} bytes of shared memory for a block of {kernel}",
        "choose smaller blocks, or smaller queues and fewer items of a thread",
    )


class Stopwatch(Protocol):
    """Measures one stretch of device work."""

    def start(self) -> None:
        """Begin."""

    def stop(self) -> None:
        """End, without waiting for the device."""

    @property
    def seconds(self) -> float:
        """The time between start and stop; waits for the device if it must."""


class Machine(Protocol):
    """What a host needs of a machine; a context manager, so that it starts with fresh memory.

    Attributes
    ----------
    name : str
        "sim" or "gpu".
    device : str
        The simulated profile or the GPU's name.
    schedule : str or None
        The simulator's schedule.
    warp_size : int
        Lanes of a warp.
    multiprocessors : int
        Streaming multiprocessors.
    resident_threads : int
        Threads that the whole device holds at one time.
    not_counted : str
        Why there are no device counters, or not all of them; empty if there are.
    uncounted : frozenset of str
        The counters that are not counted although others are.
    """

    name: str
    device: str
    schedule: str | None
    warp_size: int
    multiprocessors: int
    resident_threads: int
    not_counted: str

    @property
    def block_shared(self) -> int:
        """Bytes of shared memory that a block may have."""

    @property
    def cluster_blocks(self) -> int:
        """Blocks of a cluster at most; 0 if there are no clusters."""

    @property
    def uncounted(self) -> frozenset[str]:
        """The counters that are not counted although others are."""

    def __enter__(self) -> Self:
        """Make this the current device."""

    def __exit__(self, *error: object) -> None:
        """Give the device and its memory back."""

    def asarray(self, values: NDArray[Any]) -> Any:
        """Copy host values to device memory."""

    def asnumpy(self, array: Any) -> NDArray[Any]:
        """Copy a device array to host memory."""

    def empty(self, shape: int, dtype: str) -> Any:
        """Allocate an array that nothing has written yet."""

    def full(self, shape: int, value: int, dtype: str) -> Any:
        """Allocate an array with one value everywhere."""

    def allocate(self, sizes: Sequence[int], name: str) -> list[int]:
        """Allocate memory by a call of cudaMalloc for each size; it stays until it is released.

        Parameters
        ----------
        sizes : sequence of int
            Bytes, each at least 1.
        name : str
            What messages call each of them.

        Returns
        -------
        list of int
            Addresses, fewer than sizes where memory ends.
        """

    def release(self, addresses: Sequence[int]) -> None:
        """Give memory back that `allocate` gave, by a call of cudaFree for each address."""

    def module(self, path: Path, options: tuple[str, ...], cooperative: bool = False) -> Any:
        """Compile a CUDA file; `get_function` gives its kernels, launched cooperatively or not."""

    def resident_blocks(self, module: Any, kernel: str, threads: int, shared: int) -> int:
        """How many blocks of a kernel run at the same time: multiprocessors times occupancy.

        Parameters
        ----------
        module
            What `module` gave.
        kernel : str
            A kernel of it.
        threads, shared : int
            Threads, and bytes of dynamic shared memory, of a block.
        """

    def allow_shared(self, kernel: Any, size: int) -> None:
        """Let a kernel's blocks have `size` bytes of dynamic shared memory."""

    def allow_pending_launches(self, count: int) -> None:
        """Let `count` launches by kernels be pending: launched, and not ended yet.

        CUDA keeps what it must know of them in a pool of that many places, 2,048 unless more are
        asked for. A launch that finds the pool full fails, and only the thread that made it can
        find that out.

        Parameters
        ----------
        count : int
            Places of the pool.
        """

    def check_current(self) -> None:
        """Raise UsageError if launches would go to another device."""

    def refusal(self, kernel: str, error: Exception) -> Exception:
        """Return what to raise where a launch of `kernel` was refused with `error`."""

    def label(self, array: Any, name: str) -> None:
        """Call an array `name` in messages and counters."""

    def counted(self) -> Sequence[Any]:
        """Return the launches counted since the last call, with `counters` and `sites`."""

    def stopwatch(self) -> Stopwatch:
        """Return a new stopwatch."""
