"""Texts that are rewritten to count: they count what the simulator counts of the original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from simulator.instrument import InstrumentedModule, flattened, instrumented
from tests.sampling import examples, sampled
from tests.simulator.launching import source

EXACT = (
    *("load_requests", "load_sectors", "load_bytes", "store_requests", "store_sectors"),
    *("store_bytes", "atomic_requests", "atomic_sectors", "atomic_lanes", "same_address_max"),
    *("cas_failed", "shared_requests", "bank_conflicts", "branches", "divergent_branches"),
    *("barriers", "cluster_syncs", "grid_syncs", "distributed_requests", "distributed_bytes"),
)

STRUCTURES = "struct P { int x; float y; }; __device__ int g; __constant__ int c[4];"


def both(
    text: str,
    *arguments: Any,
    grid: int = 2,
    block: int = 48,
    cooperative: bool = False,
    shared: int = 0,
) -> tuple[simulator.Launch, Any]:
    """What the simulator counts of a kernel `k`, and what its instrumented text does."""
    with simulator.Device(memory=1 << 24) as device:
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        module = simulator.RawModule(code=text, enable_cooperative_groups=cooperative)
        with simulator.counting(device) as record:
            module.get_function("k")((grid,), (block,), tuple(given), shared_mem=shared)
        first = [a.get() for a in given if isinstance(a, simulator.ndarray)]
    with simulator.Device(memory=1 << 24):
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        made = instrumented(text, cooperative=cooperative)
        rewritten = simulator.RawModule(code=made.text, enable_cooperative_groups=cooperative)
        counting = InstrumentedModule(simulator, rewritten, made)
        counting.get_function("k")((grid, 1, 1), (block, 1, 1), tuple(given), shared_mem=shared)
        second = [a.get() for a in given if isinstance(a, simulator.ndarray)]
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    return record.launches[0], counting.launches[0]


def check(text: str, *arguments: Any, **more: Any) -> None:
    expected, found = both(text, *arguments, **more)
    for name in EXACT:
        assert getattr(found.counters, name) == getattr(expected.counters, name), name
    for name in ("work", "work_per_warp", "work_per_block"):
        theirs, ours = getattr(expected.counters, name), getattr(found.counters, name)
        assert ours.as_dict() == theirs.as_dict()
    places = [{(s.line, s.column, s.kind, s.text) for s in one.sites} for one in (expected, found)]
    assert places[0] == places[1]


@pytest.mark.parametrize(
    "body",
    sampled(
        [
            "a[i] = a[i + 1];",
            "a[i] += 2; a[i]++; --a[i]; int q = a[i]--; a[i] = q;",
            "a[i] = a[i] > 3 && a[i + 1] > 2 || i == 7 ? a[2] : i;",
            "if (a[i] % 3) { a[i] = 1; } else if (i % 2) a[i] = 2;",
            "for (int j = 0; j < i % 5; j++) a[i] += b[j];",
            "int j = i; while (b[j & 7] > 0 && j > 0) { j--; a[i]++; }",
            "int j = 3; do { a[i] += j; } while (--j > i % 3);",
            "switch (b[i & 7] % 4) { case 0: a[i] = 1; break; case 1: a[i] = 2; default: a[i]++; }",
            "__shared__ int s[64]; __shared__ int one; s[i & 63] = i; if (i == 0) one = 4;"
            " __syncthreads(); a[i] = s[(i * 2) & 63] + one;",
            "__shared__ double d[64]; d[threadIdx.x * 3 & 63] = i;"
            " __syncthreads(); a[i] = d[i & 63];",
            "__shared__ unsigned char t[256]; t[threadIdx.x * 5 & 255] = i; a[i] = t[i & 255];",
            "atomicAdd(&a[i % 3], b[i & 7]); atomicMax(a + i, 5); atomicCAS(&a[i], 0, i);",
            "__shared__ int s[8]; if (i < 8) s[i] = 0; __syncthreads(); atomicAdd(&s[i & 7], 1);"
            " __syncthreads(); a[i] = s[i & 7];",
            "g = 3; a[i] = c[i & 3]; int mine[2] = {1, 2}; a[i] += mine[i & 1];",
            "a[i] = __ldg(b + (i & 7)); __stcg(a + i, a[i]);",
            "volatile int *w = a; w[i] = w[i + 1] + 1; w[i] += 2;",
            "int &r = a[i]; r = r + 1; a[i] = a[i + 1] = r;",
            "a[i] = twice(a + i) + twice(b); bump(a[i]);",
            "float4 f = v[i & 7]; v[i & 7].x = f.y; v[8 + i] = f;",
            "p[i & 7].x = p[(i + 1) & 7].x + 1; a[i] = (int)p[i & 7].y;",
            "if (__syncthreads_or(a[i] > 5)) a[i] = i; if (!a[i]) return; a[i]++;",
            "__shared__ int s[64]; s[threadIdx.x] = i; __syncthreads(); int m[2] = {1, 2};"
            " int *q = i % 3 == 0 ? s : i % 3 == 1 ? a : m; q[i & 1] = i; a[i] += q[1]; bump(*q);",
            "P one = p[i & 7]; one.x++; p[(i + 1) & 7] = one; p[i & 3] = p[4]; a[i] = one.x;",
            "__shared__ P s[64]; s[threadIdx.x] = p[i & 7]; __syncthreads(); a[i] = s[i & 31].x;",
            "a[i] = (b[i & 7], a[i]); int w = (i % 2 ? a : a + 1)[i]; a[i] = w;",
            "if (int m = a[i] % 3) a[i] = m; else if (int w = b[i & 7]; w > m) a[i] = w;",
            "int t = 5; while (char m = a[i] - t) { a[i]--; if (t-- < 2) break;"
            " if (m == 3) continue; }",
            "for (int j = i % 5; int left = b[j & 7] + j; j--) { if (left < 0 || j < 0) break;"
            " a[i]++; }",
            "switch (int m = b[i & 7] % 4) { case 0: a[i] = 1; break; case 1: a[i] = m; }"
            " switch (long m = a[i]; m & 3) { case 0: a[i]++; break; default: a[i] += m; }",
            "if (int *q = i % 2 ? a : nullptr) q[i] = 3; if (int m{b[i & 7]}) a[i] += m;",
            "(i % 2 ? a[i] : a[i + 1]) = 3; (i % 3 ? a[i] : g) += 2; (b[i & 7] > 2 ? a[i] : g)++;"
            " int &r = i % 5 ? a[i] : g; r--; bump(i % 7 ? a[i] : g);",
            "int \u043d = i, m\u00e9 = 2; if (\u043d % 2) a[i] = a[\u043d + 1] * m\u00e9;",
            "typedef struct point { int x, y; } Point; Point point = {i, 1};"
            " struct point *dim3 = &point; a[i] = point.y + dim3->x + b[dim3->x & 7];",
            "[[maybe_unused]] int m = a[i]; if (i % 2) [[likely]] a[i] = 1;"
            " else [[unlikely]] a[i] = 2;",
            "a[i] = halves(i) + reads(c, i & 3); int *q = c; a[i] += q[1];"
            " __device__ __shared__ int s[64]; s[i & 63] = i; __syncthreads(); a[i] += s[5];",
            '\n#pragma omp simd\n _Pragma("unroll") for (int j = 0; j < 3; j++) a[i] \\\n += b[j];',
        ],
        3,
    ),
)
def test_every_construct(body: str) -> None:
    functions = f"""{STRUCTURES}
    template <class T> __device__ T twice(T *p) {{ return *p + p[0]; }}
    __device__ void bump(int &x) {{ x += x > 3; }}
    __device__ int halves(int n) {{ if (n >= 0) return n / 2; }}
    __device__ int reads(int *p, int n) {{ return p[n]; }}
    """
    parameters = "int *a, const int *b, float4 *v, P *p"
    text = source(parameters, f"int i = blockIdx.x * blockDim.x + threadIdx.x; {body}", functions)
    values = np.random.default_rng(5).integers(-3, 9, 128).astype("i4")
    vectors, pairs = np.ones(128 * 4, "f4"), np.zeros(8, "i4,f4")
    check(text, values, values[:8].copy(), vectors, pairs.view("i4"))


@pytest.mark.slow
@examples(25, 10)
@given(
    stride=st.integers(1, 40),
    offset=st.integers(0, 9),
    kind=st.sampled_from(["char", "short", "int", "double", "float2", "float4"]),
    shared=st.booleans(),
)
def test_sectors_and_banks(stride: int, offset: int, kind: str, shared: bool) -> None:
    place = f"{kind} *m" if not shared else "int *unused"
    declared = f"__shared__ {kind} m[512];" if shared else ""
    index = f"(threadIdx.x * {stride} + {offset}) % 512"
    body = f"{declared} {kind} x = m[{index}]; m[{index}] = x;"
    check(source(place, body), np.zeros(512 * 16, "u1"), grid=1, block=64)


def test_loads_and_stores_by_functions_keep_their_form() -> None:
    text = source("int *a, const int *b", "__stcg(a, __ldg(b + 1) + __ldcg(&b[2]));")
    made = instrumented(text).text
    assert "__stcg ( gb_at(a, 2, GB_GLOBAL) , __ldg ( gb_at(b + 1, 0, GB_GLOBAL) )" in made


def test_barriers_of_the_grid() -> None:
    text = """#include <cooperative_groups.h>
    extern "C" __global__ void k(int *a) {
      for (int n = 0; n < 3; n++) { a[threadIdx.x] += n; cooperative_groups::this_grid().sync(); }
    }"""
    check(text, np.zeros(64, "i4"), grid=1, block=64, cooperative=True)


def test_macros_and_headers_are_counted_where_they_stand() -> None:
    text = "#define AT(p, i) p[i]\n#define N 2\n" + source(
        "int *a", "for (int j = 0; j < N; j++)\n  AT(a, threadIdx.x) = AT(a, j) + 1;"
    )
    check(text, np.zeros(64, "i4"), grid=1)


def test_pointers_that_are_followed_through_structures_count_once() -> None:
    text = "struct N { N *next; int v; };\n" + source(
        "int *a",
        """__shared__ N s[48]; int i = threadIdx.x;
        s[i].v = i; s[i].next = &s[(i + 1) % 48]; __syncthreads();
        a[i] = s[i].next->next->v + (*s[i].next).v;
        N whole = *s[i].next; a[i] += whole.v;""",
    )
    check(text, np.zeros(64, "i4"), grid=1)


def test_a_barrier_of_a_group_of_any_kind_is_refused() -> None:
    text = """#include <cooperative_groups.h>
    __device__ void wait(cooperative_groups::thread_group group) { group.sync(); }
    extern "C" __global__ void k(int *a) { wait(cooperative_groups::this_thread_block()); }"""
    with pytest.raises(simulator.CompileError, match="a block or a part of one cannot be counted"):
        instrumented(text)


@pytest.mark.parametrize(
    ("body", "counted"),
    [
        ('asm("add.u32 %0, %1, 1;" : "=r"(x) : "r"(a[threadIdx.x])); a[threadIdx.x] = x;', True),
        ('asm("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a));', False),
        ('asm("{ .reg .pred p; setp.lt.u32 p, %0, 3; @p add.u32 %0, %0, 1; }" : "+r"(x));', False),
        ('asm("bar.sync 0;");', False),
        ('asm("mov.u32 %0, 1;" : "=r"(a[0]));', False),
    ],
)
def test_asm_is_left_as_it_is_or_refused(body: str, counted: bool) -> None:
    code = f'extern "C" __global__ void k(int *a) {{ int x = threadIdx.x; {body} }}'
    if not counted:
        with pytest.raises(
            simulator.CompileError, match="cannot be counted on a GPU yet"
        ) as caught:
            instrumented(code)
        assert "`asm`" in caught.value.message
        return
    made = instrumented(code)
    module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
    module.get_function("k")((1,), (32,), (simulator.zeros(32, "int32"),))
    counters = module.launches[0].counters
    assert (counters.load_requests, counters.store_requests) == (1, 1)


def test_launches_by_kernels_are_refused() -> None:
    """Counters of threads have no elements for a grid that the host does not launch."""
    text = source("int *a", "c<<<1, 64>>>(a);", "__global__ void c(int *a) { a[threadIdx.x] = 1; }")
    with pytest.raises(simulator.CompileError, match="cannot be counted on a GPU") as caught:
        instrumented(text)
    assert caught.value.span is not None
    assert caught.value.span.text.replace(" ", "").startswith("c<<<")


def test_constants_and_headers_that_nvrtc_needs_are_kept() -> None:
    text = "#include <cuda/std/cstdint>\n#include <math_constants.h>\n" + source(
        "int *a", "uint8_t i = threadIdx.x; a[i] = (i < CUDART_INF_F) + (-CUDART_INF < 0.0);"
    )
    check(text, np.zeros(64, "i4"), grid=1)
    made = instrumented(text).text
    assert "#include <cuda/std/cstdint>" in made
    assert "1e999" not in made
    if nvrtc.load()[0] is not None and nvrtc.header_options():
        nvrtc.compile_text(made, "counting.cu", Path())


def test_a_flat_text_knows_where_its_words_were() -> None:
    text = "#define TWO(x) ((x) + (x))\n" + source("int *a", "a[1] =\n  TWO(a[0]);")
    flat = flattened(text, "file.cu", ())
    assert "#define" not in flat.source.text
    for start, span in zip(flat.starts, flat.spans, strict=True):
        word = flat.source.text[start:].split()[0]
        if not span.macro:
            assert span.text == word


# Clusters of blocks: what goes to another block's shared memory has rows of its own.


CLUSTERED = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __cluster_dims__(2) __global__ void k(int *a, int n) {
  __shared__ int s[64]; __shared__ double wide[64];
  auto c = cg::this_cluster();
  s[threadIdx.x] = wide[threadIdx.x] = threadIdx.x;
  c.sync();
  int *other = c.map_shared_rank(s, 1 - c.block_rank());
  int *mixed = threadIdx.x % 3 ? other : s;
  atomicAdd(mixed + threadIdx.x % 4, 1);
  atomicCAS(other + 5, 0, n);
  c.barrier_arrive();
  if (threadIdx.x % 2) a[threadIdx.x] = n;
  c.barrier_wait();
  int *p = threadIdx.x % 2 ? other : a;
  a[blockIdx.x * blockDim.x + threadIdx.x] += *p + mixed[threadIdx.x]
      + (int)c.map_shared_rank(wide, 1 - c.block_rank())[threadIdx.x] + __isShared(other)
      + 10 * __isClusterShared(other) + 100 * __isShared(s) + 1000 * __isClusterShared(a);
  c.sync();
}"""


