"""Generated graphs: that they are what they say, and the same everywhere."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from gpubfs.graphs import CLASSICS, FAMILIES, Graph, graph
from gpubfs.graphs.build import pack
from gpubfs.graphs.families import rmat
from gpubfs.graphs.reference import traverse

#: SHA-256 (its first 16 digits) of the offsets as int64 and the neighbours as int32.
FINGERPRINTS = {
    "kron:6": "420e0c7591f56cae",
    "kron:8,4,seed=7": "1f53bed4da100333",
    "er:6": "c02cfdd742f58d5c",
    "er:8,4,seed=7": "3dfe6cde220efec0",
    "grid:9x4": "800208279cc9693c",
    "road:500": "7c5853202eb029ed",
    "road:500,seed=7": "71bf3034671130dc",
    "rgg:300": "11272c96d98474dd",
    "delaunay:300": "2d36e0b5b876963d",
    "star:20": "cdd4e7eacf64e32f",
    "path:20": "df6c4cf4127cb2c2",
    "powerlaw:500": "b0cc27b5a7b147c3",
    "powerlaw:500,4,seed=7": "471eaab2ce50cc34",
    "stencil:5x4x3,19": "2eecb9de44834c9b",
    "triangles:300": "e4f283de1657a82a",
    "triangles:301,seed=7": "559d5494d63ec53c",
    "circuit:300": "0fc109919631b654",
    "circuit:300,9,seed=7": "1f9330fe75590e91",
    "road:500,shuffle": "0df24e6113149f37",
    "toy,shuffle=3": "1ac3a5c08474d0eb",
    "toy": "cb1e0a498c688b7f",
    "karate": "2bb4aec9ff6a0b17",
    "davis": "a7dfd9a66f9cbe49",
    "les-miserables": "ead8251b66fd56f2",
    "florentine": "169d62c07e5c6657",
}

YARDSTICK = Path(__file__).parents[4] / "shared" / "yardstick" / "bench_graphs.py"

SMALL = [
    "kron:1", "kron:7", "kron:7,4,seed=9", "er:1", "er:7", "grid:1", "grid:5", "grid:7x3",
    "grid:1x9", "road:1", "road:2", "road:3", "road:150", "rgg:1", "rgg:2", "rgg:150",
    "delaunay:1", "delaunay:2", "delaunay:3", "delaunay:4", "delaunay:150", "star:1", "star:40",
    "path:1", "path:2", "path:40", "powerlaw:1", "powerlaw:2", "powerlaw:150", "toy", *CLASSICS,
    "stencil:1x1x1", "stencil:4x3x2,7", "stencil:3x3x3,27", "triangles:1", "triangles:2",
    "triangles:3", "triangles:150", "circuit:1", "circuit:2", "circuit:150,2", "kron:5,shuffle",
]  # fmt: skip


def fingerprint(made: Graph) -> str:
    """The digest that FINGERPRINTS holds."""
    data = made.offsets.astype("<i8").tobytes() + made.neighbours.astype("<i4").tobytes()
    return hashlib.sha256(data).hexdigest()[:16]


@pytest.mark.parametrize(("spec", "digest"), FINGERPRINTS.items())
def test_bits(spec: str, digest: str) -> None:
    assert fingerprint(graph(spec)) == digest


@pytest.mark.parametrize("spec", SMALL)
def test_invariants(spec: str) -> None:
    made = graph(spec)
    assert made.name == spec
    assert not made.directed
    matrix = made.to_scipy()
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()
    for vertex in range(made.vertices):
        assert (np.diff(made.adjacent(vertex)) > 0).all()


@pytest.mark.parametrize("name", CLASSICS)
def test_classics_are_networkx(name: str) -> None:
    expected = getattr(networkx, CLASSICS[name])()
    assert graph(name).vertices == expected.number_of_nodes()
    assert graph(name).edges == 2 * expected.number_of_edges()


@given(st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=20)
def test_grid_is_networkx(width: int, height: int) -> None:
    expected = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(height, width))
    assert graph(f"grid:{width}x{height}") == Graph.from_networkx(expected)


@given(st.integers(1, 30))
@settings(max_examples=10)
def test_star_and_path_are_networkx(size: int) -> None:
    assert graph(f"star:{size}") == Graph.from_networkx(networkx.star_graph(size))
    assert graph(f"path:{size}") == Graph.from_networkx(networkx.path_graph(size))


def test_sizes() -> None:
    assert graph("kron:6").vertices == graph("er:6").vertices == 64
    assert graph("star:100000").vertices == 100_001
    assert (graph("grid:6x4").vertices, graph("grid:6x4").edges) == (24, 76)
    for name in ("road", "rgg", "delaunay", "powerlaw", "path"):
        assert graph(f"{name}:321").vertices == 321


@pytest.mark.parametrize("name", ["road", "rgg", "delaunay"])
@pytest.mark.parametrize("seed", range(4))
def test_plane_graphs_are_connected(name: str, seed: int) -> None:
    assert connected_components(graph(f"{name}:2000,seed={seed}").to_scipy())[0] == 1


def test_road_is_sparse_and_deep() -> None:
    road = graph("road:10000")
    assert road.edges == 25_000
    assert road.degrees.max() <= 4
    assert traverse(road, road.hub).depth > 100
    assert networkx.check_planarity(networkx.from_scipy_sparse_array(road.to_scipy()))[0]


@given(st.integers(1, 400), st.integers(0, 5))
@settings(max_examples=25, deadline=None)
def test_road_of_any_size_is_connected(size: int, seed: int) -> None:
    assert connected_components(graph(f"road:{size},seed={seed}").to_scipy())[0] == 1


def test_delaunay_is_planar() -> None:
    made = graph("delaunay:500")
    assert made.edges <= 2 * (3 * 500 - 6)
    assert networkx.check_planarity(networkx.from_scipy_sparse_array(made.to_scipy()))[0]


def test_rgg_joins_the_points_within_the_first_radius_that_connects() -> None:
    points = np.floor(np.random.default_rng(1).random((60, 2)) * 2**25)
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    for more in range(3, 30, 3):
        near = squares <= np.floor(2**25 * np.sqrt((np.log(60) + more) / 60 / np.pi)) ** 2
        if connected_components(near)[0] == 1:
            break
    assert (graph("rgg:60").to_scipy().toarray() == near).all()


def test_powerlaw_has_the_exponent() -> None:
    degrees = np.sort(graph("powerlaw:50000").degrees)[::-1].astype(float)
    tail = degrees[:2000]
    hill = 1 + 1 / np.log(tail[:-1] / tail[-1]).mean()
    assert 1.8 < hill < 2.5
    assert degrees[0] > 20 * degrees.mean()
    assert abs(degrees.mean() - 16) < 1


@pytest.mark.parametrize("name", [name for name in FAMILIES if "seed" in FAMILIES[name].parameters])
def test_seeds(name: str) -> None:
    size = 6 if "scale" in FAMILIES[name].parameters else 60
    seed = FAMILIES[name].parameters["seed"]
    assert graph(f"{name}:{size}") == graph(f"{name}:{size},seed={seed}")
    assert graph(f"{name}:{size},seed=11") != graph(f"{name}:{size},seed=12")


def test_pairs_are_tallied_in_eight_bits() -> None:
    times = [127, 128, 255, 256, 257, 383, 384]
    lower = np.repeat(np.arange(7), times)
    kept, lost = rmat.tallied(pack(lower, lower + 1))
    assert (kept >> 32).tolist() == [0, 4, 5]
    assert lost == 4


@pytest.mark.parametrize("portion", [1, 100, 1 << 20])
def test_edges_do_not_depend_on_the_size_of_portions(
    portion: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = graph("kron:6,seed=4")
    monkeypatch.setattr(rmat, "PORTION", portion)
    assert graph("kron:6,seed=4") == expected


def listed(scale: int) -> Any:
    """The R-MAT graph of seed 1 as a dense matrix, drawn edge bit by edge bit."""
    rng = np.random.default_rng(1)
    n = 1 << scale
    u, v = [0] * (16 * n), [0] * (16 * n)
    for bit in range(scale):
        for edge, draw in enumerate(rng.random(16 * n)):
            row, column = divmod(int(np.searchsorted([0.57, 0.76, 0.95], draw, side="right")), 2)
            u[edge] |= (row if draw < 0.76 else 1) << bit
            v[edge] |= column << bit
    label = rng.permutation(n)
    matrix = np.zeros((n, n), bool)
    matrix[label[u], label[v]] = True
    np.fill_diagonal(matrix, False)
    return matrix | matrix.T


def test_kron_is_rmat() -> None:
    assert (graph("kron:5").to_scipy().toarray() == listed(5)).all()


@pytest.mark.skipif(not YARDSTICK.exists(), reason="the benchmark's generator is not beside this")
@pytest.mark.parametrize("spec", ["kron:1", "kron:12", "er:1", "er:12", "grid:1", "grid:37"])
def test_benchmark_graphs(spec: str) -> None:
    found = importlib.util.spec_from_file_location("bench_graphs", YARDSTICK)
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    name, size = spec.split(":")
    expected: scipy.sparse.csr_matrix = getattr(module, name)(int(size))
    made = graph(spec)
    assert (made.offsets == expected.indptr).all()
    assert (made.neighbours == expected.indices).all()


def test_toy_agrees_with_every_statement_of_the_paper() -> None:
    toy = graph("toy")
    near = {vertex: set(toy.adjacent(vertex).tolist()) for vertex in range(10)}
    assert near[0] == {1, 5}
    assert near[1] & near[5] - {0} == {7}
    assert (near[1] | near[5]) - {0} == {2, 6, 7}
    assert near[3] == {2, 4, 9}
    assert near[9] == {3, 8}
    assert len(near[4]) == len(near[8]) == 2
    levels = traverse(toy, 0).levels
    by_level = [np.flatnonzero(levels == level).tolist() for level in range(5)]
    assert by_level == [[0], [1, 5], [2, 6, 7], [3, 4, 8], [9]]
    workload = {v: 1 + (levels[toy.adjacent(v)] == 2).argmax() for v in (3, 4, 8)}
    assert workload == {3: 1, 4: 2, 8: 1}
