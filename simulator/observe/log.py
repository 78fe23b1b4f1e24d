"""The log of a launch, decoded: which lanes executed which basic block, and what was logged of it.

`simulator.ir.events` says how execution writes it; all observers read it by this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import GANG_SWITCH

Lanes = NDArray[np.int64]
Entry = tuple[Any, ...]


#: Lanes that executions have on average where it is asked whether they follow one another.
_LARGE = 64


@dataclass
class Executions:
    """Executions of one basic block in a stretch of the log.

    Attributes
    ----------
    entries : list of tuple
        As they were logged.
    offsets : list of int
        Where the gang of each begins in the wave; empty if each begins at 0.
    """

    entries: list[Entry] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    @property
    def columns(self) -> list[tuple[Any, ...]]:
        """The lanes of all of them, then each operand of all of them."""
        return list(zip(*self.entries, strict=True))[1:]

    @property
    def key(self) -> tuple[int, ...]:
        """What executions of other basic blocks by the same lanes have, too, while the log is."""
        return (*(id(entry[1]) for entry in self.entries), *self.offsets)

    def ranges(self) -> list[tuple[int, int]] | None:
        """Return the first lane of each and how many there are, if none is left out between.

        None also where they are none, or so few that to look at each is no gain.
        """
        found, total = [], 0
        for number, entry in enumerate(self.entries):
            lanes: Lanes = entry[1]
            total += lanes.size
            if not lanes.size or total < _LARGE * (number + 1):
                return None
            first = lanes.item(0)
            if lanes.item(-1) - first + 1 != lanes.size:
                return None
            found.append((first + (self.offsets[number] if self.offsets else 0), lanes.size))
        return found

    def sizes_and_lanes(self) -> tuple[Lanes, Lanes]:
        """Return how many lanes each has, and the lanes of the wave end to end."""
        arrays = [entry[1] for entry in self.entries]
        sizes = np.fromiter(map(len, arrays), np.int64, len(arrays))
        lanes: Lanes = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        if self.offsets:
            lanes = lanes + np.repeat(np.array(self.offsets), sizes)
        return sizes, lanes


def column(values: tuple[Any, ...], sizes: Lanes) -> NDArray[Any]:
    """One operand of several executions end to end; a scalar stands for all lanes of its own."""
    first = values[0]
    plain = getattr(getattr(first, "dtype", None), "names", None) is None
    if plain and len(values) == 1 and isinstance(first, np.ndarray):
        return first
    if plain:
        try:  # mostly they are all arrays, or all scalars
            alike = isinstance(first, np.ndarray)
            return np.concatenate(values) if alike else np.repeat(np.array(values), sizes)
        except ValueError:
            pass
    each = zip(values, sizes, strict=True)
    arrays = [value if np.ndim(value) else np.full(size, value) for value, size in each]
    if not plain:  # as bytes: NumPy would leave out the padding of structures
        arrays = [array.view(f"V{array.itemsize}") for array in arrays]
    return np.concatenate(arrays)


def lane_count(log: list[Entry]) -> int:
    """Return how many lanes the entries of a log have together."""
    return sum([entry[1].size for entry in log if entry[0] != GANG_SWITCH])


class Decoder:
    """Reads the log of one wave, stretch by stretch.

    Attributes
    ----------
    offset : int
        Where the gang that runs begins in the wave.

    Examples
    --------
    >>> decoder = Decoder()
    >>> log = [(0, np.array([0, 2])), (-1, 32), (0, np.array([1]))]
    >>> [(number, lanes.tolist()) for number, lanes, _ in decoder.each(log)]
    [(0, [0, 2]), (0, [33])]
    """

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset

    def each(self, log: list[Entry]) -> Iterator[tuple[int, Lanes, Entry]]:
        """Read the entries one by one.

        Parameters
        ----------
        log : list of tuple
            What `LaunchObserver.consume` is given.

        Yields
        ------
        int, int64 array, tuple
            The number of the basic block, the lanes of the wave, and the operands.
        """
        for entry in log:
            if entry[0] == GANG_SWITCH:
                self.offset = entry[1]
            else:
                lanes = entry[1] + self.offset if self.offset else entry[1]
                yield entry[0], lanes, entry[2:]

    def executions(self, log: list[Entry]) -> dict[int, Executions]:
        """All executions of each basic block, by its number."""
        found: dict[int, Executions] = {}
        several = bool(self.offset) or (bool(log) and log[0][0] == GANG_SWITCH)
        for entry in log:
            number = entry[0]
            if number == GANG_SWITCH:
                self.offset = entry[1]
                continue
            block = found.get(number)
            if block is None:
                block = found[number] = Executions()
            block.entries.append(entry)
            if several:
                block.offsets.append(self.offset)
        return found
