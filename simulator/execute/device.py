"""Devices: which GPU is simulated, its memory, what launches may cost, and who observes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from operator import or_
from types import TracebackType
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from simulator.execute.launch_config import PROFILES, STEPS, Profile
from simulator.execute.memory import Allocation, Memory
from simulator.execute.observer import Observer
from simulator.execute.schedule import schedule_named
from simulator.hints.similar import one_of
from simulator.ir.events import Build
from simulator.source import SimulatorError

Kind = TypeVar("Kind", bound=Observer)


class _Pointing(Protocol):
    @property
    def allocation(self) -> Allocation: ...


class Allocated(Protocol):
    """What has memory on a device: an array."""

    @property
    def data(self) -> _Pointing:
        """Where it begins."""


class Device:
    """A simulated GPU; as a context manager it is the current one.

    Parameters
    ----------
    profile : str or Profile
        Which GPU to pretend: a key of `simulator.PROFILES`.
    memory : int, optional
        Bytes of device memory; the profile's by default.
    schedule : str
        Which warp runs when. "lockstep": all resident blocks step together; "warp": one warp after
        the other, each as far as the next barrier; "shuffled:SEED": in lockstep, but the lanes of
        all warps' atomics are served in a random order, and `__activemask` may return a part of
        the active lanes; "round-robin:SEED": one memory operation of each warp after the other, in
        a random order; "random:SEED": warps in a random order, preempted before memory
        operations.
    steps : int
        Lane steps that a launch may take: an iteration of a loop costs its active lanes and about
        2,048, a thread costs 16 before it has done anything.

    Raises
    ------
    SimulatorError
        For an unknown profile or schedule, and for sizes that cannot be.

    Examples
    --------
    >>> import simulator
    >>> with simulator.Device("v100", memory=1 << 20) as device:
    ...     a = simulator.zeros(1000, "int32")
    ...     device.memory.bytes_used
    4000
    """

    def __init__(
        self,
        profile: str | Profile = "h200",
        memory: int | None = None,
        schedule: str = "lockstep",
        steps: int = STEPS,
    ) -> None:
        if isinstance(profile, str):
            if profile not in PROFILES:
                raise SimulatorError(
                    f"there is no device profile {profile!r}",
                    hint=one_of("profiles", profile, PROFILES),
                )
            profile = PROFILES[profile]
        _check_kind("profile", profile, Profile, f"give one of {', '.join(PROFILES)}")
        _check_kind("schedule", schedule, str, "give a name, such as lockstep or random:7")
        schedule_named(schedule)
        if memory is not None:
            _check_count("memory", memory, "bytes")
        _check_count("steps", steps, "lane steps")
        self.profile = profile
        self.schedule = schedule
        self.steps = steps
        #: Launches so far.
        self.launches = 0
        self.memory = Memory(profile.memory if memory is None else memory)
        #: What is notified of launches.
        self.observers: list[Observer] = []
        #: Where the variables of each module are.
        self.variables: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
        #: What `clock64` counts.
        self.ticks = 0

    @property
    def build(self) -> Build:
        """What kernels must be compiled for: the schedule, and all observers."""
        schedule = schedule_named(self.schedule)
        asked = Build(schedule.preemptive, schedule.lane_random is not None)
        return reduce(or_, (observer.build for observer in self.observers), asked)

    def label(self, array: Allocated, name: str) -> None:
        """Name an array's allocation in messages and counters.

        Parameters
        ----------
        array : ndarray
            The device array.
        name : str
            What to call it.
        """
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


def _check_count(name: str, value: object, unit: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SimulatorError(f"{name}={value!r} is no number of {unit}", hint="give an int")
    if value < 0:
        raise SimulatorError(f"{name}={value} {unit} cannot be", hint="give 0 or more")


_stack: ContextVar[tuple[Device, ...]] = ContextVar("simulator_devices", default=())
_default: list[Device] = []


def current() -> Device:
    """Return the device that arrays and launches go to.

    Returns
    -------
    Device
        The innermost `with Device(...)`, else a shared H200.
    """
    if stack := _stack.get():
        return stack[-1]
    if not _default:
        _default.append(Device())
    return _default[0]


def device_or_current(device: Device | None) -> Device:
    """Return the device that was given, or the current one.

    Raises
    ------
    SimulatorError
        If something else was given.
    """
    if device is None:
        return current()
    _check_kind("device", device, Device, "give a simulator.Device, or leave it out")
    return device


def _check_kind(what: str, value: object, kind: type, hint: str) -> None:
    if not isinstance(value, kind):
        words = f"{what} is something of type {type(value).__name__}, not of {kind.__name__}"
        raise SimulatorError(words, hint=hint)


@contextmanager
def observing(observer: Kind, device: Device | None = None) -> Iterator[Kind]:
    """Let an observer see every launch on `device` (the current one) while the context lasts.

    Parameters
    ----------
    observer : Observer
        Counters, sanitizers and traces are such, and what you write yourself.
    device : Device, optional
        The device to observe.

    Yields
    ------
    Observer
        The same.

    Raises
    ------
    SimulatorError
        If something else is given.

    Examples
    --------
    >>> import simulator
    >>> class Blocks(simulator.Observer, simulator.LaunchObserver):
    ...     def __init__(self):
    ...         self.seen = 0
    ...     def begin(self, config):
    ...         return self
    ...     def start(self, wave):
    ...         self.seen += wave.slots
    >>> kernel = simulator.RawKernel('extern "C" __global__ void f() { }', "f")
    >>> with simulator.observing(Blocks()) as blocks:
    ...     kernel((5,), (32,), ())
    >>> blocks.seen
    5
    """
    _check_kind("observer", observer, Observer, "derive it from simulator.Observer")
    target = device_or_current(device)
    target.observers.append(observer)
    try:
        yield observer
    finally:
        target.observers[:] = [other for other in target.observers if other is not observer]
