"""Vertices of many edges go to whole warps, blocks and grids, and the rest to a basic mapping.

Busato and Bombieri (Section 3.4, Table 2, Figures 4 and 5): three supports for `warp-shuffle` or
`scan-based`, which `basic` chooses between. A vertex is tested for the supplementary queues first,
then for block gathering, then for warp gathering; what none of them takes is mapped as without.

`warp`: vertices with more edges than a warp has lanes get places without gaps by a binary prefix
sum of four instructions, mask, ballot, and, popc; then the warp takes them one after the other. The
paper reads the mask of lower lanes from a special register by PTX; in C it is `(1 << lane) - 1`.
`block`: vertices with more edges than a block has threads, by the same sum within warps, to which
one addition a warp to a counter in shared memory adds where the warp begins: an unordered prefix
sum. `queues`: vertices with more edges than half of the GPU's threads wait in bins, each for
degrees within a factor of two, and a launch for each bin that has vertices follows in the same
level. It gives each of them as many threads as the bin's lower bound.

`supports=auto` is Table 2: each support if the graph's maximum degree is above its threshold. Half
of the threads is 135,168 on an H200, which few graphs reach; `queue_threshold` lowers it. `base` is
the paper's b, which "can be tuned by the user"; the natural one, where the threshold lies in the
first bin, is taken without it. The paper prints the bins' intervals closed on both sides; a degree
belongs to one of them, so half-open ones are meant. The last bin's threads for a vertex are bounded
by those that are resident on the GPU, and it has all larger degrees.

The paper does not say where bins are stored or how the host learns their sizes: they have room for
as many vertices as can be above the threshold, and the host reads all sizes once a level.
"""

from __future__ import annotations

from gpubfs.errors import UsageError
from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import level_loop
from gpubfs.search.option import AUTO
from gpubfs.search.papers import BUSATO
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.supports import (
    BASIC,
    BASIC_WIDTH,
    ITEMS,
    SCAN_BASED,
    SUPPORTED,
    expand_supported,
    support_options,
)


@technique(
    "supports",
    kernel="supports.cu",
    paper=BUSATO,
    section="3.4, Table 2, Figures 4 and 5",
    year=2018,
    options=(BLOCK_256, BASIC, BASIC_WIDTH, *support_options(AUTO)),
    **SUPPORTED,
)
def supports(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    basic: str,
    width: int,
    supports: str,
    queue_threshold: int,
    base: int,
) -> SearchResult:
    """Run the kernel, which has all words and `width` as macros, level after level."""
    if basic == SCAN_BASED and width != 1:
        raise UsageError(
            f"width={width} is for groups of lanes, and basic={SCAN_BASED} has none",
            "leave out width, or take basic=warp-shuffle",
        )
    slots = int(ITEMS.default) if basic == SCAN_BASED else 0
    given = supports, queue_threshold, base
    expand = expand_supported(host, graph, "supports", block, slots, *given)
    return level_loop(host, graph, source, expand)
