"""Barriers in memory: `cuda::barrier`, and the primitives of `cuda_awbarrier_primitives.h`."""

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
from tests.simulator.launching import source

HEADERS = """#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
"""
SCHEDULES = ("lockstep", "warp", "shuffled:1", "random:2", "random:5", "round-robin:3")
MADE = """__shared__ Barrier bar; __shared__ int tile[64]; int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x); __syncthreads();"""
#: How 64 threads turn a tile round, by each way to meet.
WAYS = {
    "members": "auto token = bar.arrive(); bar.wait(std::move(token));",
    "a token's type": "Barrier::arrival_token token = bar.arrive(); bar.wait(std::move(token));",
    "both at once": "bar.arrive_and_wait();",
    "a temporary": "bar.wait(bar.arrive());",
    "parity": "bar.arrive(); bar.wait_parity(round % 2);",
    "many arrivals of one": """__syncwarp(); if (t % 32 == 0) (void)bar.arrive(32);
      bar.wait_parity(round % 2);""",
}


def kernel(body: str, parameters: str = "const int *a, int *out") -> str:
    return source(parameters, body, HEADERS)


def checked(text: str, *arguments: Any, block: int = 64, schedule: str = "lockstep") -> list[Any]:
    """What a launch under the sanitizers leaves in its arrays."""
    with simulator.Device(memory=1 << 20, schedule=schedule), simulator.sanitize("all"):
        arrays = [simulator.asarray(a) for a in arguments]
        simulator.RawKernel(text, "k")((1,), (block,), tuple(arrays))
        return [a.get() for a in arrays]


def rounds(way: str) -> str:
    return kernel(f"""{MADE} int x = a[t];
      for (int round = 0; round < 6; round++) {{
        if (round % 2 == 0) tile[t] = x; else x = tile[63 - t] + 1;
        {way}
      }}
      out[t] = x;""")


@pytest.mark.parametrize(("way", "schedule"), sampled(product(WAYS, SCHEDULES), 3, each=0))
def test_threads_meet(way: str, schedule: str) -> None:
    given_numbers = np.arange(64, dtype="i4")
    found = checked(rounds(WAYS[way]), given_numbers, np.zeros(64, "i4"), schedule=schedule)[1]
    assert found.tolist() == (given_numbers[::-1] + 3).tolist()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_primitives(schedule: str) -> None:
    body = """__shared__ __mbarrier_t bar; __shared__ int tile[64]; int t = threadIdx.x;
      if (t == 0) __mbarrier_init(&bar, 64); __syncthreads();
      tile[t] = a[t]; __mbarrier_token_t token = __mbarrier_arrive(&bar);
      while (!__mbarrier_test_wait(&bar, token)) ;
      out[t] = tile[63 - t]; __syncthreads();
      if (t >= 32) __mbarrier_arrive_and_drop(&bar);
      else { token = __mbarrier_arrive(&bar); while (!__mbarrier_try_wait(&bar, token, 100)) ;
        token = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, token)) ; }
      __syncthreads();
      if (t == 0) __mbarrier_inval(&bar);"""
    found = checked(kernel(body), np.arange(64, dtype="i4"), np.zeros(64, "i4"), schedule=schedule)
    assert found[1].tolist() == list(range(63, -1, -1))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_those_who_drop_out_are_expected_no_more(schedule: str) -> None:
    body = f"""{MADE} if (t >= 20) {{ bar.arrive_and_drop(); return; }}
      tile[t] = a[t]; bar.arrive_and_wait(); out[t] = tile[19 - t]; bar.arrive_and_wait();"""
    found = checked(kernel(body), np.arange(64, dtype="i4"), np.zeros(64, "i4"), schedule=schedule)
    assert found[1][:20].tolist() == list(range(19, -1, -1))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_blocks_meet_in_global_memory(schedule: str) -> None:
    body = """using Wide = cuda::barrier<cuda::thread_scope_device>; int t = threadIdx.x;
      Wide &bar = *(Wide *)state; auto &made = *(cuda::atomic<int> *)(state + 1);
      if (blockIdx.x == 0 && t == 0) { init(&bar, gridDim.x); made.store(1); }
      if (t == 0) { while (!made.load()) ; a[blockIdx.x] = blockIdx.x + 5;
        bar.arrive_and_wait(); out[blockIdx.x] = a[gridDim.x - 1 - blockIdx.x]; }"""
    text = kernel(body, "unsigned long *state, int *a, int *out")
    with simulator.Device(memory=1 << 20, schedule=schedule), simulator.sanitize("race"):
        state, a, out = simulator.zeros(2, "u8"), simulator.zeros(4, "i4"), simulator.zeros(4, "i4")
        simulator.RawKernel(text, "k")((4,), (32,), (state, a, out))
        assert out.get().tolist() == [8, 7, 6, 5]


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("ad"), max_size=4), min_size=2, max_size=4),
    st.sampled_from(SCHEDULES),
)
def test_warps_wait_for_their_phases_only(programs: list[list[str]], schedule: str) -> None:
    """Warps arrive, drop out and wait by programs of their own, and a deadlock is named."""
    ended = [False] * len(programs)
    lines = []
    for warp, program in enumerate(programs):
        code = "bool in = true; unsigned long token = bar.arrive(); "
        for step in program:
            if ended[warp]:
                break
            ended[warp] = step == "d"
            code += "bar.wait(token); "
            code += (
                "bar.arrive_and_drop(); in = false; " if ended[warp] else "token = bar.arrive(); "
            )
        lines.append(f"if (t / 32 == {warp}) {{ {code} out[t / 32] = in; }}")
    text = kernel(
        f"""__shared__ Barrier bar; int t = threadIdx.x;
      if (t == 0) init(&bar, blockDim.x); __syncthreads(); {" ".join(lines)}""",
        "int *out",
    )
    outcomes: set[object] = set()
    for name in ("warp", schedule):
        try:
            size = len(programs)
            found = checked(text, np.zeros(size, "i4"), block=32 * size, schedule=name)
            outcomes.add(tuple(found[0].tolist()))
        except simulator.Fault as fault:
            outcomes.add(fault.message.partition("a wait at")[1])
    assert len(outcomes) == 1
    assert outcomes != {""}


