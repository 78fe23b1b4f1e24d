"""Small named graphs: the toy graph of the XBFS paper, and classics that NetworkX knows."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from gpubfs.graphs.csr import Graph

#: Specification name to the NetworkX function that makes the graph.
CLASSICS = {
    "bull": "bull_graph",
    "chvatal": "chvatal_graph",
    "cubical": "cubical_graph",
    "davis": "davis_southern_women_graph",
    "desargues": "desargues_graph",
    "diamond": "diamond_graph",
    "dodecahedral": "dodecahedral_graph",
    "florentine": "florentine_families_graph",
    "frucht": "frucht_graph",
    "heawood": "heawood_graph",
    "house": "house_graph",
    "icosahedral": "icosahedral_graph",
    "karate": "karate_club_graph",
    "krackhardt-kite": "krackhardt_kite_graph",
    "les-miserables": "les_miserables_graph",
    "moebius-kantor": "moebius_kantor_graph",
    "octahedral": "octahedral_graph",
    "pappus": "pappus_graph",
    "petersen": "petersen_graph",
    "sedgewick-maze": "sedgewick_maze_graph",
    "tetrahedral": "tetrahedral_graph",
    "truncated-cube": "truncated_cube_graph",
    "tutte": "tutte_graph",
}

#: The twelve edges of the toy graph; `toy` says where each comes from.
TOY_EDGES = (
    (0, 1), (0, 5), (1, 2), (1, 7), (5, 6), (5, 7),
    (2, 3), (3, 4), (3, 9), (4, 6), (7, 8), (8, 9),
)  # fmt: skip


def toy() -> Graph:
    """The ten-vertex graph of Figure 2 of the XBFS paper, as far as the paper's text fixes it.

    Fixed by the text, for a traversal from vertex 0:

    - the neighbours of 0 are {1, 5} (section 2.2, Example 2);
    - {1, 5} discover {2, 6, 7}, and 7 from both of them (Example 1: only the status of 7 is
      written twice), so 2 and 6 hang on one of the two each;
    - level 3 is {3, 4, 8}, and 9 is left for level 4 (Examples 3 and 4, section 2.2);
    - the neighbours of 3 are {2, 4, 9} (section 2.2) and those of 9 are {3, 8} (Example 6);
    - 4 and 8 have degree two; with ascending lists, 4 finds its parent second and 8 finds its
      parent first (Example 5), so the neighbours of 4 are 3 and one of {6, 7}, and those of 8 are
      9 and one of {2, 6, 7}.

    Chosen here, because only the figure shows it: 2 hangs on 1 and 6 on 5 (rather than the other
    way round); 4 hangs on 6 and 8 on 7, so that each vertex of level 2 has one child; and no edge
    beside 3–4 joins two vertices of one level.

    References
    ----------
    Gaihre, Wu, Yao, Liu, "XBFS: eXploring Runtime Optimizations for Breadth-First Search on GPUs",
    HPDC 2019, sections 2.2, 4.1, 4.2, 5.1 and 5.2.

    Examples
    --------
    >>> toy().adjacent(3)
    array([2, 4, 9], dtype=int32)
    """
    ends = np.array(TOY_EDGES)
    return Graph.from_edges(ends[:, 0], ends[:, 1], 10)


def classic(name: str) -> Graph:
    """One of NetworkX's named graphs, its nodes numbered in NetworkX's order.

    >>> classic("petersen").edges
    30
    """
    make = getattr(import_module("networkx"), CLASSICS[name])
    return Graph.from_networkx(make())
