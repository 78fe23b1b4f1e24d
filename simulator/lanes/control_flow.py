"""Control flow beyond masks: recursion, the labels of switches, kernels that end themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.lanes.arithmetic import LaneError

__all__ = [
    "label_table",
    "labels_of",
    "without",
]

# Kernels that end themselves, by `assert` and `__trap`, and functions that end too early.


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


def unreachable(lanes: Any) -> None:
    """`__builtin_unreachable`.

    Raises
    ------
    LaneError
        always, if a lane is there
    """
    if lanes.size:
        hint = "The program promises that no thread comes here: a GPU then does anything."
        raise LaneError("__builtin_unreachable() was reached", hint)


def no_value(lanes: Any, name: str) -> None:
    """Refuse the end of a function that should have returned a value before.

    Raises
    ------
    LaneError
        always, if a lane is there
    """
    if lanes.size:
        what = f"`{name}` ended without returning a value"
        raise LaneError(what, "Return a value on every way through it: a GPU returns anything.")


# What a switch asks of its lanes: to which label each goes, and which are left behind it.


Table = tuple[NDArray[Any], NDArray[np.int64]]


def label_table(values: tuple[int, ...], numbers: tuple[int, ...], dtype: Any) -> Table:
    """Sort the values of a switch's labels, each with the number of its section.

    Examples
    --------
    >>> [part.tolist() for part in label_table((7, 2), (0, 1), "i4")]
    [[2, 7], [1, 0]]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ascending = np.array([values[at] for at in order], dtype)
    return ascending, np.array([numbers[at] for at in order], np.int64)


def labels_of(selector: NDArray[Any], table: Table, otherwise: int) -> NDArray[np.int64]:
    """Find the section for each lane's selector, `otherwise` where no label has its value.

    Examples
    --------
    >>> labels_of(np.array([2, 3, 7]), label_table((7, 2), (0, 1), "i4"), 9).tolist()
    [1, 9, 0]
    """
    values, numbers = table
    if not values.size:
        return np.full(selector.size, otherwise)
    at = np.minimum(np.searchsorted(values, selector), values.size - 1)
    return np.where(values[at] == selector, numbers[at], otherwise)


def without(lanes: NDArray[np.int64], left: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Ascending lanes less those in the arrays `left`.

    Examples
    --------
    >>> without(np.arange(5), [np.array([3]), np.array([0, 1])]).tolist()
    [2, 4]
    """
    return np.setdiff1d(lanes, np.concatenate(left), assume_unique=True) if left else lanes


#: Calls inside one another: a GPU's stack of 1 KiB a thread holds fewer, Python's a few more.
MOST_CALLS = 256


def check_depth(depth: int, name: str) -> int:
    """Return the depth of a call from code at `depth`.

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
        """Return an array of `count` elements for every lane, and its address."""
        number = self._used[count, dtype]
        self._used[count, dtype] += 1
        view, address = self._rows((number, count, dtype), count, dtype)
        view.view(np.uint8)[...] = self._poison
        return view, address

    def leave(self, count: int, dtype: Any) -> None:
        """Return the array that the last such call asked for."""
        self._used[count, dtype] -= 1
