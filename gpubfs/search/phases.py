"""A search whose levels are top-down or bottom-up, each in a way of its own: its phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, DeviceGraph, Fact, Host, SearchResult
from gpubfs.search.directions import StatusScan
from gpubfs.search.expansions import Expansion, Queues
from gpubfs.search.rules import Figures, Rule, Standing

SCAN_FREE = "scan-free"
SINGLE_SCAN = "single-scan"
BOTTOM_UP = "bottom-up"
NO_QUEUE = "no-queue"
#: A way back without a phase of its own: two scans make the queue, which is then scan-free's.
DOUBLE_SCAN = "double-scan"


@dataclass
class BottomUpPasses:
    """Launches of one bottom-up kernel, all of them with a fixed grid.

    Parameters
    ----------
    host, graph
        As the driver got them.
    level : device array of V int32
        Distances.
    kernel : str
        A kernel with the parameters (offsets, neighbours, level, queue, queue_size, next_depth,
        found) and, if it is dynamic, `taken`.
    block, blocks : int
        Threads per block, and blocks; 0 is as many as give each thread that the GPU holds at one
        time a place. Where the queue is shorter than that, it has a thread for each vertex.
    dynamic : bool
        Whether threads fetch vertices from a counter.
    """

    host: Host
    graph: DeviceGraph
    level: DeviceArray
    kernel: str
    block: int
    blocks: int
    dynamic: bool

    def __post_init__(self) -> None:
        self.blocks = self.blocks or max(1, self.host.resident_threads // self.block)
        self.taken = self.host.full("taken", 1, 0) if self.dynamic else None

    def launch(self, queue: DeviceArray, size: int, depth: int, found: DeviceArray) -> None:
        """Look for the parents of a queue's vertices.

        Parameters
        ----------
        queue, size
            Vertices not visited yet, and how many they are.
        depth : int
            The distance of those that have a parent.
        found : device array of four uint64
            Receives what the pass finds; 0 before.
        """
        blocks = min(self.host.blocks(size, self.block), self.blocks)
        graph = (self.graph.offsets, self.graph.neighbours, self.level)
        args: tuple[Any, ...] = (*graph, queue, size, depth, found)
        if self.dynamic:
            self.host.write(self.taken, blocks * self.block)
            args = (*args, self.taken)
        self.host.launch(self.kernel, blocks, self.block, args)


class Holds(Enum):
    """What there is in the frontier's queue."""

    LEVEL = "the vertices of the level"
    UNVISITED = "what was not visited before the last pass, so that the level is among it"
    NOTHING = "nothing: the level is marked in the status array"


@dataclass
class Buffers:
    """What a search allocates: `level`, two queues, and what kernels count."""

    host: Host
    graph: DeviceGraph
    source: int
    level: DeviceArray = field(init=False)

    def __post_init__(self) -> None:
        host, vertices = self.host, self.graph.vertices
        self.level = host.levels(vertices, self.source)
        self.frontier = host.queue("frontier", vertices, self.source)
        self.next = host.queue("next", vertices)
        self.next_size = host.full("next_size", 1, 1)
        self.found = host.full("found", 4, 0, "uint64")

    def swap(self) -> None:
        """Exchange the two queues."""
        self.frontier, self.next = self.host.swap(self.frontier, self.next)

    def measured(self, launch: Callable[[], None]) -> list[int]:
        """Return what a launch adds to `found`."""
        self.host.write(self.found, 0)
        launch()
        return [int(figure) for figure in self.host.read(self.found)]


