"""Discoveries wait in registers until a block enqueues them together by one atomic addition.

Tödling, Winter and Steinberger (Section III-A, Figure 1), after Merrill, Garland and Grimshaw:
every thread keeps the vertices it discovers in registers, an exclusive prefix sum over the block
gives every thread its place, the last thread of the block reserves space in the global queue, and
every thread copies its own vertices there. The look at a vertex's status is itself the
compare-and-swap, so that no vertex is enqueued twice.

The paper leaves open here what a thread does with more edges than it has registers for; its answer
comes later, as classes of vertices by degree. This technique answers it in the simplest way that
keeps to Figure 1: a block goes on in rounds. In each round a thread looks at `edges_per_thread`
edges of its vertex (the paper's 4), and the round ends with the prefix sum and the one atomic
addition, which is left out if the block discovered nothing. Rounds end when no thread of the block
has edges left, so one vertex of large degree keeps its whole block; the techniques that classify
vertices are about that.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, queue_loop
from gpubfs.search.option import Option
from gpubfs.search.papers import MERRILL, TOEDLING
from gpubfs.search.queues import BLOCK_256


@technique(
    "block-prefix-sum",
    family="frontier generation",
    kernel="block_prefix_sum.cu",
    paper=f"{TOEDLING} (after {MERRILL})",
    section="III-A, Figure 1",
    year=2019,
    arrays=QUEUE_ARRAYS,
    memory=f"{QUEUE_MEMORY}; an int of shared memory for each warp, and one more",
    shared={
        "warp_totals": "what each warp of the block discovered in the round",
        "start": "where the block's vertices go in next",
    },
    options=(
        BLOCK_256,
        Option(
            "edges_per_thread",
            4,
            "edges that a thread looks at in one round, each needing a register",
            minimum=1,
            maximum=32,
            define="EDGES_PER_THREAD",
        ),
    ),
)
def block_prefix_sum(
    host: Host, graph: DeviceGraph, source: int, *, block: int, edges_per_thread: int
) -> SearchResult:
    """Run the kernel, which has `edges_per_thread` as a macro, with a shared int for each warp."""
    warp_totals = 4 * (block // host.warp_size)
    return queue_loop(host, graph, source, "block_prefix_sum", block, shared_mem=warp_totals)
