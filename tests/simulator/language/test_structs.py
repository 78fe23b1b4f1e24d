"""Structures: layout, lists of values, copies, arrays and pointers in them, in every memory."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.check import check
from simulator.read import read
from tests.sampling import sampled
from tests.simulator.language.native import by_compiler, by_simulator, needs_compiler
from tests.simulator.language.test_switch import Writer
from tests.simulator.launching import run, source
from tests.simulator.verify import verify

SCALARS = ["char", "short", "int", "long long", "float", "double", "unsigned char", "bool"]


class Structures:
    """Random structures of scalars, arrays, pointers and one another."""

    def __init__(self, seed: int, count: int) -> None:
        self.random = random.Random(seed)
        self.members: dict[str, list[tuple[str, str, str]]] = {}
        for at in range(count):
            self.members[f"S{at}"] = [self.member(name) for name in "abcd"[: 1 + at % 4]]

    def member(self, name: str) -> tuple[str, str, str]:
        """A type, a name, and the brackets behind it."""
        small = [s for s in self.members if len(self.leaves(s, "")) < 6]
        known = [*SCALARS, *small, *small, "int *"]
        brackets = self.random.choice(["", "", "", "[2]", "[3]", "[2][2]"])
        return self.random.choice(known), name, brackets

    def definitions(self) -> str:
        texts = []
        for name, members in self.members.items():
            align = self.random.choice(["", "", "", "__align__(8) ", "__align__(16) "])
            inner = " ".join(f"{of} {member}{brackets};" for of, member, brackets in members)
            texts.append(f"struct {align}{name} {{ {inner} }};")
        return "\n".join(texts)

    def leaves(self, of: str, place: str) -> list[tuple[str, str]]:
        """The scalars at the bottom of `place`, with their types."""
        if of not in self.members:
            return [(place, of)] if of != "int *" else []
        found = []
        for inner, name, brackets in self.members[of]:
            for index in indices(brackets):
                found += self.leaves(inner, f"{place}.{name}{index}")
        return found

    def value(self, of: str, depth: int = 0) -> str:
        """A list of values, some left out, some without braces of their own."""
        if of not in self.members:
            return {"int *": "0", "bool": "true"}.get(
                of, f"({of})(x + {self.random.randrange(99)})"
            )
        parts = [self.part(*member, depth) for member in self.members[of]]
        return f"{{{', '.join(parts[: self.random.randrange(1, len(parts) + 1)])}}}"

    def part(self, inner: str, _: str, brackets: str, depth: int) -> str:
        one = [self.value(inner, depth + 1) for _ in indices(brackets)]
        if not brackets:
            return one[0]
        if inner in self.members and brackets == "[2][2]":
            return f"{{{{{one[0]}, {one[1]}}}, {{{one[2]}}}}}"
        if inner not in self.members and self.random.random() < 0.3:
            return ", ".join(one)
        return f"{{{', '.join(one[: self.random.randrange(1, len(one) + 1)])}}}"


def indices(brackets: str) -> list[str]:
    return {
        "": [""],
        "[2]": ["[0]", "[1]"],
        "[3]": ["[0]", "[1]", "[2]"],
        "[2][2]": ["[0][0]", "[0][1]", "[1][0]", "[1][1]"],
    }[brackets]


def sums(made: Structures, of: str, place: str) -> str:
    """Statements that fold all leaves of `place` into `h`."""
    return " ".join(f"h = h * 31 + (int){leaf};" for leaf, _ in made.leaves(of, place))


def function(made: Structures, at: int, of: str) -> str:
    """A device function that sends a structure through every kind of place."""
    chance = made.random
    leaves = [leaf for leaf, _ in made.leaves(of, "")] or [""]
    change = chance.choice(leaves)
    touch = f"r{change} = 1;" if change else ""
    return f"""
