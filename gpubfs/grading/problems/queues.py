"""Which arrays of a problem are queues, and which counters give out their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpubfs.errors import UsageError, unknown


@dataclass(frozen=True)
class Queue:
    """Places of an array that a counter gives out; feedback says which of them nobody wrote.

    The array is Unwritten at the start, or full of one number below 0, which is no entry.

    Attributes
    ----------
    array : str
        The array that has the places.
    counter : str
        The array with the counter: how many places were given out.
    at : int
        The element of it that counts.
    begin : int
        The first place.
    capacity : int, optional
        How many places there are; by default all behind the first.
    block : int, optional
        The block whose own it is, if it is one block's.
    """

    array: str
    counter: str
    at: int = 0
    begin: int = 0
    capacity: int | None = None
    block: int | None = None


def check_queues(queues: Any, arrays: Mapping[str, Any]) -> None:
    """Raise UsageError unless all are queues of arrays that are there.

    Examples
    --------
    >>> check_queues((Queue("next", "size"),), {"next": None})
    Traceback (most recent call last):
        ...
    gpubfs.errors.UsageError: error: there is no array of a queue "size"
      known: next
    """
    if not isinstance(queues, tuple | list) or not all(isinstance(one, Queue) for one in queues):
        raise UsageError("the queues are no tuple of Queue", 'write (Queue("next", "size"),)')
    for queue in queues:
        for name in (queue.array, queue.counter):
            if name not in arrays:
                raise unknown("array of a queue", name, list(arrays))
