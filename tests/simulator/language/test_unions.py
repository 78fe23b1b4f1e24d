"""Unions and bit fields in every kind of memory, and what is counted and observed of them."""

from __future__ import annotations

import numpy as np
import pytest

import simulator

TYPES = """
union Bits { float f; unsigned u; unsigned short h[2]; unsigned char c[4]; };
union Vector { uint4 all; unsigned char c[16]; float4 f; short s[8]; };
struct Flags { unsigned low : 5, high : 3, rest : 24; };
struct Pair { short first : 4, second : 12; };
union Word { unsigned all; Flags parts; struct { unsigned char a, b, c, d; }; };
struct Node { int id; Word word; long long big : 40; bool flag : 1; };
"""


def launched(body: str, *given: object, size: int = 32, threads: int = 32, front: str = "") -> list:
    """What `k(unsigned *out, …)` leaves in `out`."""
    out = simulator.zeros(size, "uint32")
    text = TYPES + front + 'extern "C" __global__ void k(unsigned *out' + body
    simulator.RawKernel(text, "k")((1,), (threads,), (out, *given))
    return out.get().tolist()


def test_a_union_is_an_argument_of_a_kernel() -> None:
    text = """, Bits b, Node n) {
  out[0] = b.u; out[1] = b.h[1]; out[2] = n.word.parts.high; b.c[0] = 7; out[3] = b.u;
  out[4] = n.word.d; out[5] = n.big; out[6] = n.flag; out[7] = sizeof n;
}"""
    node = np.zeros(1, "u4, u4, i8")
    node[0] = 1, 0x40302010 | 5 << 5, 1 << 40 | 77
    found = launched(text, np.float32(1.5), node[0], threads=1)
    assert found[:8] == [0x3FC00000, 0x3FC0, 5, 0x3FC00007, 0x40, 77, 1, 16]


def test_global_and_shared_memory_hold_the_bytes() -> None:
    text = """, Vector *v, Node *nodes) {
  __shared__ Vector s[32];
  __shared__ Flags flags[32];
  int t = threadIdx.x;
  s[t].all = v[t].all;
  flags[t] = {1, 2, 3};
  __syncthreads();
  s[t ^ 1].c[5] = t;
  flags[31 - t].high = t;
  flags[31 - t].rest += t;
  __syncthreads();
  v[t] = s[t];
  nodes[t].word.parts = flags[t];
  nodes[t].big = -t;
  nodes[t].flag = t & 1;
  out[t] = v[t].s[2] + (nodes[t].big == -t) + flags[t].rest;
}"""
    v = simulator.asarray(np.arange(512, dtype="uint8"))
    nodes = simulator.zeros(32 * 4, "uint32")
    found = launched(text, v, nodes)
    t = np.arange(32)
    expected = np.arange(512, dtype="uint8").reshape(32, 16)
    expected[t, 5] = t ^ 1
    np.testing.assert_array_equal(v.get().reshape(32, 16), expected)
    words = nodes.get().reshape(32, 4)
    other = 31 - t
    np.testing.assert_array_equal(words[:, 1], 1 | (other & 7) << 5 | (3 + other) << 8)
    expected = expected.astype("u4")
    np.testing.assert_array_equal(words[:, 2].view("i4"), -t)
    np.testing.assert_array_equal(words[:, 3], np.where(t > 0, 0xFF, 0) | (t & 1) << 8)
    np.testing.assert_array_equal(found, expected[:, 4] + 256 * expected[:, 5] + 1 + 3 + other)


