"""A breadth-first search through a packed memory array, which drops gaps and counts them.

GPMA's search is based on Merrill et al. (Tödling et al., Section III-B), and shares out the edges of
a block's vertices as `cta-warp-scan` does, by the same code: large rows take the block, middle ones
a warp, and of the small ones all threads take positions one by one. A row is a stretch of the array,
with the sentinel of the row before it, gaps, and edges that were deleted: these are loaded as edges
are, and dropped. So a search looks at all of a row's positions where one in compressed sparse rows
looks at its edges.

It "only ever launches a bounded number of threads" (Section V), which is why the paper's search,
with as many threads as vertices of a class need, falls behind on large frontiers: a launch has 96
times 8 blocks at most, which go over the frontier in strides.

Tödling et al. say that GPMA's search has an explicit queue of edges; here an edge that was gathered
is looked at once, so that it differs from cta-warp-scan in nothing but the array and the grid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gpubfs.arguments import truth, whole
from gpubfs.dynamic.structure import FOLDER
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray, DeviceGraph, Host
from gpubfs.search.counters import collect, merged_sites
from gpubfs.search.loops import SWAPPED_IN_VAIN, Iteration, level_loop
from gpubfs.search.option import Value
from gpubfs.search.result import Run
from gpubfs.search.verify import verify

#: The most blocks of a launch.
BLOCKS = 96 * 8

KERNEL = "gpma_search"

#: Why it does no harm that threads write their numbers to one word at the same time.
ANY_WINS = (
    "of the threads that store their numbers to one word any may win: its row is looked at, and "
    "the others vie again"
)

BENIGN = {
    "level": SWAPPED_IN_VAIN,
    "winner:writes": ANY_WINS,
    "warp_winner:writes": ANY_WINS,
}


def search(
    host: Host,
    arrays: Mapping[str, DeviceArray],
    graph: Graph,
    source: int,
    block: int,
    blocks: int,
    gaps: bool,
) -> Run:
    """Search a packed memory array breadth first, and verify what was found.

    Parameters
    ----------
    host : Host
        Of the structure.
    arrays : mapping
        Its arrays by name.
    graph : Graph
        The graph that is in it.
    source, block, blocks, gaps
        As of `Gpma.search`.
    """
    options = _checked(host, graph, source, block, blocks, gaps)
    own = host.beside(FOLDER / f"{KERNEL}.cu", {"OFFSET": "int", "COUNT_GAPS": str(int(gaps))})
    counted = own.full("gaps", 1, 0, "uint64")
    rows = DeviceGraph(arrays["row_offsets"], arrays["keys"], graph.vertices, graph.edges)
    found = level_loop(own, rows, source, _expansion(own, arrays, counted, block, blocks))
    seconds, launches = own.finish()
    counters = collect(own, launches)
    if gaps:
        counters["gaps_traversed"] = own.read_int(counted)
    levels = own.read(found.levels)
    verify(graph, source, levels, None)
    return Run(
        technique=KERNEL,
        graph=graph,
        source=source,
        machine=own.machine.name,
        device=own.machine.device,
        schedule=own.machine.schedule,
        options=options,
        levels=levels,
        parents=None,
        seconds=seconds,
        launches=own.launches,
        counters=counters,
        not_counted=own.machine.not_counted,
        sites=merged_sites(launches),
        per_launch=launches,
    )


def _checked(
    host: Host, graph: Graph, source: int, block: int, blocks: int, gaps: bool
) -> dict[str, Value]:
    """Return the options of a search; raise GraphError or UsageError if something is wrong."""
    graph.check_vertex(source, "source")
    threads = whole(block, "block", host.warp_size, 1024)
    if threads % host.warp_size:
        hint = f"give a multiple of {host.warp_size}"
        raise UsageError(f"block={threads} is not a whole number of warps", hint)
    return {
        "block": threads,
        "blocks": whole(blocks, "blocks", 0),
        "gaps": truth(gaps, "gaps"),
    }


def _expansion(
    host: Host, arrays: Mapping[str, DeviceArray], gaps: DeviceArray, block: int, blocks: int
) -> Callable[[Iteration], None]:
    """Return what expands a level, in `blocks` blocks at most if that is not 0."""
    rows = arrays["keys"], arrays["values"], arrays["row_offsets"]

    def expand(level: Iteration) -> None:
        needed = host.blocks(level.size, block)
        queues = (level.frontier, level.size, level.next, level.next_size)
        args = (*rows, level.level, *queues, level.depth, gaps)
        host.launch(KERNEL, min(needed, blocks or needed), block, args, shared_mem=4 * block)

    return expand
