"""A search whose levels are top-down or bottom-up, each in a way of its own: its phase."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from gpubfs.errors import UsageError
from gpubfs.host import Fact, SearchResult
from gpubfs.search.expansions import Expansion, Queues, SingleScan
from gpubfs.search.passes import BottomUpPasses, Buffers
from gpubfs.search.rules import Figures, Rule, Standing
from gpubfs.search.status_scan import StatusScan

SCAN_FREE = "scan-free"
SINGLE_SCAN = "single-scan"
BOTTOM_UP = "bottom-up"
NO_QUEUE = "no-queue"
PHASES = (SCAN_FREE, SINGLE_SCAN, BOTTOM_UP, NO_QUEUE)
#: A way back without a phase of its own: two scans make the queue, which is then scan-free's.
DOUBLE_SCAN = "double-scan"


class Holds(Enum):
    """What there is in the frontier's queue."""

    LEVEL = "the vertices of the level"
    UNVISITED = "what was not visited before the last pass, so that the level is among it"
    NOTHING = "nothing: the level is marked in the status array"


def check_plan(plan: tuple[str, ...], *, marks: bool) -> None:
    """Raise unless each level of a plan can be expanded in its phase.

    Parameters
    ----------
    plan : sequence of str
        The phases of the first levels.
    marks : bool
        Whether the search has single-scan.

    Raises
    ------
    UsageError
        For the first that cannot.

    Examples
    --------
    >>> check_plan((SCAN_FREE, BOTTOM_UP, NO_QUEUE), marks=False)
    """
    known = [phase for phase in PHASES if marks or phase != SINGLE_SCAN]
    for depth, phase in enumerate(plan):
        if phase not in known:
            raise UsageError(
                f'phases: "{phase}" is no phase', f"join some of {', '.join(known)} by +"
            )
        if phase == NO_QUEUE and (not depth or plan[depth - 1] != BOTTOM_UP):
            raise UsageError(
                f"phases: level {depth} cannot be {NO_QUEUE}, which takes the queue of a bottom-up "
                "level, for the level before it is none",
                f"let {BOTTOM_UP} come before {NO_QUEUE}",
            )


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
    single_scan : SingleScan, optional
        How levels are expanded before which many discoveries are predicted; without it there are
        no such levels.

    Raises
    ------
    UsageError
        If a plan or a way back cannot be.
    """

    buffers: Buffers
    passes: BottomUpPasses
    expansion: Expansion
    scan: StatusScan
    rule: Rule
    back: str = NO_QUEUE
    plan: tuple[str, ...] = ()
    single_scan: SingleScan | None = None

    holds: Holds = field(init=False, default=Holds.LEVEL)
    queued: int = field(init=False, default=1)  # vertices in the frontier's queue
    # The same of the pass before, if that was the last but one; it is in the other queue.
    queued_before: int = field(init=False, default=0)
    ahead: int = field(init=False, default=0)  # vertices of the frontier that were found early
    early: Figures = field(init=False, default=Figures())  # of the level after it, found early
    prior: Figures | None = field(init=False, default=None)
    frontier: Figures = field(init=False)
    visited: Figures = field(init=False)

    def __post_init__(self) -> None:
        check_plan(self.plan, marks=self.single_scan is not None)
        if self.back not in (NO_QUEUE, DOUBLE_SCAN):
            raise UsageError(
                f'back: "{self.back}" is no way back', f"give {NO_QUEUE} or {DOUBLE_SCAN}"
            )

    def run(self) -> SearchResult:
        """Search until a level is empty.

        Returns
        -------
        SearchResult
            Its levels.
        """
        self.frontier = self.visited = Figures(1, self.buffers.degree(self.buffers.source))
        depth = 0
        while self.frontier.vertices:
            phase, ratio = self._choose(depth)
            self.buffers.host.level(depth, self.frontier.vertices, self._facts(phase, ratio))
            depth += 1
            following = self._expand(phase, depth)
            self.visited += following
            self.prior, self.frontier = self.frontier, following
        return SearchResult(self.buffers.level)

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
            return self.plan[depth], ratio
        return BOTTOM_UP if up else self._top_down(), ratio

    def _top_down(self) -> str:
        """Return the phase of a level that the rule expands top-down."""
        if self.holds is Holds.UNVISITED:
            return NO_QUEUE if self.back == NO_QUEUE else SCAN_FREE
        growing = self.single_scan is not None and self.standing.predicts(self.single_scan.alpha)
        return SINGLE_SCAN if growing else SCAN_FREE

    def _facts(self, phase: str, ratio: float) -> dict[str, Fact]:
        """Return what there is to say of a level: its phase, and all that has chosen it."""
        now = self.standing
        facts: dict[str, Fact] = {"phase": phase, "edge_check": now.frontier.edges}
        facts |= {"lambda": now.growth, "ratio": ratio}
        if self.single_scan is not None:
            facts["predicted"] = now.predicted
        return facts | {"early": self.ahead}

    def _expand(self, phase: str, depth: int) -> Figures:
        """Find level `depth`, and return its figures."""
        if phase == BOTTOM_UP:
            return self._bottom_up(depth)
        if phase == NO_QUEUE:
            found = self._no_queue(depth)
        elif phase == SINGLE_SCAN and self.single_scan is not None:
            found = self._mark(self.single_scan, depth)
        else:
            found = self._from_queue(depth)
        self.ahead, self.early, self.queued_before = self.early.vertices, Figures(), 0
        return found

    def _bottom_up(self, depth: int) -> Figures:
        """Let all that was not visited look for parents."""
        data = self.buffers
        data.swap()  # the queue of the pass before is kept
        self.queued_before = self.queued if self.holds is Holds.UNVISITED else 0
        # Who has measured a marked level has counted them already.
        scan = self.scan.place_counted if self.holds is Holds.NOTHING else self.scan.into
        self.queued = scan(data.frontier, -1, data.next_size)
        self.holds = Holds.UNVISITED
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
        return self._enqueued(self.expansion.no_queue(self._queues(size, depth)))

    def _from_queue(self, depth: int) -> Figures:
        """Expand a queue of the level's vertices, which is made if there is none."""
        self._require_queue(depth - 1)
        data = self.buffers
        if self.early.vertices:
            self.scan.into(data.next, depth, data.next_size)
        else:
            data.host.write(data.next_size, 0)
        return self._enqueued(self.expansion.scan_free(self._queues(self.queued, depth)))

    def _mark(self, single_scan: SingleScan, depth: int) -> Figures:
        """Mark the vertices of the next level; whether they get a queue, that level will say."""
        self._require_queue(depth - 1)
        found = single_scan.expand(self._queues(self.queued, depth))
        self.holds = Holds.NOTHING
        return found

    def _require_queue(self, depth: int) -> None:
        """See to it that the frontier's queue holds the vertices of level `depth`."""
        data = self.buffers
        if self.holds is Holds.NOTHING and self.single_scan is not None:
            self.single_scan.collect(data.frontier, data.next_size, depth)
            self.queued = self.frontier.vertices
        elif self.holds is Holds.UNVISITED:
            self.queued = self.scan.into(data.frontier, depth, data.next_size)
        self.holds = Holds.LEVEL

    def _queues(self, size: int, depth: int) -> Queues:
        data, edges = self.buffers, self.frontier.edges
        return Queues(data.frontier, size, edges, data.next, data.next_size, depth, self.early)

    def _enqueued(self, found: Figures) -> Figures:
        """Take the queue that was filled for the frontier's, and return its figures."""
        self.buffers.swap()
        self.holds = Holds.LEVEL
        self.queued = found.vertices
        return found
