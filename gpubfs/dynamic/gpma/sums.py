"""Exclusive sums over device arrays, and a stable sort of keys that uses them: launches alone.

The kernels are in `device_sum.cuh` and `radix_sort.cuh`; a structure whose file includes these can
use what is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.host import DeviceArray, Host

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Bits of a key by which one pass sorts, as radix_sort.cuh has them.
DIGIT_BITS = 4


@dataclass
class Temporaries:
    """Device arrays that are given back together."""

    host: Host
    _made: list[DeviceArray] = field(default_factory=list)

    def empty(self, name: str, elements: int, dtype: str = "int32") -> DeviceArray:
        """Allocate an array as `Host.empty` does; one without elements has one all the same."""
        made = self.host.empty(name, max(elements, 1), dtype)
        self._made.append(made)
        return made

    def array(self, name: str, values: NDArray[Any]) -> DeviceArray:
        """Copy host values to the device; where there are none, an array all the same."""
        if not values.size:
            return self.empty(name, 1, values.dtype.name)
        made = self.host.array(name, values)
        self._made.append(made)
        return made

    def keep(self, array: DeviceArray) -> DeviceArray:
        """Return one of them, which is then not given back."""
        self._made = [one for one in self._made if one is not array]
        return array

    def free(self) -> None:
        """Give them back."""
        while self._made:
            self.host.free(self._made.pop())


@contextmanager
def temporaries(host: Host) -> Iterator[Temporaries]:
    """Give back what was allocated, whatever happens."""
    made = Temporaries(host)
    try:
        yield made
    finally:
        made.free()


def room_to_sum(count: int, block: int) -> int:
    """Return how many elements an array must have so that `count` of them can be summed.

    Behind the values there are the totals of their tiles, and the totals of tiles of these.

    Examples
    --------
    >>> room_to_sum(256, 256), room_to_sum(257, 256)
    (257, 260)
    """
    tiles = -(-count // block)
    return count + (1 if tiles == 1 else room_to_sum(tiles, block))


def exclusive_sum(host: Host, values: DeviceArray, count: int, block: int) -> None:
    """Replace each of the first `count` int32 values by the sum of those before it.

    Parameters
    ----------
    host : Host
        With the kernels of `device_sum.cuh`.
    values : int32 device array
        As many elements as `room_to_sum` says; all sums must be below 2^31.
    count : int
        How many are summed.
    block : int
        Threads of a block, and values of a tile.
    """
    tiles, totals = host.blocks(count, block), values[count:]
    host.launch("sum_tiles", tiles, block, (values, np.int64(count), totals))
    if tiles > 1:
        exclusive_sum(host, totals, tiles, block)
        host.launch("add_totals", tiles, block, (values, np.int64(count), totals))


def sort_keys(
    host: Host,
    keys: tuple[DeviceArray, DeviceArray],
    order: tuple[DeviceArray, DeviceArray],
    count: int,
    bits: int,
    block: int,
) -> tuple[DeviceArray, DeviceArray]:
    """Sort edges by row and column, and what goes with each, from one array to another and back.

    Parameters
    ----------
    host : Host
        With the kernels of `radix_sort.cuh`.
    keys, order : pair of device arrays
        ``row << 32 | column`` of each edge and an int32; and room for as many.
    count : int
        How many there are.
    bits : int
        Of rows and of columns; all higher ones are 0.
    block : int
        Threads of a block.

    Returns
    -------
    tuple of device array
        Of each pair the one that holds the sorted edges.
    """
    blocks = host.blocks(count, block)
    with temporaries(host) as made:
        counts = made.empty("digit_counts", room_to_sum(blocks << DIGIT_BITS, block))
        for shift in (*range(0, bits, DIGIT_BITS), *range(32, 32 + bits, DIGIT_BITS)):
            host.launch("count_digits", blocks, block, (keys[0], count, shift, counts))
            exclusive_sum(host, counts, blocks << DIGIT_BITS, block)
            moved = (counts, keys[1], order[1])
            host.launch("move_by_digit", blocks, block, (keys[0], order[0], count, shift, *moved))
            keys, order = keys[::-1], order[::-1]
    return keys[0], order[0]
