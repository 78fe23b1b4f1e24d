"""Synthetic graphs: random ones that a seed fixes on every platform, and regular ones.

Random numbers come from NumPy's PCG64 through `random`, `integers` and `permutation`; positions and
weights are rounded to integers before they are compared, so that the last bit of a logarithm does
not decide about an edge. Every graph is undirected, without self loops and repeated edges.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs import build
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.families.rmat import listed_pairs
from gpubfs.graphs.family import graph_family

Numbers = NDArray[np.int64]

#: Points of geometric graphs lie on a lattice of this many steps a side: squares stay below 2**53.
STEPS = 1 << 25


def _powers(scale: int, edge_factor: int, seed: int) -> tuple[int, int]:
    return 1 << scale, edge_factor << scale


def _at_most(degree: int) -> Callable[..., tuple[int, int]]:
    """Return the size of a graph whose vertices list so many edges each."""
    return lambda vertices, **_: (vertices, degree * vertices)


@graph_family(size=_powers, example="kron:16")
def kron(scale: int, edge_factor: int = 16, seed: int = 1) -> Graph:
    """Generate an R-MAT (Kronecker) graph with Graph500's probabilities, vertices permuted.

    Parameters
    ----------
    scale : int
        The logarithm of the number of vertices to base 2.
    edge_factor : int
        Listed edges per vertex, before loops are left out and repetitions merged.
    seed : int
        Seed of the random numbers.

    Notes
    -----
    How often a pair is listed is counted in eight bits with a sign, as by the generator of the
    graphs with which this package's measurements were made. From scale 18 on, a few pairs of hubs
    are listed more than 127 times and their edge is lost; `Graph.notes` says how many.

    Examples
    --------
    >>> kron(10).vertices, kron(10).edges
    (1024, 21004)
    """
    pairs, lost = listed_pairs(scale, edge_factor << scale, seed)
    graph = Graph.arranged(build.mirror(pairs, 1 << scale))
    if lost:
        what = build.count(lost, "pair")
        return graph.renamed("kron", f"{what} of hubs lost: listed more than 127 times.")
    return graph


@graph_family(size=_powers, example="er:16")
def er(scale: int, edge_factor: int = 16, seed: int = 2) -> Graph:
    """Generate an Erdős–Rényi graph: both ends of an edge uniform over 2**scale vertices.

    >>> er(10).edges
    32274
    """
    vertices = 1 << scale
    rng = np.random.default_rng(seed)
    sources = rng.integers(0, vertices, vertices * edge_factor)
    targets = rng.integers(0, vertices, vertices * edge_factor)
    return plain(sources, targets, vertices)


def _lattice_size(width: int, height: int | None = None) -> tuple[int, int]:
    vertices = width * (height or width)
    return vertices, 2 * vertices


@graph_family(size=_lattice_size, example="grid:300x200", separator="x")
def grid(width: int, height: int | None = None) -> Graph:
    """Generate a lattice of `height` rows of `width` vertices with four neighbours each.

    Vertex y * width + x stands at column x of row y.

    >>> grid(3, 2).adjacent(1)
    array([0, 2, 4], dtype=int32)
    """
    height = width if height is None else height
    at = np.arange(width * height).reshape(height, width)
    sources = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    targets = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    return plain(sources, targets, width * height)


@graph_family(size=_at_most(2), example="road:100000")
def road(vertices: int, seed: int = 1) -> Graph:
    """Generate a road-like network: planar, average degree 2.5, depth of a few sqrt(V).

    On a square lattice, a random spanning tree is completed by random further lattice edges up to
    five edges for every four vertices. Numbers run along the rows, so neighbours are close.

    >>> road(10_000).edges
    25000
    """
    sources, targets = road_edges(vertices, vertices // 4, seed)
    return plain(sources, targets, vertices)


def road_edges(vertices: int, more: int, seed: int) -> Numbers:
    """Return a random spanning tree of a square lattice and up to `more` further lattice edges."""
    from scipy.sparse import csr_array  # here and below: SciPy's parts are slow to import
    from scipy.sparse.csgraph import minimum_spanning_tree

    sources, targets = lattice(vertices)
    rank = np.argsort(np.argsort(np.random.default_rng(seed).random(len(sources)), kind="stable"))
    ends = sources.astype(np.int32), targets.astype(np.int32)
    weights = csr_array((rank + 1.0, ends), shape=(vertices, vertices))
    tree = np.rint(minimum_spanning_tree(weights).data).astype(np.int64) - 1
    order = np.empty_like(rank)
    order[rank] = np.arange(len(rank))
    further = np.setdiff1d(np.arange(len(rank)), tree)
    chosen = order[np.concatenate([tree, further[: vertices + more - len(tree)]])]
    return np.stack([sources[chosen], targets[chosen]])


def lattice(vertices: int) -> tuple[Numbers, Numbers]:
    """Return the edges of a square lattice whose last row may be short."""
    at = np.arange(vertices)
    width = max(1, math.isqrt(vertices - 1) + 1)
    right = at[(at % width != width - 1) & (at + 1 < vertices)]
    below = at[at + width < vertices]
    return np.concatenate([right, below]), np.concatenate([right + 1, below + width])


@graph_family(
    size=lambda vertices, seed: (vertices, vertices * (3 + vertices.bit_length())),
    example="rgg:100000",
)
def rgg(vertices: int, seed: int = 1) -> Graph:
    """Generate a connected random geometric graph: points of a square, joined if close.

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


