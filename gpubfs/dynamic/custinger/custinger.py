"""An array of edges for each vertex, allocated and replaced by the host, with room for more edges.

Green and Bader's cuSTINGER as Winter et al. describe it (Sections II-C, IV and V), and as its
public version has it where they do not say. A vertex has a pointer to a record of 64 bytes, which
points to the members of its edges (destinations, weights, …), a pointer to the memory where these
are, how many edges there are, and for how many there is room: 24 bytes, and 4 more for each of a
weight and a type that vertices have in the modes in which edges have one. Records and edges are
allocated one by one. At first there is room for 10 edges where there are fewer than 5, for half as
many again elsewhere; an adjacency that is too small gets room for twice what it must hold below 5
edges, and for half as much again from there on. `over_allocation=false` leaves no room but for what
there is.

An insertion takes up to five launches. A sweep: a warp looks through the adjacency; if the edge is
not there, one lane takes the next place by an atomic addition, writes the edge, and looks for a
twin, the same edge from another update, in the places that were taken meanwhile. If twins were
found, a second launch closes the gaps that they leave. For updates that found no room the host
reads which they are, allocates, and a third launch moves adjacencies; a fourth sweeps again over
these updates, and a fifth closes gaps again. A deletion takes two launches: one empties places, one
closes the gaps.

**Duplicates inside a batch.** "As cuSTINGER does not use any form of race condition avoidance", a
warp may look for its twin before the twin's store is visible; "depending on GPU scheduling,
duplicates within batches are not detected and remain in the graph" (Section V-B). So it is here.
The race is in `custinger_insert`, between the store of an edge and the searches of other warps for
edges of the same vertex. It does harm, and is declared all the same, so that sanitizers can look
for others: `sanitize="race"` goes on and lists it among the findings of each run, with both places
and this as the reason. Without sanitizers a user sees what comes of it by `check`, which names the
first edge that is there twice, by `twins`, which lists all of them, and by graphs of several edges
where there should be one. A deletion takes one of several twins. Batches in which no edge is twice
are inserted exactly, in any order of threads.

Where the public version loses edges this one does not: places behind an adjacency are marked as
empty, so that no search finds in a place that was taken and not written yet what was there before;
and twins leave gaps that are closed by one warp for each vertex, in place of a thread for each
twin, which may move another twin into its gap and drop an edge. Sweeps search no further than there
is room, since the number of edges is too high while updates find out that there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.custinger.checks import Places, check, repeated
from gpubfs.dynamic.custinger.edge_memory import RECORD, EdgeMemory
from gpubfs.dynamic.custinger.space import (
    EFFECTIVE,
    GAPPED,
    INCOMPLETE,
    TWINS,
    Space,
    joined,
    space,
)
from gpubfs.dynamic.dynamic_graph import DynamicGraph, Memory
from gpubfs.dynamic.operation import Effect
from gpubfs.dynamic.options import MODE
from gpubfs.dynamic.structure import structure
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray, Host
from gpubfs.search.option import Option, Value
from gpubfs.search.papers import AIMGRAPH

#: What is said of the race between insertions at one vertex.
TWINS_STAY = (
    "this one does harm: a warp may look for its edge before another warp's store of the same edge "
    "is visible, and then an edge that a batch has twice stays twice, as in the paper (V-B); "
    "`check` and `twins` name such edges, and batches without duplicates are exact"
)

#: The most blocks of a launch; each is a warp.
MOST_BLOCKS = 16_000

#: Bytes of a vertex besides its record: two pointers and two numbers. Marks are ours.
VERTEX, MARK = 24, 4
#: Bytes of the values that a vertex has where edges have values.
VERTEX_VALUES = {"simple": 0, "weighted": 4, "semantic": 8}


@structure(
    "custinger",
    paper=AIMGRAPH,
    section="II-C, IV, V",
    year=2016,
    arrays={
        "records": "for each vertex where its record is",
        "record": "pointers to the members of a vertex's edges",
        "memory": "for each vertex where its edges are",
        "edges": "the members of a vertex's edges, each for all of them; -1 behind the last one",
        "used": "for each vertex how many edges it has",
        "capacity": "for each vertex for how many edges there is memory",
        "vertex_values": "a weight of each vertex, and a type",
        "marks": "1 for vertices with gaps, while they wait for these to be closed",
    },
    options=(
        MODE,
        Option(
            "over_allocation", True, "whether adjacencies have room for more edges than there are"
        ),
    ),
    benign={"edges": TWINS_STAY},
)
class CuStinger(DynamicGraph):
    """A graph as cuSTINGER keeps it."""

    finds_twins = False
    remedy = "take smaller batches, a smaller graph, or over_allocation=false"

    def __init__(self, host: Host, options: Mapping[str, Value]) -> None:
        super().__init__(host, options)
        self.memory: EdgeMemory
        self._used: DeviceArray
        self._marks: DeviceArray
        self._vertex_values: DeviceArray

    @property
    def arrays(self) -> Mapping[str, DeviceArray]:
        """The device arrays by name, for kernels that go through the graph."""
        self.host.check_open()
        return {
            "records": self.memory.records,
            "memory": self.memory.addresses_there,
            "capacity": self.memory.room_there,
            "used": self._used,
        }

    def twins(self) -> Batch:
        """Return the edges that are there more than once, each of them once."""
        return repeated(self.edges())

    def check(self) -> None:
        """Look through the whole structure on the host.

        Raises
        ------
        StructureError
            If something is not as it must be, or an edge is there twice; it names the vertex.
        """
        read, memory = self.host.read, self.memory
        places = Places(
            vertices=self.vertices,
            used=read(self._used),
            room=read(memory.room_there),
            addresses=read(memory.addresses_there),
            pointers=self._pointers(),
            marks=read(self._marks),
            targets=self._gathered(0, memory.room_there, memory.room),
        )
        check(places, memory)

    @property
    def members(self) -> int:
        """How many numbers an edge has: its destination, and what it has besides."""
        return 1 + len(MODES[self.mode])

    def _build(self, graph: Graph, edges: Batch) -> Effect:
        host = self.host
        more = bool(self.options["over_allocation"])
        self.memory = EdgeMemory(host, graph.degrees, self.members, more)
        self._used = host.empty("used", graph.vertices)
        self._marks = host.full("marks", graph.vertices, 0)
        if VERTEX_VALUES[self.mode]:
            values = VERTEX_VALUES[self.mode] // 4
            self._vertex_values = host.full("vertex_values", values * graph.vertices, 0)
        csr = host.upload(graph)
        given = host.array("values", joined(edges.columns(self.mode)[2:]))
        there = self.memory.records, self.memory.addresses_there, self.memory.room_there
        arrays = csr.offsets, csr.neighbours, given
        self._launch("custinger_initialise", graph.vertices, *there, self._used, *arrays)
        for array in arrays:
            host.free(array)
        return Effect(graph.edges)

    def _insert(self, batch: Batch) -> Effect:
        with space(self.host, batch.columns(self.mode), inserts=True) as room:
            if room is None or not len(batch):
                return Effect(0, 0, len(batch))
            figures = self._sweep(room, len(batch))
            left, moved = int(figures[INCOMPLETE]), 0
            refused = left
            if left:
                left, moved = self._make_room(room, batch, left)
            if left:
                second = self._sweep(room, left, listed=True)
                refused += int(second[INCOMPLETE]) - left
                figures = figures + second
        applied = int(figures[EFFECTIVE])
        facts = {"moved": moved, "twins": int(figures[TWINS])}
        return Effect(applied, len(batch) - applied - refused, refused, facts)

    def _sweep(self, room: Space, updates: int, listed: bool = False) -> NDArray[np.int32]:
        """Insert all updates, or those that found no room; return what the kernel counted."""
        self.host.write(room.figures, 0)
        unplaced, still_unplaced = room.incomplete
        lists = unplaced, still_unplaced if listed else unplaced
        self._launch(
            "custinger_insert",
            updates,
            *(self.memory.records, self._used, self.memory.room_there),
            *(room.sources, room.targets, room.values, room.size, int(listed), *lists),
            *(room.gapped, self._marks, room.figures),
        )
        return self._closed(room)

    def _closed(self, room: Space) -> NDArray[np.int32]:
        """Close the gaps that a launch has left, if there are any; return what it counted."""
        figures: NDArray[np.int32] = self.host.read(room.figures)
        if figures[GAPPED]:
            gapped = room.gapped, self._marks
            args = self.memory.records, self._used, *gapped
            self._launch("custinger_close", int(figures[GAPPED]), *args)
        return figures

    def _make_room(self, room: Space, batch: Batch, waiting: int) -> tuple[int, int]:
        """Move adjacencies that are too small to larger memory.

        Returns how many updates can be inserted now, of those that wait, and how many vertices
        have moved.
        """
        host, unplaced = self.host, room.incomplete[0]
        updates = host.read(unplaced[:waiting])
        move = self.memory.grow(*np.unique(batch.sources[updates], return_counts=True))
        able = len(move.vertices)
        if able:
            host.copy_to(room.moved[:able], move.vertices)
            host.copy_to(room.new_memory[:able], move.addresses)
            host.copy_to(room.new_room[:able], move.room)
            there = self.memory.records, self.memory.addresses_there, self.memory.room_there
            new = room.moved, room.new_memory, room.new_room
            self._launch("custinger_move", able, *there, self._used, *new)
            self.memory.moved(move)
        left = updates[np.isin(batch.sources[updates], move.vertices)]
        if 0 < len(left) < waiting:
            host.copy_to(unplaced[: len(left)], left)
        return len(left), able

    def _delete(self, batch: Batch) -> Effect:
        with space(self.host, batch.columns("simple"), inserts=False) as room:
            if room is None or not len(batch):
                return Effect(0, 0, len(batch))
            self.host.write(room.figures, 0)
            self._launch(
                "custinger_delete",
                len(batch),
                *(self.memory.records, self._used, room.sources, room.targets),
                *(room.gapped, self._marks, room.figures),
            )
            applied = int(self._closed(room)[EFFECTIVE])
        return Effect(applied, len(batch) - applied)

    def _edges(self) -> Batch:
        used = self.host.read(self._used)
        sources = np.repeat(np.arange(self.vertices, dtype=np.int32), used)
        columns = [self._gathered(column, self._used, used) for column in range(self.members)]
        values = dict(zip(MODES[self.mode], columns[1:], strict=True))
        return Batch(sources, columns[0], values)

    def _pointers(self) -> NDArray[np.uint64]:
        """Return what the records hold, of shape (V, members)."""
        host, shape = self.host, (self.vertices, self.members)
        pointers = host.empty("pointers", self.vertices * self.members, "uint64")
        self._launch("custinger_pointers", self.vertices, self.memory.records, pointers)
        found: NDArray[np.uint64] = host.read(pointers).reshape(shape)
        host.free(pointers)
        return found

    def _gathered(
        self, column: int, lengths: DeviceArray, known: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return one member of so many edges of each vertex; `known` are the lengths themselves."""
        host, total = self.host, int(known.sum(dtype=np.int64))
        starts = host.array("starts", np.cumsum(known, dtype=np.int64) - known)
        gathered = host.empty("gathered", max(total, 1))
        args = self.memory.records, lengths, starts, column, gathered
        self._launch("custinger_gather", self.vertices, *args)
        found: NDArray[np.int32] = host.read(gathered)[:total]
        host.free(starts)
        host.free(gathered)
        return found

    def _memory(self) -> Memory:
        vertices = self.vertices
        values = VERTEX_VALUES[self.mode]
        return Memory(
            {
                "vertices": (VERTEX + values) * vertices,
                "marks": MARK * vertices,
                "records": RECORD * vertices,
                "edges": self.memory.total(self.memory.room),
                "alignment": self.memory.padding,
            }
        )

    def _launch(self, kernel: str, items: int, *args: Any) -> None:
        """Launch blocks of one warp that have as many items each, one after the other."""
        host = self.host
        if not items:
            return
        grid = min(host.blocks(items, host.warp_size), MOST_BLOCKS)
        host.launch(kernel, grid, host.warp_size, (*args, items, host.blocks(items, grid)))
