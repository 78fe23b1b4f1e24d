"""After a bottom-up level its own queue, with a test of the status, is the next level's queue.

Gaihre et al. (Section 4.1, Observation 2, Figure 4c): the queue of a bottom-up level holds all
vertices that were not visited before it, so it holds the vertices that the level visited. The first
top-down level afterwards goes through that queue, passes over what is still not visited, and
expands the rest as scan-free does; no scan makes a queue for it. What the test costs is a thread
for each vertex that the bottom-up level had in its queue.

All else is as in double-scan.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.directions import DIRECTIONS, DirectionSearch
from gpubfs.search.papers import XBFS


@technique(
    "no-queue",
    family="frontier generation",
    kernel="no_queue.cu",
    paper=XBFS,
    section="4.1, Observation 2, Figure 4c",
    year=2019,
    **DIRECTIONS,
)
def no_queue(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search top-down and bottom-up, without a scan where the direction changes back."""
    search = DirectionSearch(host, graph, "double_scan", reuse="no_queue_expand", **options)
    return search.run(source)
