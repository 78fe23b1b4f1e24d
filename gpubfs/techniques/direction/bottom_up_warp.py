"""Bottom-up, and a warp that is done with its vertices fetches new ones for all of its lanes.

Gaihre et al. (XBFS, Section 5.1.2, "warp-centric"): as in bottom-up-thread, but one lane adds the
number of lanes to the counter, and a shuffle tells the others where their places begin. That is one
atomic for as many vertices as a warp has lanes, and a wait of all lanes for the one that looks
longest. A pass over a queue of Q vertices by T threads, where Q is more than T, makes one atomic
for each warp's width of the Q - T vertices behind the first range, and one more for each warp,
which fetches nothing.

What is mended of Algorithm 2: its loop goes on for those lanes whose own place is within the queue,
so that at the end some have left when the others shuffle. Here the condition is about the warp's
first place, the same for all, and a lane behind the end has no vertex. The shuffle is written
without its arguments, and a warp's 32 lanes are warpSize here. The counter starts at T.

All else is as in bottom-up, the grid too.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.bottom_up import DYNAMIC, search
from gpubfs.search.description import technique
from gpubfs.search.papers import XBFS


@technique(
    "bottom-up-warp",
    kernel="bottom_up_warp.cu",
    paper=XBFS,
    section="5.1.2, Algorithm 2",
    year=2019,
    **DYNAMIC,
)
def bottom_up_warp(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search with passes whose vertices are fetched while they run."""
    return search(host, graph, source, "bottom_up_warp", dynamic=True, **options)
