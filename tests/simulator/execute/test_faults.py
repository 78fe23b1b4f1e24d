"""What goes wrong in a kernel: the fault names the thread, the array, the index and the line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator import Fault
from tests.simulator.launching import fault, run, source

A4 = np.zeros(4, "i4")


def who(found: Fault) -> tuple[str, str]:
    """Block and thread of a message."""
    match = re.search(r"block (\(.*?\)), thread (\(.*?\))", found.message)
    assert match, found.message
    return match[1], match[2]


# Out of bounds

INDICES = {
    "int": "int i = {i};",
    "unsigned": "unsigned i = {i};",
    "long long": "long long i = {i};",
    "unsigned long long": "unsigned long long i = {i};",
    "short": "short i = {i};",
    "signed char": "signed char i = {i};",
}
ACCESSES = {
    "reads": "int x = {a}[i]; out[0] = x;",
    "writes": "{a}[i] = 1;",
    "updates": "atomicAdd(&{a}[i], 1);",
}
SPACES = {"a": "", "s": "__shared__ int s[4];", "mine": "int mine[4] = {0};"}


@pytest.mark.parametrize(
    ("verb", "array"),
    [(v, a) for v in ACCESSES for a in SPACES if (v, a) != ("updates", "mine")],
)
@pytest.mark.parametrize("of", INDICES)
def test_out_of_bounds_on_both_sides(verb: str, of: str, array: str) -> None:
    for index, first in (
        ("(int)threadIdx.x - 2", -2),
        ("threadIdx.x + 1", 4),
        ("n + 6", 6),
        ("n - 1", -1),
    ):
        access = ACCESSES[verb].format(a=array)
        text = source(
            "int *a, int *out, int n", f"{SPACES[array]} {INDICES[of].format(i=index)}\n{access}"
        )
        found = fault(text, A4, A4, 0, block=8)
        thread = {"threadIdx.x + 1": 3}.get(index, 0)
        assert who(found) == ("(0, 0, 0)", f"({thread}, 0, 0)")
        assert f"{verb} {array}[{first}], but {array} has 4 elements" in found.message
        assert found.span is not None
        assert found.span.line == 4


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-5, 14), min_size=1, max_size=70),
    st.integers(1, 10),
    st.sampled_from([1, 7, 32, 40]),
)
def test_the_first_thread_that_leaves_the_array(places: list[int], size: int, block: int) -> None:
    text = source(
        "const int *at, int *a, int n",
        "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[at[i]] = 1;",
    )
    n = len(places)
    arguments = (np.array(places, "i4"), np.zeros(size, "i4"), n)
    shape = {"grid": -(-n // block), "block": block}
    wrong = [i for i, p in enumerate(places) if not 0 <= p < size]
    if not wrong:
        run(text, *arguments, **shape)
        return
    found = fault(text, *arguments, **shape)
    first = wrong[0]
    assert who(found) == (f"({first // block}, 0, 0)", f"({first % block}, 0, 0)")
    plural = "s" if size != 1 else ""
    assert f"lane {first % block % 32} writes a[{places[first]}]" in found.message
    assert f"a has {size} element{plural}" in found.message


def test_coordinates_of_three_dimensions() -> None:
    body = "if (blockIdx.y == 1 && threadIdx.z == 1 && threadIdx.y == 2) a[threadIdx.x + 99] = 1;"
    found = fault(source("int *a", body), A4, grid=(2, 2), block=(3, 4, 2))
    assert who(found) == ("(0, 1, 0)", "(0, 2, 1)")
    assert "lane 18" in found.message
    assert "active lanes of the warp: " + "." * 18 + "###" + "." * 11 in found.hint


def test_coordinates_in_a_later_wave() -> None:
    text = source("int *a", "if (blockIdx.x == 33 && threadIdx.x == 3) a[4] = 1;")
    found = fault(text, A4, grid=40, block=5, profile="toy2")
    assert who(found) == ("(33, 0, 0)", "(3, 0, 0)")
    assert "lane 1 " in found.message
    assert "active lanes of the warp: .#" in found.hint


@pytest.mark.parametrize(
    "index", ["1ll << 40", "-(1ll << 40)", "2147483647", "-2147483647 - 1", "0xffffffffu"]
)
def test_indices_far_away(index: str) -> None:
    for many in (f"({index}) + (threadIdx.x & 0)", index):
        found = fault(source("int *a", f"a[{many}] = 1;"), A4)
        assert "writes a[" in found.message


@pytest.mark.parametrize(
    ("of", "array", "access"),
    [
        ("int", "a", "a[n] = 1;"),
        ("int2", "a.y", "a[n].y = 1;"),
        ("int", "a", "atomicAdd(a + n, 1);"),
    ],
)
@pytest.mark.parametrize("index", [-4, 5])
def test_indices_of_a_slice_count_from_its_start(
    of: str, array: str, access: str, index: int
) -> None:
    size = {"int": 1, "int2": 2}[of]
    with simulator.Device(memory=1 << 16):
        a = simulator.zeros(8 * size, "int32")
        for many in (access, access.replace("n", "n + (int)(threadIdx.x & 0)")):
            kernel = simulator.RawKernel(source(f"{of} *a, int n", many), "k")
            kernel((1,), (4,), (a[3 * size :], 4))
            kernel((1,), (4,), (a[3 * size :], -3))
            with pytest.raises(Fault) as caught:
                kernel((1,), (4,), (a[3 * size :], index))
            assert f"{array}[{index}]" in caught.value.message
            assert "from -3 to 4" in caught.value.message


def test_a_fault_shows_the_line_and_a_caret() -> None:
    text = source("int *a, int n", "  int i = threadIdx.x;\n  if (i < n)\n    a[i + 1] += 5;")
    found = fault(text, A4, 32)
    lines = str(found).splitlines()
    assert lines[0].startswith("<kernel>:5:5: fault: kernel k, block (0, 0, 0), thread (3, 0, 0)")
    assert lines[1].strip() == "a[i + 1] += 5;"
    assert lines[2].strip().startswith("^")
    assert lines[1].index("a[") == lines[2].index("^")


def test_a_fault_in_a_device_function_points_into_it() -> None:
    functions = (
        "__device__ int f(const int *p, int i) {\n  int x = 1;\n  x += p[i];\n  return x;\n}"
    )
    found = fault(source("int *a", "a[0] = f(a, threadIdx.x * 2);", functions), A4)
    assert found.span is not None
    assert (found.span.line, found.span.text) == (3, "p[i]")
    assert "reads" in found.message
    assert who(found) == ("(0, 0, 0)", "(2, 0, 0)")


@pytest.mark.parametrize(
    "body",
    [
        "if (i < n && a[i] == 0) a[i] = 1;",
        "int x = i < n ? a[i] : 0; if (x == 0 && i < n) a[i] = 1;",
        "if (i >= n || a[i] != 0) return; a[i] = 1;",
        "while (i < n) { if (a[i] != 0) break; a[i] = 1; i += blockDim.x; }",
        "for (int k = i; k < n; k += blockDim.x) a[k] = 1;",
    ],
)
def test_guards_guard(body: str) -> None:
    ran = run(source("int *a, int n", f"int i = threadIdx.x; {body}"), np.zeros(19, "i4"), 19)
    assert ran.arrays[0].tolist() == [1] * 19


# Addresses


def test_null_pointers() -> None:
    found = fault(source("int *a", "if (threadIdx.x > 4) a[threadIdx.x] = 1;"), None)
    assert who(found)[1] == "(5, 0, 0)"
    assert "by `a[threadIdx.x] = 1`: a null pointer (address 0x14)" in found.message
    assert "null" in found.hint
    found = fault(source("int *a", "int *p = 0; a[0] = *p;"), A4)
    assert "reads by `*p`: a null pointer (address 0x0)" in found.message


def test_null_can_be_tested() -> None:
    text = source("int *a, int *b", "if (a == 0) b[0] = 1; if (b != nullptr) b[1] = 1;")
    assert run(text, None, A4).arrays[1].tolist() == [1, 1, 0, 0]


def test_misaligned_addresses() -> None:
    text = source("unsigned char *a, int n", "int *p = (int *)(a + n); p[threadIdx.x] = 1;")
    for offset in (1, 2, 3, 5):
        found = fault(text, np.zeros(64, "u1"), offset, block=4)
        assert "misaligned" in found.message
        assert "multiples of 4" in found.message
    assert run(text, np.zeros(64, "u1"), 4, block=4).arrays[0][4:20].view("i4").tolist() == [1] * 4
    eight = source("int *a", "double *p = (double *)(a + 1); p[0] = 1;")
    assert "multiples of 8" in fault(eight, A4).message


def test_a_cast_pointer_past_the_end() -> None:
    text = source("unsigned char *a", "long long *p = (long long *)a; p[threadIdx.x] = 1;")
    found = fault(text, np.zeros(30, "u1"), block=8)
    assert who(found)[1] == "(3, 0, 0)"
    assert "8 bytes of which 2 lie past the end of an array of 30 bytes" in found.message


def test_freed_arrays() -> None:
    kernel = simulator.RawKernel(source("int *a", "a[threadIdx.x] = 1;"), "k")
    with simulator.Device(memory=1 << 16) as device:
        a = simulator.zeros(32, "int32")
        device.label(a, "level")
        address = a.data.ptr
        kernel((1,), (32,), (address,))
        del a
        with pytest.raises(Fault, match="byte 8 of level, which has been freed"):
            kernel((1,), (32,), (address + 8,))
        b = simulator.zeros(32, "int32")
        assert b.data.ptr != address
        with pytest.raises(Fault, match="which has been freed"):
            kernel((1,), (32,), (address,))


def test_freed_memory_is_used_again_before_the_device_is_full() -> None:
    with simulator.Device(memory=1 << 22):
        for _ in range(200):
            simulator.zeros(1 << 15, "int32")


@pytest.mark.parametrize(
    ("index", "what"),
    [
        ("32", "an address just past the end of level"),
        ("34", "an address 8 bytes past the end of level"),
        ("-1", "an address 4 bytes before the start of level"),
        ("-(long long)a / 4", "a null pointer"),
        ("1ll << 30", "an address that lies in no allocation"),
    ],
)
def test_where_an_address_was_meant_to_be(index: str, what: str) -> None:
    text = source("unsigned long long a", f"((int *)a)[{index}] = 1;")
    with simulator.Device(memory=1 << 16) as device:
        a = simulator.zeros(32, "int32")
        device.label(a, "level")
        with pytest.raises(Fault, match=what):
            simulator.RawKernel(text, "k")((1,), (1,), (a.data.ptr,))


@pytest.mark.parametrize(
    ("index", "what"),
    [("-2", "8 bytes before the start of next"), ("3", "just past the end of first")],
)
def test_an_address_between_two_arrays_is_named_by_the_nearer_one(index: str, what: str) -> None:
    text = source("int *a, int *b, int low", f"int *p = low ? b : a; p[{index}] = 1;")
    with simulator.Device(memory=1 << 16) as device:
        a, b = simulator.zeros(3, "int32"), simulator.zeros(3, "int32")
        device.label(a, "first")
        device.label(b, "next")
        with pytest.raises(Fault, match=what):
            simulator.RawKernel(text, "k")((1,), (1,), (a, b, index[0] == "-"))


def test_between_two_allocations() -> None:
    """The gap that alignment leaves belongs to nobody."""
    with simulator.Device(memory=1 << 16):
        a, b = simulator.zeros(3, "int32"), simulator.zeros(3, "int32")
        kernel = simulator.RawKernel(source("int *a, int n", "a[n] = 1;"), "k")
        distance = (b.data.ptr - a.data.ptr) // 4
        for n in (3, 10, distance - 1):
            with pytest.raises(Fault):
                kernel((1,), (1,), (a.data.ptr, n))
        kernel((1,), (1,), (a.data.ptr, distance))
        assert b.get().tolist() == [1, 0, 0]


def test_another_blocks_shared_memory() -> None:
    text = source(
        "int *a, int n",
        "__shared__ int s[64]; int *p = n < 0 ? a : s; if (blockIdx.x == 1) p[n] = 1;",
    )
    run(text, A4, 63, grid=3)
    found = fault(text, A4, 64, grid=3)
    assert "another block's shared memory" in found.message


def test_a_thread_cannot_reach_anothers_own_array() -> None:
    text = source(
        "int *a, int n",
        "int mine[4] = {0}; int *p = n < 0 ? a : mine; if (threadIdx.x == 5) p[n] = 1;",
    )
    run(text, A4, 3)
    for n in (4, 7, -5):
        found = fault(text.replace("n < 0", "n == 99"), A4, n)
        assert who(found)[1] == "(5, 0, 0)"
        assert "another thread's own array" in found.message


# Arithmetic


@pytest.mark.parametrize("op", ["/", "%"])
@pytest.mark.parametrize("of", ["int", "unsigned", "long long", "unsigned long long", "char"])
def test_integer_division_by_zero(op: str, of: str) -> None:
    text = source(f"{of} n, int *a", f"{of} d = threadIdx.x < 3 ? 1 : n; a[0] = 7 {op} d;")
    found = fault(text, 0, A4)
    assert "integer division by zero" in found.message
    assert who(found)[1] == "(3, 0, 0)"
    run(text, 1, A4)
    assert "division by zero" in fault(source(f"{of} n, int *a", f"a[0] {op}= n;"), 0, A4).message


def test_lanes_that_do_not_divide_do_no_harm() -> None:
    body = """int i = threadIdx.x;
    if (i != 0) a[i] += 12 / i;
    a[i] += i ? 12 % i : 5;
    if (i && 12 / i > 5) a[i]++;"""
    ran = run(source("int *a", body), np.zeros(4, "i4"), block=4)
    assert ran.arrays[0].tolist() == [5, 12 + 1, 6 + 1, 4]


def test_floats_may_be_divided_by_zero() -> None:
    text = source("float *a, float z", "a[0] = 1 / z; a[1] = -1 / z; a[2] = z / z;")
    found = run(text, np.zeros(3, "f4"), np.float32(0), block=1).arrays[0]
    assert found[0] == np.inf
    assert found[1] == -np.inf
    assert np.isnan(found[2])


# Afterwards


def test_memory_keeps_what_was_written_before_the_fault() -> None:
    with simulator.Device(memory=1 << 16) as device:
        a = simulator.zeros(4, "int32")
        used = device.memory.bytes_used
        text = source(
            "int *a", "__shared__ int s[9]; a[0] = 5; s[0] = 1; a[4 + threadIdx.x] = 6; a[1] = 7;"
        )
        kernel = simulator.RawKernel(text, "k")
        with simulator.counting(device) as record, pytest.raises(Fault):
            kernel((1,), (32,), (a,))
        assert a.get().tolist() == [5, 0, 0, 0]
        assert device.memory.bytes_used == used
        assert record.launches == []
        simulator.RawKernel(source("int *a", "a[3] = 1;"), "k")((1,), (1,), (a,))
        assert a.get().tolist() == [5, 0, 0, 1]


# Calls, and indices that come from nothing


HEADER = "__device__ void put(int *a, int i) {\n  a[i] = threadIdx.x;\n}\n"
CALLER = """#include "put.cuh"
__device__ void twice(int *a, int i) { put(a, i); put(a, i + 1); }
extern "C" __global__ void k(int *a) {
  twice(a, threadIdx.x);
}
"""


@pytest.mark.parametrize("sanitize", ["", "race"])
def test_a_fault_in_a_header_names_the_call(sanitize: str, tmp_path: Path) -> None:
    (tmp_path / "put.cuh").write_text(HEADER)
    (tmp_path / "k.cu").write_text(CALLER)
    names = (sanitize,) if sanitize else ()
    size = 33 if sanitize else 32
    with simulator.Device(), simulator.sanitize(*names or ("steps",)):
        module = simulator.RawModule(path=str(tmp_path / "k.cu"), options=(f"-I{tmp_path}",))
        with pytest.raises(simulator.Fault) as caught:
            module.get_function("k")((1,), (32,), (simulator.zeros(size, "int32"),))
    found = caught.value
    assert "put.cuh:2:" in str(found)
    calls = [span for words, span in found.notes if words == "called here"]
    assert calls
    assert all(span is not None and span.source.name.endswith("k.cu") for span in calls)
    assert all(span is not None and span.line == 2 for span in calls)


def test_a_fault_in_the_own_file_names_no_call() -> None:
    text = "__device__ void put(int *a, int i) { a[i] = 1; }\n"
    found = fault(text + source("int *a", "put(a, threadIdx.x + 1);"), np.zeros(32, "i4"), block=32)
    assert found.notes == ()


def test_an_index_that_nothing_has_written_is_no_missing_check() -> None:
    body = "__shared__ int s[32]; a[s[threadIdx.x]] = 1;"
    found = fault(source("int *a", body), np.zeros(32, "i4"), block=32)
    assert "missing bounds check" not in found.hint
    assert "barrier" in found.hint


def test_shared_memory_behind_a_pointer_is_called_by_its_array() -> None:
    body = (
        "__shared__ int s[8]; __shared__ int t[32]; int *p = threadIdx.x < 40 ? t : s;"
        " p[threadIdx.x % 32] = threadIdx.x; a[0] = 1;"
    )
    kernel = simulator.RawKernel(source("int *a", body), "k")
    with simulator.Device(), simulator.sanitize("race"), pytest.raises(simulator.Fault) as caught:
        kernel((1,), (40,), (simulator.zeros(1, "int32"),))
    assert "race on t[0]" in caught.value.message
