"""What threads do in a trace: each access to device memory, by array and element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpubfs.show.traces import Trace
from simulator.observe.trace import accesses
from simulator.observe.trace.accesses import Access
from simulator.observe.trace.steps import TracedLaunch


@dataclass(frozen=True)
class Event:
    """One thread's access to an element of an array, by the name that the host gave it."""

    kernel: str
    thread: int
    kind: str
    array: str
    element: int
    found: int | None
    stored: int | None
    swapped: bool | None


def events(trace: Trace, depth: int, kernel: str = "") -> list[Event]:
    """All accesses to arrays of a level's launches, in order; of one kernel, if it is named."""
    return [
        event
        for launch, level in zip(trace.launches, trace.depths, strict=True)
        if level == depth and kernel in ("", launch.kernel)
        for event in _of_launch(launch)
    ]


def only(found: list[Event], kind: str, array: str) -> list[Event]:
    """Those of one kind to one array."""
    return [event for event in found if (event.kind, event.array) == (kind, array)]


def _of_launch(launch: TracedLaunch) -> Iterator[Event]:
    for step in launch.steps:
        for warp in sorted({int(lane) // launch.warp_size for lane in step.lanes}):
            for access in accesses(launch, step, warp):
                if not access.shared:
                    yield from _of_access(launch, access, warp * launch.warp_size)


def _of_access(launch: TracedLaunch, access: Access, first: int) -> Iterator[Event]:
    for at, (lane, address) in enumerate(zip(access.lanes, access.addresses, strict=True)):
        for array in launch.arrays:
            element = (int(address) - array.address) // array.dtype.itemsize
            if 0 <= element < array.length:
                yield Event(
                    launch.kernel,
                    first + int(lane),
                    access.site.kind,
                    array.label,
                    element,
                    None if access.found is None else int(access.found[at]),
                    None if access.stored is None else int(access.stored[at]),
                    None if access.swapped is None else bool(access.swapped[at]),
                )
                break
