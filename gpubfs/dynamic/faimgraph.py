"""Pages of edges and records of vertices in one allocation, both reused once they are given back.

faimGraph, by Winter, Mlakar, Zayer, Seidel and Steinberger (2018), as Tödling, Winter and
Steinberger (2019) describe it in Sections II-B and IV: after aimGraph, with vertices that come and
go, too. One allocation holds a manager, two queues of indices that are free, and what changes:
vertices grow from the front, an array of structures, and pages of edges from the end, each linked
to the next by its number in its last 4 bytes. Whoever needs a page takes one out of the queue, and
a new one only where that is empty; so the graph may change for ever in the memory that it has.

Insertion and deletion are one launch each. Both lock the vertex. Edges have no holes: insertion
appends behind the last edge, unless it met the new one on the way, and deletion moves the last edge
to where the deleted one was. A page that is empty then goes into the queue, unless it is the
vertex's only one. Insertions and deletions never run in the same launch: a queue is only filled by
a launch, or only emptied.

Vertices are called by ids, and kernels know them by index; the index of a deleted vertex goes into
the other queue and is given to another. Insertion refuses ids that the batch has twice or the graph
has, in a launch each, and takes an index and a page for each of the others. Deletion takes the ids
away, by an exchange that one update with the vertex wins; then the edges that lead to these
vertices are deleted, and their pages and indices are freed. Where all edges have reverses, the
edges are found by the deleted vertices' own lists; elsewhere a launch passes over the graph.

The faimGraph paper is not among those that this package follows, so that what the other one leaves
open is decided here. A vertex has one page at least. Its record is lock, first page, neighbours,
capacity, id, and in the modes that have them weight and type: 20, 24 or 28 bytes. A page is 64 or
128 bytes, an entry a structure of its words. Where a queue is full, a page stays with its vertex,
and a deleted vertex's record is not reused; where memory is exhausted, an update is refused and its
vertex stays as it was. The published code marks edges to deleted vertices and compacts lists by
another kernel; here each is deleted with compaction at once. Updates lie between vertices and pages
for the time of their launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.dynamic_graph import DynamicGraph, Memory
from gpubfs.dynamic.faimgraph_image import Image
from gpubfs.dynamic.faimgraph_layout import ERRORS, LINE, MANAGER, NONE, Layout, aligned, slots_for
from gpubfs.dynamic.faimgraph_vertices import VertexUpdates
from gpubfs.dynamic.operation import Effect, Operation
from gpubfs.dynamic.options import BLOCK_BYTES, MEMORY, MODE, UPDATE
from gpubfs.dynamic.structure import structure
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph, GraphError
from gpubfs.host import DeviceArray, Host
from gpubfs.search.option import Option, Value
from gpubfs.search.papers import FAIMGRAPH
from gpubfs.search.queues import BLOCK_256

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.search.result import Run

#: Threads of a block of the initialisation.
THREADS = 256

QUEUE = Option(
    "queue",
    0,
    "slots of each queue of free indices, a power of two; 0 is enough for all",
    minimum=0,
    maximum=2**30,
)


@structure(
    "faimgraph",
    paper=FAIMGRAPH,
    section="as in Tödling et al., II-B and IV",
    year=2018,
    arrays={"memory": "manager, queues of free indices, vertices, and pages from the end"},
    options=(MODE, UPDATE, BLOCK_BYTES, BLOCK_256, MEMORY, QUEUE),
)
class FaimGraph(DynamicGraph):
    """Drive the kernels: one allocation, one launch and one read for each batch of edges."""

    remedy = "give more memory=BYTES, or smaller batches; the graph is intact"

    def __init__(self, host: Host, options: Mapping[str, Value]) -> None:
        super().__init__(host, options)
        self._by = str(options["update"])
        self._threads = host.warp_size if self._by == "warp" else int(options["block"])
        #: The words of the manager, as the host last read them.
        self.state: dict[str, int] = {}
        #: Where temporaries end, and the vertices that may come to be.
        self._end = 0
        #: The index of each id, NONE where there is no such vertex.
        self._index = np.empty(0, np.int32)
        #: Whether all edges are known to have their reverses.
        self.symmetric = False

    @property
    def arrays(self) -> Mapping[str, DeviceArray]:
        """The one allocation, as 32-bit words."""
        return {"memory": self.memory}

    @property
    def indices(self) -> NDArray[np.int32]:
        """The index of each vertex by its id, -1 where there is none of that id."""
        return self._index

    def check(self) -> None:
        """Look through vertices, pages and queues; raise StructureError."""
        self.image().check()

    def image(self) -> Image:
        """Return a copy of the allocation as far as it is used."""
        layout, manager = self.layout, self.state
        front = self.memory[: layout.vertices_end(manager["next_vertex"])]
        back = self.memory[layout.words - manager["next_page"] * layout.page_words :]
        return Image(layout, self.mode, self.host.read(front), self.host.read(back))

    # Vertices.

    def insert_vertices(
        self, ids: ArrayLike, values: Mapping[str, ArrayLike] | None = None
    ) -> Operation:
        """Insert vertices; those that are there already, or twice in the batch, change nothing.

        Parameters
        ----------
        ids : array_like of int
            What they shall be called.
        values : mapping of str to array_like of int, optional
            Their weight and type, as far as the mode has them; 0 where none is given.

        Returns
        -------
        Operation
            How many were new, and what it cost.

        Raises
        ------
        GraphError, UsageError
            If the batch does not fit: nothing has changed.
        ExhaustedError
            If memory did not suffice for all: the message says how many took effect.
        """
        return VertexUpdates(self).insert(ids, values or {})

    def delete_vertices(self, ids: ArrayLike) -> Operation:
        """Delete vertices and all edges from and to them; others than those there change nothing.

        Parameters
        ----------
        ids : array_like of int
            What they are called.

        Returns
        -------
        Operation
            How many were there, and what it cost.

        Raises
        ------
        GraphError
            If these are no ids: nothing has changed.
        """
        return VertexUpdates(self).delete(ids)

    def search(
        self, technique: str, source: int | None = None, *, record: bool = True, **options: object
    ) -> Run:
        """Search the graph where it is, by one of the techniques that go over pages, and verify it.

        Parameters
        ----------
        technique : str
            One of `gpubfs.dynamic.paged_search.TECHNIQUES`.
        source : int, optional
            Where to begin; by default the vertex with the most neighbours.
        record : bool
            Whether to count or time every launch by itself.
        **options
            The technique's own options.

        Returns
        -------
        Run
            What was found and counted, of vertices by their ids.

        Raises
        ------
        UsageError, GraphError
            If the technique does not go over pages, or its options or the source are not there.
        VerificationError
            If the result is not a breadth-first search.
        """
        from gpubfs.dynamic.paged_search import search_pages

        return search_pages(self, technique, source, record, options)

    # Initialisation.

    def _build(self, graph: Graph, edges: Batch) -> Effect:
        self.layout = self._layout(graph)
        self._index = np.arange(graph.vertices, dtype=np.int32)
        self.symmetric = not graph.directed
        host, layout = self.host, self.layout
        self.memory = host.empty("memory", layout.words)
        host.write(self.memory[:LINE], 0)
        host.write(self.memory[layout.page_queue_at : layout.vertices_at], NONE)
        at = MANAGER["next_vertex"]
        host.write(self.memory[at : at + 1], graph.vertices)
        self.state = dict.fromkeys(MANAGER, 0) | {"next_vertex": graph.vertices}
        if graph.vertices:
            self._initialise(graph, np.concatenate(edges.columns(self.mode)[1:]))
        self._read_manager()
        return Effect(graph.edges, facts={"pages_taken": self.state["next_page"]})

    def _initialise(self, graph: Graph, words: NDArray[np.int32]) -> None:
        host, size = self.host, graph.vertices
        offsets = np.asarray(graph.offsets, np.int64).view(np.int32)
        with self.temporaries("the graph", offsets, words) as (begins, edges):
            args = (self.part("manager"), self.part("vertices"), size, begins)
            host.launch("initialise_vertices", host.blocks(size, THREADS), THREADS, args)
            args = (self.part("vertices"), self.part("pages"), size, begins, edges)
            grid = host.blocks(size * host.warp_size, THREADS)
            host.launch("initialise_pages", grid, THREADS, (*args, np.int64(graph.edges)))

    def _layout(self, graph: Graph) -> Layout:
        """Return the layout of the memory that was asked for, or of twice what is needed."""
        page_words, edge_words = int(self.options["block_bytes"]) // 4, 1 + len(MODES[self.mode])
        shape = {"page_words": page_words, "edge_words": edge_words}
        pages = Layout(0, 0, 0, **shape).pages_of(graph.degrees)
        temporaries = aligned(2 * len(graph.offsets)) + aligned(edge_words * graph.edges)

        def laid_out(words: int) -> Layout:
            slots = self._slots(words // page_words, words // 5)
            return Layout(words, *slots, **shape)

        def needed(words: int) -> int:
            end = laid_out(words).vertices_end(graph.vertices)
            return aligned(end) + temporaries + aligned(pages * page_words)

        least = needed(0)
        while needed(least) > least:
            least = needed(least)
        given = int(self.options["memory"]) // 4 // LINE * LINE
        if given and needed(given) > given:
            raise UsageError(
                f"memory={self.options['memory']} is not enough for {graph.label}, which needs "
                f"{4 * least:,} bytes",
                f"give at least {4 * least}, and room for updates",
            )
        return laid_out(given or aligned(2 * least + (1 << 18)))

    def _slots(self, pages: int, vertices: int) -> tuple[int, int]:
        """Return the slots of the two queues: those that were asked for, or enough for all."""
        given = int(self.options["queue"])
        if given & (given - 1):
            raise UsageError(f"queue={given} is not a power of two", f"give {slots_for(given)}")
        return given or slots_for(pages), given or slots_for(vertices)

    # Updates of edges.

    def _insert(self, batch: Batch) -> Effect:
        return self._update("insert", batch, batch.columns(self.mode)[2:])

    def _delete(self, batch: Batch) -> Effect:
        return self._update("delete", batch, ())

    def _update(self, what: str, batch: Batch, more: Sequence[NDArray[np.int32]]) -> Effect:
        """Put a batch beside the graph, launch one kernel, and read the manager."""
        updates = len(batch)
        if not updates:
            return Effect(0)
        ends = self._indices(batch.sources, "source"), self._indices(batch.targets, "target")
        grid = updates if self._by == "warp" else self.host.blocks(updates, self._threads)
        self.symmetric = self.symmetric and _is_symmetric(batch)
        with self.temporaries("a batch", np.concatenate((*ends, *more))) as (words,):
            args = (*self.graph_arguments(), words, np.uint32(updates))
            self.host.launch(f"{what}_by_{self._by}", grid, self._threads, args)
            effect = self.effect(lock_attempts=updates)
        self.symmetric = self.symmetric and not effect.refused
        return effect

    def named(self, ids: NDArray[np.int32], indices: NDArray[np.int32] | int) -> None:
        """Note the indices of vertices, -1 of those that are no more."""
        most = int(ids.max(initial=-1)) + 1
        if most > len(self._index):
            self._index = np.append(self._index, np.full(most - len(self._index), NONE, np.int32))
        self._index[ids] = indices
        self.vertices = max(self.vertices, most)

    def _indices(self, ids: NDArray[np.int32], what: str) -> NDArray[np.int32]:
        """Return the indices of vertices.

        Raises
        ------
        GraphError
            If one was deleted, or never there.
        """
        indices = self._index[ids]
        gone = np.flatnonzero(indices == NONE)
        if len(gone):
            raise GraphError(
                f"{what} holds {ids[gone[0]]} at position {gone[0]}: there is no vertex of this id "
                "(any more); no update took effect",
                hint="insert it first, or leave the edge out",
            )
        return indices

    # What all of them need.

    @contextmanager
    def temporaries(
        self, what: str, *parts: NDArray[np.int32], room_for: int = 0
    ) -> Iterator[list[DeviceArray]]:
        """Have copies of host arrays behind the last vertex, as long as the context lasts.

        Parameters
        ----------
        what : str
            What they are, for messages.
        *parts : int32 arrays
            The arrays.
        room_for : int
            How many vertices may come to be meanwhile.

        Yields
        ------
        list of int32 device arrays
            One for each.

        Raises
        ------
        UsageError
            If they would reach into the pages.
        """
        vertices = self.state["next_vertex"] + room_for
        starts = [aligned(self.layout.vertices_end(vertices))]
        for part in parts:
            starts.append(starts[-1] + aligned(len(part)))
        room = self.layout.page_at(self.state["next_page"] - 1)
        if starts[-1] > room:
            raise UsageError(
                f"memory is exhausted: {what} of {4 * (starts[-1] - starts[0]):,} bytes would "
                f"reach into the pages, which leave {4 * max(room - starts[0], 0):,}; no update "
                "took effect",
                "give more memory=BYTES, or smaller batches",
            )
        self._end = starts[-1]
        places = [
            self.memory[start : start + len(part)]
            for start, part in zip(starts, parts, strict=False)
        ]
        for place, part in zip(places, parts, strict=True):
            if len(part):
                self.host.copy_to(place, np.ascontiguousarray(part))
        try:
            yield places
        finally:
            self._end = 0

    @property
    def page_limit(self) -> int:
        """How many pages there can be beside vertices and temporaries."""
        vertices = self.layout.vertices_end(self.state["next_vertex"])
        return self.layout.page_limit(max(self._end, vertices))

    def graph_arguments(self) -> tuple[Any, ...]:
        """Return what kernels get of the graph."""
        queue = self.part("page_queue"), self.layout.page_slots
        parts = self.part("vertices"), self.part("pages")
        return (self.part("manager"), *queue, *parts, self.page_limit)

    def part(self, name: str) -> DeviceArray:
        """Return the allocation from where a region begins."""
        layout = self.layout
        begins = {
            "manager": 0,
            "page_queue": layout.page_queue_at,
            "vertex_queue": layout.vertex_queue_at,
            "vertices": layout.vertices_at,
            "pages": layout.page_at(0),
        }
        return self.memory[begins[name] :]

    def effect(self, **attempts: int) -> Effect:
        """Read the manager: what a batch did, and what it took; then begin to count anew."""
        before = self.state["next_page"], self.state["free_pages"]
        now = self._read_manager()
        at = MANAGER["applied"]
        self.host.write(self.memory[at : at + 4], 0)
        taken = now["next_page"] - before[0] - (now["free_pages"] - before[1])
        facts = {name: value + now["retries"] for name, value in attempts.items()}
        facts |= {"pages_taken": max(taken, 0), "pages_freed": max(-taken, 0)}
        return Effect(now["applied"], now["unchanged"], now["no_room"], facts)

    def _read_manager(self) -> dict[str, int]:
        words = self.host.read(self.memory[:LINE])
        self.state = {name: int(words[at]) for name, at in MANAGER.items()}
        return self.state

    # What the host is told.

    def _edges(self) -> Batch:
        return self.image().edges()

    def _memory(self) -> Memory:
        layout, manager = self.layout, self.state
        taken, end = manager["next_page"], layout.vertices_end(manager["next_vertex"])
        regions = {
            "manager": LINE,
            "page_queue": layout.page_slots,
            "vertex_queue": layout.vertex_slots,
            "vertices": end - layout.vertices_at,
            "pages": taken * layout.page_words,
        }
        regions["free"] = layout.words - sum(regions.values())
        used = taken - manager["free_pages"]
        free = layout.page_limit(end) - used
        return Memory({name: 4 * words for name, words in regions.items()}, used, free)

    @property
    def errors(self) -> tuple[str, ...]:
        """What the error word has said so far: names of `ERRORS`."""
        return tuple(name for name, bit in ERRORS.items() if self.state["errors"] & bit)


def _is_symmetric(batch: Batch) -> bool:
    """Whether each edge of a batch has its reverse there."""
    reverse = Batch(batch.targets, batch.sources)
    return bool(np.array_equal(np.sort(batch.keys), np.sort(reverse.keys)))
