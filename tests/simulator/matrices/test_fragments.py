"""Fragments as programs use them: arrays, references, templates, names; what is refused; faults."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import simulator
from tests.simulator.launching import fault, run, source
from tests.simulator.matrices.programs import kernel

TYPES = """
using FA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> FB;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> FC;
"""
PARAMETERS = "const half *a, const half *b, float *c"


def numbers(rows: int = 32, columns: int = 32, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(-4, 5, (rows, columns)).astype("f2")


A, B = numbers(), numbers(seed=2)
PRODUCT = A.astype("f4") @ B.T.astype("f4")
CORNER = A[:16, :16].astype("f4") @ B[:16, :16].T.astype("f4")


def computed(body: str, functions: str = "", **how: Any) -> Any:
    text = kernel(PARAMETERS, body, TYPES + functions)
    return run(text, A, B, np.zeros((32, 32), "f4"), **how).arrays[2]


def failing(body: str, **how: Any) -> simulator.Fault:
    text = kernel(PARAMETERS, f"FA fa; FB fb; FC fc;\n{body}", TYPES)
    return fault(text, A, B, np.zeros((32, 32), "f4"), **how)


def test_arrays_of_fragments() -> None:
    body = """FA fa[2]; FB fb[2]; FC fc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(fc[i][j], 0.0f);
  for (int k = 0; k < 32; k += 16) {
    for (int i = 0; i < 2; i++) {
      wmma::load_matrix_sync(fa[i], a + 16 * i * 32 + k, 32);
      wmma::load_matrix_sync(fb[i], &b[16 * i * 32 + k], 32);
    }
    #pragma unroll
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) wmma::mma_sync(fc[i][j], fa[i], fb[j], fc[i][j]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      for (int t = 0; t < fc[i][j].num_elements; t++) fc[i][j].x[t] *= 0.5f;
      wmma::store_matrix_sync(c + 16 * i * 32 + 16 * j, fc[i][j], 32, wmma::mem_row_major);
    }"""
    np.testing.assert_array_equal(computed(body), PRODUCT / 2)
    with simulator.sanitize("all"):
        np.testing.assert_array_equal(computed(body), PRODUCT / 2)


def test_functions_and_templates_take_fragments() -> None:
    functions = """
template <typename F> __device__ void clear(F &f) { wmma::fill_fragment(f, 0.0f); }
__device__ void step(FA &fa, FB &fb, FC &fc, const half *a, const half *b, int ldm) {
  wmma::load_matrix_sync(fa, a, ldm);
  wmma::load_matrix_sync(fb, b, ldm);
  wmma::mma_sync(fc, fa, fb, fc);
}
template <typename Use, int m, int n, int k, typename T, typename L>
__device__ wmma::fragment<Use, m, n, k, T, L> scaled(wmma::fragment<Use, m, n, k, T, L> f, T by) {
  for (int i = 0; i < f.num_elements; i++) f.x[i] *= by;
  return f;
}
__device__ void put(float *c, const FC &f, wmma::layout_t layout) {
  wmma::store_matrix_sync(c, f, 32, layout);
}
struct Tile {
  FA a; FB b; FC sum;
  __device__ Tile() { clear(sum); }
  __device__ void add(const half *p, const half *q) { step(a, b, sum, p, q, 32); }
};"""
    body = """Tile tile;
  tile.add(a, b);
  put(c, tile.sum, wmma::mem_row_major);
  FC twice = scaled(tile.sum, 2.0f), other;
  other = twice;
  put(c + 16, other, wmma::mem_col_major);"""
    found = computed(body, functions)
    np.testing.assert_array_equal(found[:16, :16], CORNER)
    np.testing.assert_array_equal(found[:16, 16:], 2 * CORNER.T)


def test_fragments_may_be_reached_by_pointers() -> None:
    functions = """
