"""The generated families of graphs: how each is called, its parameters, and how large it gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpubfs.graphs import generators, spatial
from gpubfs.graphs.csr import Graph

Sizes = dict[str, int]


@dataclass(frozen=True)
class Family:
    """One kind of generated graph.

    `parameters` maps names to defaults, None where a number must be given; `seed` is one of them
    where the graph is random. `size` says how many vertices, and how many edges before merging.
    """

    make: Callable[..., Graph]
    parameters: dict[str, int | None]
    size: Callable[[Sizes], tuple[int, int]]
    example: str
    summary: str


def _powers(sizes: Sizes) -> tuple[int, int]:
    vertices = 1 << sizes["scale"]
    return vertices, vertices * sizes["edge_factor"]


def _lattice(sizes: Sizes) -> tuple[int, int]:
    vertices = sizes["width"] * sizes["height"]
    return vertices, 2 * vertices


#: Every generated family by the name that a specification begins with.
FAMILIES = {
    "kron": Family(
        generators.kron,
        {"scale": None, "edge_factor": 16, "seed": 1},
        _powers,
        "kron:16",
        "R-MAT with 2**SCALE vertices, Graph500's probabilities",
    ),
    "er": Family(
        generators.er,
        {"scale": None, "edge_factor": 16, "seed": 2},
        _powers,
        "er:16",
        "Erdős–Rényi with 2**SCALE vertices",
    ),
    "grid": Family(
        generators.grid,
        {"width": None, "height": None},
        _lattice,
        "grid:300x200",
        "lattice of WIDTHxHEIGHT vertices with four neighbours each",
    ),
    "road": Family(
        spatial.road,
        {"vertices": None, "seed": 1},
        lambda sizes: (sizes["vertices"], 2 * sizes["vertices"]),
        "road:100000",
        "road-like network of N vertices, average degree 2.5",
    ),
    "rgg": Family(
        spatial.rgg,
        {"vertices": None, "seed": 1},
        lambda sizes: (sizes["vertices"], sizes["vertices"] * (3 + sizes["vertices"].bit_length())),
        "rgg:100000",
        "random geometric graph of N points",
    ),
    "delaunay": Family(
        spatial.delaunay,
        {"vertices": None, "seed": 1},
        lambda sizes: (sizes["vertices"], 8 * sizes["vertices"]),
        "delaunay:100000",
        "Delaunay triangulation of N random points",
    ),
    "star": Family(
        generators.star,
        {"leaves": None},
        lambda sizes: (sizes["leaves"] + 1, sizes["leaves"]),
        "star:100000",
        "hub 0 and N leaves, so N + 1 vertices",
    ),
    "path": Family(
        generators.path,
        {"vertices": None},
        lambda sizes: (sizes["vertices"], sizes["vertices"]),
        "path:1000",
        "N vertices in a row",
    ),
    "powerlaw": Family(
        generators.powerlaw,
        {"vertices": None, "edge_factor": 8, "seed": 1},
        lambda sizes: (sizes["vertices"], sizes["vertices"] * sizes["edge_factor"]),
        "powerlaw:100000",
        "Chung–Lu graph of N vertices, degree exponent 2.1",
    ),
}
