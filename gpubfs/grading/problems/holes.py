"""Holes in queues: places that a counter has given out, and that nobody has written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.grading.problems.problem import Problem, Unwritten
from gpubfs.grading.problems.queues import Queue
from simulator.execute.memory import WRITTEN
from simulator.source import Fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What is said of every hole.
RULE = "Whoever takes a place must write it, and count no place that is not taken."
_READ = re.compile(r"reads (\w+)\[(\d+)\], which nothing has written")
_INDEX, _BLOCK = re.compile(r"\[(-?\d+)\]"), re.compile(r"block \((\d+), 0, 0\)")


def hole_in(problem: Problem, arrays: Mapping[str, Any], block: int | None = None) -> str:
    """Return which places of a queue were reserved and not written, in words; or nothing.

    Parameters
    ----------
    problem : Problem
        It says which arrays are queues.
    arrays : mapping of str to ndarray
        The simulator's arrays at the end. What nothing has written before the first launch is only
        known of if the init sanitizer has watched.
    block : int, optional
        Queues of other blocks, which may still be written, are left out.
    """
    for queue in problem.queues:
        if block in (None, queue.block) or queue.block is None:
            empty = _empty(problem, queue, arrays)
            places = np.flatnonzero(empty)
            if places.size:
                return _words(queue, _blank(problem, queue), empty.size, places)
    return ""


def _words(queue: Queue, blank: int | None, reserved: int, places: NDArray[np.int64]) -> str:
    """Say it; where it is full of one number at the start, that may have been written again."""
    counter = queue.counter if not queue.at else f"{queue.counter}[{queue.at}]"
    first, count = f"{queue.array}[{queue.begin + int(places[0])}]", places.size
    taken = f"{reserved:,} place{'s' if reserved > 1 else ''} of {queue.array}"
    which = first if count == 1 else f"{count:,} of them, of which {first} is the first"
    if blank is None:
        found = f"nothing has written {which}"
    else:
        found = f"as at the start, there is still {blank} in {which}"
    return f"A hole in the queue: {counter} has reserved {taken}, and {found}.\n{RULE}"


def _empty(problem: Problem, queue: Queue, arrays: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return of each place that is reserved whether nobody wrote it, as far as that is known."""
    whole = arrays[queue.array]
    end = whole.size if queue.capacity is None else queue.begin + queue.capacity
    counted = int(arrays[queue.counter].get().reshape(-1)[queue.at])
    part = slice(queue.begin, min(end, queue.begin + max(counted, 0)))
    start = problem.arrays[queue.array]
    if isinstance(start, Unwritten):
        shadow = whole.data.allocation.written
        if shadow is None:
            return np.zeros(0, np.bool_)
        size = whole.dtype.itemsize
        written = shadow[: whole.size * size].reshape(-1, size) == WRITTEN
        unwritten: NDArray[np.bool_] = ~written.all(axis=1)
        return unwritten[part]
    blank = _blank(problem, queue)
    held = whole.get().reshape(-1)[part]
    return np.zeros(0, np.bool_) if blank is None else np.asarray(held == blank)


def _blank(problem: Problem, queue: Queue) -> int | None:
    """Return the number that a queue is full of at the start, if no entry can be that."""
    array = problem.arrays[queue.array]
    if isinstance(array, Unwritten):
        return None
    start = np.unique(np.asarray(array))
    if start.size != 1 or start[0] >= 0:
        return None
    return int(start[0])


def is_known(problem: Problem, arrays: Mapping[str, Any]) -> bool:
    """Return whether it is known of all queues what was written."""
    return all(
        not isinstance(problem.arrays[queue.array], Unwritten)
        or arrays[queue.array].data.allocation.written is not None
        for queue in problem.queues
    )


def behind_fault(problem: Problem, arrays: Mapping[str, Any], fault: Exception) -> str:
    """Return the hole from which a fault comes, in words; or nothing.

    That is one that reads a queue where nothing was written, or takes what stands in such a place
    for an index. Elsewhere threads may just be between taking a place and writing it.
    """
    if not isinstance(fault, Fault) or fault.endless:
        return ""
    named = _BLOCK.search(fault.message)
    block = int(named[1]) if named else None
    if any(_comes_from(problem, queue, arrays, fault) for queue in problem.queues):
        return hole_in(problem, arrays, block)
    return ""


def behind_search(error: Exception, counted: int, arrays: Iterable[str] = ()) -> str:
    """Return the hole in a search's queue from which a fault comes, in words; or nothing.

    Parameters
    ----------
    error : Exception
        What ended the search: a sanitizer's fault, if anything is to be said.
    counted : int
        How many entries the queue has that was read, as the host has read its counter.
    arrays : iterable of str
        The arrays of the technique, of which the counter is the one whose name ends in ``_size``.
    """
    if not isinstance(error, Fault) or error.sanitizer != "init":
        return ""
    index = _READ.search(error.message)
    if index is None or int(index[2]) >= counted:
        return ""
    counter = next((name for name in arrays if name.endswith("_size")), "its counter")
    entries = "entry" if counted == 1 else "entries"
    return (
        f"A hole in the queue: {counter} said that it has {counted:,} {entries}, and the level "
        f"before wrote\nnothing into place {index[2]}. {RULE}"
    )


def _comes_from(problem: Problem, queue: Queue, arrays: Mapping[str, Any], fault: Fault) -> bool:
    if fault.sanitizer == "init":
        allocation = arrays[queue.array].data.allocation
        return any(allocation.start <= a.address < allocation.end for a in fault.accesses)
    index = _INDEX.search(fault.message)
    blank = _blank(problem, queue)
    return not fault.sanitizer and index is not None and int(index[1]) == blank
