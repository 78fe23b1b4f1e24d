"""Launches that are small enough to know by hand, and that an H200's Nsight Compute has counted.

`python -m tests.simulator.hardware.record FILE` runs them on a GPU under Nsight Compute, and
`test_micro` holds the simulator to what it wrote. Each kernel is `NAME(float *a, float *b)`.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Bytes of each of the two arrays.
BYTES = 1 << 16


@dataclass(frozen=True)
class Micro:
    """A kernel, called by its name, and how many threads its one block has."""

    name: str
    text: str
    threads: int = 64

    @property
    def code(self) -> str:
        """The program."""
        return HEADERS + self.text.replace("KERNEL", f'extern "C" __global__ void {self.name}')


HEADERS = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
"""
_CLASSES = """
struct Body {
    float place, speed;
    __device__ void move() { place += speed; }
};
struct Heavy : Body {
    float mass;
    __device__ float energy() const { return mass * speed; }
};
template <typename T> struct alignas(16) Pack {
    T values[16 / sizeof(T)];
    __device__ T &operator[](int i) { return values[i]; }
};
struct View {
    float *at;
    int step;
    __device__ float &operator[](int i) const { return at[i * step]; }
};
"""
_BITS = """
union Bits { float f; unsigned u; unsigned char c[4]; };
union Vector { uint4 all; unsigned char c[16]; float f[4]; };
union Rows { float f[8]; float4 q[2]; };
union Three { float f[3]; int i; };
struct Flags { unsigned low : 5, high : 3, rest : 24; };
struct Bytes { unsigned a : 8, b : 8, c : 16; };
struct Mixed { long long big : 40; int small : 20; char c; };
struct Base { float x; char c; __device__ Base() {} };
struct Derived : Base { char d; float y; };
"""
_T = "int t = threadIdx.x;"
_POINTERS = """
typedef float (*Choice)(const float *, int);
__device__ float self(const float *p, int i) { return p[i]; }
__device__ float far(const float *p, int i) { return p[16 * i]; }
"""
_COPIES = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
"""
_ATOMICS = """
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
template <cuda::thread_scope scope> using Int = cuda::atomic<int, scope>;
constexpr auto DEVICE = cuda::thread_scope_device;
constexpr auto BLOCK = cuda::thread_scope_block;
"""


def _asynchronous(name: str, ctype: str, copy: str) -> Micro:
    """Return a kernel that copies numbers into a tile and writes the tile out."""
    return Micro(
        name,
        f"{_COPIES}KERNEL(float *a, float *b) {{ {_T} __shared__ {ctype} tile[128]; "
        f"const {ctype} *from = (const {ctype} *)a; auto block = cg::this_thread_block(); "
        f"{copy} (({ctype} *)b)[t] = tile[t]; }}",
    )


def _one_by_one(name: str, ctype: str, size: int, source: str = "from[t]") -> Micro:
    copy = f"__pipeline_memcpy_async(&tile[t], &{source}, {size});"
    return _asynchronous(
        name, ctype, f"{copy} __pipeline_commit(); __pipeline_wait_prior(0); block.sync();"
    )


def _ordered(name: str, body: str) -> Micro:
    return Micro(
        name,
        f"{_ATOMICS}KERNEL(float *a, float *b) {{ {_T} auto *x = (Int<DEVICE> *)a; "
        f"int *out = (int *)b; {body} }}",
    )


def _product(name: str, number: str, total: str, shape: str, orders: str, body: str = "") -> Micro:
    """Multiply matrices in memory, those of each warp 8 KiB behind the last one's; store the sum.

    `orders` are letters, `r` for rows and `c` for columns: of both factors, and of the sum.
    """
    a, b, c = ({"r": "row_major", "c": "col_major"}[order] for order in orders)
    held = "float" if "tf32" in number else number
    loads = "wmma::load_matrix_sync(fa, p, 32); wmma::load_matrix_sync(fb, q, 32);"
    text = f"""
