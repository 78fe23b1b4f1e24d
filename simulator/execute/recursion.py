"""Calls that are no longer inlined: how deep they may go, and the arrays that belong to each."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from simulator.execute.arithmetic import LaneError

if TYPE_CHECKING:
    from simulator.execute.launch import Wave

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
    """The local arrays of calls; those of a call that has returned serve the next one.

    None is freed before the wave ends, because counting looks at addresses later.
    """

    def __init__(self, wave: Wave) -> None:
        self._wave = wave
        self._free: dict[Any, list[tuple[Any, int]]] = defaultdict(list)

    def local(self, count: int, dtype: Any) -> tuple[Any, int]:
        """An array of `count` elements for every lane, and its address."""
        if not (free := self._free[count, dtype]):
            return self._wave.local(count, dtype)
        view, address = free.pop()
        self._wave.poison(address, view.nbytes)
        return view, address

    def leave(self, count: int, dtype: Any, view: Any, address: int) -> None:
        """The call that has this array returns."""
        self._free[count, dtype].append((view, address))
