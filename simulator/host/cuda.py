"""CuPy's `cuda` as far as programs with kernels use it: streams, events, synchronisation.

Launches here return when they are done, so there is nothing to wait for; events take the time.
"""

from __future__ import annotations

import time
from typing import ClassVar, NoReturn, Self

from simulator.host import runtime as runtime
from simulator.host import texture as texture


class Event:
    """A moment on a stream.

    Parameters
    ----------
    block, disable_timing, interprocess : bool
        As in CuPy; they change nothing here.

    Examples
    --------
    >>> from simulator import cuda
    >>> start, end = cuda.Event(), cuda.Event()
    >>> start.record()
    >>> end.record()
    >>> cuda.get_elapsed_time(start, end) >= 0
    True
    """

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ) -> None:
        self._time: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Take the time."""
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        """Return: it has happened."""

    @property
    def done(self) -> bool:
        """Always true."""
        return True


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two recorded events.

    Parameters
    ----------
    start_event, end_event : Event
        Both recorded.

    Returns
    -------
    float
        Milliseconds.

    Raises
    ------
    ValueError
        If one of them was not recorded.
    """
    if start_event._time is None or end_event._time is None:
        raise ValueError("get_elapsed_time needs events that were recorded: call record() on both")
    return (end_event._time - start_event._time) * 1e3


class _Idle:
    """Something current that has nothing to wait for."""

    def synchronize(self) -> None:
        """Return: everything has ended."""

    def use(self) -> Self:
        """Make it current: there is no other."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        return None


class Stream(_Idle):
    """A queue of launches; here each has ended before the next begins.

    Parameters
    ----------
    null, non_blocking, ptds : bool
        As in CuPy; they change nothing here.
    """

    null: ClassVar[Stream]

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False) -> None:
        self.ptr = 0

    def record(self, event: Event | None = None) -> Event:
        """Record an event, a new one if none is given."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Return: it has happened."""


Stream.null = Stream(null=True)


def get_current_stream() -> Stream:
    """Return the null stream."""
    return Stream.null


class Device(_Idle):
    """The device that CuPy numbers `device`; `simulator.Device` chooses what it pretends to be."""

    def __init__(self, device: int = 0) -> None:
        self.id = device


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"simulator.cuda has no {name!r}: of cupy.cuda it has Device, Event, Stream, "
        "get_current_stream, get_elapsed_time, runtime and texture"
    )
