"""Groups of lanes share a frontier vertex and look at neighbouring edges of it.

Hong, Kim, Oguntebi and Olukotun's virtual warps of 2011, as Busato and Bombieri (Sections 2 and
3.1, left of Figure 2) describe them: all lanes of a group load their vertex, the same word, and
lane k looks at edges k, k + width, and so on. A group that is as wide as a vertex has edges loads
them at once; one that is wider leaves lanes without work, and one that is narrower walks.

The paper sets the width by the average degree, smaller where that is lower: `width=auto` is the
smallest power of two that is not below it, and at most a warp. The grid has at most as many blocks
as run at the same time, and its groups go over the frontier in strides.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import EXPANDED, GROUP_WIDTH, expand_resident
from gpubfs.search.loops import level_loop
from gpubfs.search.papers import HONG
from gpubfs.search.queues import BLOCK_256


@technique(
    "virtual-warp",
    kernel="virtual_warp.cu",
    paper=HONG,
    section="as in Busato and Bombieri, 2 and 3.1, Figure 2",
    year=2011,
    options=(BLOCK_256, GROUP_WIDTH),
    **EXPANDED,
)
def virtual_warp(
    host: Host, graph: DeviceGraph, source: int, *, block: int, width: int
) -> SearchResult:
    """Run the kernel, which has `width` as a macro, level after level."""
    expand = expand_resident(host, graph, "virtual_warp_expand", block, width)
    return level_loop(host, graph, source, expand)
