"""A clock for submissions that run in this process, to be watched, and may have no end.

What is graded has a process of its own, which is ended from outside; what is watched must be left
in time to show how far it came.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gpubfs.grading.outcome import Failure

#: What is asked of a submission that a clock stops.
ENDLESS = (
    "Does a loop never end? Ask of each which value must change for it to end, and who does that.\n"
    "Or it takes many more steps than the exercise needs."
)
#: Seconds after which the clock rings again: in finalizers Python ignores what is raised.
AGAIN = 1.0


class TimeUpError(KeyboardInterrupt):
    """Time is up: no code on the way takes it for an error of its own, as with Ctrl-C."""


def time_up(seconds: float) -> Failure:
    """Return the failure of a case that takes longer than its seconds.

    >>> time_up(8.0).message
    'it took more than 8 seconds'
    """
    return Failure("time", f"it took more than {seconds:g} seconds", detail=ENDLESS)


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Let what is in this context take so many seconds.

    Without a number there is no limit, nor is there outside of the main thread, or on systems that
    have no such clock.

    Raises
    ------
    TimeUpError
        When they are over, wherever Python is by then.
    """
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not main or not hasattr(signal, "setitimer"):
        yield
        return
    running = True

    def ring(number: int, frame: object) -> None:
        if running:
            raise TimeUpError

    def ignored(unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not TimeUpError:  # of which nobody is told: it rings again
            told(unraisable)

    told, sys.unraisablehook = sys.unraisablehook, ignored
    handler = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
        sys.unraisablehook = told
