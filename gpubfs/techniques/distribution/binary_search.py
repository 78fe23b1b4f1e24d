"""All threads get as many edges of the frontier, and find by binary search whose edges they are.

Busato and Bombieri (Section 3.3, Figure 3, Algorithm 1), whose measure is Gunrock's search:
a level's edges are numbered in the order of the queue, by the prefix sums of its vertices' degrees.
(A) One launch searches these sums for the first vertex of every chunk of edges. (B) Every block
searches for the vertices of its chunk's edges among the sums that it has loaded into shared memory,
keeps the edges' positions there, and loads the neighbours side by side. (C) A thread for each
neighbour claims it, and a warp's atomic addition of 64 bits, degrees in the upper half and vertices
in the lower, makes the next queue and its prefix sums at once: unordered, for warps come in any
order, but ascending. `prefix=ordered` is the conventional way instead: the degrees are stored, and
three more launches scan them.

Shares of edges are equal but in a block's last turn, and in the last block. What is not is the
loading of the vertices whose edges they are, for which a block needs few threads: a level of ten
edges for each thread is even to a tenth, one with an edge for each is not.

The chunk is the paper's third optimization, the least of two: the edges that a thread gets if all
resident threads get as many, times the block, and the edges for which a block has shared memory.
`chunk=shared` is its basic form, the latter alone. Its second optimization leaves out leaves:
vertices with no edge, or, in undirected graphs, with no other than that by which they were found.
They get their level, and are counted beside the queue, so that the sizes of frontiers are right; a
source is enqueued whatever it is. `leaves=keep` enqueues all.

Where the paper is silent: it "removes previously visited vertices" from the neighbours, and does
not say how; here a compare-and-swap does, so that duplicates are removed too. Vertices without
edges, which `leaves=keep` may enqueue, make the part of the queue that has a chunk's edges as long
as they like: a block takes it in pieces of its own size, of which every thread loads a vertex. The
lanes of a warp add both halves of the 64 bits by one scan, though a ballot would do for one half.

One thing differs. The paper's barriers within a warp are implicit, as its lanes ran in step; here
lanes meet in the shuffles. Nor does it say what lanes without a value hold: sums go up to 2^32
here, and so does what they are padded with. Algorithm 1 is said to return the lower bound of what
is searched: it is the last value that is not above, which for equal values, vertices without edges,
is the one that has the edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import WORK_DISTRIBUTION
from gpubfs.search.loops import SWAPPED_IN_VAIN
from gpubfs.search.option import Option
from gpubfs.search.papers import BUSATO
from gpubfs.search.queues import BLOCK_256

#: The most edges of a graph: those of a level are numbered in 32 bits, with whole blocks' threads.
#: The scan of `prefix=ordered` has a sign.
MOST_EDGES = {"unordered": 2**32 - 1024, "ordered": 2**31 - 1024}

#: Why there are no supports, and who has them.
ATOMIC_STRATEGY = (
    "a search over the whole device is an atomic strategy, which cannot be combined with supports "
    "(Busato and Bombieri, 3.3); warp-shuffle and scan-based take them"
)


def chunk_size(edges: int, resident: int, block: int, shared_items: int) -> int:
    """Return how many edges of a level a block gets.

    Parameters
    ----------
    edges : int
        The level's.
    resident : int
        Threads that the GPU holds at one time.
    block : int
        Threads per block.
    shared_items : int
        Edges for which a block has shared memory.

    Returns
    -------
    int
        As many for each thread as if all that run had equal shares, as far as memory goes.

    Examples
    --------
    >>> chunk_size(1_000, 270_336, 256, 4096), chunk_size(1_000_000, 270_336, 256, 4096)
    (256, 1024)
    >>> chunk_size(100_000_000, 270_336, 256, 4096)
    4096
    """
    return min(-(-edges // resident) * block, shared_items)


@dataclass(frozen=True)
class _Sizes:
    """What the host knows of a level: the vertices in its queue, their edges, leaves beside it."""

    queued: int
    edges: int
    leaves: int = 0


@dataclass
class _Search:
    """One search, and what it allocates; `leaf_degree` is that of vertices not to enqueue."""

    host: Host
    graph: DeviceGraph
    block: int
    shared_items: int
    dynamic: bool
    ordered: bool
    leaf_degree: int
    level: DeviceArray = field(init=False)

    def run(self, source: int) -> SearchResult:
        """Search from `source`, with one read a level, or two for ordered prefix sums."""
        host, vertices = self.host, self.graph.vertices
        self.level = host.levels(vertices, source)
        self.frontier = host.queue("frontier", vertices, source)
        self.next = host.queue("next", vertices)
        self.prefix = host.empty("prefix", vertices, "uint32")
        host.write(self.prefix[:1], 0)
        self.next_prefix = host.empty("next_prefix", vertices, "uint32")
        self.tail = host.full("tail", 2, 0, "uint64")
        self.chunk_start = host.empty("chunk_start", self._most_chunks() + 1)
        self.neighbours = host.empty("neighbour_frontier", max(self.graph.edges, 1))
        blocks = host.blocks(vertices, self.block) if self.ordered else 0
        self.block_sums = host.empty("block_sums", blocks, "uint32")
        begin, end = map(int, host.read(self.graph.offsets[source : source + 2]))
        self._levels(_Sizes(1, end - begin))
        return SearchResult(self.level)

    def _levels(self, sizes: _Sizes) -> None:
        """Go from level to level; one that has only leaves has no edges to expand."""
        depth = 0
        while sizes.queued + sizes.leaves:
            self.host.level(depth, sizes.queued + sizes.leaves)
            if not sizes.edges:
                return
            depth += 1
            self._expand(sizes)
            sizes = self._contract(sizes.edges, depth)
            self.frontier, self.next = self.host.swap(self.frontier, self.next)
            self.prefix, self.next_prefix = self.host.swap(self.prefix, self.next_prefix)

    def _chunk(self, edges: int) -> int:
        """How many edges of a level a block gets."""
        if self.dynamic:
            resident = self.host.resident_threads
            return chunk_size(edges, resident, self.block, self.shared_items)
        return self.shared_items

    def _most_chunks(self) -> int:
        """How many chunks a level can have: as many as fill the GPU, or the most by memory."""
        by_memory = self.host.blocks(self.graph.edges, self.shared_items)
        if not self.dynamic:
            return by_memory
        threads = min(self.graph.edges, self.host.resident_threads)
        return max(by_memory, self.host.blocks(threads, self.block))

    def _expand(self, sizes: _Sizes) -> None:
        """Cut the level's edges into chunks, and make them neighbours."""
        chunk = self._chunk(sizes.edges)
        chunks = self.host.blocks(sizes.edges, chunk)
        cut = np.uint32(sizes.edges), np.uint32(chunk)
        grid = self.host.blocks(chunks + 1, self.block)
        searched = (self.prefix, sizes.queued, *cut, np.uint32(chunks), self.chunk_start)
        self.host.launch("binary_search_partition", grid, self.block, searched)
        expanded = (self.graph.offsets, self.graph.neighbours, self.frontier, self.prefix)
        args = (*expanded, self.chunk_start, *cut, self.neighbours)
        self.host.launch("binary_search_expand", chunks, self.block, args)

    def _contract(self, edges: int, depth: int) -> _Sizes:
        """Claim the neighbours, and enqueue those that lead on."""
        self.host.write(self.tail, 0)
        grid = self.host.blocks(edges, self.block)
        found = (self.graph.offsets, self.neighbours, np.uint32(edges), self.level)
        queue = (self.leaf_degree, self.next, self.next_prefix, self.tail, depth)
        self.host.launch("binary_search_contract", grid, self.block, (*found, *queue))
        sizes = self._sizes()
        if self.ordered and sizes.queued:
            self._scan(sizes.queued)
            return self._sizes()
        return sizes

    def _sizes(self) -> _Sizes:
        """Read the tail: both of its halves, and the leaves beside it."""
        tail, leaves = map(int, self.host.read(self.tail))
        edges, queued = divmod(tail, 2**32)
        return _Sizes(queued, edges, leaves)

    def _scan(self, queued: int) -> None:
        """Make the degrees of the next queue prefix sums: scan, then fan."""
        blocks = self.host.blocks(queued, self.block)
        degrees = self.next_prefix, queued, self.block_sums
        self.host.launch("binary_search_scan", blocks, self.block, degrees)
        sums = self.block_sums, blocks, self.tail
        self.host.launch("binary_search_scan_sums", 1, self.block, sums)
        self.host.launch("binary_search_fan", blocks, self.block, degrees)


