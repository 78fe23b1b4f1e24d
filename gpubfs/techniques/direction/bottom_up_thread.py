"""Bottom-up, and a thread that is done with its vertex fetches the next one by an atomic.

Gaihre et al. (XBFS, Section 5.1.2, "thread-centric"): how long a vertex looks for its parent is
known only afterwards, so vertices are not dealt out before. The queue has two ranges: the first has
an entry for each of the T threads of the fixed grid, by its number; the entries behind it are
handed out by a counter that all threads share. A pass over a queue of more than T vertices makes as
many atomics as that has vertices: one after each, of which the last T fetch nothing. One over a
queue of at most T vertices makes none: nothing is left to fetch, which the kernel sees from the
queue's size.

What is mended of Algorithm 1: it fetches by atomicInc(counter, 1), which in CUDA wraps around at 1,
so that threads would get the numbers 0 and 1 for ever: it is an addition of 1. It takes what it
fetches for a vertex, where it is a place in the queue, and traverses it before it is compared with
the queue's size. A thread whose number is beyond the queue's end has no vertex in the first range,
either. The counter starts at T, in every pass anew.

What that evens out is the work of warps. The lanes of one wait for the one that looks longest, as
they run together, and then fetch together.

All else is as in bottom-up, the grid too.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.bottom_up import DYNAMIC, search
from gpubfs.search.description import technique
from gpubfs.search.papers import XBFS


@technique(
    "bottom-up-thread",
    kernel="bottom_up_thread.cu",
    paper=XBFS,
    section="5.1.2, Algorithm 1",
    year=2019,
    **DYNAMIC,
)
def bottom_up_thread(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search with passes whose vertices are fetched while they run."""
    return search(host, graph, source, "bottom_up_thread", dynamic=True, **options)
