"""Each level is expanded by as many threads as it is worth: a block, a cluster of blocks, the grid.

No paper's: what the papers' techniques come to when they are combined, and each graph, or each
level, gets the one that suits it. Each kernel goes from level to level by itself.

*A block, or a cluster* of blocks, expands levels of few vertices. First a kernel puts the first
neighbours of every vertex into a row, so that a level waits for global memory once, and not for
offsets before, but for vertices with more neighbours than a row has places. What is visited, a bit
for each vertex, is in shared memory, dealt out to the blocks as in a search on machines with
distributed memory; so are the queues. One block waits for no other; where the map does not fit into
its shared memory a cluster has more of it: `ranks` says how many blocks. `row` and `words` say how
many neighbours are in a row, and how many of them a thread has; `few`, how many vertices of a level
a block has room for. A level that finds no place is left to the grid, which hands a later one back;
the host launches one after the other until one says that the search is over.

*The grid with queues* expands larger levels, with a barrier in memory between two (DFQ's loop):
top-down from a queue of candidates, or of chunks of at most 256 edges where a vertex has more than
8; or bottom-up (Beamer et al.; XBFS) where a level has a 64th of all edges, and these, times
`alpha`, are more than those of the vertices that are not visited; up to four small levels behind
are bottom-up, too. An undirected edge counts twice. A bottom-up level needs no list of its
frontier: a vertex that is not visited and has a visited neighbour has one in the frontier, for an
earlier one would have discovered it. So one bit a vertex is all it reads beside edges, a warp
writes the bits of its 32 vertices at once, and vertices without edges drop out. Before such a level
no queue is made: the level before it only marks what it finds, and levels that suddenly grow only
add up edges; where a queue is missing in the end, it is made from the map.

*The grid with a byte map*, `bytemap`, has no queues in global memory, and there no atomics but one
a block that finds vertices, for how many: neighbours are marked, a byte each, and in the next level
a thread looks at the marks of eight vertices at a time (as DFQ scans a status array, but at little
more than a quarter of the bytes). Where most neighbours were visited, a look at that spares marks
(`filter`). So a level takes the least time of all that the grid does, as long as it has not very
many edges, and no vertex has far more than others: `lanes` threads expand each. Where there are few
edges a level, a block alone does the same, `block-bytemap`.

`stages` says which kernels are used. By default the host looks how a search from the hub begins,
and at degrees: a block or a cluster with rows where there are many narrow levels, or many and a
large hub; byte maps where levels grow slowly or edges are few, and no vertex has more than 1024
neighbours; and the grid with queues for all others. How each level was expanded is told with
`--levels` and in JSON (`facts`): the host reads what kernels noted once the search has been timed.

Directed graphs are searched top-down only, for `neighbours` has no edges backward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle
from typing import Any

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, DeviceGraph, Facts, Host, SearchResult
from gpubfs.search.best_choices import (
    BLOCK,
    BYTEMAP,
    CLUSTER,
    GRID,
    MOST_EDGES,
    STATIC,
    TAILS,
    WORD,
    filter_for,
    lanes_for,
    ranks_for,
    row_for,
    shared_bytes,
    stages_for,
    words_for,
    words_of,
)
from gpubfs.search.description import technique
from gpubfs.search.loops import MARKED_TWICE
from gpubfs.search.option import AUTO, Option
from gpubfs.search.papers import DFQ
from gpubfs.search.queues import BLOCK_1024

#: What the ways to expand a level are called, by their numbers in `best_state.cuh`.
WAYS = {1: "block", 2: "cluster", 3: "queued", 4: "counted", 5: "marked", 6: "bottom-up"}

#: A `Left` is so many ints; the last one says whether the search is over.
LEFT = 6

#: A `Progress` is so many ints, one of which is the number of levels; the vertices and the source
#: follow it.
PROGRESS, LEVELS = 6, 3

#: Five `Totals` are so many 64-bit words.
TOTALS = 15

#: As `best_state.cuh` has them.
CHUNK, LOW_DEGREE = 256, 8

#: Where options of clusters change anything.
WITH_CLUSTER = "stages", (AUTO, CLUSTER)


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

    @classmethod
    def allocated(cls, host: Host, graph: DeviceGraph, source: int) -> Memory:
        """Allocate what all stages need."""
        return cls(host, graph, source, host.levels(graph.vertices, source))

    @cached_property
    def left(self) -> DeviceArray:
        """Where a search is that the stages hand on to each other."""
        return self.host.full("left", LEFT, 0)

    @cached_property
    def search(self) -> DeviceArray:
        """What a stage with a byte map is told, and what it tells."""
        search = self.host.full("search", PROGRESS, 0)
        for place, value in enumerate((self.graph.vertices, self.source), LEVELS + 1):
            self.host.write(search[place : place + 1], value)
        return search

    @cached_property
    def visited(self) -> DeviceArray:
        """A map with the source's bit set."""
        host, source = self.host, self.source
        visited = host.full("visited", words_of(self.graph.vertices), 0, "uint32")
        host.write(visited[source // WORD : source // WORD + 1], 1 << source % WORD)
        return visited

    @cached_property
    def queues(self) -> tuple[DeviceArray, ...]:
        """Queues of candidates and of chunks, by turns."""
        edges = self.graph.edges
        chunks = 2 * (edges // LOW_DEGREE + edges // CHUNK + 1)
        positions = self.graph.offsets.dtype.name
        return (
            self.host.empty("even", max(edges, 1)),
            self.host.empty("odd", max(edges, 1)),
            self.host.empty("even_chunks", chunks, positions),
            self.host.empty("odd_chunks", chunks, positions),
        )

    @cached_property
    def ways(self) -> DeviceArray:
        """How each level was expanded."""
        return self.host.empty("ways", self.graph.vertices + 1)

    def in_bytemap(self, blocks: int) -> Stage:
        """Return the stage of the grid, or of a block, whose frontier is a byte map."""
        host, graph = self.host, self.graph
        words = words_of(graph.vertices)
        seen = host.full("seen", words * WORD // 8, 0, "uint8")
        maps = (host.full(name, words * WORD, 0, "uint8") for name in ("marks", "next_marks"))
        args = graph.offsets, graph.neighbours, self.level, seen, *maps, self.search
        return Stage("best_bytemap", blocks, args)

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
        spills = self.host.full("spills", 1, 0)
        args = *head, self.source, self.visited, *self.queues, self.left, self.ways, spills, few
        return Stage("best_cluster", ranks, args, shared_bytes(graph.vertices, ranks, few))

    def in_grid(self, blocks: int, places: int, alpha: int) -> Stage:
        """Return the stage of the grid; a cluster whose queues have `places` takes small levels."""
        host, graph = self.host, self.graph
        other = host.empty("next_visited", words_of(graph.vertices), "uint32")
        totals = host.full("totals", TOTALS, 0, "uint64")
        head = graph.offsets, graph.neighbours, self.level, graph.vertices, self.source
        state = self.left, self.ways, totals
        # Of vertices with a single edge it leads back, if all edges go both ways.
        fewest = 1 if graph.directed else 2
        sizes = places, fewest, 0 if graph.directed else alpha
        maps = self.visited, other
        args = *head, np.int64(graph.edges), *maps, *self.queues, *state, *sizes
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
    shared = shared_bytes(graph.vertices, sizes.ranks, sizes.few)
    if shared + STATIC <= host.block_shared:  # else the launch is refused by that name
        most = host.resident_blocks(sizes.block, "best_cluster", shared_mem=shared)
        if sizes.ranks > most:
            what = f"{sizes.ranks} blocks of {sizes.block} threads do not run at the same time"
            raise UsageError(f"{what}, only {most}", f"{instead}, or smaller blocks")


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
        "seen": "visited, where marks are bytes",
        "marks": "a byte for each vertex that a neighbour has marked",
        "next_marks": "the same for the next level, by turns",
        "search": "with byte maps: vertices of levels by turns, levels, and what is searched",
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
        "queue": "vertices of a level that the block has found in the byte map",
        "sizes": "how many, by turns",
        "over": "whether the level before had none, or all are visited",
        "map": "the block's part of which vertices were visited, then the queues of two levels",
        "tails": "vertices in the queues of three levels",
        "full": "whether there was a vertex too many, of three levels",
        "end": "the level behind the last one; in the queue, the first place wanted in vain",
        "of_warps": "vertices that each warp has found and their edges; places that it wants",
        "first": "where the block's places begin",
        "told": "the level's totals, read once for the block",
    },
    memory=(
        "4 V for level + V / 8 for a map; with byte maps 2 V for these, else V / 8 for another "
        "map + 4 V for ways + 8 E for candidates + 33 E / 16 for chunks, or 33 E / 8 with 64-bit "
        "positions; with a cluster 4 row V for rows, too"
    ),
    options=(
        replace(BLOCK_1024, define="BLOCK"),
        Option(
            "blocks",
            0,
            "blocks of the grid; 0 is one a multiprocessor",
            minimum=0,
            maximum=65535,
            only_with=("stages", (AUTO, GRID, BYTEMAP, CLUSTER)),
        ),
        Option(
            "stages",
            AUTO,
            "which kernels search; auto looks how a search from the hub begins",
            choices=(AUTO, GRID, BYTEMAP, BLOCK, CLUSTER),
            choose=stages_for,
        ),
        Option(
            "few",
            4096,
            "vertices of a level that a block has room for, rounded down to a multiple of 8",
            minimum=TAILS,
            maximum=16384,
            only_with=WITH_CLUSTER,
        ),
        Option(
            "ranks",
            AUTO,
            "blocks of the cluster; auto is one if the map fits into it, else as many as can be",
            choices=(AUTO, 1, 2, 4, 8),
            choose=ranks_for,
            define="RANKS",
            only_with=WITH_CLUSTER,
        ),
        Option(
            "row",
            AUTO,
            "places of a row; auto is 4 below five edges a vertex, else up to 16",
            choices=(AUTO, 4, 8, 16),
            choose=row_for,
            define="ROW",
            only_with=WITH_CLUSTER,
        ),
        Option(
            "words",
            AUTO,
            "neighbours that a thread has of a row; auto is 1 for rows of 4 if levels are narrow",
            choices=(AUTO, 1, 4),
            choose=words_for,
            define="WORDS",
            only_with=WITH_CLUSTER,
        ),
        Option(
            "lanes",
            AUTO,
            "threads that expand a vertex of a byte map; auto is 16, or 32 for many neighbours",
            choices=(AUTO, 1, 2, 4, 8, 16, 32),
            choose=lanes_for,
            define="LANES",
            only_with=("stages", (AUTO, BYTEMAP, BLOCK)),
        ),
        Option(
            "filter",
            AUTO,
            "whether byte maps leave out what was visited; auto is where levels grow at once",
            choices=(AUTO, False, True),
            choose=filter_for,
            define="FILTER",
            only_with=("stages", (AUTO, BYTEMAP, BLOCK)),
        ),
        Option(
            "alpha",
            14,
            "how soon large levels are bottom-up; 0 is never",
            minimum=0,
            maximum=1000,
            only_with=("stages", (AUTO, GRID, CLUSTER)),
        ),
    ),
    benign={
        "visited": "a vertex that looks unvisited is claimed by an atomic, which has the last word",
        "next_visited": "as visited, with which it changes places",
        "level:writes": MARKED_TWICE,
        "seen": "a vertex that looks unvisited is marked, and who takes the mark knows better",
    },
    cooperative=True,
)
def best(
    host: Host, graph: DeviceGraph, source: int, *, stages: str, block: int, **options: Any
) -> SearchResult:
    """Launch the stages by turns until one says that the search is over."""
    memory = Memory.allocated(host, graph, source)
    plan = PLANS[stages](memory, block, **options)
    host.level(0, 1)
    for stage in plan.made:
        _launch(host, stage, block)
    for stage in cycle(plan.turn):
        _launch(host, stage, block)
        # A stage alone goes on to the end, and the host need not wait for what it says.
        if len(plan.turn) == 1 or host.read(memory.left)[-1]:
            break
    host.tell_levels(lambda: _facts(host, memory, stages))
    return SearchResult(memory.level)


@dataclass(frozen=True)
class Plan:
    """Which stages are launched: some once, the others by turns."""

    turn: tuple[Stage, ...]
    made: tuple[Stage, ...] = ()


def _with_queues(memory: Memory, block: int, *, blocks: int, alpha: int, **_: Any) -> Plan:
    """Plan the grid with queues, alone."""
    return Plan((memory.in_grid(_waiting(memory.host, blocks, block, "best_grid"), -1, alpha),))


def _with_bytemap(memory: Memory, block: int, *, blocks: int, lanes: int, **_: Any) -> Plan:
    """Plan the grid with a byte map, alone."""
    if block % lanes:
        what = f"block={block} is not a multiple of the {lanes} threads that expand a vertex"
        raise UsageError(what, "give fewer lanes, or another block")
    return Plan((memory.in_bytemap(_waiting(memory.host, blocks, block, "best_bytemap")),))


def _with_bytemap_of_block(memory: Memory, block: int, *, lanes: int, **_: Any) -> Plan:
    """Plan a single block with a byte map."""
    return _with_bytemap(memory, block, blocks=1, lanes=lanes)


def _with_cluster(
    memory: Memory,
    block: int,
    *,
    blocks: int,
    few: int,
    ranks: int,
    row: int,
    words: int,
    alpha: int,
    **_: Any,
) -> Plan:
    """Plan a cluster, and the grid for levels that find no place there."""
    host, graph = memory.host, memory.graph
    few = few // TAILS * TAILS
    _check_cluster(host, graph, ClusterSizes(ranks, block, row, words, few))
    rows = host.empty("rows", row * graph.vertices)
    cluster = memory.in_cluster(rows, ranks, few)
    made = (memory.in_rows(rows, block),)
    if graph.vertices <= (few if ranks == words == 1 else few // TAILS):
        return Plan((cluster,), made)  # every level finds a place
    waiting = _waiting(host, blocks, block, "best_grid")
    return Plan((cluster, memory.in_grid(waiting, ranks * few, alpha)), made)


#: How each choice of `stages` is planned.
PLANS: Mapping[str, Callable[..., Plan]] = {
    GRID: _with_queues,
    BYTEMAP: _with_bytemap,
    BLOCK: _with_bytemap_of_block,
    CLUSTER: _with_cluster,
}


def _waiting(host: Host, blocks: int, block: int, kernel: str) -> int:
    """Return how many blocks of the grid there are: by default one a multiprocessor."""
    return host.waiting_blocks(blocks or host.multiprocessors, block, kernel)


def _launch(host: Host, stage: Stage, block: int) -> None:
    host.launch(stage.kernel, stage.blocks, block, stage.args, shared_mem=stage.shared)


def _facts(host: Host, memory: Memory, stages: str) -> Facts:
    """Say of each level how it was expanded."""
    if stages in (BYTEMAP, BLOCK):
        levels = int(host.read(memory.search)[LEVELS])
        return {level: {"way": "byte map"} for level in range(levels)}
    depth = int(host.read(memory.left)[0])
    ways = host.read(memory.ways[:depth]).tolist()
    return {level: {"way": WAYS[way]} for level, way in enumerate(ways)}
