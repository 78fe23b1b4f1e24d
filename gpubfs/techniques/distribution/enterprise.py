"""Queues by scans of the status array, one for each class of degrees; bottom-up, a cache of hubs.

Liu and Huang's Enterprise, as Tödling, Winter and Steinberger (Section II-C) and Gaihre et al.
(XBFS, Sections 1.1 and 4.2) tell it. Top-down, nothing is appended: a scan of the status array
begins each level. Its threads put the vertices of the frontier into bins of their own, a prefix sum
over the bins' sizes finds each one's place, and the bins are gathered into a queue. There are four
queues, by degree, and each vertex gets a thread, a warp, a block or the whole grid; one without
edges is in none. Where the frontier has the share `alpha` of all edges, the search goes bottom-up
and stays so: one more scan puts all vertices that are not visited into the queues, and from then on
those that found no visited neighbour are the next queue, which is always a part of this one. A
cache in shared memory has `hubs` places, and each vertex one, by its number modulo that; there are
the vertices of the frontier with most edges, and a hit ends a search without a load of a status.

Where these sources are silent or differ: Tödling has four classes, and so has this; the published
code has three. Classes end below the lanes of a warp, the threads of a block, and `grid_degree`
edges. The scan of a top-down level is coalesced, and the one at the switch strided, by segments, as
it makes sorted queues, for which XBFS improves on it. The share 0.3 and the cache's 1,920 places
are those of the published code, which finds a place by `v & 1919`: that is no modulus, and leaves
896 of the places without a vertex. Its second cache, for top-down levels, is left out. Bottom-up,
the grid looks at the vertices of the last class in one kernel, and a second one keeps those for
which it found nothing. A later bottom-up level is one launch for each class that has vertices, two
for the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.directions import ALPHA, SCAN_BLOCKS
from gpubfs.search.distribution import WORK_DISTRIBUTION
from gpubfs.search.loops import MARKED_TWICE
from gpubfs.search.option import Option
from gpubfs.search.papers import ENTERPRISE
from gpubfs.search.queues import BLOCK_256, ENQUEUE_SHARED
from gpubfs.search.status_scan import MOST_BLOCKS

#: The classes of vertices, by who works on each of them.
CLASSES = ("thread", "warp", "block", "grid")
#: The kernels whose blocks go over a queue in strides.
STRIDING = ("enterprise_expand", *(f"enterprise_bottom_up_{one}" for one in CLASSES))

_SPARED = "the plain read only spares the atomic maximum, which decides"


@technique(
    "enterprise",
    family=WORK_DISTRIBUTION,
    kernel="enterprise.cu",
    paper=ENTERPRISE,
    section="as in Tödling et al., II-C, and Gaihre et al. (XBFS), 1.1 and 4.2",
    year=2015,
    arrays={
        "level": "distance from the source, -1 where not visited",
        "queue": "vertices of the frontier, bottom-up those not visited, class behind class",
        "next": "bottom-up, the vertices of the queue that found no visited neighbour",
        "next_size": "how many there are of each class in next",
        "bins": "the vertices that each thread of a scan found, class by class",
        "bin_sizes": "how many these are, for each class and thread",
        "places": "how many of its block's vertices of the class come before each thread's",
        "block_totals": "how many each class and block has, then where they begin in the queue",
        "figures": "how many vertices each class has in the queue, then how many edges all have",
        "hubs": "the frontier's vertices of largest degree, as degree << 32 | vertex",
        "next_hubs": "the same of the vertices that are discovered",
    },
    shared=ENQUEUE_SHARED
    | {
        "cache": "the vertices of hubs, -1 where there is none",
        "class_total": "vertices of one class",
        "sums": "edges of the frontier that each warp of the block finds",
    },
    memory="4 V for level + 4 V for each of two queues + 16 V for bins + 32 bytes for each thread "
    "of a scan and 16 for each of its blocks + 16 bytes for each place of the cache + 56 bytes",
    benign={
        "level": f"top-down, {MARKED_TWICE}; bottom-up, who reads a status meanwhile finds -1 or "
        "the new distance, and neither is the parent's",
        "hubs": _SPARED,
        "next_hubs": _SPARED,
    },
    options=(
        BLOCK_256,
        SCAN_BLOCKS,
        replace(ALPHA, default=0.3),
        Option(
            "grid_degree",
            65536,
            "edges from which on the whole grid works on a vertex",
            minimum=1,
            maximum=2**31 - 1,
        ),
        Option(
            "hubs",
            1920,
            "places of the cache of hubs; 0 is no cache",
            minimum=0,
            maximum=8192,
            define="HUBS",
        ),
    ),
    directed=False,
)
def enterprise(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search top-down as long as frontiers have few edges, then bottom-up."""
    return _Search(host, graph, **options).run(source)


