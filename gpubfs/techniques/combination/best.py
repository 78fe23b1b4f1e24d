"""Each level is expanded by as many threads as it is worth: a block, a cluster of blocks, the grid.

No paper's: what the papers' techniques come to when they are combined, and each level gets the one
that suits it. Each kernel goes from level to level by itself as long as they suit it, and leaves
the search where it is; the host launches the other one until one says that the search is over.

*A block, or a cluster* of blocks, expands levels of few vertices. First a kernel puts the first
neighbours of every vertex into a row, so that a level waits for global memory once, and not for
offsets before, but for vertices with more neighbours than a row has places. What is visited, a bit
for each vertex, is in shared memory, dealt out to the blocks as in a search on machines with
distributed memory; so are the queues. One block waits for no other, several get more done at a
time: `ranks` says how many, by default one for less than five edges a vertex if the map fits into
its shared memory, and where the GPU has no clusters. `row` and `words` say how many neighbours are
in a row, and how many of them a thread has; `few`, how many vertices of a level a block has room
for.

*The grid* expands larger levels, with a barrier in memory between two (DFQ's loop): top-down from a
queue of candidates, or of chunks of at most 256 edges where a vertex has more than 8; or bottom-up
(Beamer et al.; XBFS) where a level has a 64th of all edges, and these, times `alpha`, are more than
those of the vertices that are not visited; up to four small levels behind are bottom-up, too. An
undirected edge counts twice. A bottom-up level needs no list of its frontier: a vertex that is not
visited and has a visited neighbour has one in the frontier, for an earlier one would have
discovered it. So one bit a vertex is all it reads beside edges, a warp writes the bits of its 32
vertices at once, and vertices without edges drop out. Before such a level no queue is made: the
level before it only marks what it finds, and levels that suddenly grow only add up edges; where a
queue is missing in the end, it is made from the map.

`stages` says which kernels are used. By default the host looks how a search from the hub begins:
where it takes fewer than ten levels to discover 16,384 vertices or all, levels soon are too large
for a cluster, and the grid searches alone; so it does from 16 edges a vertex on, and where the map
does not fit into shared memory. How each level was expanded is told with `--levels` and in JSON
(`facts`): the kernels note it, and the host reads it once the search has been timed.

Directed graphs are searched top-down only, for `neighbours` has no edges backward.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.graphs.reference import Step, first_steps
from gpubfs.host import DeviceArray, DeviceGraph, Facts, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import MARKED_TWICE
from gpubfs.search.option import AUTO, Option, Value
from gpubfs.search.papers import DFQ
from gpubfs.search.queues import BLOCK_1024

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpubfs.graphs import Graph
    from gpubfs.machines import Machine

#: The kernels that `stages` may name.
GRID, ALL_STAGES = "grid", "cluster+grid"

#: Edges a vertex from which a cluster has too much to do in a level.
DENSE = 16

#: Edges a vertex below which a level is too little work for several blocks.
SPARSE = 5

#: How far the host looks: until so many vertices are discovered, or so many levels expanded.
ENOUGH, FAR = 16384, 256

#: Levels that this must take where a cluster is of use: of random graphs it takes three to six.
SLOW = 10

#: Edges of the widest level below which its work is too little for threads with whole rows.
NARROW = 2000

#: What the ways to expand a level are called, by their numbers in `best_state.cuh`.
WAYS = {1: "block", 2: "cluster", 3: "queued", 4: "counted", 5: "marked", 6: "bottom-up"}

#: Vertices of a word of a map, and lanes of the warp that has it in a bottom-up level.
WORD = 32

#: A `Left` is so many ints; the last one says whether the search is over.
LEFT = 6

#: Five `Totals` are so many 64-bit words.
TOTALS = 15

#: As `best_state.cuh` has them.
CHUNK, LOW_DEGREE = 256, 8

#: Tails of a queue in shared memory, at most.
TAILS = 8

#: Bytes of a cluster's block besides the map and the queues: tails, and some flags.
STATIC = 4 * (3 * TAILS + 4)

#: Rows say in 31 bits where the neighbours are that have no place in them; four are loaded at once.
MOST_EDGES = 2**31 - 8


def stages_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose the grid where levels grow at once; for other graphs a cluster, too, if it fits."""
    dense = graph.edges >= DENSE * graph.vertices or graph.edges > MOST_EDGES
    fits = bool(_fitting(graph, machine, values))
    return ALL_STAGES if fits and not dense and len(_beginning(graph)) >= SLOW else GRID


