"""A gang that stops at a barrier, and the fault of a barrier that cannot open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.gang import Gang
from simulator.lanes.arithmetic import LaneError

MOVE = "Move the barrier out of the branch or loop: all threads must reach it."


class BarrierFault(Exception):
    """`gang` stands at a barrier that cannot open; `problem` says why."""

    def __init__(self, gang: Gang, problem: LaneError) -> None:
        super().__init__(problem.what)
        self.gang = gang
        self.problem = problem


@dataclass
class Waiting:
    """A gang at a barrier of some kind, with the lanes that reach it."""

    gang: Gang
    kind: str
    site: int
    lanes: NDArray[np.int64]
    argument: Any
