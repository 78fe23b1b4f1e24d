"""Vertices are split into virtual ones of a bounded degree, and each of these gets a thread.

Tigr, by Sabet, Qiu and Zhao (2018), with which Gaihre et al. (XBFS, Table 2) compare: it balances
the graph instead of the work. Its virtual split leaves the graph as it is, in CSR, and puts a table
over it: a vertex of d edges becomes d / `degree_bound` virtual vertices, rounded up, and the table
says whose each of them is, and which piece. They share the vertex's distance, so that nothing has
to be passed on between pieces, the levels are those of the graph, and no thread looks at more than
`degree_bound` edges.

None of the papers that this package follows says more of Tigr; what follows is after its authors'
public code. In each level all virtual vertices ask for the status of their vertex; there is no
queue, as in `status-array`, whose price they pay as well, and some more: there are at least as many
of them as vertices with edges. A queue would have to take all pieces of a hub from the thread that
discovers it, and that thread's work would be unbounded again. Pieces have 8 edges there, and
neighbouring virtual vertices of a vertex look at neighbouring edges, so that their loads fall into
the same sectors: the k-th of n pieces has the edges k, k + n, k + 2 n, and so on. With
`coalesced=false` each piece is a run of edges.

The table is made by the host before the search, once for a graph, for which it reads the offsets
back; the time of a search does not contain that. What the public code does otherwise: it writes a
vertex only where it finds it unvisited; here a vertex that was found in the same launch is written
again, as in `status-array`, so that counters do not depend on who comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import UsageError
from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import WORK_DISTRIBUTION
from gpubfs.search.option import Option
from gpubfs.search.papers import TIGR
from gpubfs.search.queues import BLOCK_256

#: The most virtual vertices, whose threads in whole blocks are numbered in 32 bits.
MOST_VIRTUAL = 2**31 - 1024


def split(offsets: NDArray[np.integer], bound: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return whose each virtual vertex is, and which piece of it.

    Parameters
    ----------
    offsets : ndarray of int, shape (V + 1,)
        As in CSR.
    bound : int
        The most edges of a virtual vertex.

    Returns
    -------
    owner, piece : ndarray of int32
        One element for each virtual vertex; those of a vertex follow each other.

    Raises
    ------
    UsageError
        If they are more than threads can be numbered.

    Examples
    --------
    >>> owner, piece = split(np.array([0, 5, 5, 7]), 2)
    >>> owner.tolist(), piece.tolist()
    ([0, 0, 0, 2], [0, 1, 2, 0])
    """
    pieces = -(-np.diff(offsets) // bound)
    starts = np.cumsum(pieces, dtype=np.int64)
    total = int(starts[-1])
    if total > MOST_VIRTUAL:
        raise UsageError(
            f"virtual-split numbers virtual vertices in 32 bits, and with degree_bound={bound} "
            f"the graph has {total:,}",
            "give a larger degree_bound",
        )
    owner = np.repeat(np.arange(len(pieces), dtype=np.int32), pieces)
    piece = np.arange(total) - np.repeat(starts - pieces, pieces)
    return owner, piece.astype(np.int32)


@technique(
    "virtual-split",
    family=WORK_DISTRIBUTION,
    kernel="virtual_split.cu",
    paper=TIGR,
    section="the virtual split; compared in Gaihre et al. (XBFS), Table 2",
    year=2018,
    arrays={
        "level": "distance from the source, -1 where not visited",
        "owner": "the vertex of which each virtual vertex is a piece",
        "piece": "which piece it is, from 0",
        "found": "1 if the level that was expanded has a next one, else 0",
    },
    memory="4 V for level + 8 bytes for each virtual vertex, of which there are at most "
    "V + E / degree_bound + 4 bytes",
    benign={
        "level": "all writers of a level write depth + 1, and readers do the same with -1 and with "
        "depth + 1: not in the frontier, to be written"
    },
    options=(
        BLOCK_256,
        Option(
            "degree_bound",
            8,
            "the most edges of a virtual vertex",
            minimum=1,
            maximum=65536,
            define="DEGREE_BOUND",
        ),
        Option(
            "coalesced",
            True,
            "whether neighbouring virtual vertices look at neighbouring edges, or at runs of them",
            define="COALESCED",
        ),
    ),
)
def virtual_split(
    host: Host, graph: DeviceGraph, source: int, *, block: int, degree_bound: int, coalesced: bool
) -> SearchResult:
    """Expand level after level until one finds nothing; `coalesced` is a macro of the kernel."""
    owner, piece = split(host.read(graph.offsets), degree_bound)
    level = host.levels(graph.vertices, source)
    table = host.array("owner", owner), host.array("piece", piece)
    found = host.full("found", 1, 1)
    grid = max(host.blocks(len(owner), block), 1)
    depth = 0
    while host.read_int(found):
        host.level(depth)
        host.write(found, 0)
        args = (graph.offsets, graph.neighbours, level, *table, len(owner), depth, found)
        host.launch("virtual_split", grid, block, args)
        depth += 1
    return SearchResult(level)