def _fitting(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> list[int]:
    """Return how many blocks a cluster may have that runs at one time, ascending."""
    few, block = (int(str(values[name])) for name in ("few", "block"))
    given = str(values.get("ranks", AUTO))
    sizes = [1, 2, 4, 8] if given == AUTO else [int(given)]
    found = []
    for ranks in sizes:
        bytes_ = _shared(graph.vertices, ranks, few) + STATIC
        most = machine.multiprocessors * (machine.block_shared // bytes_)
        resident = min(most, machine.resident_threads // block)
        if ranks <= min(max(machine.cluster_blocks, 1), resident):
            found.append(ranks)
    return found


def _beginning(graph: Graph) -> tuple[Step, ...]:
    """Return the first levels from the hub, the host's own search."""
    return first_steps(graph, graph.hub, ENOUGH, FAR)


def ranks_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose the largest cluster that runs at one time; one block for the sparsest graphs."""
    fitting = _fitting(graph, machine, values)
    if values["stages"] == GRID or not fitting:
        return 1
    return fitting[0 if graph.edges < SPARSE * graph.vertices else -1]


def row_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose rows in which nearly all neighbours of most vertices have a place."""
    block = int(str(values["block"]))
    if values["stages"] == GRID or graph.edges < SPARSE * graph.vertices:
        return 4
    return next(row for row in (16, 8, 4) if block % (row // 4) == 0)


def words_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose a thread for each neighbour where levels are narrow, if the threads go round."""
    row, block = (int(str(values[name])) for name in ("row", "block"))
    if values["stages"] == GRID or row > 4 or block % row:
        return 4
    steps = _beginning(graph)
    seen = 1 + sum(step.discovered for step in steps)
    widest = max(step.edges_checked for step in steps)
    # As on a plane, where the number of vertices is the square of the width.
    return 1 if widest * math.sqrt(graph.vertices / seen) < NARROW else 4


@dataclass(frozen=True)
class ClusterSizes:
    """Of a cluster: its blocks, their threads, the neighbours of a row and of a thread.

    `few` is how many vertices of a level a block has room for.
    """

    ranks: int
    block: int
    row: int
    words: int
    few: int


@dataclass(frozen=True)
class Stage:
    """A kernel and how it is launched."""

    kernel: str
    blocks: int
    args: tuple[Any, ...]
    shared: int = 0


@dataclass(frozen=True)
class Memory:
    """What the kernels of one search share."""

    host: Host
    graph: DeviceGraph
    source: int
    level: DeviceArray
    visited: DeviceArray
    even: DeviceArray
    odd: DeviceArray
    even_chunks: DeviceArray
    odd_chunks: DeviceArray
    left: DeviceArray
    ways: DeviceArray

    @classmethod
    def allocated(cls, host: Host, graph: DeviceGraph, source: int) -> Memory:
        """Allocate what all stages need; the search is at the source."""
        level = host.levels(graph.vertices, source)
        visited = host.full("visited", _words(graph.vertices), 0, "uint32")
        host.write(visited[source // WORD : source // WORD + 1], 1 << source % WORD)
        chunks = 2 * (graph.edges // LOW_DEGREE + graph.edges // CHUNK + 1)
        positions = graph.offsets.dtype.name
        return cls(
            host,
            graph,
            source,
            level,
            visited,
            host.empty("even", max(graph.edges, 1)),
            host.empty("odd", max(graph.edges, 1)),
            host.empty("even_chunks", chunks, positions),
            host.empty("odd_chunks", chunks, positions),
            host.full("left", LEFT, 0),
            host.empty("ways", graph.vertices + 1),
        )

    def in_rows(self, rows: DeviceArray, block: int) -> Stage:
        """Return the stage that puts neighbours into rows."""
        graph = self.graph
        blocks = min(-(-len(rows) // block), self.host.resident_blocks(block, "best_rows"))
        args = graph.offsets, graph.neighbours, graph.vertices, rows
        return Stage("best_rows", blocks, args)

    def in_cluster(self, rows: DeviceArray, ranks: int, few: int) -> Stage:
        """Return the stage of a cluster whose blocks have room for `few` vertices of a level."""
        graph = self.graph
        head = graph.offsets, graph.neighbours, rows, self.level, graph.vertices, graph.edges
        queues = self.even, self.odd, self.even_chunks, self.odd_chunks
        spills = self.host.full("spills", 1, 0)
        args = *head, self.source, self.visited, *queues, self.left, self.ways, spills, few
        return Stage("best_cluster", ranks, args, _shared(graph.vertices, ranks, few))

    def in_grid(self, blocks: int, places: int, alpha: int) -> Stage:
        """Return the stage of the grid; a cluster whose queues have `places` takes small levels."""
        host, graph = self.host, self.graph
        other = host.empty("next_visited", _words(graph.vertices), "uint32")
        totals = host.full("totals", TOTALS, 0, "uint64")
        head = graph.offsets, graph.neighbours, self.level, graph.vertices, self.source
        queues = self.even, self.odd, self.even_chunks, self.odd_chunks
        state = self.left, self.ways, totals
        # Of vertices with a single edge it leads back, if all edges go both ways.
        fewest = 1 if graph.directed else 2
        sizes = places, fewest, 0 if graph.directed else alpha
        maps = self.visited, other
        args = *head, np.int64(graph.edges), *maps, *queues, *state, *sizes
        return Stage("best_grid", blocks, args)


def _check_cluster(host: Host, graph: DeviceGraph, sizes: ClusterSizes) -> None:
    """Raise UsageError if there is no such cluster, or if rows do not suit."""
    shares = sizes.row // sizes.words
    instead = f"give ranks=1, or stages={GRID}"
    if sizes.ranks > max(host.cluster_blocks, 1):
        raise UsageError(f"here are no clusters of {sizes.ranks} blocks", instead)
    if sizes.block % shares:
        raise UsageError(
            f"block={sizes.block} is not a multiple of the {shares} threads that share a row of "
            f"{sizes.row} neighbours with words={sizes.words}",
            "give row=4 and words=4, or another block",
        )
    if graph.edges > MOST_EDGES:
        raise UsageError(
            f"rows have no place for positions of {graph.edges:,} edges", f"give stages={GRID}"
        )
    shared = _shared(graph.vertices, sizes.ranks, sizes.few)
    if shared + STATIC <= host.block_shared:  # else the launch is refused by that name
        most = host.resident_blocks(sizes.block, "best_cluster", shared_mem=shared)
        if sizes.ranks > most:
            what = f"{sizes.ranks} blocks of {sizes.block} threads do not run at the same time"
            raise UsageError(f"{what}, only {most}", f"{instead}, or smaller blocks")


def _words(vertices: int) -> int:
    return -(-vertices // WORD)


def _shared(vertices: int, ranks: int, few: int) -> int:
    """Return the bytes of a block's part of the map, whole rows of words, and of two queues."""
    return 4 * WORD * _words(-(-_words(vertices) // ranks)) + 8 * few


@technique(
    "best",
    kernel="best.cu",
    family="combination",
    paper=DFQ,
    section="IV, the loop; directions after XBFS, candidates after Merrill et al.",
    year=2023,
    arrays={
        "level": "distance from the source, -1 where not visited",
        "visited": "a bit for each vertex: whether it was visited",
        "next_visited": "the same behind a bottom-up level, by turns",
        "even": "candidates, neighbours visited or not; or vertices that a cluster leaves over",
        "odd": "the same of the next level, by turns",
        "even_chunks": "where edges lie that are candidates, too",
        "odd_chunks": "the same of the next level, by turns",
        "rows": "the first neighbours of each vertex, and where the others are",
        "left": "the next level, its vertices, candidates and chunks, which queues, and the end",
        "ways": "how each level was expanded",
        "spills": "vertices that found no place in a cluster's queues",
        "totals": "what levels lead to, by turns: candidates, chunks, vertices, and their edges",
    },
    shared={
        "map": "the block's part of which vertices were visited, then the queues of two levels",
        "tails": "vertices in the queues of three levels",
        "full": "whether there was a vertex too many, of three levels",
        "end": "the level behind the last one",
        "of_warps": "vertices that each warp has found and their edges; places that it wants",
        "first": "where the block's places begin",
        "told": "the level's totals, read once for the block",
    },
    memory=(
        "4 V for level + V / 4 for two maps + 4 V for ways + 8 E for candidates + 33 E / 16 for "
        "chunks, or 33 E / 8 with 64-bit positions; with a cluster 4 row V for rows"
    ),
    options=(
        replace(BLOCK_1024, define="BLOCK"),
        Option(
            "blocks", 0, "blocks of the grid; 0 is one a multiprocessor", minimum=0, maximum=65535
        ),
        Option(
            "few",
            4096,
            "vertices of a level that a block has room for, rounded down to a multiple of 8",
            minimum=TAILS,
            maximum=16384,
        ),
        Option(
            "stages",
            AUTO,
            "which kernels search; auto is the grid alone where levels grow at once",
            choices=(AUTO, GRID, ALL_STAGES),
            choose=stages_for,
        ),
        Option(
            "ranks",
            AUTO,
            "blocks of the cluster; auto is one below five edges a vertex, else as many as fit",
            choices=(AUTO, 1, 2, 4, 8),
            choose=ranks_for,
            define="RANKS",
        ),
        Option(
            "row",
            AUTO,
            "places of a row; auto is 4 below five edges a vertex, else up to 16",
            choices=(AUTO, 4, 8, 16),
            choose=row_for,
            define="ROW",
        ),
        Option(
            "words",
            AUTO,
            "neighbours that a thread has of a row; auto is 1 where levels are narrow, else 4",
            choices=(AUTO, 1, 4),
            choose=words_for,
            define="WORDS",
        ),
        Option(
            "alpha", 14, "how soon large levels are bottom-up; 0 is never", minimum=0, maximum=1000
        ),
    ),
    benign={
        "visited": "a vertex that looks unvisited is claimed by an atomic, which has the last word",
        "next_visited": "as visited, with which it changes places",
        "level:writes": MARKED_TWICE,
    },
    cooperative=True,
)
def best(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    blocks: int,
    few: int,
    stages: str,
    ranks: int,
    row: int,
    words: int,
    alpha: int,
) -> SearchResult:
    """Launch the stages by turns until one says that the search is over."""
    few = few // TAILS * TAILS
    if stages != GRID:
        _check_cluster(host, graph, ClusterSizes(ranks, block, row, words, few))
    memory = Memory.allocated(host, graph, source)
    resident = host.waiting_blocks(blocks or host.multiprocessors, block, "best_grid")
    made, turn = [], [memory.in_grid(resident, ranks * few if stages != GRID else -1, alpha)]
    if stages != GRID:
        rows = host.empty("rows", row * graph.vertices)
        made = [memory.in_rows(rows, block)]
        turn.insert(0, memory.in_cluster(rows, ranks, few))
    host.level(0)
    for stage in made:
        _launch(host, stage, block)
    for stage in cycle(turn):
        _launch(host, stage, block)
        if host.read(memory.left)[-1]:
            break
    host.tell_levels(lambda: _facts(host, memory))
    return SearchResult(memory.level)


def _launch(host: Host, stage: Stage, block: int) -> None:
    host.launch(stage.kernel, stage.blocks, block, stage.args, shared_mem=stage.shared)


def _facts(host: Host, memory: Memory) -> Facts:
    """Say of each level how it was expanded."""
    depth = int(host.read(memory.left)[0])
    ways = host.read(memory.ways[:depth]).tolist()
    return {level: {"way": WAYS[way]} for level, way in enumerate(ways)}