@dataclass
class PhaseSearch:
    """A search that expands each level in the phase that a rule chooses.

    An asynchronous pass that finds level L finds vertices of level L + 1 early. They are in the
    queue of that pass and in no later one, and have their level, so that nobody claims them. So
    the search keeps the last two queues; the figures of a level count those of it that were found
    early; and a top-down level begins with the early ones of the next.

    Parameters
    ----------
    buffers : Buffers
        What is searched, and where.
    passes : BottomUpPasses
        What expands levels bottom-up.
    expansion : Expansion
        What expands them top-down.
    scan : StatusScan
        What makes queues from the status array.
    rule : Rule
        What decides between the two.
    back : str
        How the first top-down level after a pass gets its vertices: NO_QUEUE or DOUBLE_SCAN.
    plan : sequence of str
        The phases of the first levels, whatever the rule says.
    """

    buffers: Buffers
    passes: BottomUpPasses
    expansion: Expansion
    scan: StatusScan
    rule: Rule
    back: str = NO_QUEUE
    plan: tuple[str, ...] = ()

    def run(self) -> SearchResult:
        """Search until a level is empty."""
        self._begin()
        depth = 0
        while self.frontier.vertices:
            phase, ratio = self._choose(depth)
            self.buffers.host.level(depth, self.frontier.vertices, self._facts(phase, ratio))
            depth += 1
            following = self._expand(phase, depth)
            self.visited += following
            self.prior, self.frontier = self.frontier, following
        return SearchResult(self.buffers.level)

    def _begin(self) -> None:
        """Set up the source's level."""
        self.holds = Holds.LEVEL
        self.queued = 1  # vertices in the frontier's queue
        self.queued_before = 0  # and in the queue of the pass before, if that was the last but one
        self.ahead = 0  # vertices of the frontier that were found early
        self.early = Figures()  # of the level after it, what was found early
        self.prior: Figures | None = None
        begin, end = self._edges_of(self.buffers.source)
        self.largest: int | None = end - begin  # degree in the queue, where that was measured
        self.frontier = Figures(1, end - begin)
        self.visited = self.frontier

    def _edges_of(self, v: int) -> list[int]:
        """Return where a vertex's edges begin and end."""
        data = self.buffers
        return [int(position) for position in data.host.read(data.graph.offsets[v : v + 2])]

    @property
    def standing(self) -> Standing:
        """What the rule goes by."""
        graph = self.buffers.graph
        figures = Figures(graph.vertices, graph.edges), self.frontier, self.prior, self.visited
        return Standing(*figures, up=self.holds is Holds.UNVISITED)

    def _choose(self, depth: int) -> tuple[str, float]:
        """Return the phase in which a level is expanded, and the rule's ratio."""
        up, ratio = self.rule(self.standing)
        if depth < len(self.plan):
            return self._planned(depth), ratio
        return BOTTOM_UP if up else self._top_down(), ratio

    def _top_down(self) -> str:
        """Return the phase of a level that the rule expands top-down."""
        after = self.holds is Holds.UNVISITED
        return NO_QUEUE if after and self.back == NO_QUEUE else SCAN_FREE

    def _planned(self, depth: int) -> str:
        phase = self.plan[depth]
        if phase == NO_QUEUE and self.holds is not Holds.UNVISITED:
            raise UsageError(
                f"phases: level {depth} cannot be {NO_QUEUE}, which takes the queue of a bottom-up "
                "level, for the level before it is none",
                f"let {BOTTOM_UP} come before {NO_QUEUE}",
            )
        return phase

    def _facts(self, phase: str, ratio: float) -> dict[str, Fact]:
        growth = self.standing.growth
        edges = self.frontier.edges
        chosen = {"phase": phase, "edge_check": edges, "lambda": growth, "ratio": ratio}
        return {**chosen, "early": self.ahead}

    def _expand(self, phase: str, depth: int) -> Figures:
        """Find level `depth`, and return its figures."""
        if phase == BOTTOM_UP:
            return self._bottom_up(depth)
        found = self._no_queue(depth) if phase == NO_QUEUE else self._from_queue(phase, depth)
        self.early, self.ahead, self.queued_before = Figures(), 0, 0
        return found

    def _bottom_up(self, depth: int) -> Figures:
        """Let all that was not visited look for parents."""
        data = self.buffers
        data.swap()  # the queue of the pass before is kept
        self.queued_before = self.queued if self.holds is Holds.UNVISITED else 0
        self.queued = self.scan.into(data.frontier, -1, data.next_size)
        self.holds, self.largest = Holds.UNVISITED, None
        before, found = self.early, [0, 0, 0, 0]
        if self.queued:
            queue = data.frontier, self.queued
            found = data.measured(lambda: self.passes.launch(*queue, depth, data.found))
        self.ahead, self.early = before.vertices, Figures(*found[2:])
        return Figures(*found[:2]) + before

    def _no_queue(self, depth: int) -> Figures:
        """Go through the last pass's queue, or through that before it, which is a superset."""
        data, size = self.buffers, self.queued
        if self.ahead:
            data.swap()
            size = self.queued_before
        data.host.write(data.next_size, 0)
        if self.early.vertices:
            args = (data.level, data.frontier, size, depth, data.next, data.next_size)
            block = self.passes.block
            data.host.launch("enqueue_early", data.host.blocks(size, block), block, args)
        self.expansion.no_queue(self._queues(size, depth))
        return self._enqueued()

    def _from_queue(self, phase: str, depth: int) -> Figures:
        """Expand a queue of the level's vertices, which is made if there is none."""
        self._require_queue(depth - 1)
        data = self.buffers
        if self.early.vertices:
            self.scan.into(data.next, depth, data.next_size)
        else:
            data.host.write(data.next_size, 0)
        self.expansion.scan_free(self._queues(self.queued, depth))
        return self._enqueued()

    def _require_queue(self, depth: int) -> None:
        """See to it that the frontier's queue holds the vertices of level `depth`."""
        if self.holds is not Holds.LEVEL:
            data = self.buffers
            self.queued = self.scan.into(data.frontier, depth, data.next_size)
            self.holds = Holds.LEVEL

    def _queues(self, size: int, depth: int) -> Queues:
        data = self.buffers
        return Queues(data.frontier, size, data.next, data.next_size, depth, self.largest)

    def _enqueued(self) -> Figures:
        """Take the queue that was filled for the frontier's, and return its figures."""
        self.buffers.swap()
        self.holds = Holds.LEVEL
        found = self._measure()
        self.queued = found.vertices
        return found

    def _measure(self) -> Figures:
        """Return the figures of the frontier's queue, whose size is on the device."""
        data = self.buffers
        queue = data.frontier, data.next_size, data.found
        vertices, edges, self.largest, _ = data.measured(lambda: self.expansion.measure(*queue))
        return Figures(vertices, edges)
