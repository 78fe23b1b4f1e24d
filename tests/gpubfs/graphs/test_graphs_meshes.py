"""Stencils, meshes of triangles and circuits: degrees, distances, connectedness, determinism."""

from __future__ import annotations

import itertools

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from gpubfs.graphs import FAMILIES, GraphError, graph
from gpubfs.graphs.families.meshes import stencil_edges
from gpubfs.graphs.reference import traverse

SIDE = st.integers(1, 5)

#: The largest sum of squares of a step of each stencil.
SQUARES = {7: 1, 19: 2, 27: 3}


@given(SIDE, SIDE, SIDE, st.sampled_from([7, 19, 27]))
@settings(max_examples=40, deadline=None)
def test_a_stencil_joins_what_is_near(nx: int, ny: int, nz: int, points: int) -> None:
    made = graph(f"stencil:{nx}x{ny}x{nz},{points}")
    places = np.array(list(itertools.product(range(nz), range(ny), range(nx))))
    steps = np.abs(places[:, None] - places[None])
    near = (steps.max(axis=2) == 1) & ((steps**2).sum(axis=2) <= SQUARES[points])
    assert (made.to_scipy().toarray() == near).all()


def test_a_flat_stencil_is_a_grid() -> None:
    assert graph("stencil:7x5x1") == graph("stencil:7x5x1,7") == graph("grid:7x5")
    assert graph("stencil:7x5x2x19") == graph("stencil:width=7,height=5,depth=2,points=19")


@pytest.mark.parametrize("points", [7, 19, 27])
def test_inside_a_stencil_every_vertex_has_all_neighbours(points: int) -> None:
    made = graph(f"stencil:6x7x8,{points}")
    inner = made.degrees.reshape(8, 7, 6)[1:-1, 1:-1, 1:-1]
    assert (inner == points - 1).all()
    closed = stencil_edges((8, 7, 6), points, (True, True, True))
    assert (np.bincount(closed.ravel()) == points - 1).all()


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("stencil:4x4x4,9", "a stencil has 7, 19 or 27 points, not 9", "stencil:40x40x40,27"),
        ("stencil:4", "stencil needs its height", "write stencil:WIDTHxHEIGHTxDEPTH[,POINTS]"),
        ("stencil:4,27", "stencil needs its depth", "write stencil:WIDTHxHEIGHTxDEPTH[,POINTS]"),
        ("stencil:4x4x4,27,1", "stencil takes 4 numbers and got 5", "write stencil:"),
        ("stencil:9999x9999x9999", "the limit is 2,147,483,647", "take a smaller one"),
        ("circuit:0", "must be at least 1", "circuit:100000"),
        ("triangles:99999999999", "the limit is 2,147,483,647", "take a smaller one"),
    ],
)
def test_errors(spec: str, message: str, hint: str) -> None:
    with pytest.raises(GraphError) as error:
        graph(spec)
    assert message in error.value.message
    assert hint in error.value.hint


def test_forms_say_which_numbers_are_needed() -> None:
    assert FAMILIES["stencil"].form == "stencil:WIDTHxHEIGHTxDEPTH[,POINTS]"
    assert FAMILIES["grid"].form == "grid:WIDTH[xHEIGHT]"
    assert FAMILIES["kron"].form == "kron:SCALE[,EDGE_FACTOR]"


@given(st.integers(2, 200), st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_triangles_have_three_neighbours_each(half: int, seed: int) -> None:
    made = graph(f"triangles:{2 * half},seed={seed}")
    assert made.vertices == 2 * half
    assert (made.degrees == 3).all()
    assert connected_components(made.to_scipy())[0] == 1
    assert networkx.check_planarity(networkx.from_scipy_sparse_array(made.to_scipy()))[0]


@given(st.integers(1, 200))
@settings(max_examples=20, deadline=None)
def test_an_odd_number_of_triangles_leaves_a_hole(half: int) -> None:
    made = graph(f"triangles:{2 * half + 1}")
    assert np.bincount(made.degrees, minlength=4)[2:].tolist() == [3, 2 * half - 2]
    assert connected_components(made.to_scipy())[0] == 1


def test_a_mesh_of_triangles_is_deep_and_its_numbers_are_close() -> None:
    made = graph("triangles:10000")
    assert 60 < traverse(made, 0).depth < 400
    apart = np.abs(np.repeat(np.arange(10_000), made.degrees) - made.neighbours)
    assert np.median(apart) < 20


@given(st.integers(1, 600), st.integers(1, 8), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_a_circuit_is_a_lattice_with_a_hub(size: int, share: int, seed: int) -> None:
    made = graph(f"circuit:{size},{share},seed={seed}")
    assert made.vertices == size
    assert connected_components(made.to_scipy())[0] == 1
    others = np.delete(made.degrees, made.hub)
    assert others.max(initial=0) <= 5
    if size // share > 5:
        assert made.degrees[made.hub] == min(size // share, size - 1)


@pytest.mark.parametrize("family", ["triangles", "circuit"])
def test_seeds(family: str) -> None:
    assert graph(f"{family}:400") == graph(f"{family}:400,seed=1")
    assert graph(f"{family}:400,seed=2") != graph(f"{family}:400,seed=1")