@technique(
    "binary-search",
    family=WORK_DISTRIBUTION,
    kernel="binary_search.cu",
    paper=BUSATO,
    section="3.3, Figure 3, Algorithm 1",
    year=2018,
    arrays={
        "level": "distance from the source, -1 where not visited",
        "frontier": "vertices of the level that is expanded, without leaves",
        "prefix": "for each of them, how many edges those before it have",
        "next": "vertices of the level after it, without leaves",
        "next_prefix": "for each of them, how many edges those before it have",
        "tail": "how many there are in next and, times 2^32, their edges; then the leaves",
        "chunk_start": "for each chunk of edges, the place in the frontier of its first's vertex",
        "neighbour_frontier": "far ends of the frontier's edges",
        "block_sums": "degrees of each block's vertices, then of those before; for prefix=ordered",
    },
    shared={
        "starts": "where the edges of each of the piece's vertices begin, as they are numbered",
        "shifts": "for each of them, what makes an edge's number its position in neighbours",
        "positions": "where in neighbours the chunk's edges are",
        "warp_totals": "with prefix=ordered, what each warp of the block adds up to",
        "stride_sum": "with prefix=ordered, what the block adds up to",
    },
    memory=(
        "4 V for level + 8 V for each of two queues + 4 E for the neighbours + 4 bytes for each "
        "chunk and 20; with prefix=ordered, 4 bytes more for each block's vertices"
    ),
    benign={"level": SWAPPED_IN_VAIN},
    options=(
        replace(BLOCK_256, define="BLOCK"),
        Option(
            "shared_items",
            4096,
            "edges for which a block has shared memory, at most a chunk's",
            minimum=1,
            maximum=4096,
            define="SHARED_ITEMS",
        ),
        Option(
            "chunk",
            "dynamic",
            "edges of a block: by the level and the GPU, or always shared_items",
            choices=("dynamic", "shared"),
        ),
        Option(
            "prefix",
            "unordered",
            "how prefix sums come about: with the queue, or by three more launches",
            choices=("unordered", "ordered"),
            define="PREFIX",
        ),
        Option(
            "leaves",
            "skip",
            "whether vertices that lead nowhere are enqueued",
            choices=("skip", "keep"),
        ),
    ),
    refused={"supports": ATOMIC_STRATEGY},
)
def binary_search(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    shared_items: int,
    chunk: str,
    prefix: str,
    leaves: str,
) -> SearchResult:
    """Run the three kernels level after level."""
    if graph.edges > MOST_EDGES[prefix]:
        raise UsageError(
            f"binary-search with prefix={prefix} adds up the degrees of a level in "
            f"{32 if prefix == 'unordered' else 31} bits, and the graph has {graph.edges:,} edges",
            "take a smaller graph, or a technique without a queue of edges, such as virtual-warp",
        )
    leaf_degree = -1 if leaves == "keep" else 0 if graph.directed else 1
    shape = block, shared_items, chunk == "dynamic", prefix == "ordered"
    return _Search(host, graph, *shape, leaf_degree).run(source)