def test_variables_outside_functions_begin_with_values() -> None:
    front = """
__constant__ Bits one = {1.0f}, many[2] = {{2.0f}, {0.5f}};
__device__ Flags flags = {17, 5, 0xabcdef};
__device__ Word word = {0x11223344};
__device__ Node node = {3, {9}, -2, true};
"""
    text = """) {
  out[0] = one.u + many[1].u; out[1] = flags.low; out[2] = flags.high; out[3] = flags.rest;
  out[4] = word.b; out[5] = node.big == -2; out[6] = node.flag + 10 * node.word.all;
  node.big++; out[7] = node.big == -1;
}"""
    found = launched(text, threads=1, front=front)
    assert found[:8] == [0x3F800000 + 0x3F000000, 17, 5, 0xABCDEF, 0x33, 1, 91, 1]


def test_pointers_in_unions_lead_where_they_did() -> None:
    text = """, float *p) {
  union { float *pointer; unsigned long long number; unsigned halves[2]; } u;
  __shared__ float s[32];
  u.pointer = threadIdx.x & 1 ? s : p;
  u.pointer[threadIdx.x] = threadIdx.x;
  auto v = u;
  v.number += 4 * threadIdx.x;
  out[threadIdx.x] = *v.pointer;
}"""
    found = launched(text, simulator.zeros(32, "float32"))
    assert found == list(range(32))


def test_a_write_of_a_bit_field_reads_its_number_first() -> None:
    def counted(body: str) -> tuple[int, int]:
        text = TYPES + 'extern "C" __global__ void k(Flags *p, Pair *q) {' + body + "}"
        kernel = simulator.RawKernel(text, "k")
        with simulator.counting() as record:
            kernel((1,), (32,), (simulator.zeros(32, "uint32"), simulator.zeros(32, "uint32")))
        counters = record.launches[0].counters
        return counters.load_requests, counters.store_requests

    assert counted("p[threadIdx.x].low = 3;") == (1, 1)
    assert counted("p[threadIdx.x].low += 3;") == (2, 1)
    assert counted("int x = p[threadIdx.x].low; if (x == 77) q[0].first = 1;") == (1, 0)
    assert counted("q[threadIdx.x].second = 3;") == (1, 1)
    assert counted("Flags f = {1, 2, 3}; f.low++; p[threadIdx.x] = f;") == (0, 1)


def test_one_that_fills_a_number_is_written_alone() -> None:
    text = """
struct Bytes { unsigned a : 8, b : 8, c : 16; };
extern "C" __global__ void k(Bytes *p) {
  if (threadIdx.x == 0) p->b = 3; else if (threadIdx.x == 1) p->c = 0x1234; else p->a = 5;
}"""
    p = simulator.zeros(1, "uint32")
    with simulator.sanitize("race"), simulator.counting() as record:
        simulator.RawKernel(text, "k")((1,), (3,), (p,))
    assert p.get().tolist() == [0x12340305]
    assert record.launches[0].counters.load_requests == 0


def test_two_threads_that_write_fields_of_one_number_race() -> None:
    body = "if (threadIdx.x == 0) p->low = 3; else p->high = 1;"
    text = TYPES + 'extern "C" __global__ void k(Flags *p) { ' + body + " }"
    with simulator.sanitize("race"), pytest.raises(simulator.Fault, match="race on p"):
        simulator.RawKernel(text, "k")((1,), (2,), (simulator.zeros(1, "uint32"),))


def fields(body: str) -> str:
    """A kernel with a structure whose fields are read by numbers with room that nobody uses."""
    front = "struct Field { int n : 8; }; struct Two { int a : 3, b : 20; };"
    return front + 'extern "C" __global__ void k(int *out) {' + body + "}"


@pytest.mark.parametrize(
    "body",
    [
        "Field f[2]; f[threadIdx.x % 2].n = 5; out[0] = f[threadIdx.x % 2].n;",
        "__shared__ Field f; if (threadIdx.x == 0) f.n = 5; __syncthreads(); out[0] = f.n;",
        "Two t; Two *p = &t; p->a = 1; out[0] = p->a + 4;",
    ],
)
def test_a_field_is_written_though_its_number_has_more_room(body: str) -> None:
    out = simulator.zeros(1, "int32")
    with simulator.sanitize("init"):
        simulator.RawKernel(fields(body), "k")((1,), (32,), (out,))
    assert out.get()[0] == 5


