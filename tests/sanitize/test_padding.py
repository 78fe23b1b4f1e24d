"""Padding of structures belongs to no member: nobody reads it, and nobody needs to write it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator import Fault
from simulator.observe.trace import Cursor
from tests.sanitize.machine import kernel, sanitized

THREE = "struct __align__(16) P { int x, y, z; };"
MIXED = "struct __align__(8) P { char kind; int x; };"
NESTED = """struct __align__(8) Q { char kind; int x; };
struct __align__(16) P { Q q; short y; };"""
ROWS = "struct __align__(16) P { char kinds[3]; short y; int x; };"
UNWRITTEN = "which nothing has written"

#: The structure, statements that set each member of the place `at`, and its last member.
STRUCTURES = {
    "three ints in sixteen bytes": (THREE, ["at.x = 1;", "at.y = 2;", "at.z = 3;"]),
    "a char and an int": (MIXED, ["at.kind = 1;", "at.x = 2;"]),
    "a structure within": (NESTED, ["at.q.kind = 1;", "at.q.x = 2;", "at.y = 3;"]),
    "an array within": (
        ROWS,
        ["for (int i = 0; i < 3; i++) at.kinds[i] = i;", "at.y = 2;", "at.x = 3;"],
    ),
}
#: Where the structure stands: the declaration, and the place.
PLACES = {
    "shared": ("__shared__ P s[32];", "s[threadIdx.x]"),
    "a shared variable": ("__shared__ P s;", "s"),
    "global": ("", "g[threadIdx.x]"),
    "local": ("P s[2];", "s[1]"),
    "by an address": ("__shared__ P s[32]; P *p = n ? s : g; p += threadIdx.x;", "p[0]"),
    "global by an address": ("__shared__ P s[32]; P *p = n ? g : s; p += threadIdx.x;", "p[0]"),
    "in a structure that does not move whole": (
        "__shared__ W w[32];",
        "w[threadIdx.x].p",
    ),
}
COPIES = {
    "to a variable": "P copy = {0}; ",
    "to shared memory": "__shared__ P to[32]; to[threadIdx.x] = {0}; P copy = to[threadIdx.x];",
    "to global memory": "h[threadIdx.x] = {0}; P copy = h[threadIdx.x];",
    "as an argument": "P copy = same({0});",
    "twice": "P first = {0}; P copy; copy = first;",
}


def text_of(structure: str, place: str, copy: str, left_out: int | None) -> str:
    """A kernel that sets the members of a structure, but for one, and copies it."""
    before, settings_ = STRUCTURES[structure]
    declared, at = PLACES[place]
    sets = "".join(s for number, s in enumerate(settings_) if number != left_out)
    functions = f"{before} struct W {{ int a; P p; int b; }};"
    functions += "__device__ P same(P p) { P q = p; return q; }"
    body = f"{declared} if (threadIdx.x == 0) {{ {sets.replace('at', at)} {COPIES[copy].format(at)}"
    last = settings_[-1].split("=")[0].strip().removeprefix("at")
    return kernel("P *g, P *h, int *out, int n", f"{body} out[0] = copy{last}; }}", functions)


def launch(text: str) -> int:
    with simulator.Device(memory=1 << 20), simulator.sanitize("all"):
        room = [simulator.empty(4096, "uint8") for _ in range(2)]
        out = simulator.zeros(1, "int32")
        simulator.RawKernel(text, "k")((1,), (32,), (*room, out, 1))
        return int(out.get()[0])


@pytest.mark.slow
@settings(max_examples=60)
@given(*(st.sampled_from(sorted(t)) for t in (STRUCTURES, PLACES, COPIES)), st.data())
def test_padding_is_not_read(structure: str, place: str, copy: str, data: st.DataObject) -> None:
    count = len(STRUCTURES[structure][1])
    assert launch(text_of(structure, place, copy, None)) == count
    missing = data.draw(st.integers(0, count - 1))
    if place == "local":  # of which copies are not looked at
        return
    with pytest.raises(Fault, match=UNWRITTEN):
        launch(text_of(structure, place, copy, missing))


def test_the_first_report_of_all_was_wrong() -> None:
    body = """__shared__ P s[32]; P p; p.x = p.y = p.z = threadIdx.x;
    s[threadIdx.x].x = 1; s[threadIdx.x].y = 2; s[threadIdx.x].z = 3; __syncthreads();
    P q = s[31 - threadIdx.x]; a[threadIdx.x] = q.x + q.y + q.z + p.z;"""
    sanitized(kernel("int *a", body, THREE), np.zeros(32, "i4"))


def test_padding_does_not_tell_two_writes_of_one_value_apart() -> None:
    body = "P p; p.x = 1; p.y = 2; p.z = 3; g[0] = p;"
    text = kernel("P *g", body, THREE)
    report = sanitized(text, np.zeros(64, "u1"))
    assert [found.declared for found in report.findings] == [False]
    with simulator.Device(memory=1 << 20):
        g = simulator.full(16, 255, "uint8")
        simulator.RawKernel(text, "k")((1,), (32,), (g,))
        assert g.get().view("i4")[:3].tolist() == [1, 2, 3]


def test_structures_that_are_stored_again_and_again_are_compared_byte_by_byte() -> None:
    body = "for (int i = 0; i < 3; i++) { P p; p.x = 1; p.y = i; p.z = %s; g[i] = p; }"
    report = sanitized(kernel("P *g", body % "3", THREE), np.zeros(64, "u1"))
    assert [found.declared for found in report.findings] == [False]
    with pytest.raises(Fault, match="race on g"):
        sanitized(kernel("P *g", body % "threadIdx.x", THREE), np.zeros(64, "u1"))


def test_a_read_of_the_bytes_of_padding_is_one_of_nothing() -> None:
    body = "__shared__ P s; if (threadIdx.x == 0) { s.x = s.y = s.z = 1; a[0] = ((int *)&s)[at]; }"
    text = kernel("int *a, int at", body, THREE)
    sanitized(text, np.zeros(1, "i4"), 2)
    with pytest.raises(Fault, match=UNWRITTEN):
        sanitized(text, np.zeros(1, "i4"), 3)


def test_traces_show_structures_whose_members_are_set() -> None:
    body = "__shared__ P s[2]; s[0].kind = 1; s[0].x = 2; s[1].x = 3; a[0] = 1;"
    with simulator.Device(memory=1 << 20), simulator.tracing() as trace:
        simulator.RawKernel(kernel("int *a", body, MIXED), "k")(
            (1,), (1,), (simulator.zeros(1, "int32"),)
        )
    launch = trace.launches[0]
    _, written = Cursor(launch).at(len(launch.steps) - 1).shared(launch.shared[0], 0)
    assert written.tolist() == [True, False]
