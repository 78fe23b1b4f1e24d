"""How evenly bottom-up passes share out their work: as counted, and as it follows from levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gpubfs.experiments.fetching import LANES
from gpubfs.experiments.gaihre import looks, passes
from gpubfs.graphs import Graph
from gpubfs.host import Launch
from gpubfs.search.result import Run
from simulator.observe.counters import Work

#: What a warp loads for each round beside the edges that it looks at, and for each of these: an
#: entry of the queue, where its edges begin and end; a neighbour and its level.
ROUND, EDGE = 3, 2


def unvisited(done: Run) -> int:
    """Return the vertices of all passes' queues together: who was not visited before each.

    Parameters
    ----------
    done : Run
        A search with synchronous passes.

    Examples
    --------
    >>> from gpubfs import run
    >>> unvisited(run("bottom-up", "path:4", 0))
    6
    """
    return sum(int(((done.levels < 0) | (done.levels > at.depth)).sum()) for at in passes(done))


def dealt(graph: Graph, done: Run, launch: Launch) -> tuple[NDArray[np.int64], int]:
    """Return how often each warp loads for itself in a pass that deals its vertices out.

    Parameters
    ----------
    graph : Graph
        The graph.
    done : Run
        The search.
    launch : Launch
        A pass of it.

    Returns
    -------
    loads : int64 array
        Those of each warp, in all rounds.
    longest : int
        Those of the longest round of any warp.

    Examples
    --------
    >>> from gpubfs import graph, run
    >>> done = run("bottom-up", "star:40", 0)
    >>> loads, longest = dealt(graph("star:40"), done, passes(done)[0])
    >>> loads.tolist(), longest
    ([5, 5, 0, 0, 0, 0, 0, 0], 5)
    """
    work = looks(graph, done.levels, launch.depth + 1)
    queue = work[work >= 0]
    threads = launch.grid[0] * launch.block[0]
    entries = np.full(-(-queue.size // threads) * threads, -1)
    entries[: queue.size] = queue
    most = entries.reshape(-1, threads // LANES, LANES).max(axis=2)
    rounds = np.where(most >= 0, ROUND + EDGE * most, 0)
    return rounds.sum(axis=0), int(rounds.max())


def bound(deals: Iterable[tuple[NDArray[np.int64], int]]) -> float:
    """Return what fetching can gain at most, if warps are equally fast.

    A pass that fetches takes at least as long as the mean warp, and as the longest round, which
    stays one warp's.

    Parameters
    ----------
    deals : iterable of (int64 array, int)
        Of each pass what `dealt` returns.

    Examples
    --------
    >>> bound([(np.array([9, 3]), 5), (np.array([5, 1]), 5)])
    1.2727272727272727
    """
    both = [(int(loads.max()), max(float(loads.mean()), longest)) for loads, longest in deals]
    return sum(most for most, _ in both) / sum(least for _, least in both)


def uneven(works: Sequence[Work]) -> float:
    """Return the accesses of the busiest of each launch, added up, to those of the mean.

    Parameters
    ----------
    works : sequence of Work
        Of threads, or of warps, one a launch.

    Examples
    --------
    >>> import numpy as np
    >>> from simulator.observe.counters import Work
    >>> uneven([Work.of(np.array([1, 3])), Work.of(np.array([6, 10]))])
    1.3
    """
    mean_work = sum(work.mean for work in works)
    return sum(work.maximum for work in works) / mean_work if mean_work else 0.0
