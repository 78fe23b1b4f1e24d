"""Where the lanes of warps part, and how many lane steps the others wait for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.grading.steps.locating import lines_in_words
from gpubfs.show.traces.frames.lanes import numbers
from gpubfs.show.traces.remark import Remark
from simulator.ir.events import EXIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.observe.trace import TracedLaunch, TracedStep

    Launches = Sequence[TracedLaunch]

#: How many ways of parted lanes are told, and how many steps of a warp are looked through for them.
MOST_WAYS, MOST_STEPS = 6, 400


@dataclass(frozen=True)
class Parting:
    """The place at which lanes part that wait longest for each other.

    Attributes
    ----------
    launch : int
        The number of the launch that has most of it.
    step : int
        The first step of that launch at which lanes part there.
    warp : int
        A warp whose lanes part in that step, counted in its wave.
    idle, whole : int
        The lane steps that are waited because of it in that launch, and all that are waited in it.
        Lanes that have returned do not wait.
    """

    launch: int
    step: int
    warp: int
    idle: int
    whole: int


def dearest_parting(launches: Launches) -> Parting | None:
    """Return the place at which lanes part that wait longest; None if all stay together."""
    found: list[Parting] = []
    for number, launch in enumerate(launches):
        waited = _waited(launch)
        places: Counter[tuple[object, ...]] = Counter()
        for (step, _), count in waited.items():
            places[_place(launch.steps[step])] += count
        for place, idle in places.most_common(1):
            step, warp = min(key for key in waited if _place(launch.steps[key[0]]) == place)
            found.append(Parting(number, step, warp, idle, waited.total()))
    return max(found, key=lambda parting: parting.idle, default=None)


def _place(step: TracedStep) -> tuple[object, ...]:
    span = step.focus
    return span.source.name, span.line, span.column


def _waited(launch: TracedLaunch) -> Counter[tuple[int, int]]:
    """Return the lane steps waited because of a step in which lanes of a warp were together last.

    That step is where the lanes that wait and those at work have parted. Keys are it and the warp.
    """
    found: Counter[tuple[int, int]] = Counter()
    size, number = launch.warp_size, -1
    together, gone = np.empty((0, size, size), np.int64), np.empty((0, size), np.bool_)
    for at, step in enumerate(launch.steps):
        if step.wave != number:
            number = step.wave
            together = np.full((launch.waves[number].warps, size, size), -1)
            gone = np.zeros((launch.waves[number].warps, size), np.bool_)
        warps, active = _by_warp(step, size)
        for warp, row, since in zip(
            warps.tolist(), active | gone[warps], _parted(together, warps, active), strict=True
        ):
            for parted, lanes in zip(*np.unique(since[~row], return_counts=True), strict=True):
                if parted >= 0:
                    found[int(parted), warp] += int(lanes) * step.block.statements
        both = active[:, :, None] & active[:, None, :]
        together[warps] = np.where(both, at, together[warps])
        if _returns(step):
            gone[warps] |= active
    return found


def _returns(step: TracedStep) -> bool:
    """Return whether the lanes of a step return in it."""
    return any(True for _ in step.named(EXIT))


def _by_warp(step: TracedStep, size: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the warps of a step, and which lanes of each take part."""
    warps, rows = np.unique(step.lanes // size, return_inverse=True)
    active = np.zeros((warps.size, size), np.bool_)
    active[rows, step.lanes % size] = True
    return warps, active


def _parted(
    together: NDArray[np.int64], warps: NDArray[np.int64], active: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return for each lane of each warp when it was last together with one that is at work."""
    since: NDArray[np.int64] = together[warps, active.argmax(axis=1)]
    return since


def ways(launch: TracedLaunch, begins: int, parting: Parting) -> Iterator[Remark]:
    """Tell which ways the lanes go one after the other behind a step at which they part.

    Parameters
    ----------
    launch : TracedLaunch
        The launch.
    begins : int
        The number of its first step in the whole trace.
    parting : Parting
        Where they part.

    Yields
    ------
    Remark
        One for each way, with its lanes and lines.
    """
    first = launch.steps[parting.step]
    all_of_it = first.lanes[launch.part(first, parting.warp)]
    runs = groupby(_behind(launch, parting, all_of_it), key=lambda one: one[1].tobytes())
    gone = 0
    for _, run in islice(runs, MOST_WAYS):
        steps = list(run)
        at, lanes = steps[0]
        waiting = all_of_it.size - lanes.size - gone
        lines = np.unique([launch.steps[step].focus.line for step, _ in steps])
        which = numbers(lanes % launch.warp_size)
        words = f"{'lanes' if lanes.size > 1 else 'lane'} {which} alone, {lines_in_words(lines)}"
        others = [f"{n} {verb}" for n, verb in ((waiting, "wait"), (gone, "have returned")) if n]
        gone += sum(lanes.size for step, lanes in steps if _returns(launch.steps[step]))
        yield Remark("; ".join([words, ", ".join(others)]), begins + at, int(lanes[0]))


def _behind(
    launch: TracedLaunch, parting: Parting, all_of_it: NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield the steps behind a parting, with the lanes, until all of them are together."""
    wave, seen = launch.steps[parting.step].wave, 0
    for at in range(parting.step + 1, len(launch.steps)):
        step = launch.steps[at]
        lanes = step.lanes[launch.part(step, parting.warp)]
        seen += bool(lanes.size)
        if step.wave != wave or lanes.size >= all_of_it.size or seen > MOST_STEPS:
            return
        if lanes.size:
            yield at, lanes
