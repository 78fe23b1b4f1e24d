"""Calls that are no longer inlined: how deep they may go, and the arrays that belong to each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.lanes.arithmetic import LaneError

#: Calls inside one another: a GPU's stack of 1 KiB a thread holds fewer, Python's a few more.
MOST_CALLS = 256


def deeper(depth: int, name: str) -> int:
    """The depth of a call from code at `depth`.

    Raises
    ------
    LaneError
        if that is too deep
    """
    if depth < MOST_CALLS:
        return depth + 1
    hint = (
        "Does it end for every argument? The stack of a GPU is small, 1 KiB a thread unless\n"
        "cudaLimitStackSize says more: prefer a loop with a stack of your own."
    )
    raise LaneError(f"recursion deeper than {MOST_CALLS} calls in `{name}`", hint)


class CallStack:
    """The local arrays of the calls that a gang is in.

    A call that has returned leaves its arrays to the next one. None is freed before the wave ends,
    because counting looks at addresses later.

    Parameters
    ----------
    rows : callable
        Gives the array of a key: a row of so many elements of a dtype for each lane, and its
        address.
    poison : int
        The byte that memory holds before it is written.
    """

    def __init__(self, rows: Callable[[Any, int, Any], tuple[Any, int]], poison: int) -> None:
        self._rows = rows
        self._poison = poison
        self._used: Counter[Any] = Counter()

    def local(self, count: int, dtype: Any) -> tuple[Any, int]:
        """An array of `count` elements for every lane, and its address."""
        number = self._used[count, dtype]
        self._used[count, dtype] += 1
        view, address = self._rows((number, count, dtype), count, dtype)
        view.view(np.uint8)[...] = self._poison
        return view, address

    def leave(self, count: int, dtype: Any) -> None:
        """The call that asked last for such an array returns."""
        self._used[count, dtype] -= 1