def test_clusters_are_counted() -> None:
    check(CLUSTERED, np.zeros(256, "i4"), np.int32(3), grid=4)


def test_what_is_distributed_is_neither_global_nor_the_own_blocks() -> None:
    expected, _ = both(CLUSTERED, np.zeros(256, "i4"), np.int32(3), grid=4)
    counters = expected.counters
    # Two warps of four blocks: the mixed atomic, the CAS, `*p`, `mixed[…]` and the doubles.
    assert counters.distributed_requests == 2 * 4 * 5
    assert counters.cluster_syncs == 2 * 3
    assert counters.barriers == 0
    kinds = {site.kind for site in expected.sites if site.kind.startswith("distributed")}
    assert kinds == {"distributed_load", "distributed_atomic"}


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
def test_clusters_that_count_are_what_nvrtc_takes() -> None:
    made = instrumented(CLUSTERED)
    assert nvrtc.compile_text(made.text, "kernel.cu", Path(".")) == ""
    plain = instrumented('extern "C" __global__ void f(int *a) { a[threadIdx.x] = 1; }')
    assert nvrtc.compile_text(plain.text, "kernel.cu", Path("."), "sm_80") == ""


def test_barriers_of_libcu_are_left_as_they_are() -> None:
    code = """#include <cuda/barrier>
    extern "C" __global__ void k(int *a) {
      __shared__ cuda::barrier<cuda::thread_scope_block> bar;
      if (threadIdx.x == 0) init(&bar, 32);
      __syncthreads(); bar.arrive_and_wait(); a[0] = 1; }"""
    made = instrumented(code)
    assert "#include <cuda/barrier>" in made.text
    assert "bar . arrive_and_wait ( ) ;" in made.text
    assert [row.kind for row in made.places] == ["branch", "barrier", "store"]


