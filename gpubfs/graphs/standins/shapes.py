"""Edges of stand-ins by structure: roads, meshes, points of a plane, lattices, circuits, networks.

Each takes the number of vertices, what is wanted of the degrees, and random numbers, and returns
the edges, shape (2, edges); `SHAPES` has them by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs import build
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.family import FAMILIES
from gpubfs.graphs.standins.degrees import Wanted, degree_sequence
from gpubfs.graphs.standins.largest import with_largest
from gpubfs.graphs.standins.local import near_edges
from gpubfs.graphs.standins.pairing import directed, joined, nets
from gpubfs.graphs.standins.roads import road_ends

Numbers = NDArray[np.int64]

#: What makes a graph of a number of vertices, wanted degrees, random numbers and a direction.
Shape = Callable[[int, Wanted, "np.random.Generator", bool], Graph]

#: Points of the plane lie on a lattice of so many steps a side.
STEPS = 1 << 25

#: Planes between the walls of a channel, a stencil's points, and neighbours of a wall's vertex.
INNER, WALL = 18, 13


def _undirected(ends: Numbers, vertices: int, wanted: Wanted | None, one_way: bool) -> Graph:
    """Make the graph of edges in both directions, the largest degree raised if one is wanted."""
    made = Graph.from_edges(ends[0], ends[1], vertices)
    if wanted is not None:
        made = with_largest(made, wanted.largest)
    if not one_way:
        return made
    return Graph(made.offsets, made.neighbours, directed=True, notes=made.notes)


def road(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
    """Make junctions on a lattice, with vertices of degree two along the roads between them."""
    deviation = wanted.deviation or 0.5
    return _undirected(road_ends(vertices, wanted.mean, deviation, rng), vertices, wanted, one_way)


def _family(name: str) -> Shape:
    """Return a shape that is a family of its own, of which the seed is drawn."""

    def make(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
        made = FAMILIES[name].make(vertices, seed=int(rng.integers(2**31)))
        return with_largest(made, wanted.largest)

    return make


def kronecker(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
    """Make Graph500's graph of the nearest power of two of vertices."""
    scale = max(1, round(math.log2(vertices)))
    factor = max(1, round(wanted.mean / 2))
    made: Graph = FAMILIES["kron"].make(scale, factor, int(rng.integers(2**31)))
    return made


def geometric(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
    """Join points of a square within the radius that makes the mean degree."""
    from scipy.spatial import cKDTree  # slow to import

    tree = cKDTree(np.floor(rng.random((vertices, 2)) * STEPS))
    radius = STEPS * math.sqrt(wanted.mean / vertices / math.pi)
    for _ in range(4):  # points at the border have fewer neighbours
        pairs = tree.query_pairs(math.floor(radius), output_type="ndarray")
        radius *= math.sqrt(wanted.mean * vertices / (2 * max(1, len(pairs))))
    return _undirected(pairs.T.astype(np.int64), vertices, wanted, one_way)


def uniform(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
    """Join different pairs of vertices, all equally likely."""
    edges = min(round(wanted.mean * vertices / 2), vertices * (vertices - 1) // 2)
    keys = np.zeros(0, np.int64)
    while len(keys) < edges:
        ends = np.sort(rng.integers(0, vertices, (2, edges - len(keys) + 16)), axis=0)
        ends = ends[:, ends[0] != ends[1]]
        keys = build.distinct(np.sort(np.append(keys, ends[0] * vertices + ends[1])))
    chosen = rng.permutation(keys)[:edges]
    return _undirected(np.stack(np.divmod(chosen, vertices)), vertices, wanted, one_way)


def channel(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
    """Make a stencil of 19 points between two walls, closed in the other two directions.

    The walls are so far apart that they make the mean degree: their vertices have 13 neighbours.
    """
    from gpubfs.graphs.families.meshes import stencil_edges

    planes = round(2 * (INNER - WALL) / max(INNER - wanted.mean, 0.01))
    planes = max(1, min(planes, vertices // 9))
    side = max(3, round(math.sqrt(vertices / planes)))
    ends = stencil_edges((planes, side, side), 19, (False, True, True))
    return _undirected(ends, planes * side * side, None, one_way)


def _mesh(dimensions: int) -> Shape:
    """Return the shape of a mesh of irregular degrees in so many dimensions."""

    def make(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
        degrees = rng.permutation(degree_sequence(vertices, wanted))
        ends = near_edges(degrees, _box(vertices, dimensions))
        return _undirected(ends, vertices, None, one_way)

    return make


def _box(vertices: int, dimensions: int) -> tuple[int, ...]:
    """Return the sides of the smallest nearly cubic box for so many vertices.

    >>> _box(1000, 3), _box(1001, 2)
    ((10, 10, 10), (32, 32))
    """
    side = max(1, round(vertices ** (1 / dimensions)))
    return (-(-vertices // side ** (dimensions - 1)), *[side] * (dimensions - 1))


def circuit(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
    """Make a mesh of low degrees, and nets that join vertices from anywhere: the hubs."""
    left = rng.permutation(degree_sequence(vertices, wanted))
    anywhere = nets(left, max(32, round(4 * wanted.mean)), rng)
    ends = np.concatenate([anywhere, near_edges(left, _box(vertices, 2))], axis=1)
    return _undirected(ends, vertices, None, one_way)


def network(vertices: int, wanted: Wanted, rng: np.random.Generator, one_way: bool) -> Graph:
    """Join any two vertices; only their degrees decide how likely that is."""
    degrees = rng.permutation(degree_sequence(vertices, wanted))
    if not one_way:
        return _undirected(joined(degrees, rng), vertices, None, one_way)
    ends = directed(degrees, rng.permutation(degrees), rng)
    return Graph.from_edges(ends[0], ends[1], vertices, directed=True)


#: Every structure by name.
SHAPES: dict[str, Shape] = {
    "road network": road,
    "mesh of triangles": _family("triangles"),
    "Delaunay triangulation": _family("delaunay"),
    "random geometric graph": geometric,
    "random graph": uniform,
    "19-point stencil": channel,
    "mesh in two dimensions": _mesh(2),
    "mesh in three dimensions": _mesh(3),
    "circuit with hubs": circuit,
    "power-law network": network,
    "Kronecker graph": kronecker,
}
