"""The machine `gpu`: an NVIDIA GPU through CuPy."""

from __future__ import annotations

import os
import shlex
import statistics
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from gpubfs.errors import UsageError
from gpubfs.kernels import KERNELS
from gpubfs.machines.counted import CountedLaunches
from gpubfs.machines.nvrtc import launch_options
from gpubfs.machines.protocol import Stopwatch, too_much_shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

INSTALL = (
    'install it with pip install "gpubfs[cuda13]" (driver 580 or newer) or '
    'pip install "gpubfs[cuda12]" (older drivers), or use the machine sim'
)


#: What the driver's errors mean when it refuses a launch, and the remedy.
REFUSALS = {
    "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE": (
        "not all of its blocks can be resident at the same time, as they must to wait for each "
        "other",
        "give fewer or smaller blocks",
    ),
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": (
        "a block needs more registers or shared memory than there are",
        "give smaller blocks or queues",
    ),
}


#: What the runtime's error says where there is no memory left.
NO_MEMORY = "cudaErrorMemoryAllocation"

#: Registers are given to a warp so many for each thread at a time.
REGISTER_UNIT = 8

#: The environment variable with further options for NVRTC.
FLAGS = "GPUBFS_NVRTC_FLAGS"

#: What is said of the counters that the build that counts leaves out.
BLIND_WHY = "the CUDA build that counts leaves out statements and the hottest address"


class EventClock:
    """A pair of CUDA events, so that only the device's time counts."""

    def __init__(self, cuda: Any) -> None:
        self._cuda = cuda
        self._from, self._to = cuda.Event(), cuda.Event()

    def start(self) -> None:
        """Record the first event."""
        self._from.record()

    def stop(self) -> None:
        """Record the second event."""
        self._to.record()

    @property
    def seconds(self) -> float:
        """The time between the events, once both have happened."""
        self._to.synchronize()
        return float(self._cuda.get_elapsed_time(self._from, self._to)) / 1e3


