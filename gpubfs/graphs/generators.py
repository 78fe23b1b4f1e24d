"""Synthetic graphs: random ones that a seed fixes on every platform, and regular ones.

Random numbers come from NumPy's PCG64 through `random`, `integers` and `permutation`; positions and
weights are rounded to integers before they are compared, so that the last bit of a logarithm does
not decide about an edge. Every graph is undirected, without self loops and repeated edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs import build
from gpubfs.graphs.csr import Graph

Numbers = NDArray[np.int64]

#: R-MAT quadrant probabilities a, a + b, a + b + c (Graph500).
QUADRANTS = 0.57, 0.76, 0.95


def kron(scale: int, edge_factor: int = 16, seed: int = 1) -> Graph:
    """An R-MAT (Kronecker) graph with Graph500's probabilities and permuted vertex numbers.

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
    vertices = 1 << scale
    rng = np.random.default_rng(seed)
    sources, targets = np.zeros((2, edge_factor * vertices), np.int32)
    for bit in range(scale):
        draw = rng.random(edge_factor * vertices)
        lower = draw >= QUADRANTS[1]
        right = (draw >= QUADRANTS[0]) ^ lower ^ (draw >= QUADRANTS[2])
        sources |= lower.astype(np.int32) << bit
        targets |= right.astype(np.int32) << bit
    label = rng.permutation(vertices)
    pairs, lost = _tallied(label[sources], label[targets])
    graph = Graph.from_edges(*pairs, vertices)
    if lost:
        what = build.count(lost, "pair")
        return graph.renamed("kron", f"{what} of hubs lost: listed more than 127 times.")
    return graph


def _tallied(sources: Numbers, targets: Numbers) -> tuple[tuple[Numbers, Numbers], int]:
    """The different pairs whose number of listings is positive in eight signed bits."""
    proper = sources != targets
    sources, targets = sources[proper], targets[proper]
    keys = build.pack(np.minimum(sources, targets), np.maximum(sources, targets))
    keys.sort()
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    times = np.diff(first, append=len(keys))
    kept = keys[first[times.astype(np.int8) > 0]]
    return (kept >> 32, kept & build.LOW), len(first) - len(kept)


def er(scale: int, edge_factor: int = 16, seed: int = 2) -> Graph:
    """An Erdős–Rényi graph: both ends of every edge uniform over 2**scale vertices.

    >>> er(10).edges
    32274
    """
    vertices = 1 << scale
    rng = np.random.default_rng(seed)
    sources = rng.integers(0, vertices, vertices * edge_factor)
    targets = rng.integers(0, vertices, vertices * edge_factor)
    return plain(sources, targets, vertices)


def grid(width: int, height: int | None = None) -> Graph:
    """A lattice of `height` rows of `width` vertices, each joined to its four neighbours.

    Vertex y * width + x stands at column x of row y.

    >>> grid(3, 2).adjacent(1)
    array([0, 2, 4], dtype=int32)
    """
    height = width if height is None else height
    at = np.arange(width * height).reshape(height, width)
    sources = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    targets = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    return plain(sources, targets, width * height)


def star(leaves: int) -> Graph:
    """Vertex 0 joined to each of the leaves 1 … `leaves`.

    >>> star(100_000).vertices
    100001
    """
    ends = np.arange(1, leaves + 1)
    return plain(np.zeros_like(ends), ends, leaves + 1)


def path(vertices: int) -> Graph:
    """The vertices 0, 1, 2 … each joined to the next.

    >>> path(1).edges, path(3).edges
    (0, 4)
    """
    ends = np.arange(vertices)
    return plain(ends[:-1], ends[1:], vertices)


def powerlaw(vertices: int, edge_factor: int = 8, seed: int = 1) -> Graph:
    """A Chung–Lu graph whose degrees follow a power law of exponent 2.1.

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
    """The undirected graph of these edges, with nothing to note: the generator is what it is."""
    made = build.arrange(sources, targets, vertices)
    return Graph(made.offsets, made.neighbours)
