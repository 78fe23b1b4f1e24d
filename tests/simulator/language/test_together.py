"""Structures, enumerations, switches and module variables with all else: schedules, templates,
namespaces, recursion and launches by kernels."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from tests.simulator.execute.test_schedules import run

SCHEDULES = ("lockstep", "warp", "random:1")

COMBINED = {
    "structures in every memory": (
        """struct Pair { int key; float part[2]; };
        struct Cell { Pair pair; short mark; Cell *next; };
        __device__ int total; __device__ Cell cells[64]; __constant__ int step[4] = {1, 2, 3, 4};
        __device__ Pair swapped(Pair p) { return {p.key + 1, {p.part[1], p.part[0]}}; }""",
        """__shared__ Cell near[32]; int t = threadIdx.x, i = t & 31;
        Pair p = {t, {(float)t, 1.0f}};
        if (t < 32) near[i] = {p, (short)step[t & 3], &cells[t]};
        __syncthreads();
        Cell c = near[31 - i];
        c.pair = t % 3 ? swapped(c.pair) : p;
        cells[t] = c;
        atomicAdd(&total, c.mark);
        __syncthreads();
        a[t] = total * 1000 + cells[63 - t].pair.key + (int)near[i].next->pair.part[0];""",
        64,
    ),
    "switches in loops": (
        "__device__ int rounds; enum State { BEGIN, MIDDLE = 4, END };",
        """State s = BEGIN; int n = 0;
        for (int i = 0; s != END; i++) switch (s) {
          case BEGIN: if (i < threadIdx.x % 7) continue; s = MIDDLE; break;
          case MIDDLE: n += i; if (n < 40) break;
          default: s = END; atomicMax(&rounds, i);
        }
        __syncthreads();
        a[threadIdx.x] = n * 100 + rounds;""",
        64,
    ),
    "a warp waits for a variable of another": (
        "__device__ volatile int flag; __device__ int value;",
        """if (threadIdx.x == 0) { while (flag == 0) ; a[0] = value; }
        if (threadIdx.x == 40) { value = 7; __threadfence(); flag = 1; }""",
        64,
    ),
    "a lock in a structure": (
        "struct Lock { int taken; int count; }; __device__ Lock lock;",
        """for (bool done = false; !done;) {
          if (atomicCAS(&lock.taken, 0, 1) == 0) {
            volatile Lock &mine = lock; mine.count = mine.count + 1; __threadfence();
            atomicExch(&lock.taken, 0); done = true;
          }
        }
        __syncthreads(); a[threadIdx.x] = lock.count;""",
        64,
    ),
    "recursion with switches and structures": (
        """struct Sum { int all; int parts[2]; };
        __device__ Sum fold(int n, Sum s) {
          switch (n) { case 0: return s; case 1: s.all += 5; break; default: s.parts[n & 1] += n; }
          s.all += n;
          return fold(n - 1, s);
        }""",
        """Sum s = fold(threadIdx.x & 7, Sum{100});
        a[threadIdx.x] = s.all * 10000 + s.parts[0] * 100 + s.parts[1];""",
        64,
    ),
}


@pytest.mark.parametrize("name", COMBINED)
def test_schedules_agree(name: str) -> None:
    before, body, block = COMBINED[name]
    text = f'{before}\nextern "C" __global__ void k(int *a) {{\n{body}\n}}'
    found = [
        run(text, np.zeros(block, "i4"), block=block, schedule=schedule)[0][0]
        for schedule in SCHEDULES
    ]
    assert found[0].any()
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def outcome(before: str, body: str, size: int = 4, schedule: str = "lockstep") -> list[int]:
    text = f'{before}\nextern "C" __global__ void k(int *a) {{\n{body}\n}}'
    (array,), _ = run(text, np.zeros(size, "i4"), block=1, schedule=schedule)
    result: list[int] = array.tolist()
    return result


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_children_have_the_modules_variables_and_take_structures(schedule: str) -> None:
    before = """struct P { char c; int x; double y[2]; };
    __constant__ int c[2] = {3, 4}; __device__ int d = 5;
    __global__ void child(int *a, P p, int z = 7) {
      a[threadIdx.x] = p.x + (int)p.y[1] + c[threadIdx.x] + z; atomicAdd(&d, 1);
    }
    __global__ void last(int *a) { a[3] = d; }"""
    body = """P p = {'a', 10, {1, 2}};
    child<<<1, 2>>>(a, p);
    child<<<{1}, {1}>>>(a + 2, {'b', 20, {}}, 1);
    last<<<1, 1>>>(a);"""
    assert outcome(before, body, schedule=schedule) == [22, 23, 24, 8]


def test_variables_of_a_module_outlive_launches() -> None:
    text = """__device__ int d; __global__ void child() { d += 10; }
    extern "C" __global__ void k() { d++; child<<<1, 1>>>(); }"""
    with simulator.Device(memory=1 << 20):
        module = simulator.RawModule(code=text)
        for _ in range(3):
            module.get_function("k")((1,), (1,), ())
        assert simulator.ndarray((1,), "int32", module.get_global("d")).get()[0] == 33


def test_in_namespaces() -> None:
    before = """namespace geo {
      struct P { int x; };
      enum E { A = 4, B };
      enum class C : unsigned { R = 7, A };
      enum class D { R = 70, A };
      typedef struct { int y; } Q;
      __device__ int d = 2; __constant__ int c[2] = {1, 2};
      __device__ int f(P p, E e = B) { return p.x + e + E::A + (int)C::R + (int)D::R + (int)D::A; }
      namespace in { enum { DEEP = 6 }; }
    }
    namespace in = geo::in;"""
    body = """geo::P p = {1}; struct geo::P o = {10}; geo::Q q = {100};
    a[0] = geo::f(p) + o.x + q.y;
    a[1] = geo::A + geo::E::B * 10 + in::DEEP * 100;
    switch (geo::C::A) { case geo::C::R: break; case geo::C::A: a[2] = (int)geo::C::A; }
    a[3] = geo::d + geo::c[1];
    { using namespace geo; a[3] += (int)C::R * 10 + B; }"""
    assert outcome(before, body) == [1 + 5 + 4 + 7 + 70 + 71 + 110, 654, 8, 4 + 75]


def test_in_templates() -> None:
    before = """struct P { int x; };
    template <typename T> __device__ T twice(T v, int n = 2) {
      struct Both { T one; int n; };
      enum { SAME = 3 };
      Both both = {v, n};
      switch (n) { case SAME: return both.one; default: return both.one * n; }
    }
    template <typename T> __device__ T next(const T &p) { return T{p.x + 1}; }
    template <typename T> __device__ int grow(T &p) { return ++p.x; }"""
    body = """P p{4};
    a[0] = twice(5) + (int)twice(2.5f) * 100; a[1] = twice(5, 3);
    a[2] = grow(p) + grow<P>(p) * 10; a[3] = (a[0] ? next(p) : P()).x;"""
    assert outcome(before, body) == [510, 5, 65, 7]


def test_dim3_from_lists() -> None:
    before = "__device__ dim3 make(unsigned x) { return {x, 2}; }"
    body = """dim3 g = make(3), h{4}; auto j = dim3{5, 6}; dim3 l;
    a[0] = g.x * 100 + g.y * 10 + g.z; a[1] = h.x * 100 + h.y * 10 + h.z;
    a[2] = j.x * 100 + j.y * 10 + j.z; g = {7};
    a[3] = g.x * 100 + l.y * 10 + dim3().z;"""
    assert outcome(before, body) == [321, 411, 561, 711]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__global__ void k(cg::grid_group g) { }", "a kernel's parameter cannot be a"),
        ("struct A { cg::thread_block b; };", "members of type `cg::thread_block`"),
        ("struct A { dim3 size; };", "members of type `dim3`"),
        ("__device__ cg::thread_block b;", "is each thread's own"),
        ("__device__ dim3 d;", "is supported as a local variable only"),
        ("__device__ void f() { cg::thread_block b = {}; }", "a list of values does not make a"),
        ("struct A { volatile int b; };", "volatile members are not supported"),
        (
            "template <typename T> __device__ int f(T v, int n = 2); __device__ int g() { "
            "return f(); }",
            "`f` takes 1 to 2 arguments, not 0",
        ),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    start = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(code=start + text)
    assert words in caught.value.message