class GpuMachine:
    """An NVIDIA GPU through CuPy, which compiles the CUDA files with NVRTC."""

    name = "gpu"
    schedule: str | None = None

    def __init__(self, device: str | None, schedule: str | None, counters: bool) -> None:
        self._counts = counters
        self.not_counted = (
            BLIND_WHY if counters else "the CUDA build does not count: use --counters"
        )
        self._counted = CountedLaunches()
        self._labels: list[tuple[int, int, str]] = []
        _refuse("device", device, "the GPU itself is the device")
        _refuse("schedule", schedule, "the GPU schedules its own warps")
        self._cupy = cuda_module()
        properties = self._cupy.cuda.runtime.getDeviceProperties(0)
        self.device = properties["name"].decode()
        self.warp_size = int(properties["warpSize"])
        self.multiprocessors = int(properties["multiProcessorCount"])
        each = int(properties["maxThreadsPerMultiProcessor"])
        self.resident_threads = self.multiprocessors * each
        self._registers = _registers_at_full_occupancy(properties)
        self._plain: dict[Any, Any] = {}
        self._pending_before: int | None = None
        self._allocated: set[int] = set()

    def __enter__(self) -> Self:
        """Use the first GPU."""
        self._cupy.cuda.Device(0).use()
        return self

    def __exit__(self, *error: object) -> None:
        """Wait for the GPU, give cached memory back, and leave its limits as they were."""
        if self._pending_before is not None:
            runtime = self._cupy.cuda.runtime
            limit = runtime.cudaLimitDevRuntimePendingLaunchCount
            runtime.deviceSetLimit(limit, self._pending_before)
            self._pending_before = None
        self.release(list(self._allocated))
        self._cupy.get_default_memory_pool().free_all_blocks()

    def check_current(self) -> None:
        """Do nothing: all use the same GPU."""

    @property
    def block_shared(self) -> int:
        """What kernels may opt in to, by CUDA's cudaDevAttrMaxSharedMemoryPerBlockOptin."""
        return int(self._cupy.cuda.runtime.deviceGetAttribute(97, 0))

    @property
    def cluster_blocks(self) -> int:
        """As many as kernels may have without asking for more, from compute capability 9.0 on."""
        return 8 if int(self._cupy.cuda.Device(0).compute_capability) >= 90 else 0

    @property
    def uncounted(self) -> frozenset[str]:
        """The counters that the build that counts leaves out."""
        from simulator.observe.counters import COUNTERS

        return frozenset(name for name, counter in COUNTERS.items() if not counter.on_gpu)

    def asarray(self, values: NDArray[Any]) -> Any:
        """Copy host values to GPU memory."""
        return self._room(lambda: self._cupy.asarray(values))

    def asnumpy(self, array: Any) -> NDArray[Any]:
        """Copy a device array to host memory."""
        values: NDArray[Any] = self._cupy.asnumpy(array)
        return values

    def empty(self, shape: int, dtype: str) -> Any:
        """Allocate an array that nothing has written yet."""
        return self._room(lambda: self._cupy.empty(shape, dtype))

    def full(self, shape: int, value: int, dtype: str) -> Any:
        """Allocate an array with one value everywhere."""
        return self._room(lambda: self._cupy.full(shape, value, dtype))

    def allocate(self, sizes: Sequence[int], name: str) -> list[int]:
        """Call cudaMalloc for each size, until there is no memory left."""
        runtime = self._cupy.cuda.runtime
        addresses: list[int] = []
        for size in sizes:  # there may be millions
            try:
                addresses.append(runtime.malloc(size))
            except runtime.CUDARuntimeError as error:
                address = self._malloc_again(size, error)
                if address is None:
                    break
                addresses.append(address)
        self._allocated.update(addresses)
        if self._counts:
            named = zip(addresses, sizes, strict=False)
            self._labels += [(start, start + size, name) for start, size in named]
        return addresses

    def _malloc_again(self, size: int, error: Exception) -> int | None:
        """Call cudaMalloc once CuPy's pool has given back what it only keeps; None if it fails."""
        if NO_MEMORY not in str(error):
            raise error
        runtime = self._cupy.cuda.runtime
        self._cupy.get_default_memory_pool().free_all_blocks()
        try:
            return int(runtime.malloc(size))
        except runtime.CUDARuntimeError as again:
            if NO_MEMORY not in str(again):
                raise
        return None

    def release(self, addresses: Sequence[int]) -> None:
        """Call cudaFree for each address."""
        free = self._cupy.cuda.runtime.free
        for address in addresses:
            free(address)
        self._allocated.difference_update(addresses)

    def module(self, path: Path, options: tuple[str, ...], cooperative: bool = False) -> Any:
        """Compile a CUDA file by NVRTC; it is rewritten before so that it counts, if it is to."""
        code = path.read_text(encoding="utf-8")
        plain = self._compiled(code, options, cooperative)
        if not self._counts:
            return plain
        counting = self._counting(code, path, options, cooperative)
        self._plain[counting] = plain  # which CuPy compiles only if it is asked for
        return counting

    def resident_blocks(self, module: Any, kernel: str, threads: int, shared: int) -> int:
        """As the driver computes it for the plain build; the one that counts has as many."""
        plain = self._plain.get(module, module).get_function(kernel).kernel
        occupancy = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
        # Of what does not fit at all one is launched, and the driver says what is wrong with it.
        return max(int(occupancy(plain.ptr, threads, shared)), 1) * self.multiprocessors

    def _compiled(self, code: str, options: tuple[str, ...], cooperative: bool) -> Any:
        included = f"-DGPUBFS_INCLUDED={_included_digest(KERNELS)}u"
        wanted = (*options, included, *launch_options(code), *compiler_flags())
        return self._cupy.RawModule(
            code=code, options=wanted, enable_cooperative_groups=cooperative
        )

    def allow_shared(self, kernel: Any, size: int) -> None:
        """Let a kernel's blocks have `size` bytes of dynamic shared memory, if the GPU can."""
        try:
            kernel.max_dynamic_shared_size_bytes = size
        except self._cupy.cuda.driver.CUDADriverError:
            raise too_much_shared(self.device, kernel.name, size) from None

    def allow_pending_launches(self, count: int) -> None:
        """Let `count` launches by kernels be pending, if the GPU has memory for them."""
        runtime = self._cupy.cuda.runtime
        limit = runtime.cudaLimitDevRuntimePendingLaunchCount
        if self._pending_before is None:
            self._pending_before = int(runtime.deviceGetLimit(limit))
        try:
            runtime.deviceSetLimit(limit, count)
            why, held = "", int(runtime.deviceGetLimit(limit))
        except runtime.CUDARuntimeError as error:
            why, held = f" ({error})", 0
        if held < count:
            raise UsageError(
                f"{self.device} has no room for {count:,} pending launches by kernels{why}",
                "ask for a smaller pool of pending launches",
            )

    def refusal(self, kernel: str, error: Exception) -> Exception:
        """Return the driver's error in words, if it is about the size of the launch."""
        if isinstance(error, self._cupy.cuda.driver.CUDADriverError):
            for name, (what, hint) in REFUSALS.items():
                if name in str(error):
                    return UsageError(f"{self.device} refuses to launch {kernel}: {what}", hint)
        return error

    def _counting(self, code: str, path: Path, options: tuple[str, ...], cooperative: bool) -> Any:
        from simulator.instrument import InstrumentedModule, instrumented

        made = instrumented(code, str(path), options, cooperative=cooperative)
        # What counts needs registers for it; a grid that waits must be resident all the same.
        few = (f"--maxrregcount={self._registers}",) if cooperative else ()
        module = self._cupy.RawModule(
            code=made.text,
            options=(*few, *compiler_flags()),
            enable_cooperative_groups=cooperative,
        )
        own = InstrumentedModule(self._cupy, module, made, self.warp_size, self._array_at)
        return self._counted.add(own)

    def label(self, array: Any, name: str) -> None:
        """Call an array `name` in the counters of sites."""
        start = int(array.data.ptr)
        self._labels.append((start, start + array.nbytes, name))

    def _array_at(self, address: int) -> str:
        """Return the name of the array that an address is in, the latest of that name."""
        return next((n for a, b, n in reversed(self._labels) if a <= address < b), "")

    def counted(self) -> Sequence[Any]:
        """Return the launches counted since the last call; none where nothing is counted."""
        return self._counted.new()

    def stopwatch(self) -> Stopwatch:
        """Return a pair of CUDA events."""
        return EventClock(self._cupy.cuda)

    def bandwidth(self, size: int = 1 << 30, repeats: int = 5) -> float:
        """Measure how many bytes a second are read and written where memory is copied.

        Parameters
        ----------
        size : int
            Bytes of the copy, many times what a cache holds.
        repeats : int
            Copies, of which the median counts.

        Returns
        -------
        float
            Bytes read and bytes written, over seconds.
        """
        runtime, seconds = self._cupy.cuda.runtime, []
        here, there = (self.empty(size, "uint8") for _ in range(2))
        for _ in range(repeats + 1):  # the first warms up
            clock = EventClock(self._cupy.cuda)
            clock.start()
            runtime.memcpyAsync(
                there.data.ptr, here.data.ptr, size, runtime.memcpyDeviceToDevice, 0
            )
            clock.stop()
            seconds.append(clock.seconds)
        return 2 * size / statistics.median(seconds[1:])

    def _room(self, allocate: Callable[[], Any]) -> Any:
        try:
            return allocate()
        except self._cupy.cuda.memory.OutOfMemoryError as error:
            raise UsageError(f"the GPU is out of memory: {error}", "take a smaller graph") from None


