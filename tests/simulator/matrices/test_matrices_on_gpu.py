"""Matrices of warps against a GPU: which lane has what, and what products are.

`python -m tests.simulator.matrices.test_matrices_on_gpu` prints where a GPU has the numbers of each
fragment that the simulator has elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product as combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from gpubfs.machines import nvrtc
from simulator.ir.matrices import LAYOUTS, Fragment, Shape
from simulator.lanes.matrices import places
from simulator.lanes.rounding import to_bfloat16
from tests.sampling import sampled
from tests.simulator.matrices.programs import (
    PRODUCTS,
    distinct,
    dtype,
    dump,
    every_fragment,
    kernel,
    laid_out,
    product,
    typed,
)

every = pytest.mark.parametrize("fragment", list(every_fragment()), ids=typed)


@pytest.fixture(scope="module")
def cupy() -> Any:
    return machine()


@cache
def machine() -> Any:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    try:
        launched(cupy, kernel("int *out", "*out = 1;"), np.zeros(1, "i4"))
    except cupy.cuda.compiler.CompileException as error:
        if "not open source file" in str(error):
            pytest.skip("NVRTC finds no mma.h: pip install nvidia-cuda-runtime nvidia-cuda-crt")
        raise
    return cupy


def launched(machine: Any, code: str, *given: Any) -> NDArray[Any]:
    """The last argument, as one warp leaves it behind."""
    options = () if machine is simulator else ("-std=c++17", *nvrtc.header_options())
    arrays = [machine.asarray(one) if isinstance(one, np.ndarray) else one for one in given]
    machine.RawKernel(code, "k", options=options)((1,), (32,), tuple(arrays))
    found: NDArray[Any] = arrays[-1].get()
    return found


def orders(fragment: Fragment) -> tuple[str, ...]:
    return (fragment.layout,) if fragment.layout else LAYOUTS


def held(machine: Any, fragment: Fragment, order: str) -> NDArray[np.int64]:
    """The numbers of the elements that lanes have: of bytes, put together from two matrices."""
    found = np.zeros(places(fragment)[0].shape, np.int64)
    for part in range(2 if dtype(fragment.number).endswith("1") else 1):
        memory = laid_out(distinct(fragment, part), order)
        out = launched(machine, dump(fragment, order), memory, np.zeros((32, 16), memory.dtype))
        numbers = (out.view("u1") if out.itemsize == 1 else out)[:, : found.shape[1]]
        found += numbers.astype(np.int64) << 8 * part
    return found


@pytest.mark.gpu
@every
def test_lanes_have_what_a_gpu_gives_them(cupy: Any, fragment: Fragment) -> None:
    for order in orders(fragment):
        expected = held(cupy, fragment, order)
        np.testing.assert_array_equal(held(simulator, fragment, order), expected)


def matrices(number: str, shape: Shape, total: str, whole: bool) -> Iterator[NDArray[Any]]:
    m, n, k = shape
    random = np.random.default_rng(7)
    for of, size in ((number, (m, k)), (number, (k, n)), (total, (m, n))):
        kind = dtype(of)
        if np.dtype(kind).kind in "iu" and of != "__nv_bfloat16":
            yield random.integers(0, 128, size).astype(kind)
        else:
            found = random.integers(-3, 4, size) if whole else random.normal(size=size)
            yield to_bfloat16(found.astype("f4")) if of == "__nv_bfloat16" else found.astype(kind)


def multiplied(
    machine: Any, number: str, shape: Shape, total: str, whole: bool, how: tuple[str, str, str]
) -> NDArray[Any]:
    given = [
        laid_out(one, order)
        for one, order in zip(matrices(number, shape, total, whole), how, strict=True)
    ]
    return launched(machine, product(number, shape, total, how), *given, np.zeros_like(given[2]))


@pytest.mark.gpu
@pytest.mark.parametrize(("number", "shape", "total"), PRODUCTS)
def test_products_are_those_of_a_gpu(cupy: Any, number: str, shape: Shape, total: str) -> None:
    for how in combinations(LAYOUTS, LAYOUTS, LAYOUTS):
        for whole in (True, False):
            ours, theirs = (
                multiplied(m, number, shape, total, whole, how) for m in (simulator, cupy)
            )
            if whole:
                np.testing.assert_array_equal(ours, theirs)
            else:
                near = 2e-3 if total == "__half" else 1e-5 if total == "float" else 1e-13
                np.testing.assert_allclose(ours, theirs, rtol=near, atol=near)


TF32 = """wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> unused;
  out[threadIdx.x] = wmma::__float_to_tf32(p[threadIdx.x]);"""


@pytest.mark.gpu
def test_floats_are_rounded_to_tf32_as_on_a_gpu(cupy: Any) -> None:
    bits = np.random.default_rng(9).integers(0, 2**32, (1000, 32), np.uint32)
    bits[:8, 0] = [
        0x7F800000,
        0xFF800000,
        0x7F7FFFFF,
        0x00001000,
        0x00000FFF,
        0x1000,
        0x80001000,
        1,
    ]
    code = kernel("const float *p, float *out", TF32)
    for row in bits[:50]:
        ours, theirs = (
            launched(m, code, row.view("f4"), np.zeros(32, "f4")) for m in (simulator, cupy)
        )
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
        known = ~np.isnan(ours)
        np.testing.assert_array_equal(ours.view("u4")[known], theirs.view("u4")[known])


@pytest.mark.parametrize("fragment", sampled(every_fragment(), 5), ids=typed)
def test_the_programs_are_legal(fragment: Fragment) -> None:
    for order in orders(fragment):
        rows, columns = places(fragment)
        found = held(simulator, fragment, order)
        np.testing.assert_array_equal(found, rows * fragment.columns + columns)


def main() -> None:
    """Print row and column of each number of each lane where a GPU has others."""
    for fragment in every_fragment():
        for order in orders(fragment):
            theirs, ours = (held(m, fragment, order) for m in (machine(), simulator))
            print(fragment, order, "alike" if (theirs == ours).all() else "differs:")
            if (theirs != ours).any():
                for lane in range(32):
                    where = [divmod(int(one), fragment.columns) for one in theirs[lane]]
                    print("  lane", lane, where)


if __name__ == "__main__":
    main()
