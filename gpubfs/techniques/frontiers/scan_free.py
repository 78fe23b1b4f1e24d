"""A thread that claims a vertex by compare-and-swap enqueues it at once, and nothing is scanned.

Gaihre et al. (Section 4.1, Figure 4a) use atomics in two places: to update a neighbour's status,
and, if that succeeded, to append it to the next frontier queue. The queue's one tail takes as many
atomic additions as the level has vertices. The kernel reads the status first, which spares the
swap where it could not succeed.
"""

from __future__ import annotations

from dataclasses import replace

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, SWAPPED_IN_VAIN, queue_loop
from gpubfs.search.papers import XBFS
from gpubfs.search.queues import BLOCK_256, WIDTH


@technique(
    "scan-free",
    family="frontier generation",
    kernel="scan_free.cu",
    paper=XBFS,
    section="4.1, Figure 4a",
    year=2019,
    arrays=QUEUE_ARRAYS,
    memory=QUEUE_MEMORY,
    benign={"level": SWAPPED_IN_VAIN},
    options=(
        BLOCK_256,
        replace(WIDTH, default=1),
    ),
)
def scan_free(
    host: Host, graph: DeviceGraph, source: int, *, block: int, width: int
) -> SearchResult:
    """Run the kernel, which has `width` as a macro, level after level."""
    return queue_loop(host, graph, source, "scan_free", block, width=width)
