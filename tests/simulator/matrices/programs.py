"""Kernels with fragments, of every kind that CUDA has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.matrices import ACCUMULATOR, FACTORS, LAYOUTS, ROW_MAJOR, A, B, Fragment, Shape
from tests.simulator.launching import source

HEADER = "#include <mma.h>\nusing namespace nvcuda;\n"
#: How programs write the types of numbers, and what holds those of tf32.
_WRITTEN = {"tf32": "wmma::precision::tf32"}
DTYPES = {"__half": "f2", "__nv_bfloat16": "u2", "signed char": "i1", "unsigned char": "u1"}
DTYPES |= {"double": "f8", "int": "i4"}
#: Numbers, shapes and sums of all products.
PRODUCTS = [
    (number, shape, total)
    for number, (shapes, sums) in FACTORS.items()
    for shape in shapes
    for total in sums
]


def every_fragment() -> Iterator[Fragment]:
    """All that CUDA has, once."""
    found = dict.fromkeys(
        one for number, shape, total in PRODUCTS for one in _parts(number, shape, total)
    )
    yield from found


def _parts(number: str, shape: Shape, total: str) -> Iterator[Fragment]:
    yield from (Fragment(use, shape, number, layout) for use in (A, B) for layout in LAYOUTS)
    yield Fragment(ACCUMULATOR, shape, total)


def dtype(number: str) -> str:
    return DTYPES.get(number, "f4")


def held(number: str) -> str:
    """The type in memory."""
    return "float" if number == "tf32" else number


def typed(fragment: Fragment) -> str:
    """The type as programs write it."""
    m, n, k = fragment.shape
    layout = f", wmma::{fragment.layout}" if fragment.layout else ""
    number = _WRITTEN.get(fragment.number, fragment.number)
    return f"wmma::fragment<wmma::{fragment.use}, {m}, {n}, {k}, {number}{layout}>"


def kernel(parameters: str, body: str, functions: str = "") -> str:
    return source(parameters, body, HEADER + functions)


def dump(fragment: Fragment, order: str = ROW_MAJOR, ldm: int = 32) -> str:
    """Each lane stores the numbers of its part of a matrix, 16 places a lane."""
    ctype, order = held(fragment.number), fragment.layout or order
    layout = "" if fragment.layout else f", wmma::mem_{order}"
    body = f"""{typed(fragment)} f;
  wmma::load_matrix_sync(f, p, {ldm}{layout});
  for (int i = 0; i < f.num_elements; i++) out[16 * threadIdx.x + i] = f.x[i];"""
    return kernel(f"const {ctype} *p, {ctype} *out", body)


def distinct(fragment: Fragment, part: int = 0) -> NDArray[Any]:
    """Number the elements of a matrix; bytes are a part of their number, of which there are two."""
    many = fragment.rows * fragment.columns
    found = np.arange(many).reshape(fragment.rows, fragment.columns)
    kind = np.dtype(dtype(fragment.number))
    return found.astype(kind) if kind.itemsize > 1 else (found >> 8 * part).astype("u1").view(kind)


def laid_out(matrix: NDArray[Any], order: str, ldm: int = 32) -> NDArray[Any]:
    """A matrix as it lies in memory."""
    lines = matrix if order == ROW_MAJOR else matrix.T
    found = np.zeros((len(lines), ldm), matrix.dtype)
    found[:, : lines.shape[1]] = lines
    return found


def product(number: str, shape: Shape, total: str, orders: tuple[str, str, str]) -> str:
    """One warp multiplies two matrices and adds a third, which lie as `orders` say."""
    a, b, c = (
        Fragment(A, shape, number, orders[0]),
        Fragment(B, shape, number, orders[1]),
        Fragment(ACCUMULATOR, shape, total),
    )
    ctype = held(number)
    body = f"""{typed(a)} fa; {typed(b)} fb; {typed(c)} fc;
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::load_matrix_sync(fc, c, 32, wmma::mem_{orders[2]});
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 32, wmma::mem_{orders[2]});"""
    return kernel(f"const {ctype} *a, const {ctype} *b, const {total} *c, {total} *d", body)
