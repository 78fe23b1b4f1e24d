"""What experiments on XBFS share: the system, its graphs, its passes, what they accessed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs import Graph
from gpubfs.host import Launch
from gpubfs.search.result import Run

#: The search that stands for XBFS.
SYSTEM = "xbfs"

#: The share of all edges from which on a level is bottom-up, the paper's.
ALPHA = 0.1

#: The graphs of the paper's Table 1, and how many vertices their stand-ins have on each machine.
STAND_INS = (
    ("DBpedia", 8000, 1_000_000),
    ("DBLP-author", 8000, 1_000_000),
    ("EnWiki", 4000, 300_000),
    ("Friendster", 4000, 300_000),
    ("LiveJournal", 8000, 500_000),
    ("Orkut", 2000, 100_000),
    ("Trackers", 8000, 700_000),
    ("USpatent", 8000, 1_000_000),
    ("Wiki-dbpeda", 4000, 400_000),
    ("Wiki-link", 2000, 100_000),
)
#: Their specifications.
TABLE_1 = {
    "sim": tuple(f"standin:{name},{few}" for name, few, _ in STAND_INS),
    "gpu": tuple(f"standin:{name},{many}" for name, _, many in STAND_INS),
}

STATIC, THREAD, WARP = "bottom-up", "bottom-up-thread", "bottom-up-warp"
DONATE = "bottom-up-donate"


def passes(done: Run) -> list[Launch]:
    """Return the launches that look for parents.

    Parameters
    ----------
    done : Run
        A search that may go bottom-up.

    Examples
    --------
    >>> from gpubfs import run
    >>> [at.depth for at in passes(run("bottom-up", "star:9", 1))]
    [0, 1]
    """
    return [at for at in done.per_launch if at.kernel.startswith("bottom_up")]


def looks(graph: Graph, levels: NDArray[np.int32], depth: int) -> NDArray[np.int64]:
    """Return at how many edges each vertex looks in a pass; -1 where it was visited before.

    Parameters
    ----------
    graph : Graph
        The graph.
    levels : int32 array of shape (V,)
        Distances from the source, as they are in the end.
    depth : int
        The level that the pass finds.

    Returns
    -------
    int64 array of shape (V,)
        The place of the first neighbour one level before, from 1, or the degree.

    Examples
    --------
    >>> levels = np.array([0, 1, 2, 3, 3, 1, 2, 2, 3, 4])
    >>> from gpubfs import graph as made
    >>> looks(made("toy"), levels, 3).tolist()
    [-1, -1, -1, 1, 2, -1, -1, -1, 1, 2]
    """
    parents = np.flatnonzero(levels[graph.neighbours] == depth - 1)
    starts = graph.offsets[:-1].astype(np.int64)
    nearest = np.append(parents, graph.edges)[np.searchsorted(parents, starts)]
    found = np.minimum(nearest + 1 - starts, graph.degrees)
    return np.where((levels < 0) | (levels >= depth), found, -1)


def accesses(launches: Iterable[Launch], kind: str, array: str, unit: str = "lanes") -> int:
    """Return how often launches access an array.

    Parameters
    ----------
    launches : iterable of Launch
        Counted ones.
    kind : str
        load, store or atomic.
    array : str
        The array.
    unit : str
        Of whom: "lanes", threads that access it, or "requests" of their warps.

    Examples
    --------
    >>> from gpubfs import run
    >>> done = run("scan-free", "star:9")
    >>> accesses(done.per_launch, "load", "neighbours")
    18
    """
    sites = (site for at in launches for site in at.sites or ())
    return sum(getattr(site, unit) for site in sites if (site.kind, site.array) == (kind, array))
