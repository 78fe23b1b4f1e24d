"""The packed memory array of GPMA in device memory: how it is filled, and what is in it.

Sorted keys with gaps between them; `packed_memory.cuh` says what the arrays hold, `densities.py`
how full their parts may be. What is here launches kernels of `gpma.cu`; `merging.py` does so, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.dynamic.gpma.densities import LARGEST, Layout
from gpubfs.dynamic.gpma.sums import Temporaries, exclusive_sum, room_to_sum, temporaries
from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, Host

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The type of keys, the key of a gap, the column of a sentinel, and the value of what was deleted.
KEY, NO_KEY, ROW_END, DELETED = "uint64", 2**64 - 1, 2**32 - 1, 2**32 - 1


@dataclass(frozen=True)
class Arrays:
    """The device arrays of one layout; `attributes` has at least one element."""

    keys: DeviceArray
    values: DeviceArray
    attributes: DeviceArray

    @classmethod
    def empty(cls, made: Temporaries, layout: Layout, columns: int) -> Arrays:
        """Allocate them, to be given back unless they are kept."""
        keys = made.empty("keys", layout.positions, KEY)
        values = made.empty("values", layout.positions, "uint32")
        return cls(keys, values, made.empty("attributes", columns * layout.positions))

    def kept(self, made: Temporaries) -> Arrays:
        """Return them, once they are filled."""
        return Arrays(*map(made.keep, (self.keys, self.values, self.attributes)))

    def free(self, host: Host) -> None:
        """Give them back."""
        for array in (self.keys, self.values, self.attributes):
            host.free(array)


@dataclass(frozen=True)
class Nodes:
    """Nodes of one height, which groups of updates are to be merged into.

    Attributes
    ----------
    numbers, begins : device array
        Each node's number, and the first of its updates; behind the last, their end.
    count : int
        How many there are.
    bits : int
        The binary logarithm of their positions.
    """

    numbers: DeviceArray
    begins: DeviceArray
    count: int
    bits: int

    @property
    def positions(self) -> int:
        """Of all of them."""
        return self.count << self.bits


@dataclass(frozen=True)
class Packed:
    """The live keys of nodes, without gaps, and how many there are before each position."""

    keys: DeviceArray
    columns: DeviceArray
    before: DeviceArray
    bits: int


@dataclass(frozen=True)
class Added:
    """Updates, sorted, as far as they are to be merged.

    Attributes
    ----------
    keys, order : device array
        Their edges, and where each was in the batch as it came.
    columns : device array
        What edges have besides their ends, in the order of the batch.
    size : int
        Updates of the batch.
    """

    keys: DeviceArray
    order: DeviceArray
    columns: DeviceArray
    size: int


@dataclass
class PackedMemory:
    """A packed memory array of a graph.

    Attributes
    ----------
    host : Host
        With the kernels of gpma.cu.
    vertices : int
        Rows.
    columns : int
        Words that edges have besides their ends.
    block : int
        Threads of a block.
    most_bits : int
        The largest layout that it may have.
    layout, arrays, row_offsets
        The array as it is, once it is filled.
    """

    host: Host
    vertices: int
    columns: int
    block: int
    most_bits: int = LARGEST
    layout: Layout = field(init=False)
    arrays: Arrays = field(init=False)
    row_offsets: DeviceArray = field(init=False)

    def launch(self, kernel: str, threads: int, *arguments: Any) -> None:
        """Launch a kernel with at least so many threads."""
        self.host.launch(kernel, self.host.blocks(threads, self.block), self.block, arguments)

    def flags(self, made: Temporaries, name: str, count: int) -> DeviceArray:
        """Allocate room for flags, which `sum` turns into places without further memory."""
        return made.empty(name, room_to_sum(count, self.block))

    def sum(self, flags: DeviceArray, count: int) -> None:
        """Turn flags into places."""
        exclusive_sum(self.host, flags, count, self.block)

    def fill(
        self, offsets: NDArray[Any], neighbours: NDArray[Any], columns: NDArray[np.int32]
    ) -> None:
        """Put a graph's rows into a new array, as small as the bounds of its root allow.

        Parameters
        ----------
        offsets, neighbours : array
            Sorted rows without repetitions.
        columns : array of shape (C, E)
            What edges have besides their ends.
        """
        host, size = self.host, len(neighbours) + self.vertices
        self.layout = self.layout_for(size)
        self.row_offsets = host.full("row_offsets", self.vertices + 1, 0)
        with temporaries(host) as made:
            arrays = Arrays.empty(made, self.layout, self.columns)
            rows = [
                made.array("offsets", offsets.astype(np.int32)),
                made.array("neighbours", neighbours),
                self.vertices,
                made.array("edge_columns", columns),
            ]
            keys = made.empty("packed", size, KEY)
            packed_columns = made.empty("packed_columns", self.columns * size)
            self.launch("keys_of_rows", max(size, 1), *rows, keys, packed_columns)
            before = made.array("before", np.array([0, size], np.int32))
            packed = Packed(keys, packed_columns, before, 0)
            self.spread_over_root(made, arrays, self.layout, packed, size)
            self.arrays = arrays.kept(made)

    def layout_for(self, keys: int) -> Layout:
        """Return the smallest layout that may have so many keys.

        Raises
        ------
        UsageError
            If that is larger than `most_bits`.
        """
        layout = Layout.for_keys(keys)
        if layout.bits > self.most_bits:
            raise UsageError(
                f"{keys:,} keys need an array of {layout.positions:,} positions, and it may have "
                f"{1 << self.most_bits:,}",
                f"give positions={layout.positions} or more, or take a smaller graph"
                if layout.bits <= LARGEST
                else "take a smaller graph, or smaller batches",
            )
        return layout

    def pack(self, made: Temporaries, nodes: Nodes) -> Packed:
        """Close up the live keys of nodes."""
        before = self.flags(made, "before", nodes.positions + 1)
        where = (nodes.numbers, nodes.count, nodes.bits)
        arrays = self.arrays
        self.launch("mark_live", nodes.positions + 1, arrays.keys, arrays.values, *where, before)
        self.sum(before, nodes.positions + 1)
        keys = made.empty("packed", nodes.positions, KEY)
        columns = made.empty("packed_columns", self.columns * nodes.positions)
        source = (arrays.keys, arrays.attributes, np.int64(self.layout.positions))
        self.launch("pack_live", nodes.positions, *source, *where, before, keys, columns)
        return Packed(keys, columns, before, nodes.bits)

    def spread(
        self,
        arrays: Arrays,
        layout: Layout,
        nodes: Nodes,
        merged: DeviceArray,
        packed: Packed,
        added: Added,
    ) -> None:
        """Fill nodes of an array anew, each with as many keys as `merged` says, if any."""
        array = (arrays.keys, arrays.values, arrays.attributes, self.row_offsets)
        where = (np.int64(layout.positions), nodes.numbers, nodes.count, nodes.bits, merged)
        source = (packed.keys, packed.columns, packed.before, packed.bits)
        new = (added.keys, added.order, added.columns, added.size, nodes.begins)
        self.launch("spread", nodes.positions, *array, *where, *source, *new)

    def spread_over_root(
        self,
        made: Temporaries,
        arrays: Arrays,
        layout: Layout,
        packed: Packed,
        size: int,
        added: Added | None = None,
        updates: int = 0,
    ) -> None:
        """Fill a whole array with packed keys, and with updates if there are any."""
        if added is None:
            none = made.empty("no_updates", 1, KEY), made.empty("no_updates", 1)
            added = Added(*none, packed.columns, 0)
        merged = made.array("merged", np.array([size], np.int32))
        self.spread(arrays, layout, self.root(made, layout, updates), merged, packed, added)

    def root(self, made: Temporaries, layout: Layout, updates: int) -> Nodes:
        """Return the root of a layout as the one node that all updates are merged into."""
        numbers = made.array("nodes", np.zeros(1, np.int32))
        begins = made.array("begins", np.array([0, updates], np.int32))
        return Nodes(numbers, begins, 1, layout.bits)
