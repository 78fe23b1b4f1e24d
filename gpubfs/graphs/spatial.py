"""Synthetic graphs in the plane: road networks, random geometric graphs, triangulations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.csr import Graph
from gpubfs.graphs.generators import plain

Numbers = NDArray[np.int64]

#: Points of geometric graphs lie on a lattice of this many steps a side: squares stay below 2**53.
STEPS = 1 << 25


def road(vertices: int, seed: int = 1) -> Graph:
    """A road-like network: connected, planar, average degree 2.5, depth of a few sqrt(V).

    On a square lattice, a random spanning tree is completed by random further lattice edges up to
    five edges for every four vertices. Numbers run along the rows, so neighbours are close.

    >>> road(10_000).edges
    25000
    """
    from scipy.sparse import csr_array  # here and below: SciPy's parts are slow to import
    from scipy.sparse.csgraph import minimum_spanning_tree

    sources, targets = _lattice(vertices)
    rank = np.argsort(np.argsort(np.random.default_rng(seed).random(len(sources)), kind="stable"))
    ends = sources.astype(np.int32), targets.astype(np.int32)
    weights = csr_array((rank + 1.0, ends), shape=(vertices, vertices))
    tree = np.rint(minimum_spanning_tree(weights).data).astype(np.int64) - 1
    order = np.empty_like(rank)
    order[rank] = np.arange(len(rank))
    further = np.setdiff1d(np.arange(len(rank)), tree)
    chosen = order[np.concatenate([tree, further[: vertices + vertices // 4 - len(tree)]])]
    return plain(sources[chosen], targets[chosen], vertices)


def _lattice(vertices: int) -> tuple[Numbers, Numbers]:
    """The edges of a square lattice whose last row may be short."""
    at = np.arange(vertices)
    width = max(1, math.isqrt(vertices - 1) + 1)
    right = at[(at % width != width - 1) & (at + 1 < vertices)]
    below = at[at + width < vertices]
    return np.concatenate([right, below]), np.concatenate([right + 1, below + width])


def rgg(vertices: int, seed: int = 1) -> Graph:
    """A connected random geometric graph: uniform points of a square, joined if within a radius.

    The radius is the first of a series with which the graph is connected: away from the border,
    the average degree is ln V + 3k with the smallest k = 1, 2, 3 … that will do.

    >>> rgg(1000).vertices
    1000
    """
    from scipy.spatial import cKDTree

    points = np.floor(np.random.default_rng(seed).random((vertices, 2)) * STEPS)
    tree = cKDTree(points)
    degree = math.log(vertices)
    while True:
        degree += 3
        radius = math.floor(STEPS * math.sqrt(degree / vertices / math.pi))
        pairs = tree.query_pairs(radius, output_type="ndarray")
        if _connected(pairs, vertices):
            return plain(pairs[:, 0], pairs[:, 1], vertices)


def _connected(pairs: Numbers, vertices: int) -> bool:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32)
    matrix = coo_array((np.ones(len(pairs)), ends), shape=(vertices, vertices))
    return int(connected_components(matrix, directed=False)[0]) == 1


def delaunay(vertices: int, seed: int = 1) -> Graph:
    """The Delaunay triangulation of uniform random points of a square.

    >>> delaunay(3).edges
    6
    """
    from scipy.spatial import Delaunay

    points = np.random.default_rng(seed).random((vertices, 2))
    if vertices < 3:
        triangles = np.arange(vertices)[None, :]
    else:
        triangles = Delaunay(points).simplices.astype(np.int64)
    following = np.roll(triangles, -1, axis=1)
    return plain(triangles.ravel(), following.ravel(), vertices)
