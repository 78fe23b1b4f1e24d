"""Loop counters that all lanes share are numbers: what lanes see of them is what C says."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simulator
from simulator.host.module import RawKernel

BEGIN = 'extern "C" __global__ void k(int *out, int n) {'


def shown(body: str, n: int = 5, threads: int = 40, schedule: str = "lockstep") -> list[int]:
    """What each thread leaves in its element."""
    with simulator.Device(schedule=schedule):
        out = simulator.zeros(threads, "int32")
        RawKernel(f"{BEGIN} int i = threadIdx.x; {body} }}", "k")((1,), (threads,), (out, n))
        return [int(number) for number in out.get()]


def text(body: str) -> str:
    """Return the generated code."""
    return RawKernel(f"{BEGIN} int i = threadIdx.x; {body} }}", "k").compiled().text


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "random:4"])
def test_lanes_that_leave_keep_what_they_saw(schedule: str) -> None:
    body = (
        "int r = -1; for (int d = 0; d < n; d++) { if (i % 7 == d) { r = d; break; } } out[i] = r;"
    )
    assert shown(body, schedule=schedule) == [i % 7 if i % 7 < 5 else -1 for i in range(40)]


def test_lanes_that_continue_are_back_for_the_step() -> None:
    body = "for (int d = 1; d <= n; d *= 2) { if (i & d) continue; out[i] += d; }"
    assert shown(body, n=8) == [~i & 15 for i in range(40)]


def test_lanes_may_end_a_loop_one_by_one() -> None:
    body = "int s = 0; for (int d = n; d + i < 2 * n; d += 2) s += d; out[i] = s;"
    assert shown(body, n=9) == [sum(range(9, 18 - i, 2)) for i in range(40)]


def test_a_function_may_return_out_of_a_loop() -> None:
    code = """__device__ int f(int i, int n) {
      for (int d = 0; d < n; ++d) if (d * d >= i) return d;
      return -1;
    }
    extern "C" __global__ void k(int *out, int n) { out[threadIdx.x] = f(threadIdx.x, n); }"""
    out = simulator.zeros(40, "int32")
    RawKernel(code, "k")((1,), (40,), (out, 6))
    assert out.get().tolist() == [int(np.ceil(np.sqrt(i))) if i <= 25 else -1 for i in range(40)]


@pytest.mark.parametrize(
    "body",
    [
        "for (int d = 0; d < n; d++) { if (i == 3) d++; out[i]++; }",
        "for (int d = 0; d < n; d += i + 1) out[i]++;",
        "for (int d = 0; d < n; d++) { int *p = &d; if (i == 3) ++*p; out[i]++; }",
        "for (int d = 0; d < n; d++) { int &p = d; if (i == 3) ++p; out[i]++; }",
        "for (int d = 0; d < n; d++) { auto f = [&] { d++; }; if (i == 3) f(); out[i]++; }",
        "for (int d = 0, e = i; d < n; d += e) { e = 1 + (i == 3); out[i]++; }",
    ],
)
def test_counters_that_lanes_change_alone_are_their_own(body: str) -> None:
    found = shown(body)
    if "+= i" in body:
        assert found == [-(-5 // (i + 1)) for i in range(40)]
    else:
        assert found == [3 if i == 3 else 5 for i in range(40)]


def test_counters_wrap_around() -> None:
    narrow = "for (unsigned char d = 250; d >= 250; d++) out[i] = d;"
    assert shown(f"{narrow} for (int d = 1; d; d *= 2) out[i]++;") == [255 + 32] * 40


def test_a_shared_counter_is_no_array() -> None:
    made = text("for (int d = 16; d > 0; d /= 2) out[i] += d;")
    assert re.search(r"R_d_\d+ = i4\(16\)", made)
    assert not re.search(r"R_d_\d+ = np.zeros", made)
