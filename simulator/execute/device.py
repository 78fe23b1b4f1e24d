"""Devices: which GPU is simulated, its memory and schedule, what launches cost, their observers."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, reduce
from operator import or_
from types import TracebackType
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from simulator.execute.launch_config import PROFILES, STEPS, Profile
from simulator.execute.memory import Allocation, Memory
from simulator.execute.observer import Observer
from simulator.execute.textures import Bindings
from simulator.execute.wave import Wave
from simulator.hints.similar import one_of
from simulator.ir.events import Build
from simulator.source import SimulatorError, Span

# Schedules: which warps form a gang, which gang runs next, in which order lanes are served.
#
# Each of them is an order that CUDA allows, so that a correct kernel is correct under all of them.


#: How schedules are called; SEED stands for a whole number.
SCHEDULES = ("lockstep", "warp", "shuffled:SEED", "round-robin:SEED", "random:SEED")
#: Lane steps after which a gang of all blocks lets others run: enough to hide NumPy's cost a call,
#: few enough for a cache. Of a single warp fewer, so that one that waits does not wait long.
BUDGET, WARP_BUDGET = 1 << 18, 1 << 16
#: More memory operations than any gang does before its lane steps are used up.
UNPREEMPTED = 1 << 62
#: Gangs of a round robin at most.
MOST_GANGS = 512


class Schedule(ABC):
    """Which warps run when, in one launch.

    `preemptive`: gangs stop before memory operations, too. `lane_random` chooses the order in which
    lanes of an atomic are served; None for theirs.
    """

    preemptive = False
    lane_random: np.random.Generator | None = None

    @abstractmethod
    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """Form gangs: the first lane and the number of lanes of each."""

    def choose(self, ready: Sized) -> int:
        """Choose the index in `ready` of the gang that runs next; the last one ran last."""
        return 0

    def budget(self) -> int:
        """Return the lane steps until a gang lets others run."""
        return WARP_BUDGET

    def preempt_after(self) -> int:
        """Return the memory operations until it does."""
        return UNPREEMPTED


class Lockstep(Schedule):
    """All resident blocks are one gang."""

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """Form one gang."""
        return [(0, wave.lane_count)]

    def budget(self) -> int:
        """Return enough for bulk counting."""
        return BUDGET


class Shuffled(Lockstep):
    """As in lockstep, but atomics are served lane by lane, those of all warps in any order.

    A GPU splits a request by sectors, and those of several warps interleave. Of lanes that store to
    one address any wins.

    Parameters
    ----------
    seed, launch, single
        As for `Random`.
    """

    def __init__(self, seed: int, launch: int, single: bool = False) -> None:
        self.lane_random = np.random.default_rng((seed, launch))
        self._single = single

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """Form one gang."""
        return _single_warps(wave) if self._single else super().gangs(wave)


class WarpByWarp(Schedule):
    """A gang a warp; each runs as far as the next barrier, or until it has had many steps."""

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """Form one gang a warp."""
        return _single_warps(wave)


def _single_warps(wave: Wave) -> list[tuple[int, int]]:
    return [(warp * wave.warp_size, wave.warp_size) for warp in range(wave.warps)]


class Random(Schedule):
    """Warps of a block that follow one another in gangs of any size; any gang may be next.

    Parameters
    ----------
    seed : int
        Chooses the order.
    launch : int
        Which launch of the device it is: the same kernel launched again runs in another order.
    single : bool
        A gang a warp.
    """

    preemptive = True

    def __init__(self, seed: int, launch: int, single: bool = False) -> None:
        self._random = random.Random(f"{seed} {launch}")
        self._single = single

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """Cut each block into runs of warps, so that no gang waits for another block."""
        whole = wave.padded // wave.warp_size
        found = []
        for slot in range(wave.slots):
            warp = 0
            most = 1 if self._single else self._random.choice((1, 2, whole))
            while warp < whole:
                size = min(self._random.randint(1, most), whole - warp)
                first = slot * wave.padded + warp * wave.warp_size
                found.append((first, size * wave.warp_size))
                warp += size
        self._random.shuffle(found)
        return found

    def choose(self, ready: Sized) -> int:
        """Choose any of them."""
        return self._random.randrange(len(ready))

    def budget(self) -> int:
        """Draw between a few iterations of a loop and many."""
        return self._random.choice((1 << 10, 1 << 13, WARP_BUDGET))

    def preempt_after(self) -> int:
        """Draw few operations or many."""
        return int(self._random.expovariate(1 / self._random.choice((2, 16, 128))))


class RoundRobin(Random):
    """Every warp does one memory operation, then the next one does, in a random order.

    Of all orders this comes closest to a GPU that hides the latency of one warp behind the others.
    In waves of more than MOST_GANGS warps, neighbours of a block are one gang.
    """

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """Form gangs of a warp, or of several where they would be too many, in random order."""
        whole = wave.padded // wave.warp_size
        size = 1 if self._single else min(-(-wave.warps // MOST_GANGS), whole)
        found = [
            (slot * wave.padded + warp * wave.warp_size, min(size, whole - warp) * wave.warp_size)
            for slot in range(wave.slots)
            for warp in range(0, whole, size)
        ]
        self._random.shuffle(found)
        return found

    def choose(self, ready: Sized) -> int:
        """Choose the one that has waited longest."""
        return 0

    def budget(self) -> int:
        """Return enough for a loop without memory operations."""
        return WARP_BUDGET

    def preempt_after(self) -> int:
        """Return 0: no second operation."""
        return 0


#: The schedules that have a seed.
SEEDED: dict[str, Callable[[int, int, bool], Schedule]] = {
    "shuffled": Shuffled,
    "round-robin": RoundRobin,
    "random": Random,
}


def schedule_named(name: str, launch: int = 0, single: bool = False) -> Schedule:
    """Make the schedule of one launch.

    Parameters
    ----------
    name : str
        One of SCHEDULES.
    launch : int
        Which launch of the device it is for.
    single : bool
        Whether to make every warp a gang of its own.

    Raises
    ------
    SimulatorError
        For a name that is none of these.

    Examples
    --------
    >>> type(schedule_named("random:7")).__name__
    'Random'
    """
    kind, colon, seed = name.partition(":")
    if kind in SEEDED:
        if not seed.isdecimal():
            raise SimulatorError(
                f"the schedule {name!r} has no seed", hint=f"write a whole number: {kind}:1"
            )
        return SEEDED[kind](int(seed), launch, single)
    if colon or kind not in SCHEDULES:
        raise SimulatorError(
            f"there is no schedule {name!r}", hint=one_of("schedules", name, SCHEDULES)
        )
    return WarpByWarp() if single or kind == "warp" else Lockstep()


@lru_cache(maxsize=64)
def _build_for(name: str) -> Build:
    """Return what a schedule asks of kernels."""
    schedule = schedule_named(name)
    return Build(schedule.preemptive, schedule.lane_random is not None)


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
        #: Tells of a kernel, by where it stands, whether it runs in lockstep whatever the schedule.
        self.in_lockstep: Callable[[Span], bool] = lambda kernel: False
        self.steps = steps
        #: Launches so far.
        self.launches = 0
        #: Whether the schedule has chosen the order of several warps in any of them.
        self.ordered_warps = False
        #: Launches by kernels that may be pending at one time.
        self.pending_launches = profile.pending_launches
        self.memory = Memory(profile.memory if memory is None else memory)
        #: What is notified of launches.
        self.observers: list[Observer] = []
        #: Where the variables of each module are.
        self.variables: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
        #: The textures and surfaces that its kernels may use.
        self.bindings = Bindings()
        #: What `clock64` counts.
        self.ticks = 0

    def build_of(self, kernel: Span) -> Build:
        """Return what a kernel must be compiled for: its schedule, and all observers.

        Parameters
        ----------
        kernel : Span
            Where it stands.

        Returns
        -------
        Build
            What its generated code does besides.
        """
        asked = _build_for(self.schedule_of(kernel))
        return reduce(or_, (observer.build for observer in self.observers), asked)

    def schedule_of(self, kernel: Span) -> str:
        """Return the schedule of a kernel.

        Parameters
        ----------
        kernel : Span
            Where it stands.

        Returns
        -------
        str
            The device's, or lockstep where `in_lockstep` says so.
        """
        return "lockstep" if self.in_lockstep(kernel) else self.schedule

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

    def allow_pending(self, launches: int) -> None:
        """Set how many launches by kernels may be pending at one time.

        Parameters
        ----------
        launches : int
            Launches that have been made and whose grids have not ended.

        Raises
        ------
        SimulatorError
            For what is no such number.
        """
        _check_count("limit", launches, "pending launches")
        self.pending_launches = launches

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
