"""Bottom-up, a thread a vertex: who was not visited looks for a parent and stops at the first.

Gaihre et al. (XBFS, Section 5.1.2, "static solution"; the direction itself is Beamer, Asanović and
Patterson's): early termination leaves most vertices with little to do, whatever their degrees are,
so all of them are in one queue, and each has a thread. The queue comes from double-scan's scans, in
order. The grid is fixed: thread t has the entries t, t + T, t + 2 T, … of the queue, if there are T
threads.

All levels are bottom-up unless `alpha` says otherwise: with it, a level is bottom-up if its
frontier has that share of all edges. Top-down levels are scan-free's, with `width` lanes a vertex;
the first of them after a pass goes through the pass's queue (`back=no-queue`), or through one that
scans make. A vertex that has found a parent stores its level at once, inside of the loop; the
kernel of double-scan and no-queue, whose lanes wait for each other before they store, has a thread
for each entry of the queue instead of a fixed grid. `blocks=0` gives each thread that the GPU holds
at one time a place: the paper does not say its grid, and the published code has 256 blocks of 256
threads. bottom-up-thread, bottom-up-warp and bottom-up-donate have the same grid. Directed graphs
are refused.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.bottom_up import PASSES, search
from gpubfs.search.description import technique
from gpubfs.search.papers import XBFS


@technique(
    "bottom-up",
    kernel="bottom_up.cu",
    paper=XBFS,
    section="5.1.2 (static solution)",
    year=2019,
    **PASSES,
)
def bottom_up(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search with passes whose vertices are dealt out before."""
    return search(host, graph, source, "bottom_up_static", **options)
