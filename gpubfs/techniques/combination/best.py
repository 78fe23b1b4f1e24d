"""Each level is expanded by as many threads as it is worth: a block, a cluster of blocks, the grid.

No paper's: what the papers' techniques come to when they are combined, and each level gets the one
that suits it. The host launches the kernels one after the other and does not look in between: a
kernel whose turn it is not returns at once.

*A block* expands levels of few candidates. Candidates are the neighbours of a level's vertices,
visited or not, each with a thread of its own: no vertex, however many neighbours it has, keeps a
thread busy. What is visited, a bit for each vertex, and both queues are in shared memory, so that a
level waits for global memory twice and for nothing else.

*A cluster* of blocks expands levels of more candidates. The map of what is visited is distributed
over the blocks' shared memory, by words; each block posts what it finds to its owner, as in a search on machines with
distributed memory. GPUs without clusters
leave this stage out.

*The grid* expands larger levels, with a barrier in memory between two (DFQ's loop): top-down from a
queue of candidates, or of chunks of at most 256 edges where a vertex has more than 8; or bottom-up
(Beamer et al.; XBFS) where a level's edges, times `alpha`, are more than those of the vertices that
are not visited. A bottom-up level needs no list of its frontier: a vertex that is not visited and
has a visited neighbour has one in the frontier, for an earlier one would have discovered it. So one
bit a vertex is all it reads beside edges, a warp writes the bits of its 32 vertices at once, and
vertices without edges drop out. Before such a level no queue is made: the level before it only
marks what it finds, and levels that suddenly grow only add up edges; where a queue is missing in
the end, it is made from the map.

`stages` says which kernels are used: by default the grid alone from 16 edges a vertex on, where
levels grow at once. `few` and `many` bound the candidates of a block and of a cluster. Whatever
does not fit into shared memory is left out. How each level was expanded is told with `--levels` and
in JSON (`facts`): the kernels note it, and the host reads it once the search has been timed.

Directed graphs are searched top-down only, for `neighbours` has no edges backward.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.errors import UsageError
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

#: The kernels that `stages` may name, from the fewest threads to the most.
GRID, BLOCK_GRID, ALL_STAGES = "grid", "block+grid", "block+cluster+grid"

#: Edges a vertex from which levels grow so fast that a block would have one or two of them.
DENSE = 16

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

#: Slots for candidates of a level that a block of a cluster has for each of its threads.
SLOTS = 4


def suiting(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose the grid for dense graphs; for others all that the machine has."""
    if graph.edges >= DENSE * graph.vertices:
        return GRID
    return ALL_STAGES if machine.cluster_blocks else BLOCK_GRID


