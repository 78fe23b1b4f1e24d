"""Meshes and stencils: graphs of simulations, whose vertices have nearly all the same degree."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.families.standard import lattice, plain
from gpubfs.graphs.family import graph_family

Numbers = NDArray[np.int64]

#: Points of a stencil, its middle included, and how many of the three coordinates may change.
POINTS = {7: 1, 19: 2, 27: 3}

#: Bits of each coordinate along which triangles are numbered.
MORTON_BITS = 20


def _box_size(width: int, height: int, depth: int, points: int) -> tuple[int, int]:
    vertices = width * height * depth
    return vertices, vertices * (points // 2)


@graph_family(size=_box_size, example="stencil:40x40x40,27", separator="x")
def stencil(width: int, height: int, depth: int, points: int = 7) -> Graph:
    """Generate a box of WIDTH × HEIGHT × DEPTH vertices, joined as a stencil of POINTS joins.

    Vertex (z * height + y) * width + x is joined to those beside it (7 points), to those across an
    edge of its cell, too (19), or to those across a corner, too (27): POINTS - 1 neighbours away
    from the border.

    >>> int(stencil(3, 3, 3, 19).degrees.max()), stencil(5, 1, 1).edges
    (18, 8)
    """
    if points not in POINTS:
        message = f"a stencil has 7, 19 or 27 points, not {points}"
        raise GraphError(message, hint="for example stencil:40x40x40,27")
    ends = stencil_edges((depth, height, width), points)
    return plain(ends[0], ends[1], width * height * depth)


def stencil_edges(
    shape: tuple[int, int, int], points: int, periodic: tuple[bool, ...] = (False,) * 3
) -> Numbers:
    """Return the edges of a box, shape (2, edges), each in one direction.

    An axis that is periodic joins its last plane to its first.
    """
    at = np.arange(np.prod(shape)).reshape(shape)
    found = []
    for step in itertools.product((-1, 0, 1), repeat=3):
        if step > (0, 0, 0) and np.count_nonzero(step) <= POINTS[points]:
            found.append(_neighbours(at, step, periodic))
    return np.concatenate(found, axis=1)


def _neighbours(at: Numbers, step: tuple[int, ...], periodic: tuple[bool, ...]) -> Numbers:
    """Return each vertex of a box with the one that is a step away, where there is one."""
    there = np.roll(at, [-one for one in step], axis=(0, 1, 2))
    kept = tuple(
        slice(None) if wraps else slice(max(0, -one), min(size, size - one))
        for one, size, wraps in zip(step, at.shape, periodic, strict=True)
    )
    return np.stack([at[kept].ravel(), there[kept].ravel()])


@graph_family(size=lambda vertices, **_: (vertices, 8 * vertices), example="triangles:100000")
def triangles(vertices: int, seed: int = 1) -> Graph:
    """Generate the triangles of a triangulated sphere, joined where they share a side.

    Each has three neighbours (an odd number of them leaves three vertices with two), the graph is
    planar, connected and about sqrt(V) deep: the dual of a mesh. The corners are random points of
    the sphere; numbers follow a Morton curve, so neighbours are close.

    >>> triangles(1000).edges
    3000
    """
    from scipy.spatial import ConvexHull  # slow to import

    even = max(4, vertices + vertices % 2)
    corners = _on_sphere(even // 2 + 2, np.random.default_rng(seed))
    hull = ConvexHull(corners)
    centres = corners[hull.simplices].sum(axis=1)
    number = np.empty(even, np.int64)
    number[np.argsort(_morton(centres), kind="stable")] = np.arange(even)
    sources = np.repeat(number, 3)
    targets = number[hull.neighbors.ravel()]
    kept = np.maximum(sources, targets) < vertices
    return plain(sources[kept], targets[kept], vertices)


def _on_sphere(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return random points of the unit sphere, by divisions and roots, which round everywhere so.

    The ones that are drawn outside of the ball are drawn again.
    """
    found = np.empty((0, 3))
    while len(found) < count:
        points = 2 * rng.random((2 * (count - len(found)) + 8, 3)) - 1
        square = (points * points).sum(axis=1)
        inside = (square > 0.01) & (square <= 1)
        found = np.concatenate([found, points[inside] / np.sqrt(square[inside])[:, None]])
    return found[:count]


def _morton(points: NDArray[np.float64]) -> Numbers:
    """Return the places of points along a curve that visits near ones one after the other."""
    low, high = points.min(axis=0), points.max(axis=0)
    steps = np.floor((points - low) / (high - low) * (2**MORTON_BITS - 1)).astype(np.int64)
    key = np.zeros(len(points), np.int64)
    for bit in range(MORTON_BITS):
        for axis in range(3):
            key |= ((steps[:, axis] >> bit) & 1) << (3 * bit + axis)
    return key


@graph_family(size=lambda vertices, **_: (vertices, 3 * vertices), example="circuit:100000")
def circuit(vertices: int, share: int = 4, seed: int = 1) -> Graph:
    """Generate a lattice with a hub that is joined to V / SHARE vertices, like a circuit's ground.

    The lattice is square, its last row may be short; the hub is a random vertex, and so are its
    neighbours, among which those on the lattice are.

    >>> int(circuit(4000).degrees.max())
    1000
    """
    ends = np.stack(lattice(vertices))
    rng = np.random.default_rng(seed)
    hub = int(rng.integers(vertices))
    near = ends.sum(axis=0)[(ends == hub).any(axis=0)] - hub
    others = np.setdiff1d(np.arange(vertices), np.append(near, hub))
    leads = rng.permutation(others)[: max(0, vertices // share - len(near))]
    ends = np.concatenate([ends, np.stack([np.full(len(leads), hub), leads])], axis=1)
    return plain(ends[0], ends[1], vertices)
