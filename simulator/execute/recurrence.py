"""Whether a loop is where it has been before: then it never ends, and needs not use up its steps.

A gang that runs alone, in an order in which nothing is drawn, is a function of its variables and of
memory. If it comes to the end of an iteration with all of them as they were at the end of another
one, what has happened in between happens for ever.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from types import FrameType, GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.gang import Gang
from simulator.execute.memory import Memory

#: After how many iterations of all lanes a gang is looked at for the first time.
FIRST_LOOK = 512
#: With how many iterations after it a state is compared: that many may the loops inside have.
ITERATIONS = 24
#: Gangs of more lanes are left alone: a copy of their variables takes long.
MOST_LANES = 1 << 16
#: The variable of generated code that changes though nothing does.
_BUDGET = "budget"

#: A frame's place and variables, those that arrays have copied.
_Frame = tuple[FrameType, int, dict[str, Any]]
#: The lines of generated code in which a kernel and the functions that it is in stand.
_Place = tuple[int, ...]


class Recurrence:
    """Looks at a gang's state after ever more stops, and compares the next ones with it.

    Parameters
    ----------
    gang : Gang
        Runs alone, without what is drawn.
    memory : Memory
        All that it can change.
    """

    def __init__(self, gang: Gang, memory: Memory) -> None:
        self._gang, self._memory = gang, memory
        self._stops, self._next = 0, 1
        self._left = 0
        self._state: list[_Frame] = []
        #: The variable that was found to differ at last, which is asked for first.
        self._changing = ""
        #: Of memory, where variables were as before for the first time.
        self._checksum: int | None = None
        #: Where it has stopped since then, and at last, where the loop that never ends is.
        self._places: list[_Place] = []
        self._outermost: _Place | None = None

    def looks(self) -> bool:
        """Return whether it compares the ends of iterations now, and must see the next one."""
        return self._left > 0 or self._outermost is not None

    def came_by(self) -> bool:
        """Return whether the gang, at the end of an iteration, is where it has been before.

        Of the loops that it goes through again and again, that is then the outermost: those inside
        it end.
        """
        frames = list(_frames(self._gang.steps))
        place = tuple(frame.f_lineno for frame in frames)
        if self._left:
            self._left -= 1
            self._places.append(place)
            if self._outermost is None and self._has_variables_as_before(frames):
                self._compare_memory()
        elif self._outermost is None:
            self._stops += 1
            if self._stops == self._next:
                self._remember(frames)
        return place == self._outermost

    def is_done(self) -> bool:
        """Return whether it has seen as many iterations as it compares."""
        return self._left == 0

    def _remember(self, frames: list[FrameType]) -> None:
        self._next *= 2
        self._left = ITERATIONS
        self._places.clear()
        self._state = [(frame, frame.f_lasti, self._copied(frame)) for frame in frames]
        self._checksum = None

    def _compare_memory(self) -> None:
        """Remember what is in memory at the first time, and compare it from the second time on.

        Most loops change a variable in each iteration, and pay for no checksum.
        """
        checksum = self._memory.checksum(zlib.crc32(self._gang.exited.tobytes()))
        if self._checksum is None:
            self._checksum, self._left = checksum, ITERATIONS
            self._places.clear()
        elif checksum == self._checksum:
            self._outermost = max(self._places)  # an outer loop's end is behind those in it

    def _has_variables_as_before(self, frames: list[FrameType]) -> bool:
        if len(frames) != len(self._state):
            return False
        for frame, (before, place, variables) in zip(frames, self._state, strict=True):
            if frame is not before or frame.f_lasti != place:
                return False
            if not self._are_equal(frame.f_locals, variables):
                return False
        return True

    def _are_equal(self, now: dict[str, Any], before: dict[str, Any]) -> bool:
        if now.keys() != before.keys():
            return False
        names = [self._changing, *now] if self._changing in now else now
        for name in names:
            if name != _BUDGET and not self._is_equal(now[name], before[name]):
                self._changing = name
                return False
        return True

    def _is_equal(self, value: Any, before: Any) -> bool:
        if isinstance(value, np.ndarray):
            if not isinstance(before, np.ndarray) or value.shape != before.shape:
                return False
            if self._in_memory(value):
                return _address(value) == _address(before) and value.strides == before.strides
            return value.tobytes() == before.tobytes()
        if type(value) is object:  # the mark of a visit of a loop
            return type(before) is object
        if isinstance(value, np.generic):
            return type(value) is type(before) and value.tobytes() == before.tobytes()
        if isinstance(value, int | float):
            return type(value) is type(before) and value == before
        return value is before

    def _copied(self, frame: FrameType) -> dict[str, Any]:
        return {
            name: value.copy()
            if isinstance(value, np.ndarray) and not self._in_memory(value)
            else value
            for name, value in frame.f_locals.items()
        }

    def _in_memory(self, array: NDArray[Any]) -> bool:
        """Return whether an array is a view of the device's memory, which has its own checksum."""
        start = _address(self._memory.arena)
        return start <= _address(array) < start + self._memory.arena.nbytes


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _frames(steps: Any) -> Iterator[FrameType]:
    """Walk from a kernel's frame to those of the functions that it is in."""
    at: object = steps
    while isinstance(at, GeneratorType):
        if at.gi_frame is not None:
            yield at.gi_frame
        at = at.gi_yieldfrom
