"""`assert` and `__trap`: kernels that end themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.execute.arithmetic import LaneError


def require(holds: Any, text: str) -> None:
    """`assert`: every active lane's condition must hold.

    Raises
    ------
    LaneError
        with the text of the condition
    """
    if not np.all(holds):
        failed = np.logical_not(holds)
        what = f"the assertion `{text}` failed"
        raise LaneError(what, "The condition must hold here: look at what it compares.", failed)


def trap(lanes: Any) -> None:
    """`__trap`.

    Raises
    ------
    LaneError
        always, if a lane is there
    """
    if lanes.size:
        raise LaneError("__trap() was called", "The kernel ends itself here: see why it came here.")