__device__ {of} through{at}({of} v, int x) {{ {of} *p = &v; {of} w = *p; return x & 1 ? v : w; }}
__device__ void touch{at}({of} &r) {{ {touch} }}
__device__ int look{at}(const {of} &v) {{ int h = 0; {sums(made, of, "v")} return h; }}
__device__ int f{at}(int x) {{
  int h = (int)sizeof({of});
  {of} a = {made.value(of)};
  {of} many[3] = {{{made.value(of)}, a}};
  {of} b = through{at}(a, x), c;
  c = many[x & 1];
  {of} &r = x & 2 ? many[2] : many[2];
  touch{at}(r);
  touch{at}(x & 4 ? b : b);
  {of} *p = many + (x & 1);
  p[1] = c;
  {sums(made, of, "b")} {sums(made, of, "many[1]")} {sums(made, of, "(*p)")}
  return h ^ look{at}(many[2]) ^ look{at}({of}{made.value(of)});
}}"""


def program(seed: int, count: int) -> str:
    made = Structures(seed, count)
    functions = "".join(function(made, at, name) for at, name in enumerate(made.members))
    functions = functions.replace("x & 2 ? many[2] : many[2]", "many[2]")
    functions = functions.replace("(x & 4 ? b : b)", "(b)")
    stores = "".join(f"out[i * {count} + {at}] = f{at}(in[i]);" for at in range(count))
    kernel = f"__global__ void kernel(const int *in, int *out) {{ int i = threadIdx.x; {stores} }}"
    return f'{made.definitions()}{functions}\nextern "C" {kernel}\n'


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_random_structures_agree_with_the_compiler(seed: int, tmp_path: Path) -> None:
    text = program(seed, count := 6)
    values = np.arange(8, dtype=np.int32).reshape(-1, 1)
    verify(check(read(simulator.Source(text))))
    ours = by_simulator(text, values, count)
    np.testing.assert_array_equal(ours, by_compiler(text, values, count, tmp_path))


HOLDERS = {
    "q.": "State q = {0, {x, x}};",
    "q .": "State all[3] = {{0, {x, x}}, {0, {x, x}}, {0, {x, x}}}; State &q = all[x & 1];",
    "q->": "State all[2] = {}, *q = x & 1 ? all : &all[1]; *q = {0, {x, x}};",
    "(*q).": "State one = {0, {x, x}}, *q = &one;",
    "z[i]. ": "__shared__ State z[48]; const int i = threadIdx.x; z[i] = {0, {x, x}};",
}


def state_program(seed: int) -> str:
    """Random switches and loops whose variables s and t are members of a structure."""
    texts = []
    for at, (holder, start) in enumerate(HOLDERS.items()):
        writer = Writer(seed * 1000 + at)
        inner = "".join(writer.switch(3, False) for _ in range(2)) + "return s ^ t;"
        inner = re.sub(r"\bs\b", f"{holder}s", inner)
        inner = re.sub(r"\bt\b", f"{holder}t[{holder}s & 1]", inner)
        texts.append(f"__device__ int f{at}(int x) {{ {start} {inner} }}")
    stores = "".join(f"out[i * 5 + {at}] = f{at}(in[i]);" for at in range(len(HOLDERS)))
    kernel = f"__global__ void kernel(const int *in, int *out) {{ int i = threadIdx.x; {stores} }}"
    return "\n".join(["struct State { int s, t[2]; };", *texts, f'extern "C" {kernel}\n'])


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("seed", sampled(range(6), 6))
def test_members_are_variables_wherever_they_are(seed: int, tmp_path: Path) -> None:
    text = state_program(seed)
    values = np.arange(-4, 44, dtype=np.int32).reshape(-1, 1)
    verify(check(read(simulator.Source(text))))
    ours = by_simulator(text, values, len(HOLDERS))
    np.testing.assert_array_equal(ours, by_compiler(text, values, len(HOLDERS), tmp_path))


BODY = "struct Body { float mass; double at[3]; char kind; };"
BODIES = np.dtype([("mass", "f4"), ("at", "f8", (3,)), ("kind", "i1")], align=True)


def test_arrays_of_structures_in_device_memory() -> None:
    bodies = np.zeros(8, BODIES)
    bodies["mass"], bodies["at"] = np.arange(8), np.arange(24).reshape(8, 3)
    text = source(
        "Body *b, double *sums, int n",
        """int i = threadIdx.x;
        Body *other = &b[(i + 1) % n];
        double s = 0;
        for (int d = 0; d < 3; d++) s += b[i].at[d] * other->at[d];
        sums[i] = s + other->mass;
        __syncthreads();
        b[i].at[i % 3] = -1;
        b[i].kind = 'a' + i;""",
        BODY,
    )
    ran = run(text, bodies.view("u1"), np.zeros(8), 8, block=8)
    after = np.roll(bodies, -1)
    dots = (bodies["at"] * after["at"]).sum(axis=1) + after["mass"]
    np.testing.assert_array_equal(ran.arrays[1], dots)
    changed = ran.arrays[0].view(BODIES)
    bodies["at"][np.arange(8), np.arange(8) % 3] = -1
    np.testing.assert_array_equal(changed["at"], bodies["at"])
    assert bytes(changed["kind"]) == b"abcdefgh"


def test_lists_are_followed_by_pointers() -> None:
    node = """struct Node { int value; Node *next; };
    __device__ int total(const Node *at) {
      int sum = 0;
      while (at) { sum += at->value; at = at->next; }
      return sum;
    }"""
    body = """int i = threadIdx.x;
      nodes[i].value = i;
      nodes[i].next = i % 4 ? &nodes[i - 1] : nullptr;
      __syncthreads();
      out[i] = total(nodes + i);"""
    ran = run(source("Node *nodes, int *out", body, node), np.zeros(64, "u8"), np.zeros(32, "i4"))
    expected = [sum(range(i - i % 4, i + 1)) for i in range(32)]
    assert ran.arrays[1].tolist() == expected


@pytest.mark.parametrize("words", range(1, 13))
@pytest.mark.parametrize("before", [0, 1, 5])
def test_every_block_has_shared_structures_of_any_size(words: int, before: int) -> None:
    body = f"""__shared__ int pad[{before + 1}];
      __shared__ Words s[3];
      if (threadIdx.x < 3) s[threadIdx.x].last[{words - 1}] = 100 * blockIdx.x + threadIdx.x;
      pad[0] = 0;
      __syncthreads();
      const Words *next = s + (threadIdx.x + 1) % 3;
      o[blockIdx.x * 64 + threadIdx.x] = next->last[{words - 1}] + pad[0];"""
    text = f"struct Words {{ int last[{words}]; }};\n" + (
        f'extern "C" __global__ void k(int *o) {{ {body} }}'
    )
    found = simulator.zeros((5, 64), dtype="int32")
    simulator.RawKernel(text, "k")((5,), (64,), (found,))
    expected = 100 * np.arange(5)[:, None] + (np.arange(64) + 1) % 3
    assert (found.get() == expected).all()


@pytest.mark.parametrize("of", ["int", "float"])
def test_atomics_on_members_of_shared_structures_of_any_size(of: str) -> None:
    body = f"""__shared__ Three s[5];
      int i = threadIdx.x;
      if (i < 5) s[i] = Three{{0, 1, 2}};
      __syncthreads();
      atomicAdd(&s[i % 5].b, ({of})1);
      atomicAdd(&s[4].a[1], ({of})1);
      __syncthreads();
      if (i < 5) out[blockIdx.x * 5 + i] = (int)s[i].b * 100 + (int)s[i].a[1];"""
    struct = f"struct Three {{ {of} a[2], b; }};"
    out = run(source("int *out", body, struct), np.zeros(15, "i4"), grid=3, block=33).arrays[0]
    # {0, 1, 2} goes to a[0], a[1] and b
    one = [(2 + len(range(k, 33, 5))) * 100 + 1 + 33 * (k == 4) for k in range(5)]
    assert out.tolist() == one * 3


@pytest.mark.parametrize(
    ("struct", "requests", "width"),
    [
        ("struct P { int x, y; };", 2, 4),
        ("struct __align__(8) P { int x, y; };", 1, 8),
        ("struct alignas(16) P { float x[3]; short w; };", 1, 16),
        ("struct __align__(16) P { float x, y, z, w; int v; };", 5, 4),
        ("struct P { float4 x; int4 y[2]; };", 3, 16),
        ("struct Q { float3 x; }; struct P { Q q[2]; };", 6, 4),
    ],
)
def test_aligned_structures_move_by_one_access(struct: str, requests: int, width: int) -> None:
    body = "b[threadIdx.x] = a[threadIdx.x];"
    given = np.arange(32 * 48).astype("u1"), np.zeros(32 * 48, "u1")
    ran = run(source("const P *a, P *b", body, struct), *given)
    assert ran.counters.load_requests == ran.counters.store_requests == requests
    assert ran.counters.load_bytes == 32 * requests * width


def test_counters_name_members() -> None:
    body = "b[threadIdx.x].at[1] = b[threadIdx.x].mass; b[0].at[threadIdx.x % 3] = 1;"
    ran = run(source("Body *b", body, BODY), np.zeros(32 * BODIES.itemsize, "u1"))
    names = sorted(site.array for site in ran.launch.sites)
    assert names == ["b", "b", "b.mass"]


def test_faults_name_members() -> None:
    text = source("Body *b", "b[threadIdx.x].mass = 1;", BODY)
    with pytest.raises(simulator.Fault, match=r"writes b.mass\[3\], but b.mass has 3 elements"):
        run(text, np.zeros(3 * BODIES.itemsize, "u1"))
    text = source("int *out, int n", "struct { int v[3]; } s = {}; out[0] = s.v[n];")
    with pytest.raises(simulator.Fault, match=r"reads s.v\[3\], but s.v has 3 elements"):
        run(text, np.zeros(1, "i4"), 3)


def test_either_structure_is_evaluated_by_its_lanes_only() -> None:
    functions = """struct P { int x, y; };
    __device__ P make(int *calls, int x) { atomicAdd(calls, 1); return {x, -x}; }"""
    body = """int i = threadIdx.x;
      P none = {7, 8};
      P p = i < 3 ? make(calls, i) : i < 5 ? none : P{1, 2};
      out[i] = p.x * 10 + (i & 1 ? p : none).y;"""
    text = source("int *calls, int *out", body, functions)
    calls, out = run(text, np.zeros(1, "i4"), np.zeros(8, "i4"), block=8).arrays
    assert calls[0] == 3
    assert out.tolist() == [8, 9, 28, 78, 78, 12, 18, 12]


def results(body: str, functions: str = "", count: int = 4) -> list[int]:
    """What `body` makes of `s`, 0 at first, in lanes whose `i` is 0, 1, …"""
    text = source("int *out", f"int i = threadIdx.x, s = 0; {body} out[i] = s;", functions)
    return run(text, np.zeros(count, "i4"), block=count).arrays[0].tolist()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int v[4] = {}; int &x = v[i]; x = 5; x += i; s = v[i] * 10 + v[(i + 1) % 4];",
         [50, 60, 70, 80]),
        ("int t = i; int &x = t; int &y = x; y++; int *p = &y; *p *= 2; s = t;", [2, 4, 6, 8]),
        ("const int &x = i + 1; const auto &y = i; s = x * 10 + y;", [10, 21, 32, 43]),
        ("const int &x = s; s = 3; s += x;", [6] * 4),
        ("double d = 1.5; const int &x = d; d = 9; s = x;", [1] * 4),
        ("struct P { int a[2]; } p[2] = {1, 2, 3, 4}; P &q = p[i & 1]; q.a[1] += 5; s = p[1].a[1];",
         [4, 9, 4, 9]),
        ("__shared__ int t[4]; int &x = t[i]; x = i * i; __syncthreads(); s = t[3 - i];",
         [9, 4, 1, 0]),
        ("int j = i, *p = &s; int *&q = p; *q = 3; q = &j; *p += 1; s = s * 10 + j;",
         [31, 32, 33, 34]),
        ("int a(5), *b(&a), c{7}, d = {8}, e{}; *b += i; s = a + c + d + e;", [20, 21, 22, 23]),
        ("float f{0.5f}; s = int(f * 4) + int{3} + int();", [5] * 4),
        ("for (int k(0); k < 3; k++) { int &t = s; t += k; }", [3] * 4),
        ("out[i] = 4; int &x = out[i]; x++; s = x;", [5] * 4),
        ("typedef struct { short a, b; } Pair; Pair p{1, 2}, *q = &p; q->b += i; s = p.a + p.b;",
         [3, 4, 5, 6]),
        ("struct Pair { int a, b; }; struct Pair p = {i, 2}, q; q = {p.b, p.a};"
         "s = q.a * 10 + q.b;",
         [20, 21, 22, 23]),
    ],
)  # fmt: skip
def test_references_and_direct_values(body: str, expected: list[int]) -> None:
    assert results(body) == expected


def test_default_arguments() -> None:
    functions = """const int step = 4;
    __device__ int f(int x, int by = step + 1, float scale = 2);
    __device__ int f(int x, int by, float scale) { return int((x + by) * scale); }"""
    assert results("s = f(i) * 100 + f(i, 1) * 10 + f(i, 0, 1);", functions, 2) == [1020, 1241]


def test_static_assertions_hold_a_program_to_its_word() -> None:
    functions = 'struct P { char c; double d; }; static_assert(sizeof(P) == 16, "padded");'
    assert results("static_assert(sizeof(P[3]) == 48); s = 1;", functions) == [1] * 4
    with pytest.raises(simulator.CompileError, match="static assertion failed: too large"):
        results('static_assert(sizeof(long) < 8, "too large");')
