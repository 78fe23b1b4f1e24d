"""Products of matrices by warps, against NumPy."""

from __future__ import annotations

from itertools import product as combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.ir.matrices import COLUMN_MAJOR, LAYOUTS, ROW_MAJOR, Shape
from simulator.lanes.matrices import to_tf32
from simulator.lanes.rounding import from_bfloat16, to_bfloat16
from tests.simulator.launching import run
from tests.simulator.matrices.programs import PRODUCTS, dtype, kernel, laid_out, product

ORDERS = list(combinations(LAYOUTS, LAYOUTS, LAYOUTS))


def numbers(of: str, rows: int, columns: int, seed: int) -> NDArray[Any]:
    """Small whole numbers, whose products and sums are exact in every type."""
    found = np.random.default_rng(seed).integers(0 if of[0] == "u" else -3, 4, (rows, columns))
    return to_bfloat16(found.astype("f4")) if of == "__nv_bfloat16" else found.astype(dtype(of))


def exact(of: str, matrix: NDArray[Any]) -> NDArray[Any]:
    return (from_bfloat16(matrix) if of == "__nv_bfloat16" else matrix).astype("f8")


@pytest.mark.parametrize(("number", "shape", "total"), PRODUCTS)
def test_products_are_exact_where_the_numbers_allow_it(
    number: str, shape: Shape, total: str
) -> None:
    m, n, k = shape
    a, b, c = numbers(number, m, k, 1), numbers(number, k, n, 2), numbers(total, m, n, 3)
    expected = exact(number, a) @ exact(number, b) + c
    for orders in ORDERS[:: 1 if number == "__half" else 3]:
        given = [laid_out(x, order) for x, order in zip((a, b, c), orders, strict=True)]
        text = product(number, shape, total, orders)
        found = run(text, *given, np.zeros_like(given[2])).arrays[3]
        lines = found if orders[2] == ROW_MAJOR else found.T
        np.testing.assert_array_equal(lines[:m, :n], expected)


@given(st.integers(0, 2**32 - 1))
def test_sums_of_floats_are_those_of_doubles_rounded_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = (random.normal(size=(16, 16)).astype("f2") for _ in range(2))
    c = random.normal(size=(16, 16)).astype("f4")
    text = product("__half", (16, 16, 16), "float", (ROW_MAJOR, COLUMN_MAJOR, ROW_MAJOR))
    given = [laid_out(a, ROW_MAJOR), laid_out(b, COLUMN_MAJOR), laid_out(c, ROW_MAJOR)]
    found = run(text, *given, np.zeros((16, 32), "f4")).arrays[3][:, :16]
    np.testing.assert_array_equal(found, (a.astype("f8") @ b.astype("f8") + c).astype("f4"))


MANY = 2**31 - 100


@pytest.mark.parametrize(
    ("satf", "expected"),
    [("", MANY + 160 - 2**32), (", false", MANY + 160 - 2**32), (", true", 2**31 - 1)],
)
def test_integers_wrap_around_or_saturate(satf: str, expected: int) -> None:
    body = f"""wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(a, 2); wmma::fill_fragment(b, 5); wmma::fill_fragment(c, {MANY});
  wmma::mma_sync(c, a, b, c{satf});
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);"""
    found = run(kernel("int *out", body), np.zeros((16, 16), "i4")).arrays[0]
    assert (found == expected).all()


def test_of_a_tf32_eleven_bits_count() -> None:
    body = """wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::load_matrix_sync(a, p, 8); wmma::load_matrix_sync(b, q, 8); wmma::fill_fragment(c, 0.0f);
  if (rounds) {
    for (int i = 0; i < a.num_elements; i++) a.x[i] = wmma::__float_to_tf32(a.x[i]);
    for (int i = 0; i < b.num_elements; i++) b.x[i] = wmma::__float_to_tf32(b.x[i]);
  }
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);"""
    text = kernel("const float *p, const float *q, float *out, int rounds", body)
    random = np.random.default_rng(5)
    p, q = (random.normal(size=(16, 8)).astype("f4") for _ in range(2))
    for rounds, kept in ((1, to_tf32), (0, cut)):
        found = run(text, p, q, np.zeros((16, 16), "f4"), rounds).arrays[2]
        expected = kept(p).astype("f8") @ kept(q).astype("f8").T
        np.testing.assert_array_equal(found, expected.astype("f4"))


def cut(x: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = (x.view("u4") & np.uint32(0xFFFFE000)).view("f4")
    return found


@given(st.floats(width=32, allow_nan=False))
def test_rounding_to_tf32_is_to_the_nearest_and_away_from_zero(x: float) -> None:
    value = np.float32([x])
    found = float(to_tf32(value)[0])
    low, high = (
        float(cut(value)[0]),
        float((cut(value).view("u4") + np.uint32(0x2000)).view("f4")[0]),
    )
    if np.isfinite(high) and np.isfinite(x):
        assert found == (low if abs(x - low) < abs(high - x) else high)


def test_numbers_that_are_no_numbers_stay_so() -> None:
    assert np.isnan(to_tf32(np.array([0x7FFFFFFF, 0xFFFFFFFF], "u4").view("f4"))).all()
