"""What experiments on XBFS's bottom-up passes share: graphs, sources, and orders of threads."""

from __future__ import annotations

import numpy as np

from gpubfs.graphs import Graph

#: Graphs of few levels, as the paper's: stand-ins of some of its Table 1, and generated ones.
GRAPHS = {
    "sim": ("standin:LiveJournal,4096", "standin:USpatent,4096", "powerlaw:4096", "kron:12"),
    "gpu": ("standin:LiveJournal", "standin:USpatent", "powerlaw:1000000", "kron:21"),
}

#: Orders in which the simulator lets warps run: together, one after the other, in turns, by chance.
ORDERS = ("lockstep", "warp", "round-robin:0", "random:0", "random:1", "random:2")


def typical(graph: Graph) -> int:
    """Return the first vertex with the median degree of those that have edges.

    The paper does not say where its searches begin; from the vertex of the highest degree, where
    others begin here, the first levels are not those of most searches.

    Examples
    --------
    >>> import gpubfs
    >>> typical(gpubfs.graph("star:5")), typical(gpubfs.graph("path:3"))
    (1, 0)
    """
    degrees = graph.degrees
    some = np.sort(degrees[degrees > 0])
    middle = some[len(some) // 2] if len(some) else 0
    return int(np.argmax(degrees == middle))


def orders(machine: str) -> tuple[str, ...]:
    """Return the orders of warps that there are to try: a GPU has one, its own.

    Examples
    --------
    >>> orders("gpu")
    ('',)
    """
    return ORDERS if machine == "sim" else ("",)
