"""Variables outside functions, and structures as kernel arguments: what host and kernels share."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.check import check
from simulator.read import read
from tests.simulator.launching import run, source
from tests.simulator.verify import verify

TEXT = r"""
struct Pair { short a; double b[2]; };
__constant__ float c[9];
__constant__ Pair pair = {3, {0.5, 1.5}};
__device__ int counter;
__device__ float table[2][3] = {{1, 2, 3}, {4}};
static __device__ Pair pairs[2] = {{1, {2}}, {3}};
__device__ const int LANES = 32;
__device__ unsigned char bytes[] = {1, 2, 255};
__device__ Pair *last;
extern "C" __global__ void count(int *out) {
  out[threadIdx.x] = atomicAdd(&counter, 1);
}
extern "C" __global__ void look(float *out) {
  __shared__ float s[LANES];
  int i = threadIdx.x;
  s[i] = c[i % 9] + (float)pair.b[i & 1];
  last = &pairs[1];
  out[i] = s[i] + table[i & 1][i % 3] * 10 + (float)(last->a + pairs[0].b[0]) * 100 + bytes[2];
}
extern "C" __global__ void change(int i) { table[i / 3][i % 3] += 1; pairs[i & 1].b[1] = i; }
"""


def host(module: simulator.RawModule, name: str, shape: Any, dtype: str) -> simulator.ndarray:
    return simulator.ndarray(shape, dtype, module.get_global(name))


def test_first_values_reach_kernels() -> None:
    with simulator.Device(memory=1 << 20):
        module = simulator.RawModule(code=TEXT)
        host(module, "c", (9,), "float32")[...] = np.arange(9)
        out = simulator.zeros(32, "float32")
        module.get_function("look")((1,), (32,), (out,))
        i = np.arange(32)
        table = np.array([[1, 2, 3], [4, 0, 0]])
        expected = i % 9 + 0.5 + (i & 1) + table[i & 1, i % 3] * 10 + 500 + 255
        np.testing.assert_array_equal(out.get(), expected)


def test_host_and_kernels_see_each_others_writes() -> None:
    with simulator.Device(memory=1 << 20):
        module = simulator.RawModule(code=TEXT)
        table = host(module, "table", (2, 3), "float32")
        assert table.get().tolist() == [[1, 2, 3], [4, 0, 0]]
        table[0, 1] = 7
        table[1].set(np.full(3, 9, "float32"))
        change = module.get_function("change")
        for i in (1, 3, 3):
            change((1,), (1,), (np.int32(i),))
        assert table.get().tolist() == [[1, 8, 3], [11, 9, 9]]
        pairs = host(module, "pairs", (6,), "float64").get()
        assert pairs.reshape(2, 3)[:, 1:].tolist() == [[2, 0], [0, 3]]
        counter = host(module, "counter", (), "int32")
        counter.fill(100)
        out = simulator.zeros(32, "int32")
        module.get_function("count")((1,), (32,), (out,))
        assert sorted(out.get()) == list(range(100, 132))
        assert int(counter) == 132


def test_each_module_and_device_has_its_own() -> None:
    modules = [simulator.RawModule(code=TEXT) for _ in range(2)]
    devices = [simulator.Device(memory=1 << 20) for _ in range(2)]
    for device in devices:
        with device:
            for turns, module in enumerate(modules, 1):
                kernel = module.get_function("count")
                out = simulator.zeros(32, "int32")
                for _ in range(turns):
                    kernel((1,), (32,), (out,))
                assert int(host(module, "counter", (), "int32")) == 32 * turns
    kernel = simulator.RawKernel(TEXT, "count")
    with devices[0]:
        out = simulator.zeros(32, "int32")
        kernel((1,), (32,), (out,))
        kernel((1,), (32,), (out,))
        assert sorted(out.get()) == list(range(32, 64))


def test_the_memory_goes_with_the_module() -> None:
    with simulator.Device(memory=1 << 20) as device:
        module = simulator.RawModule(code=TEXT)
        pointer = module.get_global("table")
        assert device.memory.bytes_used == 24
        array = simulator.ndarray(6, "float32", pointer)[1:3]
        del module, pointer
        gc.collect()
        assert array.get().tolist() == [2, 3]
        del array
        gc.collect()
        assert device.memory.bytes_used == 0


def test_constants_are_no_global_loads_and_others_are_named() -> None:
    with simulator.Device(memory=1 << 20) as device:
        module = simulator.RawModule(code=TEXT)
        out = simulator.zeros(32, "float32")
        numbers = simulator.zeros(32, "int32")
        with simulator.counting(device) as record:
            module.get_function("look")((1,), (32,), (out,))
            module.get_function("count")((2,), (32,), (numbers,))
    look, count = record.launches
    loads = [site for site in look.sites if site.kind == "load"]
    assert {site.array for site in loads} == {"table", "last", "pairs[0].b", "bytes", "pairs"}
    assert look.counters.load_requests == 5
    assert look.counters.load_sectors == 5
    assert count.counters.hottest_address == "counter[0]"
    assert count.counters.hottest_ops == 64


def test_bounds_are_checked() -> None:
    for body, words in [
        ("out[0] = c[n];", r"reads c\[9\], but c has 9 elements"),
        ("out[0] = table[1][n];", r"reads table\[12\], but table has 6 elements"),
        ("table[0][-n] = 1;", r"writes table\[-9\], but table has 6 elements"),
    ]:
        functions = "__constant__ float c[9]; __device__ float table[2][3];"
        with pytest.raises(simulator.Fault, match=words):
            run(source("float *out, int n", body, functions), np.zeros(1, "f4"), 9, block=1)


def test_arrays_over_memory_that_is_there() -> None:
    a = simulator.arange(10, dtype="int32")
    b = simulator.ndarray((2, 3), "int32", a.data + 8)
    b[1, 0] = 50
    assert a.get().tolist() == [0, 1, 2, 3, 4, 50, 6, 7, 8, 9]
    assert b.get().tolist() == [[2, 3, 4], [50, 6, 7]]
    assert simulator.ndarray(3, "float32").shape == (3,)
    with pytest.raises(ValueError, match="44 bytes does not fit the 40 bytes"):
        simulator.ndarray(11, "int32", a.data)
    assert simulator.ndarray((2, 3), "int32", order="F").strides == (4, 8)
    simulator.RawKernel(source("int *p", "p[0] = 1;"), "k")((1,), (1,), (a.data + 16,))
    assert a.get()[4] == 1


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    module = simulator.RawModule(code="__device__ int counter;")
    with pytest.raises(simulator.CompileError, match="variable 'count'") as caught:
        module.get_global("count")
    assert "counter" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__constant__ int c; __global__ void k() { c = 1; }", "`c` is __constant__: kernels"),
        ("__constant__ int c[3]; __global__ void k() { c[1]++; }", "`c` is __constant__"),
        (
            "__constant__ const int c[1] = {1}; __global__ void k() { atomicAdd(&c[0], 1); }",
            "cannot change",
        ),
        ("struct P { int x; }; __constant__ P p; __global__ void k() { p.x = 1; }", "__constant__"),
        ("__device__ const int c = 1; __global__ void k() { c = 1; }", "`c` is const"),
        ("__device__ const int c[2];", "the constant `c` needs a value"),
        ("__device__ int a; __device__ int *p = &a;", "the first value of `p` is not constant"),
        ("__managed__ int m;", "`__managed__` variables are not supported"),
        ("__device__ __managed__ int m;", "`__managed__` cannot stand before `m`"),
        ("extern __device__ int m;", "`extern` cannot stand before `m`"),
        ("__device__ int v[];", "the array `v` needs a length"),
        ("__device__ void v;", "`v` cannot be void"),
        ("__device__ auto v = 1;", "`v` needs a type of its own"),
        ("__device__ int v; __device__ int v;", "`v` is already declared"),
        ("int global = 3;", "the global variable `global` is not supported"),
        ("__global__ void k() { __device__ int x; }", "`__device__` variables in functions"),
        ("__global__ void k() { __align__(8) int x; }", "the alignment of the local variable `x`"),
    ],
)  # fmt: skip
def test_misuse_is_refused(text: str, words: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        verify(check(read(simulator.Source(text))))
    assert words in caught.value.message
    assert caught.value.span is not None


def test_shared_arrays_are_aligned_as_asked() -> None:
    body = """__shared__ char one;
      __shared__ __align__(16) char raw[64];
      one = 1;
      float4 *p = (float4 *)raw;
      p[threadIdx.x] = make_float4(1, 2, 3, 4);
      out[threadIdx.x] = p[threadIdx.x].w + one;"""
    assert run(source("float *out", body), np.zeros(4, "f4"), block=4).arrays[0].tolist() == [5] * 4


# Structures as kernel arguments.

PARAMETERS = "struct Box { char kind; double low[2]; struct { int n; float *out; } to; };"
BOX = np.dtype(
    [("kind", "i1"), ("low", "f8", (2,)), ("to", [("n", "i4"), ("out", "u8")])], align=True
)


def box(out: simulator.ndarray, n: int = 4) -> Any:
    value = np.zeros((), BOX)
    value["kind"], value["low"], value["to"]["n"] = 7, (0.5, 2.5), n
    value["to"]["out"] = out.data.ptr
    return value


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("b.to.out[i] = b.kind + b.low[i & 1];", [7.5, 9.5, 7.5, 9.5]),
        ("b.low[i & 1] += i; b.to.out[i] = b.low[0] + b.low[1];", [3, 4, 5, 6]),
        ("Box c = b; Box *p = &c; p->low[1] = i; b.to.out[i] = c.low[1] + b.low[1];",
         [2.5, 3.5, 4.5, 5.5]),
        ("double *p = b.low; p[1] = i; b.to.out[i] = sum(b);", [0.5, 1.5, 2.5, 3.5]),
        ("bump(b); b.kind += i; b.to.out[i] = b.low[0] + b.kind;", [8.5, 9.5, 10.5, 11.5]),
        ("b.to.out[i] = look(b) + sum(b);", [4, 6, 4, 6]),
    ],
)  # fmt: skip
def test_structures_are_passed_by_value(body: str, expected: list[float]) -> None:
    functions = f"""{PARAMETERS}
    __device__ double sum(Box b) {{ return b.low[0] + b.low[1]; }}
    __device__ double look(const Box &b) {{ return b.low[threadIdx.x & 1] + 0.5; }}
    __device__ void bump(Box &b) {{ b.low[0] += 1; }}"""
    kernel = simulator.RawKernel(
        source("Box b", f"int i = threadIdx.x; if (i < b.to.n) {{ {body} }}", functions), "k"
    )
    for shape in ((), (1,)):
        out = simulator.zeros(4, "float32")
        given = box(out).reshape(shape)
        kernel((1,), (32,), (given,))
        assert out.get().tolist() == expected
        out.fill(0)
        kernel((1,), (32,), (given.reshape(-1)[0],))
        assert out.get().tolist() == expected
        assert given["kind"].item() == 7


def test_vectors_are_arrays_of_one_element_as_in_cupy() -> None:
    text = source("int3 v, float2 w, float *out", "out[0] = v.x + v.y * v.z + w.y;")
    out = simulator.zeros(1, "float32")
    numbers, w = np.array([1, 2, 3], "int32"), np.array([5, 6], "float32").view("f4,f4")
    simulator.RawKernel(text, "k")((1,), (1,), (numbers.view("i4,i4,i4"), w, out))
    assert out.get()[0] == 13
    with pytest.raises(simulator.LaunchError, match="cannot take host array of int32"):
        simulator.RawKernel(text, "k")((1,), (1,), (numbers, w, out))


def test_arguments_leave_no_memory_behind_and_are_no_global_loads() -> None:
    body = "b.to.out[threadIdx.x] = b.kind + b.low[threadIdx.x & 1];"
    with simulator.Device(memory=1 << 20) as device:
        out = simulator.zeros(32, "float32")
        regions = len(device.memory.allocations())
        with simulator.counting(device) as record:
            simulator.RawKernel(source("Box b", body, PARAMETERS), "k")((1,), (32,), (box(out),))
        gc.collect()
        assert len(device.memory.allocations()) == regions
    assert record.launches[0].counters.load_requests == 0
    assert record.launches[0].counters.store_requests == 1


@pytest.mark.parametrize("given", [3, np.zeros((), "f8"), np.zeros(2, BOX), None, [1], "ab"])
def test_arguments_of_another_size_are_refused(given: Any) -> None:
    kernel = simulator.RawKernel(source("Box b", "", PARAMETERS), "k")
    with pytest.raises(simulator.LaunchError, match=r"argument 1 \(Box b\) cannot take") as caught:
        kernel((1,), (1,), (given,))
    assert "the 40 bytes of `Box`" in caught.value.hint
