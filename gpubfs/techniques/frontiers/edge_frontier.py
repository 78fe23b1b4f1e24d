"""Vertices are expanded into a queue of edges, which three filters contract to vertices again.

Merrill, Garland and Grimshaw, whose gathering Tödling et al. (Section II-C) retell; in Gunrock's
words, advance and filter. Gaihre et al. (Section 1.1) name the price, the space. Expansion gathers
the adjacencies of the frontier in global memory, so that the contraction has one thread for each
edge. Two of its filters cost no atomics: a bitmask of the vertices that were visited, which is
small enough for a cache, and culling, in which the lanes of a warp find duplicates among themselves
through a hash table in shared memory. Room in both queues comes from prefix sums over a block, or,
with `enqueue=atomic`, from an addition per thread.

Three things are simpler than Merrill's. There the threads of a block vie for it with their large
vertices, then those of a warp, and small adjacencies are copied by all threads together; here a
warp copies the adjacencies of its lanes one after another, whatever their size. Merrill culls
duplicates of a block's past, too. And there, as Tödling et al. say, edges that pass the filters are
either expanded again at once, or placed into a queue of vertices, depending on the frontier's size;
here they always go into that queue, and expanding and contracting are two launches.

Merrill's bitmask is written without atomics, and duplicates that escape are expanded again: that
costs only work. Here the last filter is an atomic OR on the bitmask, so that a vertex is enqueued
once and the queue of vertices needs no more than V places. The queue of edges needs a place for
every edge of the frontier, up to the whole graph's.
"""

from __future__ import annotations

from dataclasses import replace

from gpubfs.errors import UsageError
from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import QUEUE_ARRAYS, Iteration, level_loop
from gpubfs.search.papers import MERRILL
from gpubfs.search.queues import BLOCK_256, ENQUEUE, ENQUEUE_SHARED

#: Entries of a warp's hash table for each of its lanes, as in the kernel.
CULLING_SLOTS = 4

#: The most edges of a level, whose threads in whole blocks are numbered in 32 bits.
MOST_EDGES = 2**31 - 1024


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
        "tables": "of lanes that store to one slot any may win: it decides which duplicate goes",
    },
    options=(
        BLOCK_256,
        replace(ENQUEUE, default="prefix-sum"),
    ),
)
def edge_frontier(
    host: Host, graph: DeviceGraph, source: int, *, block: int, enqueue: str
) -> SearchResult:
    """Expand and contract, with a read of the number of edges between them."""
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
    tables = 4 * CULLING_SLOTS * block

    def expand(iteration: Iteration) -> None:
        host.write(edges_size, 0)
        gathered = (
            graph.offsets,
            graph.neighbours,
            iteration.frontier,
            iteration.size,
            edges,
            edges_size,
        )
        host.launch("edge_frontier_expand", host.blocks(iteration.size, block), block, gathered)
        count = host.read_int(edges_size)
        if count:
            filtered = (
                edges,
                count,
                visited,
                iteration.level,
                iteration.next,
                iteration.next_size,
                iteration.depth,
            )
            grid = host.blocks(count, block)
            host.launch("edge_frontier_contract", grid, block, filtered, shared_mem=tables)

    return level_loop(host, graph, source, expand)