__device__ void fill(FC *f, float x) { wmma::fill_fragment(*f, x); }
__device__ void down(FC &f, int n) {
  if (n > 0) down(f, n - 1); else wmma::fill_fragment(f, 5.0f);
}"""
    body = """FC fc[3], other; FA fa; FB fb;
  for (int i = 0; i < 3; i++) fill(&fc[i], i + 1.0f);
  FC *chosen = c[0] == 0 ? &fc[1] : &other;
  wmma::load_matrix_sync(fa, a, 32); wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(*chosen, fa, fb, *chosen);
  wmma::store_matrix_sync(c, *chosen, 32, wmma::mem_row_major);
  FC &last = fc[threadIdx.x / 32 + 2];
  wmma::store_matrix_sync(c + 16, last, 32, wmma::mem_row_major);
  down(last, 3);
  wmma::store_matrix_sync(c + 16 * 32, fc[2], 32, wmma::mem_row_major);"""
    for watched in ((), ("all",)):
        with simulator.sanitize(*watched) if watched else nullcontext():
            found = computed(body, functions)
        np.testing.assert_array_equal(found[:16, :16], CORNER + 2)
        assert (found[:16, 16:] == 3).all()
        assert (found[16:, :16] == 5).all()


SPELLINGS = [
    ("", "nvcuda::wmma::"),
    ("using namespace nvcuda;", "wmma::"),
    ("using namespace nvcuda::wmma;", ""),
    ("namespace mm = nvcuda::wmma;", "mm::"),
    ("namespace nv = nvcuda;", "nv::wmma::"),
]


@pytest.mark.parametrize(("opening", "front"), SPELLINGS)
@pytest.mark.parametrize("local", [False, True])
def test_names_may_be_written_in_every_way(opening: str, front: str, local: bool) -> None:
    body = """@fragment<@accumulator, 16, 16, 16, float, void> f;
  @fill_fragment(f, (float)@fragment<@matrix_a, 8, 32, 16, half, @row_major>::num_elements);
  @layout_t unused = @mem_col_major;
  @store_matrix_sync(c, f, 32, @mem_row_major);""".replace("@", front)
    text = source("float *c", opening * local + body, "#include <mma.h>\n" + opening * (not local))
    assert (run(text, np.zeros((16, 32), "f4")).arrays[0][:, :16] == 16).all()


def test_functions_are_found_by_their_arguments() -> None:
    body = """FA fa; FB fb; FC fc;
  fill_fragment(fc, 0); load_matrix_sync(fa, a, 32); load_matrix_sync(fb, b, 32);
  mma_sync(fc, fa, fb, fc); store_matrix_sync(c, fc, 32, wmma::mem_row_major);"""
    np.testing.assert_array_equal(computed(body)[:16, :16], CORNER)


def test_single_names_may_be_used() -> None:
    body = """using nvcuda::wmma::fill_fragment; using wmma::store_matrix_sync;
  FC fc; fill_fragment(fc, 3); store_matrix_sync(c, fc, 32, wmma::mem_row_major);"""
    assert (computed(body)[:16, :16] == 3).all()


def test_matrices_in_shared_memory() -> None:
    body = """__shared__ __align__(32) half s[16][24];
  __shared__ alignas(32) float t[256];
  extern __shared__ __align__(32) half dynamic[];
  for (int i = threadIdx.x; i < 256; i += 32) {
    s[i / 16][i % 16] = a[i / 16 * 32 + i % 16];
    dynamic[i] = b[i / 16 * 32 + i % 16];
  }
  __syncwarp();
  FA fa; FB fb; FC fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, &s[0][0], 24);
  const half *chosen = threadIdx.x < 64 ? dynamic : b;
  wmma::load_matrix_sync(fb, chosen, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(t, fc, 16, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) c[i % 16 * 32 + i / 16] = t[i];"""
    with simulator.sanitize("all"):
        found = computed(body, shared=512)
    np.testing.assert_array_equal(found[:16, :16], CORNER)


def test_members_of_fragments() -> None:
    body = """FC fc; typename FC::element_type x = 1.5f; typename FA::storage_element_type y = 2.0f;
  int bytes = sizeof(fc) + sizeof(FA);
  c[threadIdx.x] = x + (float)y + fc.num_elements + fc.num_storage_elements + bytes
    + FA::num_elements;"""
    assert (computed(body)[0] == 3.5 + 8 + 8 + 32 + 32 + 16).all()


# What is refused.

REFUSED = [
    ("wmma::load_matrix_sync(fa, a);", "takes 3 or 4 arguments here, not 2", ""),
    ("wmma::load_matrix_sync(fc, c, 32);", "takes 4 arguments for `accumulator`", "mem_row_major"),
    ("wmma::load_matrix_sync(fa, a, 32, wmma::mem_row_major);", "takes 3 arguments", "the type of"),
    ("wmma::load_matrix_sync(fa, c, 32);", "takes `const __half *` here, not `float *`", ""),
    ("wmma::load_matrix_sync(a, a, 32);", "takes a fragment here, not `const __half *`", ""),
    ("wmma::store_matrix_sync(c, fa, 32, wmma::mem_row_major);", "of `accumulator` here", ""),
    ("wmma::store_matrix_sync(a, fc, 32, wmma::mem_row_major);", "takes `float *` here", ""),
    ("wmma::store_matrix_sync(c, fc, 32, (wmma::layout_t)n);", "is not known before", "branches"),
    ("wmma::mma_sync(fc, fb, fa, fc);", "takes a fragment of `matrix_a` here", ""),
    ("wmma::mma_sync(fc, fa, fb);", "takes 4 or 5 arguments here, not 3", ""),
    ("wmma::mma_sync(fc, fa, fb, fc, true);", "takes 4 arguments where sums are float", "integers"),
    (
        "wmma::mma_sync(fc, fa, other, fc);",
        "cannot multiply 16x16x16 of half by 32x8x16 of half",
        "",
    ),
    (
        "wmma::mma_sync(fc, fa, fb, sum);",
        "has no sum 16x16x16 of int for factors 16x16x16 of half",
        "",
    ),
    ("const FC &f = fc; wmma::fill_fragment(f, 1);", "cannot change this fragment", "const"),
    ("__shared__ FC f; wmma::fill_fragment(f, 1);", "is not a variable of the", "declare it"),
    (
        "wmma::fragment<wmma::matrix_a, 16, 16, 8, half, wmma::row_major> f; "
        "wmma::fill_fragment(f, 1);",
        "CUDA has no `fragment<matrix_a, 16, 16, 8, half, row_major>`",
        "of half there are 8x32x16, 16x16x16, 32x8x16",
    ),
    (
        "wmma::fragment<wmma::matrix_a, 16, 16, 16, char, wmma::row_major> f; "
        "wmma::fill_fragment(f, 1);",
        "CUDA has no `fragment<matrix_a, 16, 16, 16, char, row_major>`",
        "signed char",
    ),
    (
        "wmma::fragment<wmma::matrix_b, 16, 16, 16, half> f; wmma::fill_fragment(f, 1);",
        "CUDA has no `fragment<matrix_b, 16, 16, 16, half>`",
        "`row_major` or `col_major`",
    ),
    (
        "wmma::fragment<wmma::accumulator, 16, 16, 16, double> f; wmma::fill_fragment(f, 1);",
        "CUDA has no `fragment<accumulator, 16, 16, 16, double>`",
        "of double there are 8x8x4",
    ),
    (
        "wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::u4, "
        "wmma::row_major> f;",
        "`nvcuda::wmma::experimental::precision::u4` is not supported",
        "signed char",
    ),
    (
        "wmma::bmma_sync(fc, fa, fb, fc);",
        "`nvcuda::wmma::bmma_sync` is not supported",
        "signed char",
    ),
]


@pytest.mark.parametrize(("body", "message", "hint"), REFUSED, ids=[row[0][:50] for row in REFUSED])
def test_what_is_not_there_is_refused(body: str, message: str, hint: str) -> None:
    declared = """FA fa; FB fb; FC fc;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> other;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
"""
    text = kernel(f"{PARAMETERS}, int n", declared + body, TYPES)
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawKernel(text, "k").compiled()
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.span is not None


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("nvcuda::wmma::fragment", "nvcuda::wmma::fragment<int> f;"),
        ("nvcuda::wmma::mma_sync", "nvcuda::wmma::mma_sync(a, a, a, a);"),
        ("nvcuda::wmma::precision::tf32", "nvcuda::wmma::precision::tf32 *f;"),
        ("nvcuda::wmma::row_major", "using namespace nvcuda; wmma::row_major *f;"),
    ],
)
def test_names_need_the_header(name: str, use: str) -> None:
    with pytest.raises(simulator.CompileError, match="needs its header") as caught:
        simulator.RawModule(source("int *a", use))
    assert name in caught.value.message
    assert caught.value.hint == "write `#include <mma.h>`"


def test_a_fragment_without_its_namespace() -> None:
    with pytest.raises(simulator.CompileError, match="`fragment` is not supported") as caught:
        simulator.RawModule(source("int *a", "fragment<int> f;"))
    assert "include it, and write `nvcuda::wmma::` in front" in caught.value.hint


def test_wmma_alone_is_no_namespace() -> None:
    text = source("int *a", "wmma::fragment<int> f;", "#include <mma.h>")
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(text)
    assert "using namespace nvcuda" in caught.value.hint


# Faults.

FAULTS = [
    ("if (threadIdx.x != 3) wmma::load_matrix_sync(fa, a, 32);", "`load_matrix_sync` lacks lane 3"),
    ("if (threadIdx.x > 29) wmma::mma_sync(fc, fa, fb, fc);", "`mma_sync` lacks 30 lanes"),
    (
        "wmma::load_matrix_sync(fa, a + 16 * threadIdx.x, 32);",
        "a warp gives different pointers",
    ),
    (
        "wmma::load_matrix_sync(fa, a, 16 + 8 * (threadIdx.x / 16));",
        "a warp gives different distances",
    ),
    ("wmma::load_matrix_sync(fa, a, 20);", "lines that are 20 numbers apart"),
    ("wmma::store_matrix_sync(c + 4, fc, 32, wmma::mem_row_major);", "that is no multiple of 32"),
    ("wmma::load_matrix_sync(fa, a + 32 * 17, 32);", "past the end of an array"),
    ("wmma::load_matrix_sync(fa, (const half *)nullptr, 32);", "a null pointer"),
    ("__shared__ half s[128]; wmma::load_matrix_sync(fa, s, 16);", "but s has 128 elements"),
    ("float t[256]; wmma::store_matrix_sync(t, fc, 16, wmma::mem_row_major);", "own array"),
]


@pytest.mark.parametrize(("body", "message"), FAULTS)
def test_faults(body: str, message: str) -> None:
    found = failing(body)
    assert message in str(found)
    assert found.span is not None
    assert found.span.text.startswith("wmma::")


@pytest.mark.parametrize("numbers", [0, 32, 128, 255])
def test_a_store_whose_first_accesses_fit(numbers: int) -> None:
    """What the race checker then gets of the call is nothing of it, and no name that is not set."""
    body = """extern __shared__ float s[]; wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
      wmma::fill_fragment(fc, 0.0f); wmma::store_matrix_sync(s, fc, 16, wmma::mem_row_major);"""
    found = fault(kernel("int *a", body), 0, shared=4 * numbers, sanitize="all")
    assert f"but s has {numbers} elements" in found.message


def test_a_block_has_whole_warps() -> None:
    assert "`mma_sync` lacks 16 lanes" in str(failing("wmma::mma_sync(fc, fa, fb, fc);", block=48))


def test_warps_of_papers_are_too_small() -> None:
    found = failing("wmma::mma_sync(fc, fa, fb, fc);", profile="toy4", block=4)
    assert "needs warps of 32 lanes" in str(found)


def test_a_warp_may_take_another_branch_than_the_others() -> None:
    body = """FC fc;
  wmma::fill_fragment(fc, 1.0f + threadIdx.x / 32);
  if (threadIdx.x / 32 == 1) wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);"""
    assert (computed(body, block=96)[:16, :16] == 2).all()
