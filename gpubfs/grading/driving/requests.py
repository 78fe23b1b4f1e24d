"""What a driver's process sends, which is believed only after it was looked at: numbers, arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.host import DeviceArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: The characters of a name.
MOST_NAME = 80


class RefusedError(Exception):
    """A request that is not done.

    Parameters
    ----------
    message, hint : str
        What is wrong, and what to do instead.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass
class Held:
    """An array that the driver has a number for.

    Attributes
    ----------
    name : str
        What it is called.
    array : device array
        The array.
    own : int64 array
        What the host wrote last into each element.
    graph : bool
        Whether it is one of the graph's.
    """

    name: str
    array: DeviceArray
    own: NDArray[np.int64]
    graph: bool = False


@dataclass(frozen=True)
class Part:
    """An array, or a slice of one."""

    held: Held
    start: int
    stop: int

    @property
    def whole(self) -> bool:
        """Whether it is no slice."""
        return self.stop - self.start == len(self.held.own)

    @property
    def array(self) -> DeviceArray:
        """The device array."""
        return self.held.array if self.whole else self.held.array[self.start : self.stop]


def number(value: object, what: str, least: int, most: int) -> int:
    """A whole number within limits, or a truth value where 0 and 1 are."""
    if isinstance(value, bool) and least <= 0 and most >= 1:
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        hint = "// divides whole numbers" if isinstance(value, float) else ""
        raise RefusedError(f"{what} is {shown(value)}, and must be a whole number", hint)
    if not least <= value <= most:
        raise RefusedError(f"{what} is {shown(value)}, and must be from {least:,} to {most:,}")
    return value


def shown(value: object) -> str:
    """A value in few words."""
    return "an array" if isinstance(value, dict) else f"{value!r:.60}"


def text(value: object, what: str) -> str:
    """A short text."""
    if not isinstance(value, str) or not 0 < len(value) <= MOST_NAME or not value.isprintable():
        raise RefusedError(f"{what} is {shown(value)}, and must be a short text")
    return value


def sizes(value: object, what: str) -> tuple[int, ...]:
    """Blocks or threads along up to three dimensions."""
    given = value if isinstance(value, list) else [value]
    if not 1 <= len(given) <= 3:
        raise RefusedError(f"{what} has {len(given)} dimensions, and must have 1, 2 or 3")
    return tuple(number(size, what, 0, (1 << 31) - 1) for size in given)


def span(dtype: str) -> tuple[int, int]:
    """The least and the largest number of a type."""
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)
