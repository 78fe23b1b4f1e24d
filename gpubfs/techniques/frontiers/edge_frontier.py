"""Vertices are expanded into a queue of edges, which three filters contract to vertices again.

Merrill, Garland and Grimshaw, whose gathering Tödling et al. (Section II-C) retell; in Gunrock's
words, advance and filter. Gaihre et al. (Section 1.1) name the price, the space. Expansion gathers
the adjacencies of the frontier in global memory, so that the contraction has one thread for each
edge. Two of its filters cost no atomics: a bitmask of the vertices that were visited, which is
small enough for a cache, and culling, in which the lanes of a warp find duplicates among themselves
through a hash table in shared memory. Room in both queues comes from prefix sums over a block, or,
with `enqueue=atomic`, from an addition per thread.

Edges that pass the filters are, as Tödling et al. say, "either immediately expanded again or placed
into a global vertex queue depending on the frontier size". While a level has at most `fused` edges,
one launch contracts them and expands the vertices that are left, which no queue ever holds: a level
is one launch and one read of a size instead of two. A level with more edges is contracted into the
queue of vertices, and expanded from there, with a vertex for each thread. The text has no number.
In the public code of Merrill et al. the criterion is saturation: one kernel stays with the search
while levels have up to four edges for each of its threads, and waits inside of it between levels.
Here each level is a launch, and `fused=-1` is one edge for each thread that the GPU holds at full
occupancy. With `fused=0` every level has its two phases.

Edges of a level that is found by such a launch stand in the queue behind those that it contracts.
All together are never more than the graph's, because no vertex is expanded twice.

Two things are simpler than Merrill's. There the threads of a block vie for it with their large
vertices, then those of a warp, and small adjacencies are copied by all threads together, as
`cta-warp-scan` has it; here a warp copies the adjacencies of its lanes one after another, whatever
their size. And Merrill culls duplicates of a block's past, too.

Merrill's bitmask is written without atomics, and duplicates that escape are expanded again: that
costs only work. Here the last filter is an atomic OR on the bitmask, so that a vertex is enqueued
once and the queue of vertices needs no more than V places. The queue of edges needs a place for
every edge of the frontier, up to the whole graph's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import QUEUE_ARRAYS
from gpubfs.search.option import Option
from gpubfs.search.papers import MERRILL
from gpubfs.search.queues import BLOCK_256, ENQUEUE, ENQUEUE_SHARED

#: Entries of a warp's hash table for each of its lanes, as in the kernel.
CULLING_SLOTS = 4

#: The most edges of a level, whose threads in whole blocks are numbered in 32 bits.
MOST_EDGES = 2**31 - 1024


@dataclass(frozen=True)
class Phases:
    """The launches of a search; each is followed by a read of how much it has queued.

    Attributes
    ----------
    host, graph, block
        As the driver got them.
    level : device array of V int32
        Distances, -1 where not visited.
    visited : device array of V / 32 uint32, rounded up
        A bit for each vertex.
    edges : device array of E int32
        Far ends of edges.
    edges_size : device array of 1 int32
        Where in `edges` the last that were appended end.
    """

    host: Host
    graph: DeviceGraph
    block: int
    level: DeviceArray
    visited: DeviceArray
    edges: DeviceArray
    edges_size: DeviceArray

    def expand(self, frontier: DeviceArray, size: int) -> int:
        """Queue the edges of `size` vertices from the queue's beginning; return how many."""
        self.host.write(self.edges_size, 0)
        grid = self.host.blocks(size, self.block)
        queues = (frontier, size, self.edges, self.edges_size)
        args = (self.graph.offsets, self.graph.neighbours, *queues)
        self.host.launch("edge_frontier_expand", grid, self.block, args)
        return self.host.read_int(self.edges_size)

    def contract(
        self, first: int, last: int, queue: DeviceArray, size: DeviceArray, depth: int
    ) -> int:
        """Queue the vertices that the edges at [first, last) discover; return how many."""
        self.host.write(size, 0)
        args = (self.edges, first, last, self.visited, self.level, queue, size, depth)
        self._filter("edge_frontier_contract", last - first, args)
        return self.host.read_int(size)

    def contract_expand(self, first: int, last: int, depth: int) -> int:
        """Queue the edges of those vertices, from `last` on; return where they end."""
        edges = (self.edges, first, last, self.edges_size)
        graph = (self.graph.offsets, self.graph.neighbours)
        args = (*graph, *edges, self.visited, self.level, depth)
        self._filter("edge_frontier_contract_expand", last - first, args)
        return self.host.read_int(self.edges_size)

    def _filter(self, kernel: str, edges: int, args: tuple[object, ...]) -> None:
        """Launch a thread for each edge, and hash tables for each warp."""
        tables = 4 * CULLING_SLOTS * self.block
        grid = self.host.blocks(edges, self.block)
        self.host.launch(kernel, grid, self.block, args, shared_mem=tables)


