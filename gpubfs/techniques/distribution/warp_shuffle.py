"""Every lane loads a different frontier vertex, and groups of lanes take these in turn by shuffles.

Busato and Bombieri (Section 3.1, right of Figure 2). Where `virtual-warp` has all lanes of a group
load the same vertex, each lane here loads a vertex of its own with its offsets, once. In turn t the
group gets the t-th of its own lanes' vertices: the frontier is read by whole warps, in one request
where the other way of doing it takes `width`. The paper broadcasts the vertex; here it is its
offsets, since lanes that got the vertex would all load these again. All lanes of a warp that has an
edge take `width` turns, those without a vertex with no edges, because a shuffle needs them.

A group has `width` vertices behind each other, so that a frontier with fewer vertices than the
GPU has groups runs on `width` times fewer of them than with `virtual-warp`. On meshes, whose
frontiers are small, work is less even for it, and warps execute more statements.

`width=auto` is the smallest power of two that is not below the average degree, and at most a warp.
The option `supports` adds what `supports` is about; without it this is the basic mapping alone.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import GROUP_WIDTH
from gpubfs.search.loops import level_loop
from gpubfs.search.papers import BUSATO
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.supports import NONE, SUPPORTED, expand_supported, support_options


@technique(
    "warp-shuffle",
    kernel="warp_shuffle.cu",
    paper=BUSATO,
    section="3.1, Figure 2",
    year=2018,
    options=(BLOCK_256, GROUP_WIDTH, *support_options(NONE)),
    **SUPPORTED,
)
def warp_shuffle(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    width: int,
    supports: str,
    queue_threshold: int,
    base: int,
) -> SearchResult:
    """Run the kernel, which has `width` and `supports` as macros, level after level."""
    given = supports, queue_threshold, base
    expand = expand_supported(host, graph, "warp_shuffle", block, 0, *given)
    return level_loop(host, graph, source, expand)
