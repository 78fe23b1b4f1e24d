"""Devices: which GPU is pretended, its memory, and who is told what kernels do on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from simulator.count import Counters, Site
from simulator.execute.memory import Memory
from simulator.profiles import PROFILES, Profile
from simulator.similar import one_of
from simulator.source import SimulatorError

if TYPE_CHECKING:
    from simulator.array import MemoryPointer, ndarray

SCHEDULES = ("lockstep",)


@dataclass(frozen=True)
class Launch:
    """What one kernel launch did."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    counters: Counters
    sites: list[Site]


@dataclass
class Record:
    """The launches since `counting` began."""

    launches: list[Launch] = field(default_factory=list)


class Device:
    """A simulated GPU; as a context manager it is the current one.

    Parameters
    ----------
    profile : str or Profile
        Which GPU to pretend: a key of `simulator.PROFILES`.
    memory : int, optional
        Bytes of device memory; the profile's by default.
    schedule : str
        Who runs when. "lockstep": all resident blocks step together.

    Raises
    ------
    SimulatorError
        For an unknown profile or schedule.

    Examples
    --------
    >>> import simulator
    >>> with simulator.Device("v100", memory=1 << 20) as device:
    ...     a = simulator.zeros(1000, "int32")
    ...     device.memory.bytes_used
    4000
    """

    def __init__(
        self, profile: str | Profile = "h200", memory: int | None = None, schedule: str = "lockstep"
    ) -> None:
        if isinstance(profile, str):
            if profile not in PROFILES:
                raise SimulatorError(
                    f"there is no device profile {profile!r}",
                    hint=one_of("profiles", profile, PROFILES),
                )
            profile = PROFILES[profile]
        if schedule not in SCHEDULES:
            raise SimulatorError(
                f"there is no schedule {schedule!r}", hint=one_of("schedules", schedule, SCHEDULES)
            )
        if memory is not None and (isinstance(memory, bool) or not isinstance(memory, int)):
            raise SimulatorError(f"memory={memory!r} is no number of bytes", hint="give an int")
        if memory is not None and memory < 0:
            raise SimulatorError(f"memory={memory} bytes cannot be", hint="give 0 or more")
        self.profile = profile
        self.schedule = schedule
        self.memory = Memory(profile.memory if memory is None else memory)
        self.records: list[Record] = []
        #: Where the variables of each module are.
        self.variables: WeakKeyDictionary[Any, dict[str, MemoryPointer]] = WeakKeyDictionary()

    def label(self, array: ndarray, name: str) -> None:
        """Name an array's allocation in messages and counters."""
        array.data.allocation.label = name

    def __repr__(self) -> str:
        used, free = self.memory.bytes_used, self.memory.capacity
        return f"<simulated {self.profile.title}, {self.schedule}, {used:,} of {free:,} bytes used>"

    def __enter__(self) -> Device:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _stack.set(_stack.get()[:-1])


_stack: ContextVar[tuple[Device, ...]] = ContextVar("simulator_devices", default=())
_default: list[Device] = []


def current() -> Device:
    """The device that arrays and launches go to.

    The innermost `with Device(...)`, else a shared H200.
    """
    if stack := _stack.get():
        return stack[-1]
    if not _default:
        _default.append(Device())
    return _default[0]


@contextmanager
def counting(device: Device | None = None) -> Iterator[Record]:
    """Count what every launch does on `device` (the current one) while the context lasts.

    Yields
    ------
    Record
        Its `launches` grow as kernels run.
    """
    target = device or current()
    record = Record()
    target.records.append(record)
    try:
        yield record
    finally:
        target.records.remove(record)
