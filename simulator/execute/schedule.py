"""Schedules: which warps of a wave form a gang, and which gang runs next.

Each of them is an order that CUDA allows, so that a correct kernel is correct under all of them.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

from simulator.execute.gang import Gang
from simulator.execute.geometry import Wave
from simulator.similar import one_of
from simulator.source import SimulatorError

#: How schedules are called; SEED stands for a whole number.
SCHEDULES = ("lockstep", "warp", "random:SEED")
#: Lane steps between two turns of a gang of all blocks: enough to hide NumPy's cost a call, few
#: enough for a cache. Of a single warp fewer, so that one that waits does not wait long.
BUDGET, WARP_BUDGET = 1 << 18, 1 << 16
#: More memory operations than any gang does before its lane steps are used up.
UNPREEMPTED = 1 << 62


class Schedule(ABC):
    """Who runs when, in one launch.

    `preemptive`: gangs stop before memory operations, too.
    """

    preemptive = False

    @abstractmethod
    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """First lane and number of lanes of each gang."""

    def choose(self, ready: Sequence[Gang]) -> int:
        """The place in `ready` of the gang that runs next; the one that ran last is the last."""
        return 0

    def budget(self) -> int:
        """Lane steps until a gang lets others run."""
        return WARP_BUDGET

    def fuse(self) -> int:
        """Memory operations until it does."""
        return UNPREEMPTED


class Lockstep(Schedule):
    """All resident blocks are one gang."""

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """One gang."""
        return [(0, wave.lane_count)]

    def budget(self) -> int:
        """Enough for bulk counting."""
        return BUDGET


class WarpByWarp(Schedule):
    """A gang a warp; each runs as far as the next barrier, or until it has had many steps."""

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """One gang a warp."""
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
        self._dice = random.Random(f"{seed} {launch}")
        self._single = single

    def gangs(self, wave: Wave) -> list[tuple[int, int]]:
        """Runs of warps that do not leave their block, so that none waits for another block."""
        whole = wave.padded // wave.warp_size
        found = []
        for slot in range(wave.slots):
            warp = 0
            most = 1 if self._single else self._dice.choice((1, 2, whole))
            while warp < whole:
                size = min(self._dice.randint(1, most), whole - warp)
                first = slot * wave.padded + warp * wave.warp_size
                found.append((first, size * wave.warp_size))
                warp += size
        self._dice.shuffle(found)
        return found

    def choose(self, ready: Sequence[Gang]) -> int:
        """Any of them."""
        return self._dice.randrange(len(ready))

    def budget(self) -> int:
        """Between a few turns of a loop and many."""
        return self._dice.choice((1 << 10, 1 << 13, WARP_BUDGET))

    def fuse(self) -> int:
        """Few operations or many."""
        return int(self._dice.expovariate(1 / self._dice.choice((2, 16, 128))))


def schedule_named(name: str, launch: int = 0, single: bool = False) -> Schedule:
    """A fresh schedule for one launch.

    Parameters
    ----------
    name : str
        "lockstep", "warp" or "random:SEED".
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
    if kind == "random":
        if not seed.isdecimal():
            raise SimulatorError(
                f"the schedule {name!r} has no seed", hint="write a whole number: random:1"
            )
        return Random(int(seed), launch, single)
    if colon or kind not in SCHEDULES:
        raise SimulatorError(
            f"there is no schedule {name!r}", hint=one_of("schedules", name, SCHEDULES)
        )
    return WarpByWarp() if single or kind == "warp" else Lockstep()
