"""The supports of Busato and Bombieri: options, Table 2's rule, supplementary queues, launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, DeviceGraph, Host
from gpubfs.search.distribution import EXPANDED, GROUP_WIDTH, expand_resident
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, Iteration
from gpubfs.search.option import AUTO, Option, Value
from gpubfs.search.technique import Parts

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.machines import Machine

NONE, WARP, BLOCK, QUEUES = "none", "warp", "block", "queues"

#: Every combination, as Table 2 and the figures of the paper name them.
COMBINATIONS = (
    NONE,
    WARP,
    BLOCK,
    QUEUES,
    f"{WARP}+{BLOCK}",
    f"{WARP}+{QUEUES}",
    f"{BLOCK}+{QUEUES}",
    f"{WARP}+{BLOCK}+{QUEUES}",
)

#: Where there are supplementary queues, or may be.
WITH_QUEUES = ("supports", (AUTO, *(one for one in COMBINATIONS if QUEUES in one)))

#: Elements of shared memory that gathering needs for each thread: both ends of a range.
RANGE = 2


def table_2(most_edges: int, warp_size: int, block: int, threshold: int) -> str:
    """Return the supports that the paper's Table 2 takes for a graph's maximum degree.

    Parameters
    ----------
    most_edges : int
        The maximum degree.
    warp_size, block : int
        Lanes of a warp, threads of a block.
    threshold : int
        Half of the threads that are resident on the device.

    Examples
    --------
    >>> table_2(213_906, 32, 256, 16_384), table_2(26, 32, 256, 16_384)
    ('warp+block+queues', 'none')
    """
    bounds = {WARP: warp_size, BLOCK: block, QUEUES: threshold}
    return "+".join(name for name, bound in bounds.items() if most_edges > bound) or NONE


def _chosen(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    threshold = int(values["queue_threshold"]) or machine.resident_threads // 2
    most = int(graph.degrees.max(initial=0))
    return table_2(most, machine.warp_size, int(values["block"]), threshold)


def support_options(default: str) -> tuple[Option, ...]:
    """Return the options `supports`, with this default, `queue_threshold` and `base`."""
    return (
        Option(
            "supports",
            default,
            "who takes vertices of many edges: warps, blocks, supplementary queues; auto goes by "
            "the graph's maximum degree",
            choices=(AUTO, *COMBINATIONS),
            define="SUPPORTS",
            choose=_chosen,
        ),
        Option(
            "queue_threshold",
            0,
            "edges above which a vertex goes into a supplementary queue; 0 is half of the threads "
            "that the GPU holds",
            minimum=0,
            maximum=2**31 - 1,
            only_with=WITH_QUEUES,
        ),
        Option(
            "base",
            -1,
            "bin i has vertices of at least 2 to the power base + i edges; -1 is the power of two "
            "at the threshold or below it",
            minimum=-1,
            maximum=30,
            only_with=WITH_QUEUES,
        ),
    )


SHUFFLE, SCAN_BASED = "warp-shuffle", "scan-based"

BASIC = Option(
    "basic",
    SHUFFLE,
    "how vertices are mapped that no support takes",
    choices=(SHUFFLE, SCAN_BASED),
    define="BASIC",
)


def _basic_width(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    chosen = GROUP_WIDTH.choose
    return 1 if values["basic"] == SCAN_BASED or not chosen else chosen(graph, machine, values)


#: The width of groups where they are the basic mapping.
BASIC_WIDTH = replace(
    GROUP_WIDTH,
    meaning="lanes that share a frontier vertex with basic=warp-shuffle; auto is about the average "
    "degree",
    choose=_basic_width,
)

#: Places for edges in shared memory, of which a warp's lanes have as many each.
ITEMS = Option(
    "items",
    4,
    "edges that a lane looks at in a turn, each with a place in shared memory",
    choices=(2, 4, 8, 16),
    define="ITEMS",
)

#: How a technique is described whose kernel includes `supports.cuh`.
SUPPORTED: dict[str, Any] = EXPANDED | {
    "arrays": QUEUE_ARRAYS
    | {
        "bins": "vertices of the supplementary queues, one bin behind the other",
        "bin_sizes": "how many there are in each bin",
    },
    "shared": {
        "slots": "ranges of heavy vertices, then positions of the edges of each warp",
        "heavy_vertices": "vertices that the whole block takes",
    },
    "parts": {"bins": Parts("bin_sizes")},
    "memory": f"{QUEUE_MEMORY}; with supplementary queues 4 bytes for each bin and for each of its "
    "places, which are the graph's edges by the threshold, V at most",
}


@dataclass(frozen=True)
class Bins:
    """Supplementary queues of one search: how degrees are divided into bins.

    Attributes
    ----------
    threshold : int
        Vertices with more edges go into bins.
    base : int
        Bin i has degrees from 2 ** (base + i), its share of threads, to below twice that.
    count : int
        Bins; the last one has all larger degrees, too.
    resident : int
        Threads that the GPU holds at one time: the most that a vertex gets.

    Examples
    --------
    >>> gtx980 = Bins.of(resident=32_768)
    >>> gtx980.threshold, gtx980.base, [gtx980.threads(i) for i in range(gtx980.count)]
    (16384, 14, [16384, 32768])
    """

    threshold: int
    base: int
    count: int
    resident: int

    @classmethod
    def of(cls, resident: int, threshold: int = 0, base: int = -1) -> Bins:
        """Return the bins for options, of which 0 and -1 are the paper's natural choice.

        Raises
        ------
        UsageError
            If vertices above the threshold have too few edges for the first bin.
        """
        threshold = threshold or resident // 2
        # The least degree that goes into a bin is threshold + 1.
        most = (threshold + 1).bit_length() - 1
        if base > most:
            raise UsageError(
                f"base={base} begins with bins for {1 << base:,} edges, and vertices go into bins "
                f"from {threshold + 1:,} edges on",
                f"give a base of at most {most}, or a queue_threshold of at least {2**base - 1:,}",
            )
        base = threshold.bit_length() - 1 if base < 0 else base
        return cls(threshold, base, max(resident.bit_length() - 1 - base, 0) + 1, resident)

    def threads(self, number: int) -> int:
        """Return how many threads a vertex of a bin gets."""
        return min(1 << self.base + number, self.resident)

    def capacity(self, vertices: int, edges: int) -> int:
        """Return how many vertices of a graph can have so many edges that they go into a bin."""
        return max(min(vertices, edges // (self.threshold + 1)), 1)


def expand_supported(
    host: Host,
    graph: DeviceGraph,
    kernel: str,
    block: int,
    slots: int,
    supports: str,
    queue_threshold: int,
    base: int,
) -> Callable[[Iteration], None]:
    """Return an `expand` of `level_loop` for a kernel that includes `supports.cuh`.

    Parameters
    ----------
    host, graph
        As the driver got them.
    kernel : str
        Which kernel expands the frontier, one lane for each of its vertices.
    block : int
        Threads per block.
    slots : int
        Elements of shared memory that its basic mapping needs for each thread.
    supports, queue_threshold, base
        The options of `support_options`.
    """
    own = set(supports.split("+"))
    each = max(slots, RANGE) if own & {WARP, BLOCK} else slots
    shared_mem = each * block * int(graph.offsets.dtype.itemsize)
    if QUEUES not in own:
        return expand_resident(host, graph, kernel, block, 1, shared_mem=shared_mem)
    bins = Bins.of(host.resident_threads, queue_threshold, base)
    queues = _Queues(host, graph, block, bins)
    expand = expand_resident(host, graph, kernel, block, 1, *queues.given, shared_mem=shared_mem)

    def both(iteration: Iteration) -> None:
        host.write(queues.sizes, 0)
        expand(iteration)
        queues.expand(iteration)

    return both


class _Queues:
    """The supplementary queues on the device, and the launches that expand them."""

    def __init__(self, host: Host, graph: DeviceGraph, block: int, bins: Bins) -> None:
        self.host, self.graph, self.block, self.bins = host, graph, block, bins
        self.capacity = bins.capacity(graph.vertices, graph.edges)
        self.vertices: DeviceArray = host.empty("bins", bins.count * self.capacity)
        self.sizes: DeviceArray = host.full("bin_sizes", bins.count, 0)

    @property
    def given(self) -> tuple[Any, ...]:
        """The arguments for the parameters BIN_PARAMETERS of `supports.cuh`."""
        limits = self.bins.threshold, self.bins.base, self.bins.count - 1
        return (self.vertices, self.sizes, self.capacity, *limits)

    def expand(self, iteration: Iteration) -> None:
        """Launch a kernel for each bin that has vertices, into the same next queue."""
        for number, size in enumerate(self.host.read(self.sizes).tolist()):
            if size:
                self._expand(number, size, iteration)

    def _expand(self, number: int, size: int, iteration: Iteration) -> None:
        threads = self.bins.threads(number)
        grid = self.host.blocks(size * threads, self.block)
        args = (
            self.graph.offsets,
            self.graph.neighbours,
            iteration.level,
            self.vertices,
            self.capacity,
            number,
            size,
            threads,
            iteration.next,
            iteration.next_size,
            iteration.depth,
        )
        self.host.launch("expand_bin", grid, self.block, args)