def blocks_of_cluster(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose the largest cluster that runs at one time, with a lane of a warp for each block."""
    wanted = machine.cluster_blocks if values["stages"] == ALL_STAGES else 1
    resident = machine.resident_threads // int(str(values["block"]))
    most = max(1, min(wanted, machine.warp_size, resident))
    return 1 << most.bit_length() - 1


@dataclass(frozen=True)
class Stage:
    """A kernel that searches levels of some sizes, and how it is launched."""

    kernel: str
    blocks: int
    shared: int
    args: tuple[Any, ...]


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
    left: DeviceArray
    ways: DeviceArray

    @property
    def fewest(self) -> int:
        """Edges of a vertex that is expanded, at least: a single one leads back if all do."""
        return 1 if self.graph.directed else 2

    @property
    def words(self) -> int:
        """Words of a map with a bit for each vertex."""
        return _words(self.graph.vertices)

    def in_block(self, few: int) -> Stage:
        """Return the stage of one block, for levels of up to `few` candidates."""
        tail = self.visited, self.even, self.odd, self.left, self.ways
        args = (*self._head, self.source, *tail, few, self.fewest)
        return Stage("best_block", 1, _map_bytes(self.words) + 8 * few, args)

    def in_cluster(self, ranks: int, block: int, few: int, many: int) -> Stage:
        """Return the stage of a cluster, for levels of `few` to `many` candidates."""
        spilled = self.host.full("spilled", 1, 0)
        tail = self.visited, self.even, self.odd, self.left, self.ways, spilled
        args = (*self._head, *tail, few, many, self.fewest)
        shared = _map_bytes(-(-self.words // ranks)) + 8 * SLOTS * block
        return Stage("best_cluster", ranks, shared, args)

    def in_grid(self, blocks: int, few: int, many: int, alpha: int) -> Stage:
        """Return the stage of the grid, for levels beyond `many`, until one is within `few`."""
        host, edges, positions = self.host, self.graph.edges, self.graph.offsets.dtype.name
        chunks = 2 * (edges // LOW_DEGREE + edges // CHUNK + 1)
        queues = [host.empty(name, chunks, positions) for name in ("even_chunks", "odd_chunks")]
        other = host.empty("next_visited", self.words, "uint32")
        totals = host.full("totals", TOTALS, 0, "uint64")
        head = (*self._head, self.source, np.int64(edges), self.visited, other)
        tail = self.even, self.odd, *queues, self.left, self.ways, totals
        sizes = few, many, self.fewest, 0 if self.graph.directed else alpha
        return Stage("best_grid", blocks, 0, (*head, *tail, *sizes))

    @property
    def _head(self) -> tuple[Any, ...]:
        graph = self.graph
        return graph.offsets, graph.neighbours, self.level, graph.vertices


def _words(vertices: int) -> int:
    return -(-vertices // WORD)


def _map_bytes(words: int) -> int:
    """Return the bytes of a map in shared memory: whole rows of 32 words."""
    return 4 * WORD * _words(words)


def _allocated(host: Host, graph: DeviceGraph, source: int) -> Memory:
    """Allocate what all stages need; the search is at the source."""
    level = host.levels(graph.vertices, source)
    visited = host.full("visited", _words(graph.vertices), 0, "uint32")
    host.write(visited[source // WORD : source // WORD + 1], 1 << source % WORD)
    even, odd = (host.empty(name, max(graph.edges, 1)) for name in ("even", "odd"))
    left = host.full("left", LEFT, 0)
    ways = host.empty("ways", graph.vertices + 1)
    return Memory(host, graph, source, level, visited, even, odd, left, ways)


def _chosen(
    memory: Memory, stages: str, block: int, blocks: int, ranks: int, few: int, alpha: int
) -> list[Stage]:
    """Return the stages that there are, and that fit into shared memory."""
    host, many = memory.host, ranks * block
    chosen = [memory.in_block(few)] if stages != GRID else []
    if stages == ALL_STAGES:
        chosen.append(memory.in_cluster(ranks, block, max(few // 2, 1), many))
    chosen = [stage for stage in chosen if _fits(host, stage, block)]
    kernels = [stage.kernel for stage in chosen]
    most = many if "best_cluster" in kernels else few if kernels else -1
    return [*chosen, memory.in_grid(blocks, most // 2 if chosen else -1, most, alpha)]


def _fits(host: Host, stage: Stage, block: int) -> bool:
    """Return whether all of a stage's blocks run at the same time."""
    if stage.shared > host.block_shared:
        return False
    return stage.blocks <= host.resident_blocks(block, stage.kernel, shared_mem=stage.shared)


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
        "even": "candidates of levels at even distances: neighbours, visited or not",
        "odd": "candidates of levels at odd distances",
        "even_chunks": "where edges lie that are candidates of levels at even distances",
        "odd_chunks": "the same at odd distances",
        "left": "the next level, its candidates and chunks, which queues, who must, and the end",
        "ways": "how each level was expanded",
        "spilled": "candidates in the queue for which a cluster had no room",
        "totals": "what levels lead to, by turns: candidates, chunks, vertices, and their edges",
    },
    shared={
        "map": "which vertices were visited, then candidates of two levels",
        "tails": "candidates of three levels, by turns",
        "sizes": "candidates that the block has posted to each block of the cluster",
        "tables": "the same of all blocks, of two levels by turns",
        "inbound": "where the candidates that were posted to the block begin, block by block",
        "of_warps": "vertices that each warp has found and their edges; places that it wants",
        "first": "where the block's places begin",
        "told": "the level's totals, read once for the block",
    },
    memory=(
        "4 V for level + V / 4 for two maps + 4 V for ways + 8 E for candidates + 33 E / 16 for "
        "chunks, or 33 E / 8 with 64-bit positions"
    ),
    options=(
        replace(BLOCK_1024, define="BLOCK"),
        Option(
            "blocks", 0, "blocks of the grid; 0 is one a multiprocessor", minimum=0, maximum=65535
        ),
        Option(
            "stages",
            AUTO,
            "which kernels search; auto is the grid alone from 16 edges a vertex on",
            choices=(AUTO, GRID, BLOCK_GRID, ALL_STAGES),
            choose=suiting,
        ),
        Option(
            "ranks",
            AUTO,
            "blocks of the cluster; auto is eight, and one where no cluster searches",
            choices=(AUTO, 1, 2, 4, 8),
            choose=blocks_of_cluster,
            within_warp=True,
            define="RANKS",
        ),
        Option("few", 1024, "candidates of a level for one block", minimum=1, maximum=1024),
        Option("alpha", 14, "how soon levels are bottom-up; 0 is never", minimum=0, maximum=1000),
    ),
    benign={
        "visited": "a vertex that looks unvisited is claimed by an atomic, which has the last word",
        "next_visited": "as visited, with which it changes places",
        "map": "as visited",
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
    stages: str,
    ranks: int,
    few: int,
    alpha: int,
) -> SearchResult:
    """Launch the stages one after the other until one says that the search is over."""
    if ranks > 1 and host.cluster_blocks < ranks:
        raise UsageError(
            f"here are no clusters of {ranks} blocks", f"give ranks=1, or stages={BLOCK_GRID}"
        )
    memory = _allocated(host, graph, source)
    grid = host.waiting_blocks(blocks or host.multiprocessors, block, "best_grid")
    turn = _chosen(memory, stages, block, grid, ranks, min(few, block), alpha)
    host.level(0)
    over = False
    while not over:
        # Back to the smallest stage, too, before the host looks.
        for stage in [*turn, *turn[-2::-1]]:
            host.launch(stage.kernel, stage.blocks, block, stage.args, shared_mem=stage.shared)
        over = bool(host.read(memory.left)[-1])
    host.tell_levels(lambda: _facts(host, memory))
    return SearchResult(memory.level)


def _facts(host: Host, memory: Memory) -> Facts:
    """Say of each level how it was expanded."""
    depth = int(host.read(memory.left)[0])
    ways = host.read(memory.ways[:depth]).tolist()
    return {level: {"way": WAYS[way]} for level, way in enumerate(ways)}
