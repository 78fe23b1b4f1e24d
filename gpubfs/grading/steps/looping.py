"""The turns of a loop that does not end, as a trace has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.observe.trace import TracedLaunch

#: The most steps of a turn, and how many turns must be alike at least.
MOST_STEPS, FEWEST_TURNS = 500, 3


@dataclass(frozen=True)
class Turns:
    """Turns of a loop that are alike, up to the end of a launch.

    Attributes
    ----------
    begin : int
        The step of the launch with which the first of them begins.
    count : int
        How many whole ones there are.
    lines : int64 array
        The lines of a turn, ascending.
    """

    begin: int
    count: int
    lines: NDArray[np.int64]


def last_turns(launch: TracedLaunch, warp: int) -> Turns | None:
    """Return the turns that a warp has done last; None if no lines repeat.

    Parameters
    ----------
    launch : TracedLaunch
        The launch; its last step may be where a fault stopped it.
    warp : int
        The warp, counted in the last wave.
    """
    wave = len(launch.waves) - 1
    steps = [
        at
        for at, step in enumerate(launch.steps)
        if step.wave == wave and not step.stopped and _takes_part(launch, at, warp)
    ]
    lines = [launch.steps[at].focus.line for at in steps]
    size = _period(lines)
    if size is None:
        return None
    alike = _alike(lines, size)
    count = alike // size
    return Turns(steps[len(steps) - count * size], count, np.unique(lines[-size:]))


def _takes_part(launch: TracedLaunch, at: int, warp: int) -> bool:
    part = launch.part(launch.steps[at], warp)
    return bool(part.start < part.stop)


def _period(lines: Sequence[int]) -> int | None:
    """Return after how many steps the last ones repeat.

    >>> _period([1, 2, 3, 2, 3, 2, 3, 2]), _period([1, 2, 3])
    (2, None)
    """
    for size in range(1, min(MOST_STEPS, len(lines) // FEWEST_TURNS) + 1):
        if _alike(lines[-FEWEST_TURNS * size :], size) == FEWEST_TURNS * size:
            return size
    return None


def _alike(lines: Sequence[int], size: int) -> int:
    """Return how many of the last steps repeat with a period.

    >>> _alike([1, 2, 3, 2, 3, 2], 2)
    5
    """
    at = len(lines) - size
    while at > 0 and lines[at - 1] == lines[at - 1 + size]:
        at -= 1
    return len(lines) - at
