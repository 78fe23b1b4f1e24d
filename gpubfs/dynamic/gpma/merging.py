"""How a packed memory array takes a batch: sorted, in place, by groups from height to height.

What is here launches kernels of `gpma.cu`, which says what they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.dynamic.gpma.densities import LARGEST
from gpubfs.dynamic.gpma.packed_memory import KEY, Added, Arrays, Nodes, PackedMemory
from gpubfs.dynamic.gpma.sums import Temporaries, sort_keys, temporaries
from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, Host

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Outcome(IntEnum):
    """What becomes of updates, as gpma.cu counts it; behind it, nodes rebalanced by height."""

    REPEATED = 0
    PRESENT = 1
    REVIVED = 2
    REMOVED = 3
    ABSENT = 4


@dataclass(frozen=True)
class Counts:
    """What became of a batch.

    Attributes
    ----------
    outcomes : dict of Outcome to int
        How many updates.
    rebalances : dict of int to int
        For each height how many nodes were filled anew, where there were any.
    doublings : int
        How often the array became twice as large.
    refused : int
        Updates for which there was no room.
    """

    outcomes: dict[Outcome, int]
    rebalances: dict[int, int]
    doublings: int = 0
    refused: int = 0


@dataclass(frozen=True)
class Pending:
    """Updates that are to be merged, sorted, each with the leaf where it belongs."""

    keys: DeviceArray
    order: DeviceArray
    leaf: DeviceArray
    size: int

    def free(self, host: Host) -> None:
        """Give the arrays back."""
        for array in (self.keys, self.order, self.leaf):
            host.free(array)


class Merging:
    """One batch on its way into a packed memory array, or out of it.

    Parameters
    ----------
    memory : PackedMemory
        The array.
    made : Temporaries
        Where arrays are allocated that last as long as the batch.
    sources, targets : array of int32
        The updates, one at least.
    columns : array of shape (C, N)
        What their edges have besides their ends.
    """

    def __init__(
        self,
        memory: PackedMemory,
        made: Temporaries,
        sources: NDArray[np.int32],
        targets: NDArray[np.int32],
        columns: NDArray[np.int32],
    ) -> None:
        self.memory, self.made, self.size = memory, made, len(sources)
        self.columns = made.array("new_columns", columns)
        counts = np.zeros(len(Outcome) + LARGEST + 1, np.int32)
        self.counts = made.array("outcomes", counts)
        self.keys, self.order = self._sorted(sources, targets)

    def delete(self) -> Counts:
        """Delete what is there."""
        arrays = self.memory.arrays
        array = (arrays.keys, arrays.values, *self._leaves)
        self.memory.launch("delete_in_place", self.size, *array, self.keys, self.size, self.counts)
        return self._counted()

    def insert(self) -> Counts:
        """Insert what is not there; where memory is exhausted, as much as there is room for.

        All that a step needs is allocated before it changes anything.
        """
        refused, bits = 0, self.memory.layout.bits
        try:
            pending = self._in_place()
        except UsageError:
            return self._counted(refused=self.size)
        try:
            for height in range(self.memory.layout.height + 1):
                if pending.size:
                    pending = self._merged(pending, height)
            if pending.size:
                self._grown(pending)
        except UsageError:
            refused = pending.size
        pending.free(self.memory.host)
        return self._counted(self.memory.layout.bits - bits, refused)

    def _sorted(
        self, sources: NDArray[np.int32], targets: NDArray[np.int32]
    ) -> tuple[DeviceArray, DeviceArray]:
        """Return the updates' keys, sorted, and where each was in the batch."""
        memory, size, made = self.memory, self.size, self.made
        keys = made.empty("update_keys", size, KEY), made.empty("moved_keys", size, KEY)
        order = made.empty("order", size), made.empty("moved_order", size)
        with temporaries(memory.host) as brief:
            ends = brief.array("sources", sources), brief.array("targets", targets)
            memory.launch("keys_of_updates", size, *ends, size, keys[0], order[0])
        bits = max((memory.vertices - 1).bit_length(), 1)
        return sort_keys(memory.host, keys, order, size, bits, memory.block)

    @property
    def _leaves(self) -> tuple[int, int]:
        """How many leaves the array has, and the binary logarithm of a leaf's positions."""
        return self.memory.layout.leaves, self.memory.layout.leaf_bits

    def _in_place(self) -> Pending:
        """Change what is there, and return what is not."""
        size, arrays = self.size, self.memory.arrays
        with temporaries(self.memory.host) as made:
            pending, leaf = self._flags(made, "pending", size), made.empty("leaf", size)
            room = self._room(made, size)
            array = (arrays.keys, arrays.values, arrays.attributes, *self._leaves)
            batch = (self.keys, self.order, self.columns, size)
            found = (pending, leaf, self.counts)
            self.memory.launch("insert_in_place", size + 1, *array, *batch, *found)
            updates = Pending(self.keys, self.order, leaf, size)
            return self._kept(made, updates, pending, room)

    def _flags(self, made: Temporaries, name: str, size: int) -> DeviceArray:
        """Allocate a flag for each update, and one behind them."""
        return self.memory.flags(made, name, size + 1)

    def _room(self, made: Temporaries, size: int) -> list[DeviceArray]:
        """Allocate what `_kept` fills, before anything has changed."""
        names = (("pending_keys", KEY), ("pending_order", "int32"), ("pending_leaf", "int32"))
        return [made.empty(name, size, dtype) for name, dtype in names]

    def _kept(
        self,
        made: Temporaries,
        updates: Pending,
        pending: DeviceArray,
        room: list[DeviceArray],
    ) -> Pending:
        """Return those updates that are flagged; flags become places."""
        memory, size = self.memory, updates.size
        memory.sum(pending, size + 1)
        kept = memory.host.read_int(pending[size : size + 1])
        if kept:
            source = (updates.keys, updates.order, updates.leaf, size, pending)
            memory.launch("keep_pending", size, *source, *room)
        keys, order, leaf = map(made.keep, room)
        return Pending(keys, order, leaf, kept)

    def _merged(self, updates: Pending, height: int) -> Pending:
        """Merge groups into nodes of one height that have room, and return the others' updates."""
        memory, size = self.memory, updates.size
        with temporaries(memory.host) as made:
            places, pending = (self._flags(made, name, size) for name in ("places", "pending"))
            room = self._room(made, size)
            nodes = self._grouped(made, updates, height, places)
            packed = memory.pack(made, nodes)
            merged = self._decided(made, nodes, packed.before, height)
            added = Added(updates.keys, updates.order, self.columns, self.size)
            memory.spread(memory.arrays, memory.layout, nodes, merged, packed, added)
            memory.launch("mark_pending", size + 1, places, merged, size, pending)
            kept = self._kept(made, updates, pending, room)
        updates.free(memory.host)
        return kept

    def _grouped(
        self, made: Temporaries, updates: Pending, height: int, places: DeviceArray
    ) -> Nodes:
        """Return the nodes of one height into which updates belong."""
        memory, size = self.memory, updates.size
        memory.launch("mark_heads", size + 1, updates.leaf, size, height, places)
        memory.sum(places, size + 1)
        count = memory.host.read_int(places[size : size + 1])
        numbers, begins = made.empty("nodes", count), made.empty("begins", count + 1)
        found = (places, numbers, begins)
        memory.launch("group_by_node", size + 1, updates.leaf, size, height, *found)
        return Nodes(numbers, begins, count, memory.layout.leaf_bits + height)

    def _decided(
        self, made: Temporaries, nodes: Nodes, before: DeviceArray, height: int
    ) -> DeviceArray:
        """Return how many keys nodes get, or 0 for those that have no room."""
        lower, upper = self.memory.layout.bounds[height]
        # Nothing is above the root: it may be emptier than it should.
        bounds = (0 if height == self.memory.layout.height else lower, upper)
        merged = made.empty("merged", nodes.count)
        at = len(Outcome) + height
        where = (before, nodes.begins, nodes.count, nodes.bits)
        count = (merged, self.counts[at : at + 1])
        self.memory.launch("decide", nodes.count, *where, *bounds, *count)
        return merged

    def _grown(self, updates: Pending) -> None:
        """Merge all updates into an array that is large enough for them."""
        memory, host = self.memory, self.memory.host
        with temporaries(host) as made:
            nodes = memory.root(made, memory.layout, updates.size)
            packed = memory.pack(made, nodes)
            end = nodes.positions
            size = host.read_int(packed.before[end : end + 1]) + updates.size
            layout = memory.layout_for(size)
            arrays = Arrays.empty(made, layout, memory.columns)
            added = Added(updates.keys, updates.order, self.columns, self.size)
            memory.spread_over_root(made, arrays, layout, packed, size, added, updates.size)
            memory.arrays.free(host)
            memory.arrays, memory.layout = arrays.kept(made), layout

    def _counted(self, doublings: int = 0, refused: int = 0) -> Counts:
        """Read what became of the batch."""
        counts: Any = self.memory.host.read(self.counts).tolist()
        outcomes = {outcome: counts[outcome] for outcome in Outcome}
        rebalances = {h: n for h, n in enumerate(counts[len(Outcome) :]) if n}
        return Counts(outcomes, rebalances, doublings, refused)
