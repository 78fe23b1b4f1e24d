"""The step of a trace at which it shows what is wrong with a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.source import Fault, Span

if TYPE_CHECKING:
    from simulator.observe.trace import TracedLaunch, TracedStep

    Launches = Sequence[TracedLaunch]

#: The sanitizers that judge a launch by its log, when it is over.
AFTERWARDS = ("race", "init")


def step_of_fault(launches: Launches, fault: Fault) -> int | None:
    """Return the step at which a run failed.

    Of what a sanitizer found afterwards that is the access. Any other fault stops a launch, at a
    statement that is added to its steps, for it was not recorded: it did nothing.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    fault : Fault
        What ended the run.

    Returns
    -------
    int or None
        The number of the step; None if no step is at fault.
    """
    found = None
    if fault.sanitizer in AFTERWARDS and fault.span is not None:
        found = _first(launches, fault.span, fault.lanes[:1])
    stopped = [n for n, launch in enumerate(launches) if launch.ended < len(launch.waves)]
    if found is None and stopped:
        launches[stopped[-1]].stop_at(fault)
        found = sum(len(launch.steps) for launch in launches[: stopped[-1] + 1]) - 1
    return found


def first_step_at(launches: Launches, span: Span) -> int | None:
    """Return the first step with an access at a location.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    span : Span
        The location.
    """
    return _first(launches, span)


def last_write(launches: Launches, name: str, index: int) -> int | None:
    """Return the last step that wrote an element of an array; None if none did.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    name : str
        What the host calls the array.
    index : int
        The element.
    """
    found = None
    for at, (launch, step) in enumerate(_steps(launches)):
        if any(_writes(step, address) for address in _addresses(launch, name, index)):
            found = at
    return found


def _steps(launches: Launches) -> Iterator[tuple[TracedLaunch, TracedStep]]:
    return ((launch, step) for launch in launches for step in launch.steps)


def _first(launches: Launches, span: Span, lanes: Sequence[int] = ()) -> int | None:
    """Return the first step that accesses memory at a location, with these lanes among its own."""
    for at, (launch, step) in enumerate(_steps(launches)):
        here = any(_place(operand.site.span) == _place(span) for operand in step.block.operands)
        if here and set(lanes) <= set(_counted_through(launch, step)):
            return at
    return None


def _place(span: Span) -> tuple[object, ...]:
    """Return where a span is; a file that is read twice is the same file."""
    return span.source.name, span.line, span.column, span.end_line, span.end_column


def _counted_through(launch: TracedLaunch, step: TracedStep) -> list[int]:
    """Return the lanes of a step, counted through the launch."""
    wave = launch.waves[step.wave]
    found: list[int] = (step.lanes + wave.first_block * wave.padded).tolist()
    return found


def _addresses(launch: TracedLaunch, name: str, index: int) -> Iterable[int]:
    """Return where an element is, as far as a launch has its array."""
    return (
        array.address + index * array.dtype.itemsize
        for array in launch.arrays
        if name == array.label
    )


def _writes(step: TracedStep, address: int) -> bool:
    """Return whether a step wrote the byte at an address."""
    return any(
        bool(((begins <= address) & (address < begins + content.shape[1])).any())
        for begins, content in step.written
    )
