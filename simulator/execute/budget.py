"""The steps that a launch may take."""

from __future__ import annotations

from dataclasses import dataclass

#: Lane steps that a launch may take unless somebody asks for more: a turn of a loop costs its
#: active lanes and TURN_STEPS, because the simulator's time goes that way; a thread costs
#: THREAD_COST and a grid GRID_COST before they have done anything.
STEPS = 1 << 31
TURN_STEPS = 2048
THREAD_COST, GRID_COST = 16, 8192


@dataclass
class Budget:
    """The steps of a launch and of those that it leads to: how many are `left` of the `limit`."""

    limit: int
    left: int

    def begin(self, threads: int) -> None:
        """A grid begins."""
        self.left -= threads * THREAD_COST + GRID_COST
