"""CuPy's `cuda` as far as programs with kernels use it: devices, streams, events, memory pools.

Launches here return when they are done, so there is nothing to wait for. Events take the host's
time: what lies between them is the simulator's, not a GPU's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn, Self

from simulator.execute.device import current
from simulator.host import pool
from simulator.host import runtime as runtime
from simulator.host import texture as texture
from simulator.host.pointer import MemoryPointer as MemoryPointer
from simulator.host.pool import MemoryPool as MemoryPool
from simulator.host.pool import PinnedMemoryPool as PinnedMemoryPool
from simulator.host.pool import alloc as alloc
from simulator.host.pool import alloc_pinned_memory as alloc_pinned_memory
from simulator.host.pool import set_allocator as set_allocator
from simulator.host.properties import check_ordinal, device_attributes
from simulator.source import CompileError, SimulatorError

set_pinned_memory_allocator = set_allocator
#: CuPy's modules of memory and of errors, which are the simulator's own.
memory = pool
compiler = SimpleNamespace(CompileException=CompileError)
driver = SimpleNamespace(CUDADriverError=SimulatorError)


class Event:
    """A moment on a stream.

    Parameters
    ----------
    block, disable_timing, interprocess : bool
        As in CuPy; they change nothing here.

    Examples
    --------
    >>> from simulator import cuda
    >>> start, end = cuda.Event(), cuda.Event()
    >>> start.record()
    >>> end.record()
    >>> cuda.get_elapsed_time(start, end) >= 0
    True
    """

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ) -> None:
        self._time: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Take the time."""
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        """Return: it has happened."""

    @property
    def done(self) -> bool:
        """Always true."""
        return True


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two recorded events: of the simulator, which says nothing of a GPU.

    Parameters
    ----------
    start_event, end_event : Event
        Both recorded.

    Returns
    -------
    float
        Milliseconds.

    Raises
    ------
    ValueError
        If one of them was not recorded.
    """
    if start_event._time is None or end_event._time is None:
        raise ValueError("get_elapsed_time needs events that were recorded: call record() on both")
    return (end_event._time - start_event._time) * 1e3


class _Idle:
    """Something that has nothing to wait for, and can be current."""

    def synchronize(self) -> None:
        """Return: everything has ended."""

    def use(self) -> Self:
        """Make it current."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        return None


#: The current streams of the blocks that are entered.
_streams: list[Stream] = []


class Stream(_Idle):
    """A queue of launches; here each has ended before the next begins.

    Parameters
    ----------
    null, non_blocking, ptds : bool
        As in CuPy; they change nothing here.
    priority : int, optional
        As in CuPy; it changes nothing here.
    """

    null: ClassVar[Stream]
    ptds: ClassVar[Stream]
    done = True

    def __init__(
        self,
        null: bool = False,
        non_blocking: bool = False,
        ptds: bool = False,
        priority: int | None = None,
    ) -> None:
        self.ptr = 0

    def use(self) -> Self:
        """Make it current."""
        _streams[-1:] = [self]
        return self

    def __enter__(self) -> Self:
        if not _streams:
            _streams.append(Stream.null)
        _streams.append(self)
        return self

    def __exit__(self, *problem: object) -> None:
        _streams.pop()

    def record(self, event: Event | None = None) -> Event:
        """Record an event, a new one if none is given."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Return: it has happened."""

    def add_callback(self, callback: Callable[[Stream, int, Any], Any], arg: Any) -> None:
        """Call a function when all before it has ended, which is now."""
        callback(self, 0, arg)

    def launch_host_func(self, callback: Callable[[Any], Any], arg: Any) -> None:
        """Call a function when all before it has ended, which is now."""
        callback(arg)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"the simulator's Stream has no {name!r}: launches run at once, one after another"
        )


Stream.null, Stream.ptds = Stream(null=True), Stream(ptds=True)


class ExternalStream(Stream):
    """A stream that another library made.

    Parameters
    ----------
    ptr, device_id : int
        As in CuPy; they change nothing here.
    """

    def __init__(self, ptr: int, device_id: int = -1) -> None:
        self.ptr = ptr


def get_current_stream(device_id: int = -1) -> Stream:
    """Return the stream of the innermost `with`, or the last that was used; else the null stream.

    Parameters
    ----------
    device_id : int
        As in CuPy; it changes nothing here.

    Returns
    -------
    Stream
        The current one.
    """
    return _streams[-1] if _streams else Stream.null


class Device(_Idle):
    """The device that CuPy numbers `device`; `simulator.Device` chooses what it pretends to be.

    Parameters
    ----------
    device : int, optional
        0, the only one.

    Examples
    --------
    >>> from simulator import cuda
    >>> cuda.Device(0).compute_capability, cuda.Device().attributes["WarpSize"]
    ('90', 32)
    """

    def __init__(self, device: int | Device | None = None) -> None:
        self.id = int(device or 0)
        check_ordinal(self.id)

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}, simulated>"

    @property
    def attributes(self) -> dict[str, int]:
        """What is known, by CUDA's names without cudaDevAttr."""
        return device_attributes(current())

    @property
    def compute_capability(self) -> str:
        """Compute capability, its digits as CuPy writes them: "90"."""
        return "".join(map(str, current().profile.compute_capability))

    @property
    def mem_info(self) -> tuple[int, int]:
        """Free bytes and all bytes."""
        return runtime.memGetInfo()

    @property
    def pci_bus_id(self) -> str:
        """An address, which is no real one."""
        return "0000:00:00.0"


def is_available() -> bool:
    """Return True: there is a device.

    Returns
    -------
    bool
        Always true.
    """
    return True


def get_device_id() -> int:
    """Return 0.

    Returns
    -------
    int
        The current device's number.
    """
    return 0


#: CuPy's modules of streams and devices.
stream = SimpleNamespace(
    Event=Event,
    ExternalStream=ExternalStream,
    Stream=Stream,
    get_current_stream=get_current_stream,
    get_elapsed_time=get_elapsed_time,
)
device = SimpleNamespace(
    Device=Device,
    get_compute_capability=lambda: Device().compute_capability,
    get_device_id=get_device_id,
)


def _nothing(*args: Any) -> None:
    """Do nothing, for tools that are not there to look."""


nvtx = SimpleNamespace(Mark=_nothing, RangePush=_nothing, RangePop=_nothing)
profiler = SimpleNamespace(start=_nothing, stop=_nothing, profile=nullcontext)


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"simulator.cuda has no {name!r}: of cupy.cuda it has Device, Event, Stream, memory pools, "
        "get_current_stream, get_elapsed_time, runtime and texture"
    )
