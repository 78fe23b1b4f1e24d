"""The time that somebody works: what passes between two things that they do, unless they pause."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds without a key or a save after which somebody is taken to have gone.
PAUSE = 600.0


class Stopwatch:
    """Adds up the time between signs of life, but no more than PAUSE between two of them.

    Parameters
    ----------
    clock : callable, optional
        Says how late it is, in seconds.

    Examples
    --------
    >>> times = iter([0, 100, 5000])
    >>> watch = Stopwatch(lambda: next(times))
    >>> watch.lap(), watch.lap()
    (100, 600.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()

    def lap(self) -> float:
        """Return the seconds that were worked since it was asked last."""
        now = self._clock()
        passed, self._last = now - self._last, now
        return min(passed, PAUSE)