@technique(
    "edge-frontier",
    family="frontier generation",
    kernel="edge_frontier.cu",
    paper=MERRILL,
    section="gathering as in Tödling et al., II-C; filters after Merrill et al.",
    year=2012,
    arrays=QUEUE_ARRAYS
    | {
        "edges": "far ends of the frontier's edges",
        "edges_size": "how many there are in edges",
        "visited": "a bit for each vertex, 1 if it was visited",
    },
    shared={
        "tables": "a hash table of vertices, then of lanes, for each warp",
        **ENQUEUE_SHARED,
    },
    memory="4 V for level + 4 V for each of two queues + 4 E for the edges + V / 8 + 8 bytes",
    benign={
        "visited": "a bit that is read before it is set only lets a duplicate pass to the OR",
        "tables:writes": "of lanes that store to one slot any may win, whose duplicate stays",
    },
    options=(
        BLOCK_256,
        replace(ENQUEUE, default="prefix-sum"),
        Option(
            "fused",
            -1,
            "the most edges of a level that one launch contracts and expands; 0 is none, -1 is as "
            "many as the GPU holds threads",
            minimum=-1,
            maximum=MOST_EDGES,
        ),
    ),
)
def edge_frontier(
    host: Host, graph: DeviceGraph, source: int, *, block: int, enqueue: str, fused: int
) -> SearchResult:
    """Expand a queue of vertices, and contract its edges to one, with small levels between."""
    phases = _allocate(host, graph, source, block)
    frontier = host.queue("frontier", graph.vertices, source)
    following = host.queue("next", graph.vertices)
    following_size = host.full("next_size", 1, 0)
    limit = host.resident_threads if fused < 0 else fused
    size, depth = 1, 0
    while size:
        host.level(depth, size)
        first, last = 0, phases.expand(frontier, size)
        while first < last <= first + limit:
            depth += 1
            first, last = last, phases.contract_expand(first, last, depth)
            if first < last:
                host.level(depth)
        depth += 1
        size = 0
        if first < last:
            size = phases.contract(first, last, following, following_size, depth)
        frontier, following = host.swap(frontier, following)
    return SearchResult(phases.level)


def _allocate(host: Host, graph: DeviceGraph, source: int, block: int) -> Phases:
    """Allocate what all phases use, with the source visited."""
    if graph.edges > MOST_EDGES:
        raise UsageError(
            f"edge-frontier counts the edges of a level in 32 bits, and the graph has "
            f"{graph.edges:,}",
            "take a smaller graph, or a technique without a queue of edges",
        )
    edges = host.empty("edges", max(graph.edges, 1))
    edges_size = host.full("edges_size", 1, 0)
    visited = host.full("visited", host.blocks(graph.vertices, 32), 0, "uint32")
    host.write(visited[source // 32 : source // 32 + 1], 1 << source % 32)
    level = host.levels(graph.vertices, source)
    return Phases(host, graph, block, level, visited, edges, edges_size)