def test_atomics_of_libcu_are_refused() -> None:
    code = """#include <cuda/atomic>
    extern "C" __global__ void k(int *a) { cuda::atomic_ref<int> x(a[0]); x.fetch_add(1); }"""
    with pytest.raises(simulator.CompileError, match="this atomic cannot be counted on a GPU yet"):
        instrumented(code)


@pytest.mark.parametrize("body", ["p->low = 3;", "p->low += 3;", "o[0] = p->low;", "p->low++;"])
def test_bit_fields_in_memory_are_refused_by_name(body: str) -> None:
    front = "struct F { unsigned low : 3, high : 5; };"
    with pytest.raises(simulator.CompileError, match="bit field `p -> low` cannot be counted"):
        instrumented(source("F *p, int *o", body, front))


def test_unions_are_counted_as_other_structures_are() -> None:
    text = source(
        "float *a, int *o",
        "U *p = (U *)a + threadIdx.x, u = *p; u.c[1] ^= 3; o[threadIdx.x] = u.i; *p = u;",
        "union U { float f; int i; unsigned char c[4]; };",
    )
    simulated, counted = both(text, np.zeros(48, "f4"), np.zeros(48, "i4"), grid=1)
    assert all(getattr(simulated.counters, n) == getattr(counted.counters, n) for n in EXACT)
