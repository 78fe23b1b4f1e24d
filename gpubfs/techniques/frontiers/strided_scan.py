"""Two scans of the status array, each thread along its own segment: strided loads.

The scan of Liu and Huang's Enterprise, as Gaihre et al. (XBFS, Section 4.2) describe it to improve
on it: the queue is sorted, as double-scan's is, and made by the same two scans with a prefix sum
between them, but each thread walks its own segment from one vertex to the next. The lanes of a warp
then read words that lie a segment apart, and each of them needs a sector of its own. Once segments
are longer than a sector's eight words, the same sector is asked for again and again.

All else is as in double-scan, so that only the scans differ. In that it is not Enterprise. There a
later bottom-up level makes no scan of the status array: it takes the vertices of the queue before
that found no visited neighbour (Tödling et al., Section II-C). And in Enterprise's public code the
scan for a top-down level is interleaved, and so coalesced; strided is the scan at the switch to
bottom-up, where the order of the queue matters.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.directions import DIRECTIONS, DirectionSearch


@technique(
    "strided-scan",
    family="frontier generation",
    kernel="strided_scan.cu",
    paper="Liu, Huang, Enterprise: Breadth-first graph traversal on GPUs",
    section="as in Gaihre et al. (XBFS), 4.2",
    year=2015,
    **DIRECTIONS,
)
def strided_scan(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search top-down and bottom-up."""
    return DirectionSearch(host, graph, "strided_scan", **options).run(source)
