"""Kernels that end themselves, by `assert` and `__trap`, and functions that end too early."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.lanes.arithmetic import LaneError


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


def no_value(lanes: Any, name: str) -> None:
    """The end of a function that should have returned a value before.

    Raises
    ------
    LaneError
        always, if a lane is there
    """
    if lanes.size:
        what = f"`{name}` ended without returning a value"
        raise LaneError(what, "Return a value on every way through it: a GPU returns anything.")
