"""Kernels that launch kernels: order, arguments, depth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator import Fault
from simulator.execute import device_launches as children
from simulator.execute.gang import SideEffects
from simulator.execute.launch import execute
from simulator.ir.events import LaunchTarget
from simulator.lanes.printing import Format
from tests.simulator.execute.device_launches import fault, launched
from tests.simulator.launching import source

# What programs do with it

QUICKSORT = """
extern "C" __global__ void k(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) { int c = a[i]; a[i] = a[j]; a[j] = c; i++; j--; }
  }
  if (low < j) k<<<1, 1, 0, cudaStreamFireAndForget>>>(a, low, j);
  if (i < high) k<<<1, 1>>>(a, i, high);
}
"""


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=24))
def test_quicksort(values: list[int]) -> None:
    (found,), _ = launched(QUICKSORT, np.array(values, "i4"), 0, len(values) - 1)
    assert found.tolist() == sorted(values)


LEVELS = """
__global__ void expand(const int *next, int *level, int *changed, int n, int now);
__global__ void step(const int *next, int *level, int *changed, int n, int now) {
  if (*changed) {
    *changed = 0;
    expand<<<(n + 31) / 32, 32>>>(next, level, changed, n, now);
    step<<<1, 1, 0, cudaStreamTailLaunch>>>(next, level, changed, n, now + 1);
  }
}
__global__ void expand(const int *next, int *level, int *changed, int n, int now) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && level[v] == now && level[next[v]] < 0) { level[next[v]] = now + 1; *changed = 1; }
}
extern "C" __global__ void k(const int *next, int *level, int *changed, int n) {
  level[0] = 0; *changed = 1;
  step<<<1, 1, 0, cudaStreamTailLaunch>>>(next, level, changed, n, 0);
}
"""


def test_a_loop_of_tail_launches_is_as_long_as_it_likes() -> None:
    n = 200
    chain = np.minimum(np.arange(1, n + 1), n - 1).astype("i4")
    arrays, record = launched(LEVELS, chain, np.full(n, -1, "i4"), np.zeros(1, "i4"), n)
    assert arrays[1].tolist() == list(range(n))
    kinds = [launch.kernel for launch in record.launches]
    assert kinds[:4] == ["k", "step", "expand", "step"]
    assert record.device_launches == len(kinds) - 1 == 2 * n + 1
    assert sum(launch.counters.device_launches for launch in record.launches) == 2 * n + 1


# Order


TREE = """
extern "C" __global__ void k(const int *first, const int *kind, int *order, int *used, int id) {
  order[atomicAdd(used, 1)] = id;
  for (int c = first[id]; c < first[id + 1]; c++) {
    if (kind[c] == 0) k<<<1, 1>>>(first, kind, order, used, c);
    else if (kind[c] == 1) k<<<1, 1, 0, cudaStreamFireAndForget>>>(first, kind, order, used, c);
    else k<<<1, 1, 0, cudaStreamTailLaunch>>>(first, kind, order, used, c);
  }
}
"""


@given(st.data())
def test_children_come_in_order_with_theirs_and_tails_after_all(data: st.DataObject) -> None:
    parent = [-1]
    for node in range(1, data.draw(st.integers(1, 14))):
        parent.append(data.draw(st.integers(parent[-1] if parent[-1] > 0 else 0, node - 1)))
    kind = [data.draw(st.integers(0, 2)) for _ in parent]
    below = {p: [c for c in range(len(parent)) if parent[c] == p] for p in range(len(parent))}
    first = np.searchsorted(parent, np.arange(len(parent) + 1)).astype("i4")

    def expected(node: int) -> list[int]:
        ordered = sorted(below[node], key=lambda c: kind[c] == 2)
        return [node, *(n for child in ordered for n in expected(child))]

    n = len(parent)
    arrays, _ = launched(
        TREE, first, np.array(kind, "i4"), np.full(n, -1, "i4"), np.zeros(1, "i4"), 0
    )
    assert arrays[2].tolist() == expected(0)


def test_every_lane_launches_and_lanes_come_in_order(capsys: Any) -> None:
    functions = r'__global__ void c(int a, int b) { printf("%d.%d ", a, b); }'
    body = """
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      if (t % 2) c<<<1, 1>>>(t, 0);
      c<<<1, 2>>>(t, threadIdx.x);
    """
    _, record = launched(source("", body, functions), grid=2, block=2)
    assert capsys.readouterr().out == "1.0 3.0 0.0 0.0 1.1 1.1 2.0 2.0 3.1 3.1 "
    assert record.device_launches == 6


def test_children_run_after_all_waves_of_their_parent() -> None:
    functions = "__global__ void c(const int *done, int *seen, int b) { seen[b] = *done; }"
    body = "atomicAdd(done, 1); if (threadIdx.x == 0) c<<<1, 1>>>(done, seen, blockIdx.x);"
    text = source("int *done, int *seen", body, functions)
    zeros = np.zeros(1, "i4"), np.zeros(30, "i4")
    arrays, _ = launched(text, *zeros, grid=30, block=4, profile="toy4")
    assert arrays[1].tolist() == [120] * 30


def test_launches_by_device_functions_and_recursion() -> None:
    functions = """
    __global__ void c(int *a, int i) { a[i]++; }
    __device__ void once(int *a, int i) { c<<<1, 1>>>(a, i); }
    __device__ void down(int *a, int i) { if (i >= 0) { once(a, i); c<<<1, 2>>>(a, i);
      down(a, i - 1); } }
    """
    arrays, record = launched(
        source("int *a", "down(a, threadIdx.x);", functions), np.zeros(3, "i4"), block=3
    )
    assert record.device_launches == 12
    assert arrays[0].tolist() == [6, 4, 2]  # both threads of `<<<1, 2>>>` see the same old value


def test_in_conditions_and_with_what_they_say_of_themselves() -> None:
    functions = "__global__ void c(int *a) { atomicAdd(a, blockDim.x * gridDim.x); }"
    body = "threadIdx.x ? c<<<1, 2>>>(a) : c<<<3, 5>>>(a); (c<<<1, 1>>>(a));"
    arrays, _ = launched(source("int *a", body, functions), np.zeros(1, "i4"), block=2)
    assert arrays[0][0] == 2 * 2 + 15 * 15 + 2


# Arguments


def test_arguments_are_converted() -> None:
    functions = """
    __global__ void c(double *out, float f, int i, unsigned char u, bool b, long long l,
                      const int *p, void *v) {
      out[0] = f; out[1] = i; out[2] = u; out[3] = b; out[4] = l; out[5] = *p;
      out[6] = ((int *)v)[1];
    }"""
    body = "c<<<1, 1>>>(out, 1 / 3.0, -2.9, 258, 0.5f, n, a + 1, a + 2);"
    text = source("double *out, int *a, int n", body, functions)
    arrays, _ = launched(text, np.zeros(7), np.array([5, 6, 7, 8], "i4"), -3)
    assert arrays[0].tolist() == [float(np.float32(1 / 3)), -2, 2, 1, -3, 6, 8]


def test_values_differ_from_lane_to_lane() -> None:
    functions = "__global__ void c(int *row, int value) { row[threadIdx.x] = value; }"
    body = "int t = threadIdx.x; c<<<1, t + 1>>>(a + 4 * t, 10 + t);"
    arrays, _ = launched(source("int *a", body, functions), np.zeros(16, "i4"), block=4)
    expected = [[10 + t if i <= t else 0 for i in range(4)] for t in range(4)]
    assert arrays[0].reshape(4, 4).tolist() == expected


def test_pointers_from_memory_and_null() -> None:
    functions = "__global__ void c(int *a, int *null) { a[0] = null == nullptr ? 7 : 8; }"
    body = "table[0] = a + 3; c<<<1, 1>>>(table[0], nullptr);"
    text = source("int **table, int *a", body, functions)
    arrays, _ = launched(text, np.zeros(1, "u8"), np.zeros(5, "i4"))
    assert arrays[1].tolist() == [0, 0, 0, 7, 0]


def test_a_pointer_past_the_end_is_one_of_its_array() -> None:
    functions = """
    __global__ void fill(int *first, int *last) { while (last != first) *--last = 3; }
    """
    body = "__shared__ int s[4]; s[0] = n; fill<<<1, 1>>>(a, a + 64); table[0] = a + 64;\n"
    body += "fill<<<1, 1>>>(a, table[0]); fill<<<1, 1>>>(a, a + s[0]);"
    text = source("int *a, int **table, int n", body, functions)
    arrays, _ = launched(text, np.zeros(64, "i4"), np.zeros(1, "u8"), 64)
    assert arrays[0].tolist() == [3] * 64


def test_a_fault_in_a_child_knows_the_array() -> None:
    functions = "__global__ void c(int *mine) {\n  mine[threadIdx.x] = 1;\n}"
    found = fault(source("int *a", "c<<<1, 8>>>(a + 1);", functions), np.zeros(4, "i4"))
    assert "kernel c, block (0, 0, 0), thread (3, 0, 0)" in found.message
    assert "writes mine[3], but mine is a slice whose array goes from -1 to 2" in found.message
    assert found.span is not None
    assert found.span.line == 2


def test_counters_of_each_launch() -> None:
    functions = "__global__ void c(int *a) { a[threadIdx.x] = 1; }"
    text = source("int *a", "a[0] = 1; c<<<1, 64>>>(a); c<<<1, 32>>>(a);", functions)
    _, record = launched(text, np.zeros(64, "i4"))
    seen = [
        (one.kernel, one.grid, one.block, one.device_side, one.counters.store_requests)
        for one in record.launches
    ]
    assert seen == [
        ("k", (1, 1, 1), (1, 1, 1), False, 1),
        ("c", (1, 1, 1), (64, 1, 1), True, 2),
        ("c", (1, 1, 1), (32, 1, 1), True, 1),
    ]
    assert record.device_launches == 2


def test_dynamic_shared_memory_of_a_child() -> None:
    functions = """__global__ void c(int *a) {
      extern __shared__ int s[];
      s[threadIdx.x] = threadIdx.x; __syncthreads();
      a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }"""
    text = source("int *a, int n", "c<<<1, n, n * sizeof(int)>>>(a);", functions)
    arrays, _ = launched(text, np.zeros(8, "i4"), 8)
    assert arrays[0].tolist() == list(range(7, -1, -1))
    found = fault(text.replace("n * sizeof(int)", "4"), np.zeros(8, "i4"), 8)
    assert "s has 1 element" in found.message


def test_sizes_of_a_launch_may_be_dim3_in_every_form() -> None:
    functions = """__global__ void c(int *a) {
      atomicAdd(a, 1); if (threadIdx.z == 2) a[1] = blockDim.y; a[2] = gridDim.z;
    }"""
    body = "dim3 g(1, 2, 3); c<<<g, dim3(2, 4, 3)>>>(a); c<<<gridDim, blockDim>>>(a);"
    arrays, _ = launched(source("int *a", body, functions), np.zeros(3, "i4"), grid=1, block=5)
    assert arrays[0].tolist() == [5 * 6 * 24 + 5 * 5, 4, 1]


NESTED = """
extern "C" __global__ void k(int *a, int n, int tail) {
  a[0]++;
  if (n == 0) return;
  if (tail) k<<<1, 1, 0, cudaStreamTailLaunch>>>(a, n - 1, tail);
  else k<<<1, 1>>>(a, n - 1, tail);
}
"""


def test_24_levels_and_no_more() -> None:
    arrays, _ = launched(NESTED, np.zeros(1, "i4"), 24, 0)
    assert arrays[0][0] == 25
    found = fault(NESTED, np.zeros(1, "i4"), 25, 0)
    assert "k launched by a kernel 24 launches deep" in found.message
    arrays, _ = launched(NESTED, np.zeros(1, "i4"), 60, 1)
    assert arrays[0][0] == 61


def test_launches_are_counted_over_all_generations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MOST_LAUNCHES", 40)
    arrays, _ = launched(NESTED, np.zeros(1, "i4"), 40, 1)
    assert arrays[0][0] == 41
    assert (
        "k launched after 40 launches by kernels" in fault(NESTED, np.zeros(1, "i4"), 41, 1).message
    )


def test_a_launch_after_a_fault_begins_with_an_empty_queue() -> None:
    functions = "__global__ void c(int *a, int i) { a[i] = 1; }"
    text = source("int *a, int n", "c<<<1, 1>>>(a, 0); c<<<1, 1>>>(a, n); a[n] = 2;", functions)
    with simulator.Device(memory=1 << 20):
        a, kernel = simulator.zeros(3, "int32"), simulator.RawKernel(text, "k")
        with pytest.raises(Fault):
            kernel((1,), (1,), (a, 5))
        assert a.get().tolist() == [0, 0, 0]
        kernel((1,), (1,), (a, 1))
        assert a.get().tolist() == [1, 1, 0]


def test_what_a_grid_did_can_be_taken_back(capsys: Any) -> None:
    functions = 'extern "C" __global__ void c(int *a) { }'
    module = simulator.RawModule(code=functions)
    with simulator.Device(memory=1 << 20) as device, simulator.counting() as record:
        effects = SideEffects(device, module.kernel)
        once = LaunchTarget("c", "default")
        launch = (once, 1, (1, 1, 1), (1, 1, 1), 0, (np.int64(0),), (None,))
        effects.children.add(*launch)
        effects.printf(Format(("one ",)), 1)
        before, checkpoint = effects.clock(), effects.checkpoint()
        effects.children.add(*launch)
        effects.printf(Format(("two ",)), 3)
        first = effects.clock()
        effects.rollback(checkpoint)
        assert before < effects.clock() == first
        effects.run_children(lambda order: execute(device, order, effects))
        effects.finish()
    assert capsys.readouterr().out == "one "
    assert len(record.launches) == 1


@pytest.mark.parametrize(
    ("options", "backend"),
    [
        (("-dc",), "nvrtc"),
        (("-rdc=true",), "nvrtc"),
        (("--device-c",), "nvrtc"),
        (("--relocatable-device-code=true", "-dlink"), "nvcc"),
    ],
)
def test_options_of_separate_compilation(options: tuple[str, ...], backend: str) -> None:
    simulator.RawModule(code=QUICKSORT, options=options, backend=backend).get_function("k")


def test_a_child_takes_a_pointer_to_what_is_never_defined() -> None:
    text = """
    struct Hidden;
    __global__ void child(struct Hidden *p) { ((int *)p)[1] = 7; }
    extern "C" __global__ void k(int *a) { child<<<1, 1>>>((struct Hidden *)a); }
    """
    arrays, _ = launched(text, np.zeros(4, "i4"))
    assert arrays[0].tolist() == [0, 7, 0, 0]
