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

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.dynamic_graph import DynamicGraph, Memory
from gpubfs.dynamic.faimgraph import vertices as vertex_updates
from gpubfs.dynamic.faimgraph.allocation import Allocation
from gpubfs.dynamic.faimgraph.image import Image
from gpubfs.dynamic.faimgraph.layout import LINE, NONE, Layout, aligned, slots_for
from gpubfs.dynamic.faimgraph.paged_search import Pages, search_pages
from gpubfs.dynamic.operation import Effect, Operation
from gpubfs.dynamic.options import BLOCK_BYTES, MEMORY, MODE, UPDATE
from gpubfs.dynamic.structure import structure
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph, GraphError
from gpubfs.host import DeviceArray, Host
from gpubfs.search.loops import SWAPPED_IN_VAIN
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
    benign={
        "level": f"of searches over the pages: {SWAPPED_IN_VAIN}",
        "wanted:writes": "of classified-immediate: all who set a flag write the same",
    },
    options=(MODE, UPDATE, BLOCK_BYTES, BLOCK_256, MEMORY, QUEUE),
)
class FaimGraph(DynamicGraph):
    """Drive the kernels: one allocation, one launch and one read for each batch of edges."""

    remedy = "give more memory=BYTES, or smaller batches; the graph is intact"

    def __init__(self, host: Host, options: Mapping[str, Value]) -> None:
        super().__init__(host, options)
        self._by = str(options["update"])
        self._threads = host.warp_size if self._by == "warp" else int(options["block"])
        #: The index of each id, NONE where there is no such vertex.
        self._index = np.empty(0, np.int32)
        #: Whether all edges are known to have their reverses.
        self._symmetric = False
        #: The graph as it is now, as long as it is known.
        self._known: Graph | None = None

    @property
    def arrays(self) -> Mapping[str, DeviceArray]:
        """The one allocation, as 32-bit words."""
        self.host.check_open()
        return {"memory": self.allocation.memory}

    @property
    def errors(self) -> tuple[str, ...]:
        """What the error word has said so far, such as page_queue_full."""
        return self.allocation.errors

    def check(self) -> None:
        """Look through vertices, pages and queues; raise StructureError."""
        self.image().check()

    def image(self) -> Image:
        """Return a copy of the allocation as far as it is used."""
        return self.allocation.image(self.mode)

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
            If these are no ids, or such large ones that this machine's memory cannot hold a graph
            with them, or values do not fit: nothing has changed.
        ExhaustedError
            If memory did not suffice for all: the message says how many took effect.
        """
        wanted = vertex_updates.checked(ids)
        vertex_updates.check_largest(wanted)
        words = self.allocation.layout.vertex_words
        records = vertex_updates.records(wanted, {} if values is None else values, words)
        order = np.argsort(wanted, kind="stable")
        beyond = max(int(wanted.max(initial=-1)) + 1 - len(self._index), 0)

        def insert() -> Effect:
            if not len(wanted):
                return Effect(0)
            self._known = None
            self._index = np.append(self._index, np.full(beyond, NONE, np.int32))
            batch = wanted[order], records[order]
            effect, indices = vertex_updates.insert(self.allocation, *batch)
            new = indices != NONE
            self._index[batch[0][new]] = indices[new]
            self.vertices = max(self.vertices, int(batch[0][new].max(initial=-1)) + 1)
            return effect

        return self.measured("insert_vertices", len(wanted), insert)

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
        given = vertex_updates.checked(ids)
        wanted = given[given < len(self._index)]
        wanted = wanted[self._index[wanted] != NONE]

        def delete() -> Effect:
            if not len(wanted):
                return Effect(0, len(given))
            self._known = None
            indices = self._index[wanted]
            effect = vertex_updates.delete(self.allocation, indices, self._symmetric)
            self._index[wanted] = NONE
            return Effect(effect.applied, len(given) - effect.applied, facts=effect.facts)

        return self.measured("delete_vertices", len(given), delete)

    # Searches.

    def search(
        self,
        technique: str,
        source: int | None = None,
        *,
        record: bool = True,
        walk: str = "leader",
        **options: object,
    ) -> Run:
        """Search the graph where it is, by one of the techniques that go over pages, and verify it.

        Parameters
        ----------
        technique : str
            One of `gpubfs.dynamic.faimgraph.paged_search.TECHNIQUES`.
        source : int, optional
            Where to begin; by default the vertex with the most neighbours.
        record : bool
            Whether to count or time every launch by itself.
        walk : str
            Who follows the links between pages where a warp or more share a vertex: the first lane
            of each warp, its "leader", one after the other, as in the paper; or all its "lanes",
            as many at a time as lie side by side.
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
        if self.mode != "simple":
            raise UsageError(
                f"searches go over pages of edges without attributes, and the mode is {self.mode}",
                "take mode=simple",
            )
        if self._known is None:
            self._known = self.to_csr()
        layout = self.allocation.layout
        parts = self.allocation.part("vertices"), self.allocation.part("pages")
        count = self.allocation.state["next_vertex"]
        indices = self._index[: self.vertices]
        places = count, layout.page_words, layout.page_at(0)
        pages = Pages(self._known, indices, *parts, *places)
        return search_pages(pages, self.host.machine, technique, source, record, walk, options)

    # Initialisation.

    def _build(self, graph: Graph, edges: Batch) -> Effect:
        layout = self._layout(graph)
        self._index = np.arange(graph.vertices, dtype=np.int32)
        self._symmetric = not graph.directed
        self._known = graph
        self.allocation = Allocation(self.host, layout, graph.vertices)
        if graph.vertices:
            self._initialise(graph, np.concatenate(edges.columns(self.mode)[1:]))
        taken = self.allocation.read_manager()["next_page"]
        return Effect(graph.edges, facts={"pages_taken": taken})

    def _initialise(self, graph: Graph, words: NDArray[np.int32]) -> None:
        host, size, allocation = self.host, graph.vertices, self.allocation
        vertices, pages = allocation.part("vertices"), allocation.part("pages")
        offsets = np.asarray(graph.offsets, np.int64).view(np.int32)
        with allocation.temporaries("the graph", offsets, words) as (begins, edges):
            records = allocation.part("manager"), vertices, size, begins
            host.launch("initialise_vertices", host.blocks(size, THREADS), THREADS, records)
            lists = vertices, pages, size, begins, edges, np.int64(graph.edges)
            grid = host.blocks(size * host.warp_size, THREADS)
            host.launch("initialise_pages", grid, THREADS, lists)

    def _layout(self, graph: Graph) -> Layout:
        """Return the layout of the memory that was asked for, or of twice what is needed.

        Queues are powers of two, so that slightly more memory may have queues twice as large, and
        no room for the graph. Then less is allocated, with smaller queues.
        """
        shape = int(self.options["block_bytes"]) // 4, 1 + len(MODES[self.mode])
        pages = Layout(0, 0, 0, *shape).pages_of(graph.degrees)
        temporaries = aligned(2 * len(graph.offsets)) + aligned(shape[1] * graph.edges)

        def laid_out(words: int) -> Layout:
            return Layout(words, *self._slots(words, *shape), *shape)

        def needed(words: int) -> int:
            end = laid_out(words).vertices_end(graph.vertices)
            return aligned(end) + temporaries + aligned(pages * shape[0])

        least = needed(0)
        while needed(least) > least:
            least = needed(least)
        given = int(self.options["memory"])
        words = given // 4 // LINE * LINE if given else aligned(2 * least + (1 << 18))
        if words < least:
            raise UsageError(
                f"memory={given} is not enough for {graph.label}, which needs {4 * least:,} bytes",
                f"give at least {4 * least}, and room for updates",
            )
        while needed(words) > words:
            words = _with_smaller_queue(laid_out(words))
        return laid_out(words)

    def _slots(self, words: int, page_words: int, edge_words: int) -> tuple[int, int]:
        """Return the slots of the two queues: those that were asked for, or enough for all."""
        given = int(self.options["queue"])
        if given & (given - 1):
            raise UsageError(f"queue={given} is not a power of two", f"give {slots_for(given)}")
        vertex_words = Layout(0, 0, 0, page_words, edge_words).vertex_words
        enough = slots_for(words // page_words), slots_for(words // (vertex_words + page_words))
        return (given, given) if given else enough

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
        self._known = None
        self._symmetric = self._symmetric and _is_symmetric(batch)
        with self.allocation.temporaries("a batch", np.concatenate((*ends, *more))) as (words,):
            args = (*self.allocation.arguments, words, np.uint32(updates))
            self.host.launch(f"{what}_by_{self._by}", grid, self._threads, args)
            effect = self.allocation.effect(attempts=updates)
        self._symmetric = self._symmetric and not effect.refused
        return effect

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
                f"{what} {ids[gone[0]]} at position {gone[0]} is no vertex: it was deleted, or "
                "never inserted; no update took effect",
                hint="insert it first, or leave the edge out",
            )
        return indices

    # What the host is told.

    def _edges(self) -> Batch:
        return self.image().edges()

    def _memory(self) -> Memory:
        return self.allocation.regions()


def _is_symmetric(batch: Batch) -> bool:
    """Whether each edge of a batch has its reverse there."""
    reverse = Batch(batch.targets, batch.sources)
    return bool(np.array_equal(np.sort(batch.keys), np.sort(reverse.keys)))


def _with_smaller_queue(layout: Layout) -> int:
    """Return the most words of which one of the queues has half as many slots as here."""
    each = layout.page_words, layout.page_words + layout.vertex_words
    slots = layout.page_slots, layout.vertex_slots
    ends = ((n // 2 + 1) * size - 1 for n, size in zip(slots, each, strict=True))
    return max(ends) // LINE * LINE
