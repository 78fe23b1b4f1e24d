"""The step of a trace at which it shows what is wrong with a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpubfs.show.traces.frames.lanes import numbers
from simulator.ir.events import MEMORY
from simulator.source import Fault, FaultAccess, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.observe.trace import TracedLaunch, TracedStep

    Launches = Sequence[TracedLaunch]


@dataclass(frozen=True)
class Place:
    """A step of a trace as a step of its launch.

    Attributes
    ----------
    launch : TracedLaunch
        The launch.
    number : int
        The step's number in it.
    begins : int
        The number of the launch's first step in the trace.
    """

    launch: TracedLaunch
    number: int
    begins: int

    @classmethod
    def of(cls, launches: Launches, at: int) -> Place:
        """Return the place of step `at` of a trace."""
        begins = 0
        for launch in launches:
            if at < begins + len(launch.steps):
                return cls(launch, at - begins, begins)
            begins += len(launch.steps)
        raise IndexError(f"step {at} of {begins}")

    @property
    def step(self) -> TracedStep:
        """The step."""
        return self.launch.steps[self.number]

    def lane(self, lane: int) -> int:
        """Return a lane that is counted through the launch as one of the step's wave."""
        wave = self.launch.waves[self.step.wave]
        return lane - wave.first_block * wave.padded


def step_of_stop(launches: Launches, fault: Fault) -> int | None:
    """Return the step at which a fault has stopped a launch; None if it has stopped none.

    It is added to the launch's steps, for it was not recorded: it did nothing.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    fault : Fault
        What ended the run.
    """
    stopped = [n for n, launch in enumerate(launches) if launch.ended < len(launch.waves)]
    if not stopped:
        return None
    launches[stopped[-1]].stop_at(fault)
    return sum(len(launch.steps) for launch in launches[: stopped[-1] + 1]) - 1


def step_of_access(launches: Launches, access: FaultAccess) -> int | None:
    """Return the first step in which a lane reads or writes a byte where a fault says.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    access : FaultAccess
        The access, of the last launch that has it.
    """
    return next(iter(steps_of_access(launches, access)), None)


def steps_of_access(launches: Launches, access: FaultAccess) -> list[int]:
    """Return all steps in which a lane does so, of the last launch that has one.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    access : FaultAccess
        The access.
    """
    begins = sum(len(launch.steps) for launch in launches)
    for launch in reversed(launches):
        begins -= len(launch.steps)
        found = [n for n, step in enumerate(launch.steps) if _is_at(launch, step, access)]
        if found:
            return [begins + at for at in found]
    return []


def _is_at(launch: TracedLaunch, step: TracedStep, access: FaultAccess) -> bool:
    """Return whether an access is one of a step's."""
    wave = launch.waves[step.wave]
    lane = access.lane - wave.first_block * wave.padded
    part = step.part(lane, lane + 1)
    if part.start == part.stop:
        return False
    for operand, value in step.named(*MEMORY):
        if _place(operand.site.span) == _place(access.span):
            start = int(wave.addresses(operand, step.lanes[part], step.of(value, part))[0])
            if start <= access.address < start + operand.site.size:
                return True
    return False


def first_step_at(launches: Launches, span: Span) -> int | None:
    """Return the first step with an access at a location, of the launch in which most warps do it.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    span : Span
        The location.
    """
    begins, most, found = 0, 0, None
    for launch in launches:
        here = [at for at, step in enumerate(launch.steps) if _has(step, span)]
        warps = sum(launch.warps_of(launch.steps[at]).size for at in here)
        if warps > most:
            most, found = warps, begins + here[0]
        begins += len(launch.steps)
    return found


def _has(step: TracedStep, span: Span) -> bool:
    return any(_place(operand.site.span) == _place(span) for operand in step.block.operands)


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


def _place(span: Span) -> tuple[object, ...]:
    """Return where a span is; a file that is read twice is the same file."""
    return span.source.name, span.line, span.column, span.end_line, span.end_column


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


def lines_in_words(lines: NDArray[np.int64]) -> str:
    """Return line numbers, ascending, in words.

    >>> import numpy as np
    >>> lines_in_words(np.array([7])), lines_in_words(np.array([7, 8, 11]))
    ('line 7', 'lines 7-8, 11')
    """
    return f"{'line' if lines.size == 1 else 'lines'} {numbers(lines)}"
