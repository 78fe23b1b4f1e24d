"""A stack of temporaries that grows down from the end of an allocation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gpubfs.errors import UsageError

#: What everything is aligned to: a line of a GPU's cache.
LINE = 128


def aligned(size: int) -> int:
    """Return a size in bytes, rounded up to whole lines.

    >>> aligned(458_396)
    458496
    """
    return -(-size // LINE) * LINE


class Stack:
    """Temporaries at the end of one allocation; the last to come is the first to go.

    Parameters
    ----------
    end : int
        Where the allocation ends, in bytes from its beginning.
    dynamic_end : callable
        Returns where what grows from below ends at the moment.
    """

    def __init__(self, end: int, dynamic_end: Callable[[], int]) -> None:
        self.end = end // LINE * LINE
        self.pointer = self.end
        self._dynamic_end = dynamic_end

    @contextmanager
    def pushed(self, what: str, size: int) -> Iterator[int]:
        """Have room for `size` bytes, as long as the context lasts; yield where it begins.

        Parameters
        ----------
        what : str
            What is put there, for messages.
        size : int
            Bytes.

        Raises
        ------
        UsageError
            If that would reach into what grows from below.
        """
        before = self.pointer
        start = before - aligned(size)
        room = before - self._dynamic_end()
        if aligned(size) > room:
            raise UsageError(
                f"memory is exhausted: {what} of {size:,} bytes would reach into the blocks, which "
                f"leave {room:,}; no update took effect",
                "give more memory with memory=BYTES, or smaller batches",
            )
        self.pointer = start
        try:
            yield start
        finally:
            self.pointer = before
