"""`cuda::atomic` and its kin: values, what is counted, what orders and scopes mean, refusals."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from tests.sampling import sampled
from tests.simulator.launching import run, source

HEADERS = "#include <cuda/atomic>\n#include <cuda/std/atomic>\n"
SCHEDULES = ("lockstep", "warp", "shuffled:1", "random:2")
#: A statement with an atomic `x` of 8 threads that hold v, and what is in it, and in v, behind it.
STATEMENTS = {
    "x.store(7); v = x.load();": (7, 7),
    "x = 7; v = x;": (7, 7),
    "x.fetch_add(3); x.fetch_sub(1, cuda::memory_order_relaxed);": (16, 0),
    "++x; x++; --x; x -= 2; x += 4;": (24, 0),
    "x.fetch_max(v + 5); x.fetch_min(4);": (4, 0),
    "x |= 6; x &= 14; x.fetch_xor(0);": (6, 0),
    "v = x.exchange(1 + (x.exchange(3) == 9)) * 0;": (1, 0),
    "T e = 0; while (!x.compare_exchange_weak(e, e + 2)) ;": (16, 0),
    "T e = 5; if (!x.compare_exchange_strong(e, 1, cuda::memory_order_acq_rel,"
    " cuda::memory_order_acquire)) v = e;": (0, 0),
}
OBJECTS = {
    "cuda::atomic<int, cuda::thread_scope_device> *a": "typedef int T; auto &x = a[0];",
    "cuda::atomic<unsigned, cuda::thread_scope_block> *a": "typedef unsigned T; auto &x = a[0];",
    "cuda::std::atomic<int> *a": "typedef int T; auto &x = *a;",
    "int *a": "typedef int T; cuda::atomic_ref<int, cuda::thread_scope_device> x(a[0]);",
    "unsigned *a": "typedef unsigned T; cuda::std::atomic_ref<unsigned> x{*a};",
}


def kernel(body: str, parameters: str = "int *a", functions: str = "") -> str:
    return source(parameters, f"int t = threadIdx.x; {body}", HEADERS + functions)


def checked(text: str, *arguments: Any, grid: int = 1, schedule: str = "lockstep") -> list[Any]:
    """What a launch under the sanitizers leaves in its arrays."""
    with simulator.Device(memory=1 << 20, schedule=schedule), simulator.sanitize("all"):
        given = [simulator.asarray(a) for a in arguments]
        simulator.RawKernel(text, "k")((grid,), (32,), tuple(given))
        return [a.get() for a in given]


@pytest.mark.parametrize(
    ("statement", "parameter"), sampled(product(STATEMENTS, OBJECTS), 3, each=0)
)
def test_what_is_left(statement: str, parameter: str) -> None:
    body = f"{OBJECTS[parameter]} int v = 0; if (t < 8) {{ {statement} }} out[t] = v;"
    wanted, found = STATEMENTS[statement]
    if "cuda::std" in parameter + OBJECTS[parameter] and "max" in statement:
        with pytest.raises(simulator.CompileError, match="has no function `fetch_max`"):
            simulator.RawModule(kernel(body, f"{parameter}, int *out"))
        return
    for schedule in SCHEDULES:
        text = kernel(body, f"{parameter}, int *out")
        left, values = checked(text, np.zeros(2, "i4"), np.ones(32, "i4"), schedule=schedule)
        assert left.tolist() == [wanted, 0]
        assert values.tolist() == [found] * 8 + [0] * 24


@pytest.mark.parametrize(
    "ctype", ["long", "unsigned long", "long long", "unsigned long long", "float", "double"]
)
def test_types_of_64_bits_and_floats(ctype: str) -> None:
    dtype = {"float": "f4", "double": "f8"}.get(ctype, "u8" if "unsigned" in ctype else "i8")
    body = """x[0].fetch_add(t); x[1].fetch_max(t); x[2].exchange(3); x[3] += 2;
      x[4].store(t * 0 + 1); T e = 0; x[5].compare_exchange_strong(e, 9); x[6].fetch_min(e);"""
    text = kernel(f"typedef {ctype} T; {body}", f"cuda::atomic<{ctype}> *x")
    (left,) = checked(text, np.zeros(7, dtype))
    assert left.tolist() == [496, 31, 3, 64, 1, 9, 0]


@pytest.mark.parametrize(("ctype", "unsigned"), [("float", "u4"), ("double", "u8")])
@pytest.mark.parametrize("how", ["weak", "strong"])
def test_floats_are_compared_by_their_bits(ctype: str, unsigned: str, how: str) -> None:
    """As a GPU compares them: -0 is not 0, and a NaN is itself."""
    dtype = unsigned.replace("u", "f")
    cells = np.array([-0.0, np.nan, 0.0, np.nan, 2.0], dtype)
    wanted = np.array([0.0, np.nan, -0.0, 1.0, 2.0], dtype)
    text = kernel(
        f"if (t < 5) swapped[t] = x[t].compare_exchange_{how}(wanted[t], 7);",
        f"cuda::atomic<{ctype}> *x, {ctype} *wanted, int *swapped",
    )
    left, found, swapped = checked(text, cells, wanted, np.zeros(5, "i4"))
    assert swapped.tolist() == [0, 1, 0, 0, 1]
    after = cells.copy()
    after[swapped.astype(bool)] = 7
    assert left.view(unsigned).tolist() == after.view(unsigned).tolist()
    swapped_or_found = np.where(swapped, wanted, cells)
    assert found.view(unsigned).tolist() == swapped_or_found.view(unsigned).tolist()


def test_extremes_of_floats_pass_nans_by() -> None:
    text = kernel(
        "if (t < 4) { x[t].fetch_max(v[t]); x[4].fetch_min(v[0]); }",
        "cuda::atomic<float> *x, const float *v",
    )
    cells, values = np.float32([np.nan, 2, 2, -0.0, 5]), np.float32([3, np.nan, 3, 0.0])
    (left, _) = checked(text, cells, values)
    assert np.signbit(left).tolist() == [False, False, False, True, False]
    assert left.tolist()[1:] == [2, 3, 0, 3]
    assert np.isnan(left[0])


@pytest.mark.parametrize("ctype", ["bool", "char", "unsigned char", "short", "unsigned short"])
def test_small_types_are_loaded_and_stored(ctype: str) -> None:
    text = kernel(
        "x[0].store(true); out[t] = x[0] + x[1].load();", f"cuda::atomic<{ctype}> *x, int *out"
    )
    size = 2 if "short" in ctype else 1
    assert checked(text, np.zeros(2, f"u{size}"), np.zeros(32, "i4"))[1].tolist() == [1] * 32


def test_variables_of_the_device_and_of_a_block() -> None:
    functions = """__device__ cuda::atomic<int, cuda::thread_scope_device> count{5}, other;
      __shared__ cuda::atomic<int, cuda::thread_scope_block> outside;"""
    body = """__shared__ cuda::atomic<unsigned, cuda::thread_scope_block> own[2];
      if (t < 2) own[t] = t; if (t == 2) outside = 1; __syncthreads();
      own[t % 2]++; count += 2; other.fetch_max(t); outside.fetch_add(t); __syncthreads();
      if (t < 2) a[t] = own[t]; if (t == 2) a[t] = count; if (t == 3) a[t] = other;
      if (t == 4) a[t] = outside;"""
    assert checked(kernel(body, functions=functions), np.zeros(5, "i4"))[0].tolist() == [
        *(16, 17, 69, 31, 497)
    ]


def test_flags() -> None:
    body = """cuda::atomic_flag &flag = *(cuda::atomic_flag *)a;
      if (!flag.test_and_set(cuda::memory_order_acquire)) a[1] = 5;
      __syncthreads(); if (t == 0) { a[2] = flag.test(); flag.clear(); }"""
    assert checked(kernel(body), np.zeros(3, "i4"))[0].tolist() == [0, 5, 1]


def test_one_that_is_waited_for() -> None:
    body = """auto &flag = *(cuda::atomic<int, cuda::thread_scope_device> *)a;
      if (t == 0 && blockIdx.x == 1) { a[1] = 7; flag.store(1); flag.notify_all(); }
      if (t == 0 && blockIdx.x == 0) { flag.wait(0); a[2] = a[1]; }"""
    for schedule in SCHEDULES:
        assert checked(kernel(body), np.zeros(3, "i4"), grid=2, schedule=schedule)[0][2] == 7


def test_they_count_as_what_the_hardware_does() -> None:
    """Loads and stores with an order are loads and stores; no atomic is merged, as PTX says."""
    body = """auto *x = (cuda::atomic<int, cuda::thread_scope_device> *)a;
      out[t] = x[t].load(cuda::memory_order_acquire); x[t].store(3, cuda::memory_order_release);
      x[40].fetch_add(1, cuda::memory_order_relaxed);"""
    ran = run(kernel(body, "int *a, int *out"), np.zeros(64, "i4"), np.zeros(32, "i4"))
    counted = ran.counters
    assert (counted.load_requests, counted.load_sectors, counted.load_bytes) == (1, 4, 128)
    assert (counted.store_requests, counted.store_sectors) == (2, 8)
    assert (counted.atomic_requests, counted.same_address_max) == (1, 32)
    assert ran.site("load", "x[t].load(cuda::memory_order_acquire)").requests == 1
    assert (
        ran.counters.warp_steps
        == run(
            kernel("out[t] = a[t]; a[t] = 3; atomicAdd(&a[40], 1); int x = 0;", "int *a, int *out"),
            np.zeros(64, "i4"),
            np.zeros(32, "i4"),
        ).counters.warp_steps
    )


# What orders mean.

_ORDERS = {
    "store": ("relaxed", "release", "seq_cst"),
    "load": ("relaxed", "acquire", "seq_cst"),
    "fence": ("", "relaxed", "acquire", "release", "acq_rel", "seq_cst"),
}
_BLOCK, _DEVICE = "cuda::thread_scope_block", "cuda::thread_scope_device"


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.sampled_from(_ORDERS["store"]),
    st.sampled_from(_ORDERS["load"]),
    st.tuples(*[st.sampled_from(_ORDERS["fence"])] * 2),
    st.tuples(*[st.sampled_from((_BLOCK, _DEVICE))] * 3),
    st.booleans(),
    st.sampled_from(("lockstep", "warp", "random:3")),
)
def test_messages_are_races_unless_released_and_acquired(
    store: str,
    load: str,
    fences: tuple[str, str],
    scopes: tuple[str, str, str],
    apart: bool,
    schedule: str,
) -> None:
    """The model of C++ for one writer and one reader, in two blocks or in two warps of one."""
    before, behind = (
        f"cuda::atomic_thread_fence(cuda::memory_order_{f}, {s});" if f else ""
        for f, s in zip(fences, scopes[:2], strict=True)
    )
    sender, receiver = ("blockIdx.x == 0", "blockIdx.x == 1") if apart else ("t < 32", "t >= 32")
    body = f"""cuda::atomic_ref<int, {scopes[2]}> flag(a[0]); if (t % 32) return;
      if ({sender}) {{ a[1] = 42; {before} flag.store(1, cuda::memory_order_{store}); }}
      else if ({receiver}) {{ while (flag.load(cuda::memory_order_{load}) == 0) ; {behind}
        a[2] = a[1]; }}"""
    released = store != "relaxed"
    acquired = load != "relaxed"
    for at, (fence, orders) in enumerate(
        zip(
            fences,
            (("release", "acq_rel", "seq_cst"), ("acquire", "acq_rel", "seq_cst")),
            strict=True,
        )
    ):
        if fence in orders and (scopes[at] == _DEVICE or not apart):
            released, acquired = released or at == 0, acquired or at == 1
    right = released and acquired and (scopes[2] == _DEVICE or not apart)
    with simulator.Device(memory=1 << 20, schedule=schedule), simulator.sanitize("race"):
        array = simulator.zeros(3, "int32")
        launch, size = simulator.RawKernel(kernel(body), "k"), (2, 32) if apart else (1, 64)
        if right:
            launch(size[:1], size[1:], (array,))
            assert array.get().tolist() == [1, 42, 42]
        else:
            with pytest.raises(simulator.Fault, match="race on a"):
                launch(size[:1], size[1:], (array,))


_CHAIN = ("store", "fetch_add", "exchange", "compare_exchange")


@pytest.mark.parametrize("by", _CHAIN)
@pytest.mark.parametrize("order", ["relaxed", "release"])
@pytest.mark.parametrize("own", [True, False])
def test_a_store_ends_what_another_has_released(by: str, order: str, own: bool) -> None:
    """An update by anybody passes it on, and so does a store of its own thread or a release."""
    change = {
        "store": f"flag.store(2, cuda::memory_order_{order});",
        "fetch_add": f"flag.fetch_add(1, cuda::memory_order_{order});",
        "exchange": f"flag.exchange(2, cuda::memory_order_{order});",
        "compare_exchange": "int e = 1; flag.compare_exchange_strong(e, 2,"
        f" cuda::memory_order_{order}, cuda::memory_order_relaxed);",
    }[by]
    known = "acquire" if order == "release" else "relaxed"
    waits = f"while (flag.load(cuda::memory_order_{known}) != 1) ;"
    between = "" if own else f"else if (b == 1) {{ {waits} {change} }}"
    body = f"""cuda::atomic_ref<int, cuda::thread_scope_device> flag(a[0]); int b = blockIdx.x;
      if (t) return;
      if (b == 0) {{ a[1] = 42; flag.store(1, cuda::memory_order_release); {change * own} }}
      {between}
      else if (b == 2) {{ while (flag.load(cuda::memory_order_relaxed) != 2) ;
        flag.load(cuda::memory_order_acquire); a[2] = a[1]; }}"""
    for schedule in SCHEDULES:
        if by == "store" and order == "relaxed" and not own:
            with pytest.raises(simulator.Fault, match=r"race on a\[1\]"):
                checked(kernel(body), np.zeros(3, "i4"), grid=3, schedule=schedule)
        else:
            left = checked(kernel(body), np.zeros(3, "i4"), grid=3, schedule=schedule)[0]
            assert left.tolist() == [2, 42, 42]


def test_atomics_of_a_threads_own_scope_are_plain_to_others() -> None:
    body = """cuda::atomic_ref<int, cuda::thread_scope_thread> x(a[AT]);
      x.fetch_add(1); x.store(x.load() + 1);"""
    mine = kernel(body.replace("AT", "t"))
    assert checked(mine, np.zeros(32, "i4"))[0].tolist() == [2] * 32
    with pytest.raises(simulator.Fault, match=r"race on a\[0\]") as caught:
        checked(kernel(body.replace("AT", "0")), np.zeros(32, "i4"))
    assert "thread_scope_thread" in caught.value.hint


def test_atomics_do_not_race_with_each_other() -> None:
    body = """cuda::atomic_ref<int, cuda::thread_scope_device> x(a[0]), y(a[1]);
      x.store(t, cuda::memory_order_relaxed); y.fetch_add(x.load(cuda::memory_order_relaxed) * 0);
      y.store(3, cuda::memory_order_relaxed);"""
    for schedule in SCHEDULES:
        assert checked(kernel(body), np.zeros(2, "i4"), grid=2, schedule=schedule)[0][1] == 3


@pytest.mark.parametrize("plain", ["a[0] = 1;", "a[1] = a[0];"])
def test_a_plain_access_races_with_an_atomic_one(plain: str) -> None:
    body = f"""cuda::atomic_ref<int, cuda::thread_scope_device> x(a[0]);
      if (blockIdx.x == 0 && t == 0) {{ {plain} }} if (blockIdx.x && t == 0) x.store(2);"""
    with pytest.raises(simulator.Fault, match=r"race on a\[0\]"):
        checked(kernel(body), np.zeros(2, "i4"), grid=2)


def test_counting_tickets_in_a_loop_is_no_livelock() -> None:
    body = """cuda::atomic_ref<int, cuda::thread_scope_device> next(a[0]);
      while (next.fetch_add(1, cuda::memory_order_relaxed) < 1000) ;"""
    assert checked(kernel(body), np.zeros(1, "i4"))[0].tolist() == [1032]


# CUDA's own functions, which they are made of.


def test_built_in_functions_with_orders_and_scopes() -> None:
    body = """__nv_atomic_fetch_add(a, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      __nv_atomic_store_n(a + 1, 5, __NV_ATOMIC_RELEASE);
      __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
      __nv_atomic_fetch_max(a + 2, __nv_atomic_load_n(a + 1, __NV_ATOMIC_ACQUIRE) + t,
        __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);"""
    assert checked(kernel(body), np.zeros(3, "i4"))[0].tolist() == [64, 5, 36]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x.load(cuda::memory_order_release);", "an atomic load cannot have the order"),
        ("x.store(1, cuda::memory_order_acq_rel);", "an atomic store cannot have the order"),
        ("cuda::memory_order o = (cuda::memory_order)t; x.load(o);", "is no constant"),
        ("cuda::atomic_ref<float> f(*(float *)a); f.fetch_or(1);", "does not exist for `float`"),
        ("auto *b = (cuda::atomic<bool> *)a; b->exchange(true);", "does not exist for `bool`"),
        ("((cuda::atomic<int2> *)a)->load();", "does not exist for `int2`"),
        ("((cuda::atomic<int *> *)a)->load();", "does not exist for `int *`"),
        ("cuda::atomic<int> y = *(cuda::atomic<int> *)a;", "cannot be copied"),
        ("cuda::atomic_fetch_add(a, 1);", "`cuda::atomic_fetch_add` is not supported"),
        ("x.foo();", "has no function `foo`"),
        ("cuda::atomic_flag f; f.test_and_set();", "belongs to one thread"),
        ("__nv_atomic_fetch_add(a, 1, t, 3);", "this memory order is no constant"),
        ("__nv_atomic_load_n(a, 9);", "9 is no memory order"),
        ("__nv_atomic_load_n(a, 0, 9);", "9 is no scope"),
        (
            "int e; x.compare_exchange_weak(e, 1, cuda::memory_order_acq_rel,"
            " cuda::memory_order_release);",
            "a compare-and-swap that fails cannot have the order `memory_order_release`",
        ),
    ],
)
def test_what_is_refused_where_the_program_writes_it(body: str, message: str) -> None:
    text = kernel(f"cuda::atomic_ref<int> x(a[0]);\n{body}")
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawKernel(text, "k")((1,), (32,), (simulator.zeros(4, "int32"),))
    assert message in caught.value.message
    assert caught.value.span is not None
    assert (caught.value.span.source.name, caught.value.span.line) == ("<kernel>", 6)


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
def test_nvidias_compiler_takes_what_is_tested(tmp_path: Path) -> None:
    bodies = [
        f"{{ {OBJECTS[parameter].replace('a[0]', f'p{at}[0]').replace('*a', f'*p{at}')}"
        f" int v = 0; if (t < 8) {{ {statement} }} out[t] = v; }}"
        for statement in STATEMENTS
        for at, parameter in enumerate(OBJECTS)
        if "cuda::std" not in parameter + OBJECTS[parameter] or "max" not in statement
    ]
    parameters = ", ".join(f"{p[:-1]}p{at}" for at, p in enumerate(OBJECTS))
    text = kernel("\n".join(bodies), f"{parameters}, int *out")
    nvrtc.compile_text(text, "atomics.cu", tmp_path)
