"""Bottom-up, and lanes that are done help the last one of their warp that still looks.

Gaihre et al. (XBFS, end of Section 5.1.2): fetching by warps balances warps, but not the lanes of
one. After every five neighbours the lanes vote; if all but one are done, that one tells the others
its vertex and what is left of its edges, and all look at them together, as many at a time as there
are lanes. One that finds a parent ends it, and the one that has donated stores. Lanes that have no
vertex count as done. The paper finds that 1 to 5 % slower than bottom-up-warp, whose fetching this
has: votes cost more than they bring, and lanes that look together look beyond the first parent.

The published code takes the number of the lane that donates from a variable that only this lane has
set; here it is the one whose bit the vote lacks. Whether some neighbour has the level that is being
found, which asynchronous passes need to know, is taken together over all lanes.

All else is as in bottom-up, the grid too.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.bottom_up import DYNAMIC, search
from gpubfs.search.description import technique
from gpubfs.search.papers import XBFS


@technique(
    "bottom-up-donate",
    kernel="bottom_up_donate.cu",
    paper=XBFS,
    section="5.1.2 (intra-warp work donation)",
    year=2019,
    **DYNAMIC,
)
def bottom_up_donate(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search with passes whose vertices are fetched while they run."""
    return search(host, graph, source, "bottom_up_donate", dynamic=True, **options)
