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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from gpubfs.dynamic.structure import FOLDER
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray, DeviceGraph, Facts, Host, SearchResult
from gpubfs.machines import Machine
from gpubfs.search.loops import QUEUE_ARRAYS, SWAPPED_IN_VAIN, Iteration, level_loop
from gpubfs.search.option import Option
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.runs import LARGEST_BLOCK, Search
from gpubfs.search.runs import prepared as prepared_search
from gpubfs.search.technique import Technique
from gpubfs.search.verify import verify

if TYPE_CHECKING:
    from gpubfs.search.result import Run

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

    depths = []

    def expand(level: Iteration) -> None:
        depths.append(level.depth - 1)
        needed = host.blocks(level.size, block)
        queues = (level.frontier, level.size, level.next, level.next_size)
        own = graph.gaps[depths[-1] : level.depth]
        args = (*rows, level.level, *queues, level.depth, own)
        grid = min(needed, blocks or needed)
        host.launch("gpma_search", grid, block, args, shared_mem=4 * block)

    if gaps:
        read = host.machine.asnumpy  # of the search itself the counters tell how often it reads
        host.tell_levels(lambda: _facts(read(graph.gaps[: len(depths)]).tolist()))
    return level_loop(host, graph, source, expand)


def _facts(gaps: list[int]) -> Facts:
    """Say of each level how many positions were looked at in vain."""
    return {depth: {"gaps_traversed": number} for depth, number in enumerate(gaps)}


TECHNIQUE = Technique(
    "cta-warp-scan",
    _drive,
    kernel="gpma_search.cu",
    arrays=QUEUE_ARRAYS | {"gaps": "for each level, positions that were looked at in vain"},
    options=(BLOCK_256, BLOCKS, GAPS),
    benign=BENIGN,
    folder=FOLDER,
)


@dataclass(frozen=True)
class PackedSearch(Search):
    """A search of a packed memory array whose options and source have been checked.

    Attributes
    ----------
    arrays : mapping of str to device array
        The array and what belongs to it, by name.
    """

    arrays: Mapping[str, DeviceArray] = None  # type: ignore[assignment]

    def placed(self, host: Host) -> DeviceGraph:
        """Return the graph where it is, with room for the gaps of each level."""
        graph, arrays = self.graph, self.arrays
        gaps = host.full("gaps", graph.vertices, 0, "uint64")
        rows = arrays["row_offsets"], arrays["keys"], graph.vertices, graph.edges, graph.directed
        return PackedGraph(*rows, arrays["values"], gaps)

    def macros(self, machine: Machine) -> dict[str, str]:
        """Return the macros of the search's kernel."""
        return {"MOST_WARPS": str(LARGEST_BLOCK // machine.warp_size)}


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

    Returns
    -------
    Run
        With ``gaps_traversed`` among its counters and in the facts of levels, if it is counted.
    """
    if technique != TECHNIQUE.name:
        what = f"{technique} does not search packed memory arrays"
        raise UsageError(what, f"take {TECHNIQUE.name}")
    asked = prepared_search(TECHNIQUE, graph, source, machine, options, record)
    found = PackedSearch(**vars(asked), arrays=arrays).within(machine, None)
    verify(graph, asked.source, found.levels, None)
    if not found.options["gaps"]:
        return found
    gaps = sum(cast(int, facts["gaps_traversed"]) for facts in found.facts.values())
    return replace(found, counters={**found.counters, "gaps_traversed": gaps})