def cuda_module() -> Any:
    """CuPy, once it is certain that there is a GPU to use it on.

    Raises
    ------
    UsageError
        If CuPy is not installed or finds no device.
    """
    try:
        import cupy
    except ImportError:
        raise UsageError("the machine gpu needs CuPy, which is not installed", INSTALL) from None
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise _no_device(f" ({error})") from None
    if not devices:
        raise _no_device("")
    return cupy


def compiler_flags() -> tuple[str, ...]:
    """Return further options of NVRTC from the environment, such as --ptxas-options=-dlcm=cg."""
    return tuple(shlex.split(os.environ.get(FLAGS, "")))


def _registers_at_full_occupancy(properties: Mapping[str, Any]) -> int:
    """Return the most registers a thread may have where a multiprocessor holds all its threads."""
    each = properties["regsPerMultiprocessor"] // properties["maxThreadsPerMultiProcessor"]
    return int(each) // REGISTER_UNIT * REGISTER_UNIT


def _no_device(detail: str) -> UsageError:
    return UsageError(
        f"the machine gpu found no CUDA device{detail}",
        "nvidia-smi must list a GPU; without one, use the machine sim",
    )


def _refuse(what: str, value: str | None, why: str) -> None:
    if value is not None:
        raise UsageError(f"the machine gpu has no {what} {value}: {why}", f"leave out {what}")


def _included_digest(folder: Path) -> int:
    """Return a digest of the files: CuPy's cache looks only at the one that includes the others."""
    text = b"".join(file.read_bytes() for file in sorted(folder.rglob("*.cu*")))
    return zlib.crc32(text)
