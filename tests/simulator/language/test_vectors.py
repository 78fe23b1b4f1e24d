"""CUDA's vector types: values, members, and the one access that a GPU makes for a whole vector."""

import numpy as np
import pytest

import simulator
from simulator.ir.types import VECTORS

KERNEL = r"""
__device__ float4 plus(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ int2 pick(int i) {
  if (i % 2) return make_int2(i, -i);
  int2 r = {7};
  r.y += i;
  return r;
}
__device__ void bump(float4 &v, float by) { v.x += by; v.w = v.x; }
extern "C" __global__ void k(const float4 *a, float4 *b, int2 *c, float3 *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float4 s[64];
  float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
  if (i < n) { v = plus(a[i], a[i]); s[threadIdx.x] = v; }
  __syncthreads();
  if (i < n) {
    bump(v, 1.f);
    b[i] = v;
    b[i].y = s[threadIdx.x ^ 1].z;
    c[i] = pick(i);
    atomicAdd(&c[i].x, 1);
    d[i] = make_float3(v.x, v.y, v.z);
    d[i].z *= 2;
    float4 *p = b;
    p += i;
    p->z = 5;
    float4 w = *p;
    w.x = -w.x;
    *p = w;
  }
}
"""


def test_vectors_move_and_compute() -> None:
    n = 64
    a = np.arange(4 * n, dtype=np.float32).reshape(n, 4)
    b, c = simulator.zeros((n, 4), "float32"), simulator.zeros((n, 2), "int32")
    d = simulator.zeros((n, 3), "float32")
    simulator.RawKernel(KERNEL, "k")((1,), (64,), (simulator.asarray(a), b, c, d, n))
    i = np.arange(n)
    v = a + a
    shared = v.copy()
    v[:, 0] += 1
    v[:, 3] = v[:, 0]
    np.testing.assert_array_equal(d.get(), np.c_[v[:, 0], v[:, 1], 2 * v[:, 2]])
    v[:, 1], v[:, 2], v[:, 0] = shared[i ^ 1, 2], 5, -v[:, 0]
    np.testing.assert_array_equal(b.get(), v)
    odd, even = np.c_[i, -i], np.c_[np.full(n, 7), i]
    picked = np.where((i % 2)[:, None] == 1, odd, even)
    np.testing.assert_array_equal(c.get(), picked + np.array([1, 0]))


def copy_counters(name: str, index: str, threads: int = 32) -> simulator.Counters:
    """The counters of one warp that copies vectors from `a[index]` to `b[i]`."""
    text = f"""extern "C" __global__ void copy(const {name} *a, {name} *b) {{
      int i = threadIdx.x;
      b[i] = a[{index}];
    }}"""
    size = VECTORS[name].size
    a, b = simulator.zeros(64 * 64 * size, "uint8"), simulator.zeros(64 * size, "uint8")
    with simulator.counting() as record:
        simulator.RawKernel(text, "copy")((1,), (threads,), (a, b))
    return record.launches[0].counters


@pytest.mark.parametrize(
    ("name", "size"), [("char2", 2), ("char4", 4), ("int2", 8), ("float4", 16), ("double2", 16)]
)
@pytest.mark.parametrize("stride", [0, 1, 2, 3, 8, 33])
def test_a_whole_vector_is_one_access(name: str, size: int, stride: int) -> None:
    counters = copy_counters(name, f"i * {stride}")
    assert counters.load_requests == counters.store_requests == 1
    assert counters.load_sectors == len({i * stride * size // 32 for i in range(32)})
    assert counters.store_sectors == size
    assert counters.load_bytes == counters.store_bytes == 32 * size
    assert counters.work.maximum == 2


@pytest.mark.parametrize(("name", "member"), [("float3", 4), ("short3", 2), ("double3", 8)])
def test_three_elements_move_one_by_one(name: str, member: int) -> None:
    counters = copy_counters(name, "i")
    assert counters.load_requests == counters.store_requests == 3
    per_member = [{(i * 3 + m) * member // 32 for i in range(32)} for m in range(3)]
    assert counters.load_sectors == sum(map(len, per_member))


def test_a_member_is_an_access_of_its_own_size() -> None:
    text = """extern "C" __global__ void k(const int4 *a, int *b) {
      b[threadIdx.x] = a[threadIdx.x].z;
    }"""
    a, b = simulator.arange(128, dtype="int32"), simulator.zeros(32, "int32")
    with simulator.counting() as record:
        simulator.RawKernel(text, "k")((1,), (32,), (a, b))
    counters = record.launches[0].counters
    assert (counters.load_requests, counters.load_sectors, counters.load_bytes) == (1, 16, 128)
    np.testing.assert_array_equal(b.get(), np.arange(32) * 4 + 2)


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 8])
def test_banks_serve_16_bytes_by_quarters_of_a_warp(stride: int) -> None:
    text = f"""extern "C" __global__ void k(float *out) {{
      __shared__ float4 s[256];
      s[threadIdx.x * {stride}] = make_float4(1.f, 2.f, 3.f, 4.f);
      __syncthreads();
      out[threadIdx.x] = 0;
    }}"""
    with simulator.counting() as record:
        simulator.RawKernel(text, "k")((1,), (32,), (simulator.zeros(32, "float32"),))
    passes = 0
    for quarter in range(4):
        words = {i * stride * 4 + w for i in range(8 * quarter, 8 * quarter + 8) for w in range(4)}
        passes += max(sum(word % 32 == bank for word in words) for bank in range(32))
    assert record.launches[0].counters.bank_conflicts == passes - 4


def test_misaligned_vectors_are_faults() -> None:
    text = """extern "C" __global__ void k(float *a) { float4 *p = (float4 *)(a + 1); *p = *p; }"""
    with pytest.raises(simulator.Fault, match="16-byte elements must stand at multiples of 16"):
        simulator.RawKernel(text, "k")((1,), (1,), (simulator.zeros(64, "float32"),))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("float4 v; v.q = 1;", "`float4` has no `q`"),
        ("float4 v = make_float4(1, 2, 3);", "takes 4 arguments"),
        ("float4 v = {1, 2, 3, 4, 5};", "5 values do not fit `float4`"),
        ("const int2 v = make_int2(1, 2); v.x = 3;", "const"),
        ("float4 v; float2 w; w = v;", "`float4`, but `float2` is needed"),
        ("int2 v; float2 w; v = 1 ? v : w;", "`int2` and `float2` cannot stand together"),
        ("int2 v[2] = {1, 2, 3, 4, 5};", "5 values do not fit `int2[2]`"),
        ("int2 v, w; bool b = v == w;", "int2"),
    ],
)
def test_misuse_is_refused(body: str, words: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(code=f'extern "C" __global__ void k() {{ {body} }}')
    assert words in str(caught.value)


def test_coordinates_are_vectors_as_a_whole() -> None:
    text = """__device__ unsigned flat(uint3 at, uint3 size) {
      return (at.z * size.y + at.y) * size.x + at.x;
    }
    extern "C" __global__ void k(unsigned *a) {
      uint3 t = threadIdx, size;
      size = blockDim;
      a[flat(threadIdx, size)] = t.x + 10 * t.y + 100 * t.z;
    }"""
    with simulator.Device():
        a = simulator.zeros(24, "uint32")
        simulator.RawKernel(text, "k")((1,), (2, 3, 4), (a,))
        z, y, x = np.indices((4, 3, 2)).reshape(3, -1)
        assert (a.get() == x + 10 * y + 100 * z).all()