@graph_family(size=_at_most(8), example="delaunay:100000")
def delaunay(vertices: int, seed: int = 1) -> Graph:
    """Generate the Delaunay triangulation of uniform random points of a square.

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


@graph_family(size=lambda leaves: (leaves + 1, leaves), example="star:100000")
def star(leaves: int) -> Graph:
    """Join vertex 0 to each of the leaves 1 … `leaves`.

    >>> star(100_000).vertices
    100001
    """
    ends = np.arange(1, leaves + 1)
    return plain(np.zeros_like(ends), ends, leaves + 1)


@graph_family(size=_at_most(1), example="path:1000")
def path(vertices: int) -> Graph:
    """Join each of the vertices 0, 1, 2 … to the next.

    >>> path(1).edges, path(3).edges
    (0, 4)
    """
    ends = np.arange(vertices)
    return plain(ends[:-1], ends[1:], vertices)


@graph_family(
    size=lambda vertices, edge_factor, seed: (vertices, vertices * edge_factor),
    example="powerlaw:100000",
)
def powerlaw(vertices: int, edge_factor: int = 8, seed: int = 1) -> Graph:
    """Generate a Chung–Lu graph whose degrees follow a power law of exponent 2.1.

    Both ends of each of ``edge_factor * vertices`` edges are drawn in proportion to weights
    (i + k)**(-1/1.1); k is the least power of two with which no vertex expects more than
    sqrt(2 × edges) ends, so that few edges repeat. Vertex numbers are shuffled.

    >>> powerlaw(1000).vertices
    1000
    """
    edges = vertices * edge_factor
    running = np.cumsum(_weights(vertices, edges))
    rng = np.random.default_rng(seed)
    label = np.argsort(rng.random(vertices), kind="stable")
    draws = np.floor(rng.random((2, edges)) * running[-1]).astype(np.int64)
    ends = label[np.searchsorted(running, draws, side="right")]
    return plain(ends[0], ends[1], vertices)


def _weights(vertices: int, edges: int) -> Numbers:
    """Falling integer weights below 2**53 in sum, the first of them capped."""
    shift = 1
    while True:
        shape = (np.arange(vertices) + float(shift)) ** (-1 / 1.1)
        share = shape[0] / shape.sum()
        if 2 * edges * share * share <= 1 or shift >= vertices:
            parts: Numbers = np.floor(shape / shape.sum() * 2.0**50).astype(np.int64)
            return np.maximum(parts, 1)
        shift *= 2


def plain(sources: Numbers, targets: Numbers, vertices: int) -> Graph:
    """Make the undirected graph of these edges, without notes on what was merged."""
    made = build.arrange(sources, targets, vertices)
    return Graph.arranged(replace(made, notes=()))
