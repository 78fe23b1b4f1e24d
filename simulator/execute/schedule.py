"""Schedules: which warps form a gang, which gang runs next, in which order lanes are served.

Each of them is an order that CUDA allows, so that a correct kernel is correct under all of them.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sized

import numpy as np

from simulator.execute.wave import Wave
from simulator.hints.similar import one_of
from simulator.source import SimulatorError

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
