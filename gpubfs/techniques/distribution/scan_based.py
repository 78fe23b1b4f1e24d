"""A warp lays the edges of its vertices side by side in shared memory, and each lane takes one.

Busato and Bombieri (Section 3.2), after Merrill, Garland and Grimshaw: every lane loads a vertex,
a prefix sum over the warp's degrees by shuffles says where its edges go in the warp's slice of
shared memory, and when the slice is full, or all are in it, neighbouring lanes look at neighbouring
places. Lanes have edges as long as the warp has, whatever their own vertices' degrees are.

The slice has `items` places for each lane, a constant of the kernel, so that in all turns but the
last every lane looks at `items` edges: that loop is unrolled, and loads all of them before anything
is done with one, as the paper's instruction-level parallelism has it. As every lane takes as many
turns, unrolling does not change what is counted. The last turn's loop is not unrolled.

The paper writes the prefix sum's conditional additions as predicated PTX instructions. Here they
are C, `if (lane >= d) sum += left`, which the compiler predicates. The paper leaves out
synchronization, as the lanes of a warp then ran together; now `__syncwarp()` stands wherever lanes
exchange something through shared memory.

The option `supports` adds what `supports` is about; without it this is the basic mapping alone.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import level_loop
from gpubfs.search.papers import BUSATO, MERRILL
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.supports import ITEMS, NONE, SUPPORTED, expand_supported, support_options


@technique(
    "scan-based",
    kernel="scan_based.cu",
    paper=f"{BUSATO} (after {MERRILL})",
    section="3.2",
    year=2018,
    options=(BLOCK_256, ITEMS, *support_options(NONE)),
    **SUPPORTED,
)
def scan_based(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    items: int,
    supports: str,
    queue_threshold: int,
    base: int,
) -> SearchResult:
    """Run the kernel, which has `items` and `supports` as macros, level after level."""
    given = supports, queue_threshold, base
    expand = expand_supported(host, graph, "scan_based", block, items, *given)
    return level_loop(host, graph, source, expand)
