"""Kernels that launch kernels: order, arguments, limits, and the dim3 that say how large."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator import CompileError, Fault
from simulator.execute import children
from simulator.execute.children import Children
from simulator.execute.effects import Effects
from simulator.execute.printing import Format
from tests.simulator.helpers import source


def launched(
    text: str, *arguments: Any, grid: int = 1, block: int = 1, profile: str = "h200"
) -> tuple[list[Any], simulator.Record]:
    """The arrays after kernel `k` and all that it led to, and the launches."""
    with simulator.Device(profile, memory=1 << 26) as device:
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        kernel = simulator.RawKernel(text, "k", options=("-dc",))
        with simulator.counting(device) as record:
            kernel((grid,), (block,), tuple(given))
        return [a.get() for a in given if isinstance(a, simulator.ndarray)], record


def fault(text: str, *arguments: Any, **more: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        launched(text, *arguments, **more)
    return caught.value


def refusal(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        simulator.RawModule(code=text)
    return caught.value


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


# dim3


@pytest.mark.parametrize(
    ("declared", "sizes"),
    [
        ("dim3 d;", (1, 1, 1)),
        ("dim3 d(4);", (4, 1, 1)),
        ("dim3 d(4, 2);", (4, 2, 1)),
        ("dim3 d(4, n + 1, 3);", (4, 8, 3)),
        ("dim3 d = 4;", (4, 1, 1)),
        ("dim3 d = n;", (7, 1, 1)),
        ("dim3 d{2, 3};", (2, 3, 1)),
        ("dim3 d = {2, 3, 4};", (2, 3, 4)),
        ("dim3 d = {};", (1, 1, 1)),
        ("dim3 d = dim3(5, 6);", (5, 6, 1)),
        ("dim3 d = dim3(n);", (7, 1, 1)),
        ("dim3 d = blockDim;", (3, 1, 1)),
        ("dim3 d(gridDim);", (2, 1, 1)),
        ("auto d = dim3(1, 2, 3);", (1, 2, 3)),
        ("dim3 e(9, 8, 7), d = e;", (9, 8, 7)),
        ("dim3 d; d.x = 5; d.z += n;", (5, 1, 8)),
        ("dim3 d; d = 6; d.y = d.x;", (6, 6, 1)),
        ("dim3 d; d = dim3(2, 2);", (2, 2, 1)),
        ("const dim3 d(2, 3);", (2, 3, 1)),
        ("dim3 d = doubled(dim3(1, 2, n));", (2, 4, 14)),
        ("uint3 u = make_uint3(3, 4, 5); dim3 d = u;", (3, 4, 5)),
        ("dim3 d = twice(4);", (8, 1, 1)),
        ("dim3 d(2.9f, 3ll);", (2, 3, 1)),
    ],
)
def test_dim3(declared: str, sizes: tuple[int, int, int]) -> None:
    functions = """
    __device__ dim3 doubled(dim3 d) { return dim3(2 * d.x, 2 * d.y, 2 * d.z); }
    __device__ dim3 twice(dim3 d) { d.x *= 2; return d; }
    """
    body = f"{declared} if (threadIdx.x == 0) {{ a[0] = d.x; a[1] = d.y; a[2] = d.z; }}"
    text = source("unsigned *a, int n", f"{body} a[3] = sizeof(d);", functions)
    arrays, _ = launched(text, np.zeros(4, "u4"), 7, grid=2, block=3)
    assert arrays[0].tolist() == [*sizes, 12]


def test_sizes_of_a_launch_may_be_dim3_in_every_form() -> None:
    functions = """__global__ void c(int *a) {
      atomicAdd(a, 1); if (threadIdx.z == 2) a[1] = blockDim.y; a[2] = gridDim.z;
    }"""
    body = "dim3 g(1, 2, 3); c<<<g, dim3(2, 4, 3)>>>(a); c<<<gridDim, blockDim>>>(a);"
    arrays, _ = launched(source("int *a", body, functions), np.zeros(3, "i4"), grid=1, block=5)
    assert arrays[0].tolist() == [5 * 6 * 24 + 5 * 5, 4, 1]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("dim3 d(1, 2, 3, 4);", "`dim3` takes at most 3 values, not 4"),
        ("dim3 d(a);", "is `int *`, but"),
        ("dim3 d[2];", "a `dim3` is supported as a local variable only"),
        ("__shared__ dim3 d;", "a `dim3` is supported as a local variable only"),
        ("dim3 d; d.w = 1;", "`dim3` has no `w`"),
        ("int i = dim3(1);", "is `dim3`, but `int` is needed"),
        ("int i(1, 2);", "constructors are not supported"),
        ("n = gridDim;", "`gridDim` needs an axis"),
    ],
)
def test_what_is_no_dim3(statement: str, message: str) -> None:
    assert message in refusal(source("int *a, int n", statement)).message


# Refusals


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("c<<<1>>>(a, 1);", "a launch takes 2 to 4 values, not 1"),
        ("c<<<1, 1, 0, 0, 0>>>(a, 1);", "a launch takes 2 to 4 values, not 5"),
        ("c<<<1, 1>>>(a);", "`c` takes 2 arguments, not 1"),
        ("c<<<1, 1>>>(a, a);", "the argument `f` of `c` is `int *`, but `float` is needed"),
        ("c<<<1, 1>>>(1.5f, 1);", "the argument `p` of `c` is `float`"),
        ("c<<<a, 1>>>(a, 1);", "the grid is `int *`"),
        ("c<<<1, 1, a>>>(a, 1);", "the size of shared memory is `int *`"),
        ("c<<<1, 1, 0, cudaStreamPerThread>>>(a, 1);", "`cudaStreamPerThread` is no stream"),
        ("c<<<1, 1, 0, n>>>(a, 1);", "`n` is no stream"),
        ("d<<<1, 1>>>(1);", "`d` is a device function, no kernel"),
        ("unknown<<<1, 1>>>(1);", "the kernel `unknown` is not declared"),
        ("n<<<1, 1>>>(1);", "`n` is no kernel"),
        ("later<<<1, 1>>>();", "the kernel `later` is declared, but not defined"),
        ("n = c<<<1, 1>>>(a, 1);", "has no value"),
        ("c(a, 1);", "the kernel `c` cannot be called from device code"),
        ("cudaDeviceSynchronize();", "`cudaDeviceSynchronize` is not supported"),
        ("cudaStream_t s;", "`cudaStream_t` is not supported"),
    ],
)
def test_refused_when_it_is_read(statement: str, message: str) -> None:
    functions = """
    __global__ void c(int *p, float f) { }
    __global__ void later();
    __device__ int d(int x) { return x; }
    """
    assert message in refusal(source("int *a, int n", statement, functions)).message


def test_why_device_code_cannot_wait() -> None:
    found = refusal(source("", "cudaDeviceSynchronize();"))
    assert "since CUDA 12" in found.hint
    assert "cudaStreamTailLaunch" in found.hint


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("c<<<t - 2, 1>>>(a);", "c launched with grid.x = -2"),
        ("c<<<1, dim3(1, t)>>>(a);", "c launched with block.y = 0"),
        ("if (t == 3) c<<<1, 1025>>>(a);", "c launched with block.x = 1025"),
        ("if (t > 1) c<<<1, dim3(64, 64)>>>(a);", "4096 threads a block (64 x 64 x 1)"),
        ("c<<<1, dim3(1, 1, 65)>>>(a);", "c launched with block.z = 65"),
        ("c<<<1, 1, 49153>>>(a);", "c needs 49,153 bytes of shared memory a block"),
        ("bounded<<<1, 33>>>(a);", "bounded launched with 33 threads a block"),
        ("__shared__ int s[2]; c<<<1, 1>>>(s);", "a pointer to shared or local memory as `a`"),
        ("int m[2]; if (t) c<<<1, 1>>>(m + 1);", "a pointer to shared or local memory as `a`"),
    ],
)
def test_faults_at_the_launching_line(statement: str, message: str) -> None:
    functions = """
    __global__ void c(int *a) { }
    __global__ void __launch_bounds__(32) bounded(int *a) { }
    """
    text = source("int *a", f"int t = threadIdx.x;\n{statement}", functions)
    if "grid.x" in message:
        message = message.replace("-2", str(2**32 - 2))
    found = fault(text, np.zeros(4, "i4"), block=4)
    assert "a refused launch: " in found.message
    assert message in found.message
    assert found.span is not None
    assert statement.split(";")[-2].endswith(found.span.text)


def test_the_lane_that_launches_wrongly_is_named() -> None:
    functions = "__global__ void c(int *a) { }"
    text = source("int *a", "c<<<1, 3 - threadIdx.x>>>(a);", functions)
    assert "thread (3, 0, 0)" in fault(text, np.zeros(1, "i4"), block=8).message


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
        effects = Effects(Children(device, module.kernel))
        once = children.Ordered("c", "default")
        launch = (once, 1, (1, 1, 1), (1, 1, 1), 0, (np.int64(0),), (None,))
        effects.children.add(*launch)
        effects.show(Format(("one ",)), 1)
        before, mark = effects.clock(), effects.mark()
        effects.children.add(*launch)
        effects.show(Format(("two ",)), 3)
        first = effects.clock()
        effects.back(mark)
        assert before < effects.clock() == first
        effects.children.run(effects)
        effects.finish()
    assert capsys.readouterr().out == "one "
    assert len(record.launches) == 1


@pytest.mark.parametrize(
    "options",
    [("-dc",), ("-rdc=true",), ("--device-c",), ("--relocatable-device-code=true", "-dlink")],
)
def test_options_of_separate_compilation(options: tuple[str, ...]) -> None:
    simulator.RawModule(code=QUICKSORT, options=options).get_function("k")


def test_a_child_takes_a_pointer_to_what_is_never_defined() -> None:
    text = """
    struct Hidden;
    __global__ void child(struct Hidden *p) { ((int *)p)[1] = 7; }
    extern "C" __global__ void k(int *a) { child<<<1, 1>>>((struct Hidden *)a); }
    """
    arrays, _ = launched(text, np.zeros(4, "i4"))
    assert arrays[0].tolist() == [0, 7, 0, 0]
