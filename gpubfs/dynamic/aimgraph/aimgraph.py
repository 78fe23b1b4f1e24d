"""Blocks of edges, linked by numbers, in one allocation that the GPU manages by itself.

aimGraph, by Winter, Zayer and Steinberger (2017). One allocation holds the memory manager, six
arrays with 4 bytes for each vertex, blocks of edges that grow upwards, and a stack of temporaries
that grows down from the end: updates, and whatever an algorithm needs for a while (`temporary`). A
block is known by its number, and its last 4 bytes are the number of the vertex's next block. So
neither an insertion nor a deletion needs the host: each is one launch, whatever the batch.

Initialisation goes without locks: a kernel computes how many blocks each vertex needs, an exclusive
prefix sum says where they begin, and the last vertex's thread sets the first free block. Insertion
locks the vertex, looks for the edge, and puts it into a free entry or a new block. Deletion locks
nothing: a compare-and-swap makes a free entry of an edge, and the thread that succeeds decreases
the number of neighbours. Blocks are never given back, and free entries are used again.

Algorithm 1 of the paper, the insertion, is wrong as it is printed: it stops at the first free entry
or where `index >= neighbours`, whichever comes first, although the edge may stand behind a free
entry, and so inserts it twice (insert 1, 2 and 3, delete 1, insert 3). Here it remembers the first
free entry and goes on until all neighbours were seen. A test runs the printed form, and shows it.

The paper leaves open, and here is: a vertex without edges has no block; a free entry holds
0xFFFFFFFF; an entry is a structure of its words, in simple mode the destination, in weighted the
weight, too, in semantic also a type and two timestamps, so that a block of 64 bytes has 15, 7 or 3
edges, and one of 128 bytes 31, 15 or 6. Its size depends on "the update strategy and the average
size of the adjacency": `auto` is 64 where a thread updates simple edges, and vertices have no more
than 15 on average. Vertices have a weight and a type in all modes, 0 and never read here: "at least
24 bytes" are exactly six arrays. The paper's memory is all that the GPU has; here it is `memory`
bytes, by default twice what the graph and its initialisation need, and a mebibyte. Where it is
exhausted, the paper says nothing; here a thread that gets no block gives the lock back, counts its
update as refused, and leaves the vertex as it was. The manager holds positions in the allocation
instead of pointers, and counts what updates did, which the host reads once behind a batch. A warp
for each update works in blocks of one warp, as in the paper, which go through the batch in strides.

The paper's example of temporary data is an array of triangles at each vertex: `AimGraph.triangles`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.arguments import whole
from gpubfs.dynamic.aimgraph.image import Image
from gpubfs.dynamic.aimgraph.layout import COUNTS_END, MANAGER, POINTER, Layout
from gpubfs.dynamic.aimgraph.stack import Stack, aligned
from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.dynamic_graph import DynamicGraph, Memory
from gpubfs.dynamic.operation import Effect
from gpubfs.dynamic.options import BLOCK_BYTES, MEMORY, MODE, UPDATE
from gpubfs.dynamic.structure import structure
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs.build import compress, unreturned
from gpubfs.host import DeviceArray, Host
from gpubfs.search.option import Value
from gpubfs.search.papers import AIMGRAPH
from gpubfs.search.queues import BLOCK_256

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Threads of a block of the initialisation; the most blocks, whose totals one block adds up.
THREADS, MOST_BLOCKS = 256, 1024

#: How many times the resident threads a grid has at most that goes through a batch in strides.
WAVES = 4


@structure(
    "aimgraph",
    paper=AIMGRAPH,
    section="III",
    year=2017,
    arrays={"memory": "manager, vertices, blocks of edges, and temporaries from the end"},
    options=(MODE, UPDATE, BLOCK_BYTES, BLOCK_256, MEMORY),
)
class AimGraph(DynamicGraph):
    """Drive the kernels: one allocation, one launch and one read for each batch."""

    remedy = "give more memory=BYTES, or smaller batches; the graph is intact"

    def __init__(self, host: Host, options: Mapping[str, Value]) -> None:
        super().__init__(host, options)
        self.block_bytes = int(options["block_bytes"])
        self._by_warp = options["update"] == "warp"
        self._threads = host.warp_size if self._by_warp else int(options["block"])

    @property
    def arrays(self) -> Mapping[str, DeviceArray]:
        """The one allocation, as bytes."""
        self.host.check_open()
        return {"memory": self.memory}

    def check(self) -> None:
        """Look through all blocks, the vertices and the manager; raise StructureError."""
        image = self.image()
        if self.stack.pointer != self.stack.end:
            raise UsageError("temporaries are on the stack", "check when they are gone")
        image.check()

    def image(self) -> Image:
        """Return a copy of the allocation as far as it is used."""
        used = self.layout.end_of(self._blocks)
        return Image(self.layout, self.mode, self.host.read(self.memory[:used]))

    @contextmanager
    def temporary(self, what: str, size: int) -> Iterator[DeviceArray]:
        """Have bytes on the stack of temporaries, as long as the context lasts.

        Parameters
        ----------
        what : str
            What they are for, for messages.
        size : int
            How many.

        Yields
        ------
        uint8 device array of shape (size,)
            Whatever was there before.

        Raises
        ------
        UsageError
            If they would reach into the blocks, or `size` is no number of bytes.
        """
        whole(size, "size", 0)
        try:
            with self.stack.pushed(what, size) as start:
                self._write_pointer(COUNTS_END)
                yield self.memory[start : start + size]
        finally:
            with suppress(UsageError):  # of a structure that was closed meanwhile
                self._write_pointer(POINTER + 8)

    def triangles(self) -> NDArray[np.uint32]:
        """Count the triangles at each vertex, in an array on the stack of temporaries.

        A thread for each vertex compares all neighbours' neighbours with its own: for small graphs.

        Returns
        -------
        uint32 array of shape (V,)
            How many; a triangle counts at each of its three vertices.

        Raises
        ------
        UsageError
            If there is no room for the array, or an edge lacks its reverse.
        """
        if lonely := unreturned(*compress(self.edges().keys, self.vertices)):
            raise UsageError(
                "triangles are of undirected graphs, and the edge from {} to {} has no "
                "reverse".format(*lonely),
                "insert edges both ways",
            )
        counts: list[NDArray[np.uint32]] = []
        self.measured("triangles", 0, lambda: self._count_triangles(counts), changes=False)
        return counts[0]

    def _count_triangles(self, found: list[NDArray[np.uint32]]) -> Effect:
        size = self.layout.vertices
        with self.temporary("triangles of each vertex", 4 * size) as counts:
            grid = self.host.blocks(size, THREADS)
            self.host.launch("aimgraph_triangles", grid, THREADS, (self.memory, counts))
            found.append(self.host.read(counts).view(np.uint32))
        return Effect(0)

    # Initialisation.

    def _build(self, graph: Graph, edges: Batch) -> Effect:
        words = 1 + len(MODES[self.mode])
        self.layout = Layout(graph.vertices, words, self.block_bytes)
        self._blocks = 0
        totals = min(self.host.blocks(graph.vertices, THREADS), MOST_BLOCKS)
        size = self._size(graph, totals)
        self.memory = self.host.empty("memory", size, "uint8")
        self.stack = Stack(size, lambda: self.layout.end_of(self._blocks))
        self._write_manager()
        more = np.concatenate((graph.neighbours[:0], *edges.columns(self.mode)[2:]))
        with self._on_stack("the graph", graph.offsets, graph.neighbours, more) as csr:
            with self.temporary("sums of blocks", 4 * (totals + 1)) as sums:
                self._initialise(totals, sums, csr)
            self._blocks = int(self._read_manager()["next_free_block"])
        return Effect(graph.edges, facts={"blocks_taken": self._blocks})

    def _initialise(self, totals: int, sums: DeviceArray, csr: list[DeviceArray]) -> None:
        host, size = self.host, self.layout.vertices
        host.launch("aimgraph_count", totals, THREADS, (self.memory, csr[0], sums))
        host.launch("segment_places", 1, MOST_BLOCKS, (sums, totals, sums[4 * totals :]))
        host.launch("aimgraph_place", totals, THREADS, (self.memory, sums))
        grid = min(host.blocks(size * host.warp_size, THREADS), WAVES * host.resident_threads)
        host.launch("aimgraph_fill", grid, THREADS, (self.memory, *csr))

    def _size(self, graph: Graph, totals: int) -> int:
        """Return the bytes to allocate: those that were asked for, or twice what is needed."""
        blocks = self.layout.end_of(self.layout.blocks_of(graph.degrees))
        edges = aligned(4 * graph.edges) + aligned(4 * len(MODES[self.mode]) * graph.edges)
        stack = aligned(graph.offsets.nbytes) + edges + aligned(4 * (totals + 1))
        least = aligned(blocks) + stack
        given = int(self.options["memory"])
        if given and given < least:
            raise UsageError(
                f"memory={given} is not enough for {graph.label}, which needs {least:,} bytes",
                f"give at least {least}, and room for updates",
            )
        return given or aligned(2 * least + (1 << 20))

    # Updates.

    def _insert(self, batch: Batch) -> Effect:
        return self._update("aimgraph_insert", batch.columns(self.mode))

    def _delete(self, batch: Batch) -> Effect:
        return self._update("aimgraph_delete", batch.columns("simple"))

    def _update(self, kernel: str, columns: tuple[NDArray[np.int32], ...]) -> Effect:
        """Put a batch on the stack, launch one kernel, and read the manager."""
        updates = len(columns[0])
        if not updates:
            return Effect(0)
        if self._by_warp:
            most = WAVES * self.host.resident_threads // self.host.warp_size
            name, grid = f"{kernel}_warp", min(updates, most)
        else:
            name, grid = kernel, self.host.blocks(updates, self._threads)
        with self._on_stack("a batch", np.concatenate(columns)) as (words,):
            self.host.launch(name, grid, self._threads, (self.memory, words, np.uint32(updates)))
            return self._effect()

    def _effect(self) -> Effect:
        """Read the manager: what the batch did, and how many blocks there are now."""
        manager = self._read_manager()
        before, self._blocks = self._blocks, int(manager["next_free_block"])
        return Effect(
            int(manager["applied"]),
            int(manager["unchanged"]),
            int(manager["refused"]),
            {
                "lock_attempts": int(manager["lock_attempts"]),
                "blocks_taken": self._blocks - before,
            },
        )

    # What all of them need.

    @contextmanager
    def _on_stack(self, what: str, *parts: NDArray[Any]) -> Iterator[list[DeviceArray]]:
        """Have copies of host arrays on the stack, each on a line of its own."""
        sizes = [aligned(part.nbytes) for part in parts]
        with self.temporary(what, sum(sizes)) as room:
            starts = np.cumsum([0, *sizes])
            places = [
                room[start : start + part.nbytes]
                for start, part in zip(starts, parts, strict=False)
            ]
            for place, part in zip(places, parts, strict=True):
                self.host.copy_to(place, np.ascontiguousarray(part).view(np.uint8))
            yield places

    def _write_pointer(self, end: int) -> None:
        """Tell the kernels where the temporaries begin; up to `end` there are zeros behind it."""
        values = np.zeros((end - POINTER) // 8, np.uint64)
        values[0] = self.stack.pointer
        self.host.copy_to(self.memory[POINTER:end], values.view(np.uint8))

    def _write_manager(self) -> None:
        """Tell the kernels where everything lies."""
        layout = self.layout
        manager = np.zeros(1, MANAGER)
        known = {
            "begin": layout.manager_bytes,
            "end": self.stack.end,
            "stack": self.stack.pointer,
            "blocks": layout.blocks_at,
            "vertices": layout.vertices,
            "next_free_block": self._blocks,
            "edge_mode": layout.edge_words,
            "block_bytes": layout.block_bytes,
            "threads": self._threads,
            "threads_per_update": self.host.warp_size if self._by_warp else 1,
        }
        for name, value in known.items():
            manager[name] = value
        self.host.copy_to(self.memory[: MANAGER.itemsize], manager.view(np.uint8))

    def _read_manager(self) -> Any:
        return self.host.read(self.memory[: MANAGER.itemsize]).view(MANAGER)[0]

    # What the host is told.

    def _edges(self) -> Batch:
        return self.image().edges()

    def _memory(self) -> Memory:
        layout, used = self.layout, self._blocks
        free = (self.stack.pointer - layout.end_of(used)) // layout.block_bytes
        regions = {
            "manager": layout.manager_bytes,
            "static": layout.static_bytes,
            "blocks": used * layout.block_bytes,
            "free": self.stack.pointer - layout.end_of(used),
            "temporaries": self.stack.end - self.stack.pointer,
        }
        return Memory(regions, used, free)
