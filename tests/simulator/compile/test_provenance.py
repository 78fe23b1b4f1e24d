"""Pointers that are chosen, stored or handed on keep to the array that they were made from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator import Fault
from tests.simulator.instrument.test_instrument import check
from tests.simulator.launching import run, source

#: How `p` is made of `start`, a pointer expression of one array or the other, so that no text tells
#: which; and what it needs outside the kernel.
WAYS = {
    "chosen": ("int *p = which ? {0} : {1};", ""),
    "set later": ("int *p = {1}; if (which) p = {0};", ""),
    "in an array of pointers": ("int *both[2] = {{ {1}, {0} }}; int *p = both[which];", ""),
    "in a structure": (
        "P held = {{ 1, which ? {0} : {1} }}; P other = held; int *p = other.p;",
        "struct P { int n; int *p; };",
    ),
    "in shared memory": (
        "__shared__ int *kept; kept = which ? {0} : {1}; int *p = kept;",
        "",
    ),
    "given by a function": (
        "int *p = pick(which, {0}, {1});",
        "__device__ int *pick(int w, int *a, int *b) { if (w) return a; return b; }",
    ),
    "through a reference": (
        "int *p = 0; set(p, which ? {0} : {1});",
        "__device__ void set(int *&p, int *to) { p = to; }",
    ),
    "by a function that calls itself": (
        "int *p = later(2, which ? {0} : {1});",
        "__device__ int *later(int n, int *p) { return n ? later(n - 1, p) : p; }",
    ),
    "moved there and back": ("int *p = which ? {0} : {1}; p += 5; p -= 4; --p;", ""),
    "as other types": ("void *raw = which ? {0} : {1}; int *p = (int *)(char *)raw;", ""),
}
LENGTHS = st.sampled_from([1, 3, 16, 64, 128])


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.sampled_from(sorted(WAYS)),
    st.booleans(),
    st.tuples(LENGTHS, LENGTHS),
    st.sampled_from(["load", "store", "atomic"]),
    st.sampled_from(["shared", "global", "local"]),
    st.data(),
)
def test_an_access_stays_in_the_array_that_its_pointer_was_made_from(
    way: str,
    which: bool,
    lengths: tuple[int, int],
    kind: str,
    space: str,
    data: st.DataObject,
) -> None:
    made, functions = WAYS[way]
    length = lengths[0] if which else lengths[1]
    start = data.draw(st.integers(0, length))
    index = data.draw(st.one_of(st.integers(0, length - 1), st.integers(-4, length + 4)))
    if space == "local" and kind == "atomic":
        kind = "store"
    declared = {"shared": "__shared__ ", "global": "", "local": ""}[space]
    arrays = (
        ""
        if space == "global"
        else "".join(
            f"{declared}int {name}[{n}]; for (int i = 0; i < {n}; i++) {name}[i] = {first} + i;"
            for name, n, first in (("one", lengths[0], 1000), ("two", lengths[1], 2000))
        )
    )
    ends = [f"one + {start if which else 0}", f"two + {0 if which else start}"]
    use = {
        "load": "out[0] = p[at];",
        "store": "p[at] = 7; out[0] = 7;",
        "atomic": "out[0] = atomicAdd(p + at, 1);",
    }[kind]
    body = f"{arrays} {made.format(*ends)} {use}"
    text = source("int *one, int *two, int *out, int which, int at", body, functions)
    if space != "global":
        text = text.replace("int *one, int *two, ", "")
    given = [np.arange(n, dtype="i4") + f for n, f in zip(lengths, (1000, 2000), strict=True)]
    arguments = [
        *(given if space == "global" else []),
        np.zeros(1, "i4"),
        int(which),
        index - start,
    ]
    if 0 <= index < length:
        value = 7 if kind == "store" else (1000 if which else 2000) + index
        assert run(text, *arguments, block=1).arrays[-3].tolist() == [value]
        return
    with pytest.raises(Fault) as caught:
        run(text, *arguments, block=1)
    if space == "shared":
        name = "one" if which else "two"
        assert f"s {name}[{index}] through a pointer, but {name} has {length} element" in str(
            caught.value
        )


BOTH = "__shared__ int one[32]; __shared__ int two[32]; one[threadIdx.x] = 1; two[threadIdx.x] = 2;"
CHOSEN = BOTH + "int *p = a[0] ? two : one;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a[0] = p == one; a[1] = p != two; a[2] = !p; a[3] = p + 32 == two;", [1, 1, 0, 1]),
        ("a[0] = p < two; a[1] = one + 3 - p; a[2] = two - p;", [1, 3, 32]),
        ("a[0] = (unsigned long)p % 128 == (unsigned long)one % 128;", [1]),
        ("a[0] = (unsigned long)two - (unsigned long)p;", [128]),
        ("int *q = (int *)((unsigned long)p + 4); a[0] = *q; a[1] = q - p;", [1, 1]),
        ("a[0] = __isShared(p); a[1] = __isGlobal(p); a[2] = p ? 5 : 6;", [1, 0, 5]),
        ("int *end = p + 32; int n = 0; for (; p < end; p++) n += *p; a[0] = n;", [32]),
        ("int4 *v = (int4 *)p; a[0] = v[7].w;", [1]),
    ],
)
def test_programs_see_plain_addresses(body: str, expected: list[int]) -> None:
    text = source("int *a", CHOSEN + "__syncthreads(); if (threadIdx.x) return;" + body)
    assert run(text, np.zeros(32, "i4")).arrays[0][: len(expected)].tolist() == expected


#: A pointer in memory, and what it looks like as bytes, words and numbers.
KEPT = CHOSEN + "__shared__ int *kept; kept = p; __syncthreads(); if (threadIdx.x) return;"
WORD, NUMBER = "unsigned long long", "(unsigned long long)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"a[0] = *({WORD} *)&kept == {NUMBER}one;", [1]),
        (
            "unsigned *w = (unsigned *)&kept; a[0] = w[1]; a[1] = w[0] == (unsigned)(size_t)one;",
            [0, 1],
        ),
        ("unsigned char *c = (unsigned char *)&kept; a[0] = c[7]; a[1] = c[6];", [0, 0]),
        ("uint2 v = *(uint2 *)&kept; a[0] = v.y;", [0]),
        (
            f"a[0] = atomicCAS(({WORD} *)&kept, {NUMBER}one, {NUMBER}two) == {NUMBER}one;"
            "a[1] = *kept;",
            [1, 2],
        ),
        (f"a[0] = atomicExch(({WORD} *)&kept, 0ull) == {NUMBER}one; a[1] = !kept;", [1, 1]),
        (
            f"a[0] = atomicMin(({WORD} *)&kept, {NUMBER}two) == {NUMBER}one; a[1] = kept == one;",
            [1, 1],
        ),
        (f"atomicAdd(({WORD} *)&kept, 128ull); a[0] = kept == two; a[1] = kept[31];", [1, 2]),
        (f"int *q = p; a[0] = *({WORD} *)&q == {NUMBER}one; q++; a[1] = q - one;", [1, 1]),
        (f"int *q[2] = {{ two, p }}; a[0] = (({WORD} *)q)[1] == {NUMBER}one;", [1]),
        (f"*({WORD} *)&kept = {NUMBER}two; a[0] = kept[31];", [2]),
    ],
)
def test_pointers_in_memory_are_plain(body: str, expected: list[int]) -> None:
    """What looks at their bytes, or swaps them as integers, finds what it would on a GPU."""
    assert (
        run(source("int *a", KEPT + body), np.zeros(32, "i4")).arrays[0][: len(expected)].tolist()
        == expected
    )


@pytest.mark.parametrize("kind", ["int *", "P", "Q"])
def test_the_host_sees_plain_pointers(kind: str) -> None:
    """Alone, and in structures that move by one access and by several."""
    value = {"int *": "p", "P": "P { p }", "Q": "Q { 5, p, 6 }"}[kind]
    types = "struct P { int *p; }; struct Q { int n; int *p; int m; };"
    body = CHOSEN + f"held[threadIdx.x] = {value}; plain[threadIdx.x] = {NUMBER}p;"
    text = source(f"int *a, {kind} *held, {WORD} *plain", body, types)
    size = 3 if kind == "Q" else 1
    given = np.zeros(32, "i4"), np.zeros(32 * size, "u8"), np.zeros(32, "u8")
    held, plain = run(text, *given).arrays[1:]
    assert held[size // 2 :: size].tolist() == plain.tolist()


@pytest.mark.parametrize("kind", ["int *", "P", "Q", "R"])
@pytest.mark.parametrize("space", ["global", "shared", "local"])
def test_marks_outlive_memory(kind: str, space: str) -> None:
    """A pointer that comes back from memory is still one to its array."""
    value = {"int *": "p", "P": "P { p }", "Q": "Q { 5, p, 6 }", "R": "R { { p, 4 }, 3 }"}[kind]
    member = {"int *": "", "R": ".in.p"}.get(kind, ".p")
    types = (
        "struct P { int *p; }; struct Q { int n; int *p; int m; };"
        "struct __align__(16) I { int *p; int n; }; struct R { I in; int n; };"
    )
    place = {"global": "", "shared": f"__shared__ {kind} held[2];", "local": f"{kind} held[2];"}
    body = (
        CHOSEN + place[space] + f"held[1] = {value}; held[0] = held[1]; a[0] = held[0]{member}[n];"
    )
    given = f"int *a, int n, {kind} *{'held' if space == 'global' else 'unused'}"
    text, memory = source(given, body, types), np.zeros(64, "u1")
    assert run(text, np.zeros(1, "i4"), 31, memory, block=1).arrays is not None
    with pytest.raises(Fault, match=r"one\[32\] through a pointer"):
        run(text, np.zeros(1, "i4"), 32, memory, block=1)


def test_what_is_printed_and_traced_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    text = source("int *a", CHOSEN + 'printf("%llx", (unsigned long long)p ^ (size_t)(void *)one);')
    run(text.replace("(size_t)(void *)one", "0"), np.zeros(32, "i4"), block=1)
    assert int(capsys.readouterr().out, 16) < 1 << 40
    run(source("int *a", CHOSEN + 'printf("%p", p);'), np.zeros(32, "i4"), block=1)
    assert int(capsys.readouterr().out, 16) < 1 << 40
    with simulator.Device(memory=1 << 20), simulator.tracing() as trace:
        simulator.RawKernel(text, "k")((1,), (1,), (simulator.zeros(1, "int32"),))
    steps = trace.launches[0].steps
    values = [int(v) for s in steps for _, held in s.named("value") for v in np.ravel(held)]
    assert max(values, default=0) < 1 << 40


def test_counters_and_rewritten_kernels_are_as_before() -> None:
    body = CHOSEN + "__syncthreads(); a[threadIdx.x] = p[threadIdx.x] + atomicAdd(p, 1);"
    check(source("int *a", body), np.zeros(64, "i4"), grid=1, block=32)


def test_a_member_is_checked_against_the_whole_array() -> None:
    before = "struct P { int x; int y[3]; };"
    body = """__shared__ P rows[4]; __shared__ int behind[64]; behind[0] = 1;
    for (int i = 0; i < 4; i++) rows[i].y[2] = i;
    int *p = a[0] ? behind : rows[3].y; a[0] = p[at];"""
    text = source("int *a, int at", body, before)
    assert run(text, np.zeros(1, "i4"), 2, block=1).arrays[0].tolist() == [3]
    with pytest.raises(Fault, match=r"reads rows\[4\] through a pointer, but rows has 4 elements"):
        run(text, np.zeros(1, "i4"), 3, block=1)


def test_dynamic_shared_memory_has_its_own_ends() -> None:
    body = """extern __shared__ int pool[]; __shared__ int fixed[4]; fixed[0] = pool[0] = 1;
    int *p = a[0] ? fixed : pool; a[0] = p[at];"""
    text = source("int *a, int at", body)
    for at, message in ((-1, r"reads pool\[-1\]"), (8, r"pool\[8\] .* has 8 elements")):
        with pytest.raises(Fault, match=message):
            run(text, np.zeros(1, "i4"), at, block=1, shared=32)


def test_kernels_without_such_pointers_do_not_pay() -> None:
    one = source("int *a, int n", BOTH + "int *p = a; if (n) p = a + n; a[0] = *p + one[0];")
    assert "gang.check_tag(" not in simulator.RawKernel(one, "k").compiled().text
    many = source("int *a", CHOSEN + "a[0] = *p;")
    assert "gang.check_tag(" in simulator.RawKernel(many, "k").compiled().text


def test_allocations_do_not_touch() -> None:
    with simulator.Device(memory=1 << 20) as device:
        arrays = [simulator.zeros(n, "uint8") for n in (256, 0, 512, 1, 4096)]
        ends = sorted((a.data.ptr, a.data.ptr + a.nbytes) for a in arrays)
        gaps = [b[0] - a[1] for a, b in pairwise(ends)]
        assert min(gaps) >= 1024
        assert all(start % 256 == 0 for start, _ in ends)
        assert device.memory.bytes_used == sum(a.nbytes for a in arrays)


def test_all_of_the_memory_can_be_had() -> None:
    with simulator.Device(memory=1 << 20):
        whole = simulator.zeros(1 << 20, "uint8")
        with pytest.raises(simulator.OutOfMemoryError):
            simulator.zeros(1, "uint8")
        del whole
        parts = [simulator.zeros(2048, "uint8") for _ in range(512)]
        assert len({p.data.ptr for p in parts}) == 512
