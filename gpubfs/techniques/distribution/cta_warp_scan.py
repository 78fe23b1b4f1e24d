"""Large adjacencies take a block, middle ones a warp, small ones are shared out by a prefix sum.

Merrill, Garland and Grimshaw's gathering of 2012, as Tödling et al. (Section II-C) retell it. A
block has one vertex of the frontier for each thread. Threads with large vertices vie for the
block: all write to the same word, and after a barrier the one whose number is found there has its
vertex explored by all threads; that is repeated until no large vertex is left, and then within each
warp. The edges of what remains are listed in shared memory, where a prefix sum says how many come
before a thread's, and all threads look at them together, one each. So the threads of a block differ
by at most an edge for each large vertex and each round at the end, and those of a warp by as little
for each middle one; but nobody helps a warp that has more of these than others. The price is three
barriers for each large vertex, one after another, two for each round, and three for every block.

Large is here what has at least as many edges as the block has threads, and for a warp as many as
it has lanes; the text says "large nodes" and "larger than the warp width", and with exactly a
warp's width the warp has no idle lane. Which of the threads that vie writes last is left to the
hardware, and any will do: in every round one of them is served.

Merrill's gathering fills a queue of edges, which `edge-frontier` has; here an edge that was
gathered is looked at once, and what is done with it is scan-free's, so that the techniques of work
distribution differ in nothing else. Merrill's blocks go over several tiles of vertices; here each
has one. Lanes that vie relied on warps that run in step: `__syncwarp()` stands where they must
wait.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import EXPANDED
from gpubfs.search.loops import QUEUE_MEMORY, queue_loop
from gpubfs.search.papers import MERRILL
from gpubfs.search.queues import BLOCK_256

#: Why it does no harm that threads write their numbers to one word at the same time.
ANY_WINS = (
    "of the threads that store their numbers to one word any may win: its edges are looked at, and "
    "the others vie again"
)

DESCRIBED: dict[str, Any] = EXPANDED | {
    "memory": f"{QUEUE_MEMORY}; 4 or 8 bytes of shared memory for each thread, and 16 or 24 for "
    "each of 32 warps and for the block",
    "shared": {
        "winner": "which thread of the block has its vertex explored",
        "won_begin": "where the winner's edges begin",
        "won_end": "where they end",
        "warp_winner": "for each warp, which lane has its vertex explored",
        "warp_begin": "where the edges of each warp's winner begin",
        "warp_end": "where they end",
        "warp_totals": "edges that each warp has left",
        "total": "edges that the block has left",
        "positions": "where in neighbours the edges of a round are",
    },
    "benign": EXPANDED["benign"] | {"winner:writes": ANY_WINS, "warp_winner:writes": ANY_WINS},
}


@technique(
    "cta-warp-scan",
    kernel="cta_warp_scan.cu",
    paper=MERRILL,
    section="as in Tödling et al., II-C",
    year=2012,
    options=(BLOCK_256,),
    **DESCRIBED,
)
def cta_warp_scan(host: Host, graph: DeviceGraph, source: int, *, block: int) -> SearchResult:
    """Run the kernel, which has a position in shared memory for each thread, level after level."""
    positions = graph.offsets.dtype.itemsize * block
    return queue_loop(host, graph, source, "cta_warp_scan", block, shared_mem=positions)