@dataclass
class _Search:
    """One search; the fields are the driver's arguments."""

    host: Host
    graph: DeviceGraph
    block: int
    blocks: int
    alpha: float
    grid_degree: int
    hubs: int
    level: DeviceArray = field(init=False)

    def run(self, source: int) -> SearchResult:
        """Search from `source`."""
        self._allocate(source)
        depth = 0
        self.host.level(depth, 1)
        *sizes, edges = self._scanned(depth)
        while any(sizes):
            if depth:
                self.host.level(depth, sum(sizes))
            depth += 1
            if edges >= self.alpha * self.graph.edges:
                self._bottom_up(depth, sum(sizes))
                break
            self._expand(sizes, depth)
            *sizes, edges = self._scanned(depth)
        return SearchResult(self.level)

    def _allocate(self, source: int) -> None:
        host, vertices = self.host, self.graph.vertices
        if not self.blocks:
            widths = host.blocks(vertices, host.warp_size)
            self.blocks = min(host.blocks(widths, self.block), MOST_BLOCKS)
        self.resident = host.resident_blocks(self.block, *STRIDING)
        self.level = host.levels(vertices, source)
        self.queue, self.next = host.queue("queue", vertices), host.queue("next", vertices)
        self.next_size = host.empty("next_size", len(CLASSES))
        threads = len(CLASSES) * self.blocks * self.block
        self.bins = host.empty("bins", len(CLASSES) * vertices)
        self.bin_sizes = host.empty("bin_sizes", threads)
        self.places = host.empty("places", threads)
        self.block_totals = host.empty("block_totals", len(CLASSES) * self.blocks)
        self.figures = host.full("figures", len(CLASSES) + 1, 0, "uint64")
        self.hub_places = host.empty("hubs", max(self.hubs, 1), "uint64")
        self.next_hub_places = host.empty("next_hubs", max(self.hubs, 1), "uint64")

    def _scanned(self, wanted: int) -> list[int]:
        """Put the vertices of a level into the queues: the four sizes, and the sum of degrees."""
        host, shape = self.host, (self.blocks, self.block)
        vertices, by_segments = self.graph.vertices, int(wanted < 0)
        bins = self.bins, self.bin_sizes, self.places, self.block_totals
        host.write(self.figures, 0)
        scanned = self.graph.offsets, self.level, vertices, wanted, by_segments, self.grid_degree
        host.launch("enterprise_scan", *shape, (*scanned, *bins, self.figures))
        totals = self.block_totals, self.blocks, self.figures
        host.launch("enterprise_places", 1, MOST_BLOCKS, totals)
        host.launch("enterprise_gather", *shape, (vertices, by_segments, *bins, self.queue))
        return [int(figure) for figure in host.read(self.figures)]

    def _expand(self, sizes: list[int], depth: int) -> None:
        """Go top-down from the vertices of all classes."""
        for number, (start, size) in enumerate(_parts(sizes)):
            if size:
                blocks = self._blocks(number, size)
                lanes = self._lanes(number) or blocks * self.block
                args = self.level, self.queue[start:], size, lanes, depth
                self._launch("expand", blocks, args)

    def _bottom_up(self, depth: int, frontier: int) -> None:
        """Go bottom-up until a level discovers nothing; the frontier is in the queue."""
        host = self.host
        host.write(self.hub_places, 0)
        blocks = min(host.blocks(frontier, self.block), self.resident)
        args = self.graph.offsets, self.queue, frontier, self.hub_places
        host.launch("enterprise_hubs", blocks, self.block, args)
        *sizes, _ = self._scanned(-1)
        starts = [start for start, _ in _parts(sizes)]
        while any(sizes):
            left = self._look(starts, sizes, depth)
            discovered = sum(sizes) - sum(left)
            if not discovered:
                break
            host.level(depth, discovered)
            depth, sizes = depth + 1, left
            self.queue, self.next = host.swap(self.queue, self.next)
            hubs = host.swap(self.hub_places, self.next_hub_places)
            self.hub_places, self.next_hub_places = hubs

    def _look(self, starts: list[int], sizes: list[int], depth: int) -> list[int]:
        """Look for the parents of all vertices of the queue: how many have none in each class."""
        self.host.write(self.next_size, 0)
        self.host.write(self.next_hub_places, 0)
        for number, (name, start, size) in enumerate(zip(CLASSES, starts, sizes, strict=True)):
            if size:
                queue = self.queue[start:], size, depth
                kept = self.next[start:], self.next_size[number : number + 1]
                self._look_by(name, self._blocks(number, size), queue, kept)
        return [int(size) for size in self.host.read(self.next_size)]

    def _look_by(
        self, name: str, blocks: int, queue: tuple[Any, ...], kept: tuple[Any, ...]
    ) -> None:
        """Look for the parents of the vertices of one class."""
        if name != "grid":
            args = self.level, *queue, *kept, self.hub_places, self.next_hub_places
            self._launch(f"bottom_up_{name}", blocks, args)
            return
        self._launch("bottom_up_grid", blocks, (self.level, *queue, self.hub_places))
        settled = self.graph.offsets, self.level, *queue, *kept, self.next_hub_places
        few = min(self.host.blocks(queue[1], self.block), self.resident)
        self.host.launch("enterprise_settle", few, self.block, settled)

    def _lanes(self, number: int) -> int:
        """How many threads work on a vertex of a class; 0 is all that there are."""
        return (1, self.host.warp_size, self.block, 0)[number]

    def _blocks(self, number: int, size: int) -> int:
        """How many blocks work on a class with so many vertices."""
        # No vertex has more neighbours than there are vertices, but in loops and multi-edges.
        threads = size * self._lanes(number) or self.graph.vertices
        return min(self.host.blocks(threads, self.block), self.resident)

    def _launch(self, kernel: str, blocks: int, args: tuple[Any, ...]) -> None:
        arrays = self.graph.offsets, self.graph.neighbours
        self.host.launch(f"enterprise_{kernel}", blocks, self.block, (*arrays, *args))


def _parts(sizes: list[int]) -> list[tuple[int, int]]:
    """Say where parts of these sizes begin that lie one behind the other, and the sizes."""
    return [(sum(sizes[:number]), size) for number, size in enumerate(sizes)]