@pytest.mark.parametrize(
    "body",
    [
        """__shared__ cuda::std::barrier<> bar; if (t == 0) init(&bar, 64); __syncthreads();
        bar.arrive_and_wait();""",
        """using namespace cuda; __shared__ barrier<thread_scope_block> bar;
        if (t == 0) init(&bar, 64); __syncthreads(); bar.arrive_and_wait();""",
        """__shared__ Barrier bar[2]; if (t < 2) init(bar + t, 64); __syncthreads();
        Barrier::arrival_token token[2];
        for (int i = 0; i < 2; i++) token[i] = bar[i].arrive();
        for (int i = 0; i < 2; i++) bar[i].wait(std::move(token[i]));""",
        "cuda::barrier<cuda::thread_scope_thread> own(1); own.arrive_and_wait();",
        "__shared__ Barrier bar; meet(bar);",
    ],
)
def test_other_ways_to_write_it(body: str) -> None:
    functions = """__device__ void meet(Barrier &bar) {
      if (threadIdx.x == 0) init(&bar, blockDim.x); __syncthreads(); bar.arrive_and_wait(); }"""
    text = source("int *out", f"int t = threadIdx.x; {body} out[t] = t;", HEADERS + functions)
    for schedule in SCHEDULES[:3]:
        found = checked(text, np.zeros(64, "i4"), schedule=schedule)[0]
        assert found.tolist() == list(range(64))


