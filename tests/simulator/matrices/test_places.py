"""Which lane holds what of a matrix, and what it accesses in memory."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.ir.matrices import ACCUMULATOR, COLUMN_MAJOR, LAYOUTS, ROW_MAJOR, A, B, Fragment
from simulator.lanes.matrices import places, transfer
from tests.sampling import sampled
from tests.simulator.launching import run
from tests.simulator.matrices.programs import distinct, dump, every_fragment, laid_out, typed

every = pytest.mark.parametrize("fragment", list(every_fragment()), ids=typed)


def numbers_of(fragment: Fragment) -> int:
    """What CUDA's header says."""
    if fragment.number == "__half" and fragment.use != ACCUMULATOR:
        return 16
    return fragment.rows * fragment.columns // 32


@every
def test_the_lanes_hold_the_whole_matrix(fragment: Fragment) -> None:
    rows, columns = places(fragment)
    assert rows.shape == columns.shape == (32, numbers_of(fragment))
    held = np.zeros((fragment.rows, fragment.columns), int)
    np.add.at(held, (rows, columns), 1)
    assert len(np.unique(held)) == 1


@pytest.mark.parametrize("fragment", sampled(every_fragment(), 5), ids=typed)
def test_fragments_hold_what_the_places_say(fragment: Fragment) -> None:
    rows, columns = places(fragment)
    matrix = distinct(fragment)
    for order in [fragment.layout] if fragment.layout else LAYOUTS:
        memory = laid_out(matrix, order)
        out = np.zeros((32, 16), matrix.dtype)
        found = run(dump(fragment, order), memory, out).arrays[1]
        np.testing.assert_array_equal(found[:, : rows.shape[1]], matrix[rows, columns])


@every
@pytest.mark.parametrize("shared", [False, True])
def test_accesses_move_every_number_once(fragment: Fragment, shared: bool) -> None:
    for order in [fragment.layout] if fragment.layout else LAYOUTS:
        moved = transfer("load_matrix_sync", fragment, order, shared)
        many = moved.size // moved.dtype.itemsize
        firsts = zip(moved.first_lines.ravel(), moved.first_starts.ravel(), strict=True)
        reached = {(line, start + at) for line, start in firsts for at in range(many)}
        assert reached == {*zip(moved.lines.ravel(), moved.starts.ravel(), strict=True)}


#: Row and column of the numbers of lane 13 (PTX's group 3, thread 1) as PTX's manual has them for
#: `mma`: of each kind the first ones.
KNOWN = [
    (Fragment(A, (16, 16, 16), "__half", ROW_MAJOR), [(3, 2), (3, 3), (11, 2), (11, 3), (3, 10)]),
    (Fragment(B, (16, 16, 16), "__nv_bfloat16", COLUMN_MAJOR), [(2, 3), (3, 3), (10, 3), (11, 3)]),
    (
        Fragment(A, (16, 16, 16), "signed char", ROW_MAJOR),
        [(3, 4), (3, 5), (3, 6), (3, 7), (11, 4)],
    ),
    (Fragment(B, (16, 16, 16), "unsigned char", ROW_MAJOR), [(4, 3), (5, 3), (6, 3), (7, 3)]),
    (Fragment(A, (16, 16, 8), "tf32", ROW_MAJOR), [(3, 1), (11, 1), (3, 5), (11, 5)]),
    (Fragment(B, (16, 16, 8), "tf32", ROW_MAJOR), [(1, 3), (5, 3)]),
    (Fragment(A, (8, 8, 4), "double", ROW_MAJOR), [(3, 1)]),
    (Fragment(ACCUMULATOR, (8, 8, 4), "double"), [(3, 2), (3, 3)]),
    (Fragment(ACCUMULATOR, (16, 16, 16), "float"), [(3, 2), (3, 3), (11, 2), (11, 3)]),
]


@pytest.mark.parametrize(("fragment", "first"), KNOWN, ids=lambda x: str(x)[:40])
def test_places_are_those_of_ptx(fragment: Fragment, first: list[tuple[int, int]]) -> None:
    rows, columns = places(fragment)
    assert [*zip(rows[13].tolist(), columns[13].tolist(), strict=True)][: len(first)] == first


#: What NVRTC 13.5 makes of loads and stores for sm_90: how many instructions, and of how many bytes
#: a lane; from global memory, and from shared memory. Of a bfloat16, tf32 or double it asks no
#: matter where they are.
SASS = [
    ("load", Fragment(A, (16, 16, 16), "__half", ROW_MAJOR), "", (4, 4), (1, 16)),
    ("load", Fragment(A, (16, 16, 16), "__half", COLUMN_MAJOR), "", (4, 4), (1, 16)),
    ("load", Fragment(A, (32, 8, 16), "__half", COLUMN_MAJOR), "", (8, 4), (2, 16)),
    ("load", Fragment(B, (32, 8, 16), "__half", ROW_MAJOR), "", (2, 4), (1, 16)),
    ("load", Fragment(B, (8, 32, 16), "__half", ROW_MAJOR), "", (8, 4), (2, 16)),
    ("load", Fragment(A, (16, 16, 16), "__nv_bfloat16", COLUMN_MAJOR), "", (4, 4), (4, 4)),
    ("load", Fragment(A, (16, 16, 16), "signed char", ROW_MAJOR), "", (2, 4), (1, 16)),
    ("load", Fragment(A, (16, 16, 16), "signed char", COLUMN_MAJOR), "", (8, 1), (8, 1)),
    ("load", Fragment(B, (8, 32, 16), "unsigned char", COLUMN_MAJOR), "", (4, 4), (2, 16)),
    ("load", Fragment(B, (32, 8, 16), "unsigned char", COLUMN_MAJOR), "", (1, 4), (1, 16)),
    ("load", Fragment(B, (16, 16, 8), "tf32", COLUMN_MAJOR), "", (4, 4), (4, 4)),
    ("load", Fragment(B, (8, 8, 4), "double", COLUMN_MAJOR), "", (1, 8), (1, 8)),
    ("store", Fragment(ACCUMULATOR, (16, 16, 16), "__half"), ROW_MAJOR, (4, 4), (4, 4)),
    ("store", Fragment(ACCUMULATOR, (16, 16, 16), "__half"), COLUMN_MAJOR, (4, 4), (4, 4)),
    ("load", Fragment(ACCUMULATOR, (16, 16, 16), "float"), ROW_MAJOR, (4, 8), (4, 8)),
    ("store", Fragment(ACCUMULATOR, (16, 16, 16), "float"), COLUMN_MAJOR, (8, 4), (8, 4)),
    ("store", Fragment(ACCUMULATOR, (8, 32, 16), "int"), ROW_MAJOR, (8, 4), (8, 4)),
    ("store", Fragment(ACCUMULATOR, (8, 32, 16), "int"), COLUMN_MAJOR, (4, 8), (4, 8)),
    ("store", Fragment(ACCUMULATOR, (8, 8, 4), "double"), ROW_MAJOR, (1, 16), (1, 16)),
    ("store", Fragment(ACCUMULATOR, (8, 8, 4), "double"), COLUMN_MAJOR, (2, 8), (2, 8)),
]


@pytest.mark.parametrize(("name", "fragment", "order", "in_global", "in_shared"), SASS)
def test_accesses_are_the_instructions_of_the_compiler(
    name: str,
    fragment: Fragment,
    order: str,
    in_global: tuple[int, int],
    in_shared: tuple[int, int],
) -> None:
    layout = fragment.layout or order
    made = [transfer(name, fragment, layout, shared) for shared in (False, True)]
    assert [(one.accesses, one.size) for one in made] == [in_global, in_shared]