@pytest.mark.parametrize(
    "body",
    [
        "Field f[2]; f[threadIdx.x % 2].n = 5; out[0] = f[(threadIdx.x + 1) % 2].n;",
        "__shared__ Field f; out[0] = f.n;",
    ],
)
def test_a_field_that_nobody_has_written_is_found(body: str) -> None:
    with simulator.sanitize("init"), pytest.raises(simulator.Fault, match="nothing has written"):
        simulator.RawKernel(fields(body), "k")((1,), (32,), (simulator.zeros(1, "int32"),))


def test_bits_that_nobody_has_written_are_no_reads_of_a_program() -> None:
    text = (
        TYPES
        + """extern "C" __global__ void k(unsigned *out) {
  __shared__ Flags s;
  Bits b;
  Flags f[2];
  if (threadIdx.x == 0) { s.low = 1; s.high = 2; s.rest = 3; }
  b.f = 1.0f;
  f[threadIdx.x & 1].low = 3;
  __syncthreads();
  out[threadIdx.x] = s.high + b.u;
}"""
    )
    out = simulator.zeros(32, "uint32")
    with simulator.sanitize("init"):
        simulator.RawKernel(text, "k")((1,), (32,), (out,))
    assert set(out.get().tolist()) == {2 + 0x3F800000}


def test_a_member_of_a_union_that_nobody_has_written_is_found() -> None:
    text = (
        TYPES + 'extern "C" __global__ void k(unsigned *out) { Bits b; b.c[0] = 1; out[0] = b.u; }'
    )
    with simulator.sanitize("init"), pytest.raises(simulator.SimulatorError):
        simulator.RawKernel(text, "k")((1,), (1,), (simulator.zeros(1, "uint32"),))


def test_threads_that_part_have_unions_of_their_own() -> None:
    text = """) {
  int t = threadIdx.x;
  Bits b;
  b.u = t;
  for (int i = 0; i < t % 5; i++) {
    if (b.c[0] & 1) { b.h[1] += i; continue; }
    b.c[3] = t;
    if (i == 3) break;
  }
  auto change = [&](int by) { b.c[1] ^= by; return b; };
  Bits c = t & 4 ? change(t) : b;
  out[t] = c.u + b.h[0];
}"""

    def expected(t: int) -> int:
        b = np.array([t], "u4")
        h, c = b.view("u2"), b.view("u1")
        for i in range(t % 5):
            if c[0] & 1:
                h[1] += i
                continue
            c[3] = t
            if i == 3:
                break
        if t & 4:
            c[1] ^= t
        return int(b[0]) + int(h[0])

    assert launched(text) == [expected(t) for t in range(32)]


def test_recursive_functions_pass_and_return_them() -> None:
    text = """) { out[threadIdx.x] = down({threadIdx.x}, {1, 2, 3}).u; }"""
    front = """
__device__ Bits down(Bits b, Flags f) {
  if (b.c[0] == 0) { b.u += f.rest; return b; }
  b.c[0]--;
  f.rest += f.low;
  b.c[1] += 2;
  return down(b, f);
}
"""
    text = text.replace("{threadIdx.x}", "whole(threadIdx.x)")
    front += "__device__ Bits whole(unsigned n) { Bits b; b.u = n; return b; }\n"
    assert launched(text, front=front) == [512 * t + 3 + t for t in range(32)]


def test_traces_name_members_and_bit_fields() -> None:
    text = (
        TYPES
        + """extern "C" __global__ void k(Flags *p) {
  Flags f = {1, 2, 3};
  f.high = 9;
  p[0].low = f.high;
}"""
    )
    with simulator.tracing() as traces:
        simulator.RawKernel(text, "k")((1,), (1,), (simulator.zeros(1, "uint32"),))
    assert traces.launches