KERNEL(float *a, float *b) {{
  int warp = threadIdx.x / 32;
  const {held} *p = ({held} *)((char *)a + 8192 * warp), *q = p + 4096 / sizeof({held});
  {total} *to = ({total} *)((char *)b + 8192 * warp);
  wmma::fragment<wmma::matrix_a, {shape}, {number}, wmma::{a}> fa;
  wmma::fragment<wmma::matrix_b, {shape}, {number}, wmma::{b}> fb;
  wmma::fragment<wmma::accumulator, {shape}, {total}> fc;
  wmma::load_matrix_sync(fc, to, 32, wmma::mem_{c});
  {body or loads}
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(to, fc, 32, wmma::mem_{c});
}}"""
    return Micro(name, text)


def _shared(name: str, ldm: int, orders: str) -> Micro:
    """Multiply halves in shared memory, whose lines are `ldm` numbers apart."""
    body = f"""__shared__ __align__(32) half s[2][16 * {ldm}], t[2][16 * {ldm}];
  for (int i = threadIdx.x % 32; i < 16 * {ldm}; i += 32) {{
    s[warp][i] = p[i];
    t[warp][i] = q[i];
  }}
  __syncwarp();
  wmma::load_matrix_sync(fa, s[warp], {ldm}); wmma::load_matrix_sync(fb, t[warp], {ldm});"""
    return _product(name, "half", "float", "16, 16, 16", orders, body)


MATRICES = (
    _product("halves_along", "half", "float", "16, 16, 16", "rcr"),
    _product("halves_across", "half", "half", "16, 16, 16", "crc"),
    _product("halves_tall", "half", "half", "32, 8, 16", "rcr"),
    _product("halves_wide", "half", "float", "8, 32, 16", "rrr"),
    _product("bfloats_across", "__nv_bfloat16", "float", "16, 16, 16", "crc"),
    _product("bytes_along", "signed char", "int", "16, 16, 16", "rcr"),
    _product("bytes_across", "unsigned char", "int", "16, 16, 16", "crr"),
    _product("tf32s", "wmma::precision::tf32", "float", "16, 16, 8", "rcr"),
    _product("doubles", "double", "double", "8, 8, 4", "rcr"),
    _shared("halves_shared", 16, "rcr"),
    _shared("halves_shared_across", 16, "crr"),
    _shared("halves_padded", 24, "rcr"),
    _shared("halves_apart", 64, "rrr"),
)

MICROS = (
    *MATRICES,
    Micro("half_row", f"KERNEL(float *a, float *b) {{ {_T} ((half *)b)[t] = ((half *)a)[t]; }}"),
    Micro(
        "half_stride", f"KERNEL(float *a, float *b) {{ {_T} ((half *)b)[t] = ((half *)a)[9 * t]; }}"
    ),
    Micro(
        "half_sum",
        f"KERNEL(float *a, float *b) {{ {_T} half *x = (half *)a; "
        "((half *)b)[t] = __hadd(x[t], x[t + 1]); }",
    ),
    Micro(
        "half_pair", f"KERNEL(float *a, float *b) {{ {_T} ((half2 *)b)[t] = ((half2 *)a)[t + 1]; }}"
    ),
    Micro(
        "bfloat_row",
        f"KERNEL(float *a, float *b) {{ {_T} "
        "((__nv_bfloat16 *)b)[2 * t] = ((__nv_bfloat16 *)a)[t]; }",
    ),
    Micro("objects", _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} ((Body *)a)[t].move(); }}"),
    Micro(
        "heirs",
        _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} Heavy *h = (Heavy *)a; "
        "b[t] = h[t].energy(); h[t].move(); }",
    ),
    Micro(
        "packs",
        _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} auto p = ((Pack<float> *)a)[t]; "
        "for (float &x : p.values) x *= 2; ((Pack<float> *)b)[t] = p; }",
    ),
    Micro(
        "view",
        _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} View v{{a, 3}}; v[t] += v[t + 64]; }}",
    ),
    Micro(
        "closure",
        f"KERNEL(float *a, float *b) {{ {_T} "
        "auto at = [&](int i) -> float & { return a[5 * i]; }; b[t] = at(t) + at(t + 1); }",
    ),
    Micro(
        "pointers",
        _POINTERS + f"KERNEL(float *a, float *b) {{ {_T} Choice f = t < 32 ? self : far; "
        "b[t] = f(a, t); }",
    ),
    Micro(
        "copies",
        f"KERNEL(float *a, float *b) {{ {_T} "
        "memcpy((float4 *)b + t, (const float4 *)a + 2 * t, 16); }",
    ),
    Micro(
        "taken",
        f"KERNEL(float *a, float *b) {{ {_T} float4 v; memcpy(&v, (float4 *)a + t, 16); "
        "b[t] = v.x + v.y + v.z + v.w; }",
    ),
    Micro("zeroed", f"KERNEL(float *a, float *b) {{ {_T} memset((float4 *)b + t, 0, 16); }}"),
    Micro(
        "rows",
        f"KERNEL(float *a, float *b) {{ {_T} __shared__ float tile[32][33]; "
        "auto &row = tile[t / 32]; row[t % 32] = a[t]; __syncthreads(); "
        "float sum = 0; for (float x : row) sum += x; b[t] = sum; }",
    ),
    Micro(
        "bit_fields",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Flags *p = (Flags *)a; "
        "p[t].high = t; b[t] = p[t + 64].low; }",
    ),
    Micro("bit_bytes", _BITS + f"KERNEL(float *a, float *b) {{ {_T} ((Bytes *)a)[t].b = t; }}"),
    Micro(
        "bit_units",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Mixed *p = (Mixed *)a; "
        "p[t].big = t; p[t + 64].small = t; }",
    ),
    Micro(
        "bit_shared",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} __shared__ Flags s[64]; "
        "s[t].rest = t; __syncthreads(); b[t] = s[t ^ 1].rest; }",
    ),
    Micro(
        "bit_copies",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Flags f = ((Flags *)a)[t]; f.low += 3; "
        "((Flags *)b)[t] = f; }",
    ),
    Micro(
        "unions",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Bits u; u.f = a[t]; u.u ^= 5; u.c[1] = t; "
        "b[t] = u.f; }",
    ),
    Micro(
        "union_whole",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Vector v = ((Vector *)a)[t]; "
        "v.c[3] += t; ((Vector *)b)[t] = v; }",
    ),
    Micro(
        "union_rows",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Rows r = ((Rows *)a)[t]; "
        "((Rows *)b)[t] = r; }",
    ),
    Micro(
        "union_words",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Three r = ((Three *)a)[t]; "
        "((Three *)b)[t] = r; }",
    ),
    Micro(
        "union_bytes",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} ((Bits *)b)[t].c[2] = ((Bits *)a)[t].c[1]; }}",
    ),
    Micro(
        "shared_padding",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Derived *p = (Derived *)a; "
        "p[t].d = p[t + 64].c; p[t].y = 1; }",
    ),
    Micro(
        "static_variable",
        f"KERNEL(float *a, float *b) {{ {_T} static float v[64]; v[t ^ 1] = a[t]; b[t] = v[t]; }}",
    ),
    Micro(
        "assembly",
        f"KERNEL(float *a, float *b) {{ {_T} float x, y; "
        'asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(a + 4 * t)); '
        'asm volatile("st.global.f32 [%0], %1;" :: "l"(b + t), "f"(x + y)); '
        'asm volatile("red.global.add.f32 [%0], %1;" :: "l"(b + 256), "f"(x)); }',
    ),
    _one_by_one("async_4", "float", 4),
    _one_by_one("async_8", "float2", 8),
    _one_by_one("async_16", "float4", 16),
    _one_by_one("async_4_strided", "float", 4, "from[9 * t]"),
    _one_by_one("async_16_strided", "float4", 16, "from[3 * t]"),
    _asynchronous(
        "async_group", "float", "cg::memcpy_async(block, tile, from, 4 * 128); cg::wait(block);"
    ),
    _asynchronous(
        "async_group_16",
        "float4",
        "cg::memcpy_async(block, tile, from, sizeof(float4) * 128); cg::wait(block);",
    ),
    _asynchronous(
        "async_group_promised",
        "float",
        "cg::memcpy_async(block, (float *)tile, from, cuda::aligned_size_t<4>(4 * 100)); "
        "cg::wait(block);",
    ),
    _asynchronous(
        "async_pipeline",
        "float4",
        "auto pipe = cuda::make_pipeline(); pipe.producer_acquire(); "
        "cuda::memcpy_async(&tile[t], &from[t], sizeof(float4), pipe); pipe.producer_commit(); "
        "pipe.consumer_wait(); block.sync(); pipe.consumer_release();",
    ),
    _asynchronous(
        "async_barrier",
        "float4",
        "__shared__ cuda::barrier<cuda::thread_scope_block> bar; "
        "if (t == 0) init(&bar, 64); block.sync(); "
        "cuda::memcpy_async(block, tile, from, cuda::aligned_size_t<16>(16 * 128), bar); "
        "bar.arrive_and_wait();",
    ),
    _ordered("load_relaxed", "out[t] = x[t].load(cuda::memory_order_relaxed);"),
    _ordered("load_acquire", "out[t] = x[3 * t].load(cuda::memory_order_acquire);"),
    _ordered("load_seq_cst", "out[t] = x[0].load();"),
    _ordered("store_release", "x[2 * t].store(t, cuda::memory_order_release);"),
    _ordered("store_seq_cst", "x[t].store(t);"),
    _ordered("add_relaxed_to_one", "x[0].fetch_add(1, cuda::memory_order_relaxed);"),
    _ordered("add_relaxed_used", "out[t] = x[0].fetch_add(1, cuda::memory_order_relaxed);"),
    _ordered("add_acq_rel", "out[t] = x[t].fetch_add(t, cuda::memory_order_acq_rel);"),
    _ordered("add_seq_cst", "x[t % 8] += t;"),
    _ordered("add_built_in", "__nv_atomic_fetch_add(out, 1, __NV_ATOMIC_RELAXED, 3);"),
    _ordered("swap_ordered", "int e = 0; out[t] = x[t % 4].compare_exchange_strong(e, t + 1);"),
    _ordered("add_of_floats", "((cuda::atomic<float, DEVICE> *)a)[t % 2].fetch_add(1.0f);"),
    _ordered(
        "add_in_a_block",
        "__shared__ Int<BLOCK> own[2]; if (t < 2) own[t] = 0; __syncthreads(); "
        "own[t % 2].fetch_add(1, cuda::memory_order_relaxed); __syncthreads(); "
        "out[t] = own[t % 2].load(cuda::memory_order_relaxed);",
    ),
    _ordered(
        "met_at_a_barrier",
        "__shared__ cuda::barrier<BLOCK> bar; __shared__ int tile[64]; "
        "if (t == 0) init(&bar, 64); __syncthreads(); tile[t] = t; bar.arrive_and_wait(); "
        "out[t] = tile[63 - t];",
    ),
    _ordered(
        "met_by_primitives",
        "__shared__ __mbarrier_t bar; __shared__ int tile[64]; "
        "if (t == 0) __mbarrier_init(&bar, 64); __syncthreads(); tile[t] = t; "
        "auto token = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, token)) {} "
        "out[t] = tile[63 - t];",
    ),
)
