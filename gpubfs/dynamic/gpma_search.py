"""A breadth-first search through a packed memory array, which drops gaps and counts them.

GPMA's search is based on Merrill et al. (Tödling et al., Section III-B), and shares out the edges
of a block's vertices as `cta-warp-scan` does, by the same code: large rows take the block, middle
ones a warp, and of the small ones all threads take positions one by one. A row is a stretch of the
array, with the sentinel of the row before it, gaps, and edges that were deleted: these are loaded
as edges are, and dropped. So a search looks at all positions of a row where one in compressed
sparse rows looks at its edges.

It "only ever launches a bounded number of threads" (Section V), which is why the paper's search,
with as many threads as vertices of a class need, falls behind on large frontiers: a launch has 96
times 8 blocks at most, which go over the frontier in strides.

Tödling et al. say that GPMA's search has an explicit queue of edges; here an edge that was gathered
is looked at once, so that it differs from cta-warp-scan in nothing but the array and the grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpubfs.dynamic.structure import FOLDER
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult
from gpubfs.search.counters import collect, merged_sites
from gpubfs.search.loops import QUEUE_ARRAYS, SWAPPED_IN_VAIN, Iteration, level_loop
from gpubfs.search.option import Option
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.result import Run
from gpubfs.search.runs import LARGEST_BLOCK
from gpubfs.search.technique import Technique
from gpubfs.search.verify import verify

if TYPE_CHECKING:
    from gpubfs.machines import Machine

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

BLOCKS = Option(
    "blocks",
    96 * 8,
    "the most blocks of a launch; 0 is as many as the frontier needs",
    minimum=0,
    maximum=2**31 - 1,
)
GAPS = Option(
    "gaps", True, "whether threads count the positions that they drop", define="COUNT_GAPS"
)


@dataclass(frozen=True)
class PackedGraph(DeviceGraph):
    """A graph whose `offsets` are those of rows, and `neighbours` the keys of a packed array.

    Attributes
    ----------
    values : device array
        Beside each key, whether the edge was deleted.
    gaps : device array
        For each level how many positions its vertices' rows have in vain.
    """

    values: DeviceArray = None
    gaps: DeviceArray = None


def _drive(
    host: Host, graph: PackedGraph, source: int, *, block: int, blocks: int, gaps: bool
) -> SearchResult:
    """Expand one level a launch, until a level is empty."""
    rows = graph.neighbours, graph.values, graph.offsets

    def expand(level: Iteration) -> None:
        needed = host.blocks(level.size, block)
        queues = (level.frontier, level.size, level.next, level.next_size)
        own = graph.gaps[level.depth - 1 : level.depth]
        args = (*rows, level.level, *queues, level.depth, own)
        grid = min(needed, blocks or needed)
        host.launch("gpma_search", grid, block, args, shared_mem=4 * block)

    return level_loop(host, graph, source, expand)


TECHNIQUE = Technique(
    "cta-warp-scan",
    _drive,
    kernel="gpma_search.cu",
    arrays=QUEUE_ARRAYS | {"gaps": "for each level, positions that were looked at in vain"},
    options=(BLOCK_256, BLOCKS, GAPS),
    benign=BENIGN,
    folder=FOLDER,
)


def search_packed(
    arrays: Mapping[str, DeviceArray],
    graph: Graph,
    machine: Machine,
    technique: str,
    source: int | None,
    record: bool,
    options: Mapping[str, object],
) -> Run:
    """Search a packed memory array breadth first, and verify what was found.

    Parameters
    ----------
    arrays : mapping
        Its arrays by name.
    graph : Graph
        The graph that is in it.
    machine : Machine
        Which has been entered, and has it in its memory.
    technique, source, record, options
        As of `Gpma.search`.
    """
    if technique != TECHNIQUE.name:
        what = f"{technique} does not search packed memory arrays"
        raise UsageError(what, f"take {TECHNIQUE.name}")
    values: dict[str, Any] = TECHNIQUE.complete(options, machine.warp_size)
    start = graph.hub if source is None else source
    graph.check_vertex(start, "source")
    macros = {"MOST_WARPS": str(LARGEST_BLOCK // machine.warp_size), **TECHNIQUE.defines(values)}
    host = Host(machine, TECHNIQUE.path, macros, record=record)
    gaps = host.full("gaps", graph.vertices, 0, "uint64")
    rows = arrays["row_offsets"], arrays["keys"], graph.vertices, graph.edges, graph.directed
    found = _drive(host, PackedGraph(*rows, arrays["values"], gaps), start, **values)
    return _run(host, graph, start, values, found, gaps)


def _run(
    host: Host,
    graph: Graph,
    source: int,
    values: dict[str, Any],
    found: SearchResult,
    gaps: DeviceArray,
) -> Run:
    """Return what came of a search, once it is verified."""
    machine, (seconds, launches) = host.machine, host.finish()
    counters = collect(host, launches)
    levels = machine.asnumpy(found.levels)
    verify(graph, source, levels, None)
    dropped = machine.asnumpy(gaps)[: levels.max() + 1].tolist() if values["gaps"] else []
    if values["gaps"]:
        counters["gaps_traversed"] = sum(dropped)
    return Run(
        technique=TECHNIQUE.name,
        graph=graph,
        source=source,
        machine=machine.name,
        device=machine.device,
        schedule=machine.schedule,
        options=values,
        levels=levels,
        parents=None,
        seconds=seconds,
        launches=host.launches,
        counters=counters,
        not_counted=machine.not_counted,
        sites=merged_sites(launches),
        per_launch=launches,
        facts={depth: {"gaps_traversed": number} for depth, number in enumerate(dropped)},
    )