_ACCESSES = {"r": "sum += x;", "w": "x = {};", "": ""}


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda n: st.tuples(
            *[st.lists(st.sampled_from(["", "", "r", "w"]), min_size=2 * n + 1, max_size=2 * n + 1)]
            * 2
        )
    ),
    st.sampled_from(SCHEDULES),
)
def test_a_phase_orders_what_is_before_arrivals_and_behind_waits(
    programs: tuple[list[str], list[str]], schedule: str
) -> None:
    """Two warps access `x` at first, and between all arrivals at a barrier and waits for it."""
    codes = []
    for warp, program in enumerate(programs):
        lines = [_ACCESSES[access].format(warp + 1) for access in program]
        for at in range(1, len(lines)):
            lines[at] = ("token = bar.arrive(); " if at % 2 else "bar.wait(token); ") + lines[at]
        codes.append(f"if (t == {32 * warp}) {{ {' '.join(lines)} }}")
    text = kernel(
        f"""__shared__ Barrier bar; __shared__ int x;
        int t = threadIdx.x, sum = 0; unsigned long token = 0;
        if (t == 0) {{ init(&bar, 2); x = 0; }} __syncthreads(); {" ".join(codes)} out[t] = sum;""",
        "int *out",
    )
    # An access has come behind so many arrivals, and so many waits, of its own thread.
    places = [[(a, (at + 1) // 2, at // 2) for at, a in enumerate(p) if a] for p in programs]
    races = any(
        "w" in one[0] + other[0] and other[2] <= one[1] and one[2] <= other[1]
        for one in places[0]
        for other in places[1]
    )
    try:
        checked(text, np.zeros(64, "i4"), schedule=schedule)
    except simulator.Fault as fault:
        found = fault.message.partition("race on x")[1] != ""
    else:
        found = False
    assert found == races


def test_a_deadlock_is_reported_where_a_thread_waits() -> None:
    body = f"""{MADE}
      if (t < 63)
        bar.arrive_and_wait();
      out[t] = 1;"""
    for schedule in SCHEDULES:
        with pytest.raises(simulator.Fault) as caught:
            checked(kernel(body), *[np.zeros(64, "i4")] * 2, schedule=schedule)
        assert "a wait at a barrier at which 63 of 64 threads arrive" in caught.value.message
        assert caught.value.span is not None
        assert caught.value.span.text == "bar.arrive_and_wait()"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("__shared__ Barrier bar; bar.arrive_and_wait();", "nobody has initialised"),
        ("__shared__ Barrier bar; init(&bar, 0);", "a barrier for 0 arrivals"),
        ("__shared__ Barrier bar; if (!threadIdx.x) init(&bar, 2); bar.arrive(3);", "3 arrivals"),
        ("((Barrier *)(out + 1))->arrive();", "align"),
        ("((Barrier *)out)[99].arrive();", "array"),
    ],
)
def test_faults(body: str, message: str) -> None:
    with pytest.raises(simulator.Fault) as caught:
        checked(kernel(body), np.zeros(64, "i4"), np.zeros(64, "i4"), block=32)
    assert message in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.source.name == "<kernel>"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "struct F { int x; }; __shared__ cuda::barrier<cuda::thread_scope_block, F> b;",
            "completion functions of cuda::barrier are not supported",
        ),
        ("__shared__ Barrier bar; Barrier copy = bar;", "cannot be copied"),
        ("__shared__ Barrier bar; init(&bar);", "no `init` takes"),
        ("cuda::device::barrier_native_handle(out);", "`cuda::device::barrier_native_handle` is"),
        ("cuda::device::memcpy_async_tx(out, out, 4, out);", "is not supported"),
        ("__mbarrier_token_pending_count(3);", "is not supported"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(kernel(body))
    assert message in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.source.name == "<kernel>"


def test_they_are_no_accesses_that_are_counted() -> None:
    with simulator.counting() as record:
        arrays = simulator.arange(64, dtype="i4"), simulator.zeros(64, "i4")
        text = kernel(f"{MADE} tile[t] = a[t]; bar.arrive_and_wait(); out[t] = tile[63 - t];")
        simulator.RawKernel(text, "k")((1,), (64,), arrays)
    counters = record.launches[0].counters
    assert (counters.shared_requests, counters.atomic_requests, counters.barriers) == (4, 0, 1)
    assert counters.branches == 2  # that of the program itself


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
@pytest.mark.parametrize("way", WAYS)
def test_nvidias_compiler_takes_what_is_tested(way: str, tmp_path: Path) -> None:
    nvrtc.compile_text(rounds(WAYS[way]), "barriers.cu", tmp_path)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if (t == 0) __mbarrier_init(state, 32);", "that is not in shared memory"),
        ("__mbarrier_t own; __mbarrier_init(&own, 1);", "that is not in shared memory"),
        ("Barrier *bar = (Barrier *)state; init(bar, -1);", "a barrier for -1 arrivals"),
        ("Barrier *bar = (Barrier *)state; init(bar, (1LL << 32) + 1);", "for 4294967297 arrivals"),
        ("Barrier *bar = (Barrier *)state; init(bar, Barrier::max() + 1);", "for 1048576 arrivals"),
    ],
)
def test_barriers_that_cannot_be(body: str, message: str) -> None:
    text = kernel(f"int t = threadIdx.x; {body}", "unsigned long *state")
    with pytest.raises(simulator.Fault) as caught:
        checked(text, np.zeros(2, "u8"), block=32)
    assert message in caught.value.message
