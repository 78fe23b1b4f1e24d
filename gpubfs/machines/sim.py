"""The machine `sim`: the simulator with one of its device profiles."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from gpubfs.errors import UsageError
from gpubfs.machines.protocol import Stopwatch, too_much_shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_DEVICE = "h200"
DEFAULT_SCHEDULE = "lockstep"


class WallClock:
    """Host time, for a machine whose launches return when they are done."""

    def __init__(self) -> None:
        self._from = self._to = 0.0

    def start(self) -> None:
        """Begin."""
        self._from = time.perf_counter()

    def stop(self) -> None:
        """End."""
        self._to = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The time between start and stop."""
        return self._to - self._from


class SimMachine:
    """The simulator with one of its device profiles.

    Parameters
    ----------
    device : str
        A name in `simulator.execute.device.PROFILES`.
    schedule : str
        As `simulator.Device` takes it: lockstep, warp, shuffled:SEED, round-robin:SEED or
        random:SEED.
    counters : bool
        Whether to count; counting takes time.

    Raises
    ------
    UsageError
        If there is no such profile or schedule.
    """

    name = "sim"
    uncounted: frozenset[str] = frozenset()

    def __init__(self, device: str | None, schedule: str | None, counters: bool) -> None:
        import simulator

        self.device = DEFAULT_DEVICE if device is None else str(device)
        self.schedule: str | None = DEFAULT_SCHEDULE if schedule is None else str(schedule)
        try:
            self._made = simulator.Device(profile=self.device, schedule=self.schedule)
        except simulator.SimulatorError as error:
            raise UsageError(error.message, error.hint) from None
        self.warp_size = self._made.profile.warp_size
        self.multiprocessors = self._made.profile.multiprocessors
        self.resident_threads = self._made.profile.resident_threads
        self.not_counted = "" if counters else "counting was switched off"
        self._simulator: Any = simulator
        self._context = ExitStack()
        self._record: Any = None
        self._allocated: dict[int, Any] = {}
        self._seen = 0

    def __enter__(self) -> Self:
        """Make a fresh simulated device the current one."""
        self._context.enter_context(self._made)
        if not self.not_counted:
            self._record = self._context.enter_context(self._simulator.counting())
        return self

    def __exit__(self, *error: object) -> None:
        """Drop the device and its memory."""
        self._context.close()

    @property
    def block_shared(self) -> int:
        """As the profile has it."""
        return self._made.profile.shared_per_block_optin

    @property
    def cluster_blocks(self) -> int:
        """As the profile has it."""
        return self._made.profile.cluster_blocks

    def check_current(self) -> None:
        """Raise UsageError if another simulated device was entered since, and is not left yet."""
        if self._simulator.current() is not self._made:
            raise UsageError(
                "another simulated device was made the current one",
                "work with one at a time: the context that was entered last is to be left first",
            )

    def asarray(self, values: NDArray[Any]) -> Any:
        """Copy host values to simulated memory."""
        return self._room(lambda: self._simulator.asarray(values))

    def asnumpy(self, array: Any) -> NDArray[Any]:
        """Copy a device array to host memory."""
        values: NDArray[Any] = self._simulator.asnumpy(array)
        return values

    def empty(self, shape: int, dtype: str) -> Any:
        """Allocate an array that nothing has written yet."""
        return self._room(lambda: self._simulator.empty(shape, dtype))

    def full(self, shape: int, value: int, dtype: str) -> Any:
        """Allocate an array with one value everywhere."""
        return self._room(lambda: self._simulator.full(shape, value, dtype))

    def _room(self, allocate: Callable[[], Any]) -> Any:
        """Allocate; where memory is exhausted, say so as a GPU does."""
        try:
            return allocate()
        except self._simulator.OutOfMemoryError as error:
            raise UsageError(error.message, error.hint) from None

    def allocate(self, sizes: Sequence[int], name: str) -> list[int]:
        """Allocate simulated memory, each piece by itself, until there is none left."""
        addresses: list[int] = []
        for size in sizes:
            try:
                array = self._simulator.empty(size, "uint8")
            except self._simulator.OutOfMemoryError:
                break
            self.label(array, name)
            addresses.append(array.data.ptr)
            self._allocated[array.data.ptr] = array
        return addresses

    def release(self, addresses: Sequence[int]) -> None:
        """Give simulated memory back."""
        for address in addresses:
            del self._allocated[int(address)]

    def module(self, path: Path, options: tuple[str, ...], cooperative: bool = False) -> Any:
        """Read a CUDA file by the simulator."""
        return self._simulator.RawModule(
            path=str(path), options=options, enable_cooperative_groups=cooperative
        )

    def resident_blocks(self, module: Any, kernel: str, threads: int, shared: int) -> int:
        """As many as the profile's threads, blocks and shared memory allow; it has no registers."""
        static = module.kernel(kernel).compiled().shared_bytes
        blocks: int = self._made.profile.resident_blocks(threads, static + shared)
        return blocks

    def allow_shared(self, kernel: Any, size: int) -> None:
        """Let a kernel's blocks have `size` bytes of dynamic shared memory, if the profile can."""
        try:
            kernel.max_dynamic_shared_size_bytes = size
        except self._simulator.LaunchError:
            raise too_much_shared(self.device, kernel.name, size) from None

    def allow_pending_launches(self, count: int) -> None:
        """Let `count` launches by kernels be pending."""
        self._made.allow_pending(count)

    def refusal(self, kernel: str, error: Exception) -> Exception:
        """Return the simulator's own error, which says what is wrong."""
        return error

    def label(self, array: Any, name: str) -> None:
        """Call an array `name` in messages and counters."""
        self._made.label(array, name)

    def counted(self) -> Sequence[Any]:
        """Return the launches counted since the last call."""
        if self._record is None:
            return []
        new = self._record.launches[self._seen :]
        self._seen += len(new)
        return list(new)

    def stopwatch(self) -> Stopwatch:
        """Return a wall clock: a simulated launch returns when it is done."""
        return WallClock()
