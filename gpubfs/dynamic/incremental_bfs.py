"""The levels of an earlier search are repaired after a batch of inserted and deleted edges.

Tödling et al. (Section VI-A) name it as a next step, "partially updating a previous BFS result",
and say no more; what follows is made here. A batch deletes edges and inserts edges, in whichever
order; the graph is the one that comes of it, and an undirected graph has each edge in both
directions.

1. A vertex is a *suspect* if it was the head of a deleted edge on a shortest path. Suspects are
   decided from the source outwards, all of a level before the next: one that has a neighbour one
   level nearer stays. Any other is *affected*. It loses its level, and its neighbours at the level
   after its own become suspects. Deciding a vertex before the level in front of it would let it
   stay by a neighbour that is about to lose its own level.
2. *Seeds* are affected vertices, and heads of inserted edges that lead there on a shorter path.
   Each looks among its neighbours for the least level, and is put into the bucket of the level
   after it.
3. From the lowest level on, the vertices of a bucket and those that the level before has lowered
   are expanded together: neighbours that are further than one more are lowered, by atomicMin, and
   belong to the next level. A vertex that has come to its turn cannot become less any more, so
   each is expanded once, and a seed that was lowered meanwhile is dropped.
4. Who has got no level by then is not reached.

Buckets are sorted by counting, so that levels without suspects or seeds cost no launch. For each
level the host makes one launch and one read; it looks at no vertex and no edge.

What an outline of these steps has to be careful with:

- Not reached is -1, which as a number is less than every level, so that a minimum would keep it.
  Kernels read levels as unsigned numbers, of which it is the largest. One more than it is 0, the
  level of the source: an edge that comes from where the search has never been is passed over both
  where suspects are found and where seeds look.
- "A neighbour one level nearer" is one from which an edge leads to the vertex. A directed graph
  therefore needs its edges turned round, too.
- An edge that the batch both inserts and deletes may be in the graph or not. So an inserted edge
  gives its head no level, but only makes it look among the neighbours that it has. That costs no
  more than expanding it does, and a batch that lists what did not happen does no harm: what was
  not there before is deleted, and what was there is inserted, in vain. What did happen must be
  listed.
- A seed that gets its level at once would be seen by seeds that still look, and what these find
  would depend on who is first. So all look before any of them has its level.

A vertex is *touched* if its own edges are looked at: a suspect, a seed, and what is lowered. A new
search touches every vertex that it reaches. Beside that, both fill an array of all vertices.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gpubfs.arguments import is_kind, shown
from gpubfs.dynamic.batch import Batch
from gpubfs.dynamic.dynamic_graph import empty_batch
from gpubfs.dynamic.level_repair import ARRAYS, BENIGN, Edges, LevelRepair, Work, Workspace
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.build import count
from gpubfs.graphs.checks import check_ends, integers
from gpubfs.host import DeviceGraph, Host, Progress, SearchResult
from gpubfs.search.distribution import GROUP_WIDTH
from gpubfs.search.option import AUTO
from gpubfs.search.papers import TOEDLING
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.result import Run
from gpubfs.search.runs import run
from gpubfs.search.technique import Technique

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "incremental-bfs"


@dataclass(frozen=True)
class Repair:
    """Levels that were repaired, and what that took.

    Attributes
    ----------
    run : Run
        The repair as a verified run: levels, launches, counters and facts of each level.
    work : Work
        How many vertices were looked at, and why.
    """

    run: Run
    work: Work

    @property
    def levels(self) -> NDArray[np.int32]:
        """The distance of each vertex from the source, -1 where it is not reached."""
        return self.run.levels

    @property
    def touched(self) -> int:
        """Vertices whose edges were looked at; a new search would touch `run.reached`."""
        return self.work.touched


class IncrementalSearch:
    """A repair of some levels after a batch, as a technique that machines run and watch.

    Parameters
    ----------
    levels : int32 array of shape (V,)
        Those of the earlier search.
    graph : Graph
        The graph as it is after the batch.
    inserted, deleted : Batch
        The edges that came and went.
    """

    def __init__(
        self, levels: NDArray[np.int32], graph: Graph, inserted: Batch, deleted: Batch
    ) -> None:
        self.levels, self.graph = levels, graph
        self.inserted, self.deleted = inserted, deleted
        self.work = Work(0, 0, 0, 0)

    @property
    def size(self) -> int:
        """The updates of the batch."""
        return len(self.inserted) + len(self.deleted)

    @property
    def technique(self) -> Technique:
        """What a machine runs."""
        return Technique(
            NAME,
            self.drive,
            family="graphs that change",
            kernel="dynamic/incremental_bfs.cu",
            paper=TOEDLING,
            section="VI-A",
            year=2019,
            arrays=ARRAYS,
            memory="4 V for each of ten arrays, the batch; directed, the graph once more",
            options=(BLOCK_256, GROUP_WIDTH),
            about=__doc__ or "",
            benign=BENIGN,
        )

    def drive(
        self, host: Host, graph: DeviceGraph, source: int, *, block: int, width: int
    ) -> SearchResult:
        """Repair the levels; `width` is a macro of the file."""
        space = Workspace(host, self.levels)
        out_edges = (graph.offsets, graph.neighbours)
        in_edges = self._reversed(host) if graph.directed else out_edges
        repair = LevelRepair(host, space, out_edges, in_edges, graph.directed, block, width)
        deleted = _uploaded(host, "deleted", self.deleted)
        inserted = _uploaded(host, "inserted", self.inserted)
        if deleted:
            repair.forget(deleted)
        if deleted or inserted:
            repair.lower(inserted)
        self.work = repair.work
        host.tell_levels(lambda: repair.facts)
        return SearchResult(space.level)

    def _reversed(self, host: Host) -> tuple[Any, Any]:
        """Copy the graph with its edges turned round to the device."""
        turned = self.graph.reversed
        return (
            host.array("in_offsets", turned.offsets),
            host.array("in_neighbours", turned.neighbours),
        )


def _uploaded(host: Host, name: str, batch: Batch) -> Edges | None:
    """Copy the edges of a batch to the device, if there are any."""
    if not len(batch):
        return None
    ends = {f"{name}_tails": batch.sources, f"{name}_heads": batch.targets}
    tails, heads = (host.array(array, vertices) for array, vertices in ends.items())
    return tails, heads, len(batch)


def repair(
    levels: ArrayLike,
    graph: Any,
    inserted: Batch | None = None,
    deleted: Batch | None = None,
    machine: str = "sim",
    *,
    device: str | None = None,
    schedule: str | None = None,
    counters: bool | None = None,
    sanitize: str = "",
    observe: str | Iterable[str] = (),
    progress: Progress | None = None,
    block: int = 256,
    width: int | str = AUTO,
) -> Repair:
    """Repair the levels of an earlier search after edges of the graph came and went.

    Parameters
    ----------
    levels : array_like of int, shape (V,)
        The distance of each vertex from the source before, -1 where it was not reached. The source
        is the vertex at distance 0.
    graph : Graph or whatever `gpubfs.graph` takes
        The graph as it is after the batch.
    inserted, deleted : Batch, optional
        The edges that came and went. Of an undirected graph each is in it in either direction, or
        in both. Repeated edges, loops, and edges that were there already or were not there, do no
        harm.
    machine : str
        "sim", the simulator, or "gpu".
    device, schedule : str, optional
        The GPU that the simulator pretends to be, and in which order it runs warps.
    counters : bool, optional
        Whether to count, as of `gpubfs.run`.
    sanitize : str
        Which of the simulator's sanitizers watch: "all", or names with commas between them.
    observe : str or iterable of str
        Observers that watch on the simulator; `run.observers` has what they report.
    progress : callable, optional
        Called as ``progress(depth, vertices here, vertices)`` at each level of each pass.
    block : int
        Threads per block.
    width : int or "auto"
        Lanes that share a vertex: 1, 2, 4, 8, 16 or 32, or about the average degree.

    Returns
    -------
    Repair
        The levels, verified, and how many vertices were looked at.

    Raises
    ------
    UsageError, GraphError
        If the levels are none of this graph, an end of an edge is no vertex, or an option, the
        machine, the device or the schedule is not there.
    VerificationError
        If what comes out is not a search of the graph: the levels were not those of the graph
        before the batch, or the batch lacks an edge.
    simulator.Fault
        If a sanitizer finds something that is not declared.

    Examples
    --------
    >>> import gpubfs
    >>> from gpubfs.dynamic import Batch, repair
    >>> ring = gpubfs.Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
    >>> repaired = repair([0, 1, 2, 3, 4, 5], ring, inserted=Batch([5], [0]))
    >>> repaired.levels.tolist(), repaired.touched
    ([0, 1, 2, 3, 2, 1], 2)
    >>> repair(repaired.levels, "path:6", deleted=Batch([5], [0])).levels.tolist()
    [0, 1, 2, 3, 4, 5]
    """
    changed = make_graph(graph)
    earlier, source = _earlier(levels, changed)
    came, went = _checked(inserted, "inserted", changed), _checked(deleted, "deleted", changed)
    search = IncrementalSearch(earlier, changed, came, went)
    done = run(
        search.technique,
        changed,
        source,
        machine,
        device=device,
        schedule=schedule,
        counters=counters,
        sanitize=sanitize,
        observe=observe,
        progress=progress,
        block=block,
        width=width,
    )
    return Repair(done, search.work)


def _earlier(levels: ArrayLike, graph: Graph) -> tuple[NDArray[np.int32], int]:
    """Return the levels of an earlier search, checked, and where it began."""
    given = integers(levels, "levels")
    if len(given) != graph.vertices:
        size = count(graph.vertices, "vertex", "vertices")
        hint = "give the levels of a search of the graph before the batch"
        raise UsageError(f"there are {len(given):,} levels, and {graph.spec} has {size}", hint)
    outside = (given < -1) | (given >= graph.vertices)
    if outside.any():
        vertex = int(outside.argmax())
        hint = f"give levels from 0 to {graph.vertices - 1}, and -1 for what was not reached"
        raise UsageError(f"vertex {vertex} has level {given[vertex]}, which none can have", hint)
    sources = np.flatnonzero(given == 0)
    if len(sources) != 1:
        found = count(len(sources), "vertex has", "vertices have")
        raise UsageError(f"{found} level 0", "give the levels of a search, whose source alone has")
    return given.astype(np.int32, copy=False), int(sources[0])


def _checked(batch: Batch | None, name: str, graph: Graph) -> Batch:
    """Return a batch whose ends are vertices; none is one without edges."""
    if batch is None:
        return empty_batch("simple")
    if not is_kind(batch, Batch):
        hint = "give a gpubfs.dynamic.Batch, such as Batch([0, 0], [1, 2])"
        raise UsageError(f"{name}={shown(batch)} is no batch", hint)
    for ends, what in ((batch.sources, "begins"), (batch.targets, "ends")):
        check_ends(ends, graph.vertices, f"{name}: the vertex at which an edge {what},")
    return batch
