"""Two scans of the status array by whole warps, a prefix sum between them: a sorted queue.

Gaihre et al. (Section 4.2, Figure 6): the status array is cut into one segment per thread, each as
many vertices long as a multiple of a warp's lanes. The first scan counts each segment's vertices, a
prefix sum turns the counts into places, the second scan writes the vertices there. A thread is
responsible for its own segment, but the lanes of a warp scan the segments of all of them together,
so that loads are coalesced; the ballot's bits go to the responsible lane. Nothing is atomic.

The paper makes the queues of bottom-up levels in this way, whose frontier is all that was not
visited yet: in order, because these vertices' adjacencies are then read in order, too. Here the
first top-down level after them gets its queue by the same scans; `no-queue` spares that. The other
top-down levels are scan-free's, with `width` lanes a vertex. Unless `blocks` says otherwise, each
thread's segment is one warp's width long up to 8 million vertices. A level is bottom-up if its
frontier has the share `alpha` of all edges (the paper's 0.1), which a kernel counts before it.
Bottom-up, vertices look for their parents along their own edges, so a directed graph is refused.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.directions import DIRECTIONS, DirectionSearch
from gpubfs.search.papers import XBFS


@technique(
    "double-scan",
    family="frontier generation",
    kernel="double_scan.cu",
    paper=XBFS,
    section="4.2, Figure 6",
    year=2019,
    **DIRECTIONS,
)
def double_scan(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search top-down and bottom-up."""
    return DirectionSearch(host, graph, "double_scan", **options).run(source)
