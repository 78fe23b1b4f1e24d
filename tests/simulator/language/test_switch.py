"""`switch`: every lane enters at its label, falls through, breaks, continues and returns."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.check import check
from simulator.read import read
from tests.sampling import sampled
from tests.simulator.language.native import by_compiler, by_simulator, needs_compiler
from tests.simulator.launching import run, source
from tests.simulator.verify import verify

LANES = 48


class Writer:
    """Random statements of switches, loops and branches over the ints s, t and i."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def selector(self) -> str:
        forms = ["x & 3", "(s + x) & 7", "t", "x % 5", "(unsigned char)(x + s)", "x > 2", "2", "s"]
        return self.random.choice(forms)

    def simple(self) -> str:
        step = self.random.randrange(1, 99)
        forms = [f"s += {step};", f"s = s * 3 + {step};", f"t ^= {step};", "t = s & 7;", "x++;"]
        return self.random.choice(forms)

    def leaving(self, in_loop: bool) -> str:
        forms = ["break;", f"return s + {self.random.randrange(9)};", "break;"]
        return self.random.choice(forms + ["continue;"] * (2 * in_loop))

    def statement(self, depth: int, in_loop: bool) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.4:
            return self.simple()
        inner = "".join(self.statement(depth - 1, in_loop) for _ in range(self.random.randrange(3)))
        if kind < 0.6:
            return f"if (s & {self.random.choice((1, 2, 4))}) {{ {inner} }}"
        if kind < 0.75:
            return self.loop(depth)
        return self.switch(depth, in_loop)

    def loop(self, depth: int) -> str:
        self.loops += 1
        name, turns = f"i{self.loops}", self.random.randrange(1, 4)
        inner = "".join(self.statement(depth - 1, True) for _ in range(2))
        stop = self.random.choice(["", "if (s & 8) break;", "if (t & 1) continue;"])
        return f"for (int {name} = 0; {name} < {turns}; {name}++) {{ {inner} {stop} s++; }}"

    def switch(self, depth: int, in_loop: bool) -> str:
        labels = self.random.sample(range(-1, 8), self.random.randrange(1, 6))
        words = [f"case {label}:" for label in labels]
        if self.random.random() < 0.7:
            words.insert(self.random.randrange(len(words) + 1), "default:")
        return f"switch ({self.selector()}) {{ {self.sections(words, depth, in_loop)} }}"

    def sections(self, words: list[str], depth: int, in_loop: bool) -> str:
        text = ""
        for word in words:
            text += word
            if self.random.random() < 0.2 and word is not words[-1]:
                continue
            text += "".join(self.statement(depth - 1, in_loop) for _ in range(2))
            if self.random.random() < 0.3:
                text += f"if (x & 1) {self.leaving(in_loop)}"
            if self.random.random() < 0.6:
                text += self.leaving(in_loop)
            text += " s++;" if text.endswith(":") else ""
        return text


def program(seed: int, functions: int) -> str:
    """A kernel that writes what each of some random functions returns."""
    texts = []
    for at in range(functions):
        writer = Writer(seed * 1000 + at)
        inner = "".join(writer.switch(3, False) for _ in range(2))
        texts.append(f"__device__ int f{at}(int x) {{ int s = 0, t = x; {inner} return s ^ t; }}")
    stores = "".join(f"out[i * {functions} + {at}] = f{at}(in[i]);" for at in range(functions))
    kernel = f"__global__ void kernel(const int *in, int *out) {{ int i = threadIdx.x; {stores} }}"
    return "\n".join(texts) + f'\nextern "C" {kernel}\n'


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("seed", sampled(range(4), 4))
def test_random_switches_agree_with_the_compiler(seed: int, tmp_path: Path) -> None:
    text = program(seed, functions := 12)
    values = np.arange(-4, LANES - 4, dtype=np.int32).reshape(-1, 1)
    verify(check(read(simulator.Source(text))))
    ours = by_simulator(text, values, functions)
    np.testing.assert_array_equal(ours, by_compiler(text, values, functions, tmp_path))


def results(body: str, count: int = 8) -> list[int]:
    """What `body` makes of `s`, 0 at first, in lanes whose `x` is 0, 1, …"""
    text = source("int *out", f"int x = threadIdx.x, s = 0; {body} out[threadIdx.x] = s;")
    return run(text, np.zeros(count, "i4"), block=count).arrays[0].tolist()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("switch (x) { case 1: s = 1; break; case 3: s = 3; break; }", [0, 1, 0, 3, 0]),
        ("switch (x) { case 1: s = 1; case 3: s += 3; break; }", [0, 4, 0, 3, 0]),
        ("switch (x) { case 1: case 3: s = 7; break; default: s = 9; }", [9, 7, 9, 7, 9]),
        ("switch (x) { default: s = 9; case 2: s++; break; case 4: s = 4; }", [10, 10, 1, 10, 4]),
        ("switch (x) { }", [0] * 5),
        ("switch (x) { default: s = 5; }", [5] * 5),
        ("switch (x) { case 1 + 1: case 'A' - 62: s = 1; }", [0, 0, 1, 1, 0]),
        ("const int two = 2; switch (x) { case two: s = 1; }", [0, 0, 1, 0, 0]),
        ("switch (-x) { case -3: s = 1; }", [0, 0, 0, 1, 0]),
        ("switch (x + 0x80000000u) { case 0x80000001u: s = 1; }", [0, 1, 0, 0, 0]),
        ("switch ((long long)x << 40) { case 3LL << 40: s = 1; }", [0, 0, 0, 1, 0]),
        ("switch (x > 2) { case true: s = 1; break; case false: s = 2; }", [2, 2, 2, 1, 1]),
        ("switch (3) { case 2: s = 2; case 3: if (x) break; s = 3; case 4: s++; }", [4, 0, 0]),
        ("switch (x) { int t; case 1: t = 4; s = t; break; case 2: t = 5; s = t; }", [0, 4, 5]),
        ("switch (x) { case 1: { int t = x * 8; s = t; } break; default: int u = 2; s = u; }",
         [2, 8, 2, 2, 2]),
        ("for (int j = 0; j < 3; j++) { switch (x) { case 1: continue; case 2: break; } s++; }",
         [3, 0, 3, 3, 3]),
        ("switch (x) { case 1: for (;;) { if (++s == 4) break; } s += 10; case 2: s++; }",
         [0, 15, 1, 0, 0]),
        ("switch (x) { case 1: switch (s) { case 0: s = 5; break; } s++; break; case 2: s = 2; }",
         [0, 6, 2, 0, 0]),
    ],
)  # fmt: skip
def test_small_switches(body: str, expected: list[int]) -> None:
    assert results(body, len(expected)) == expected


def test_returned_lanes_do_not_go_on() -> None:
    function = """__device__ int f(int x) {
      switch (x) { case 0: return 7; case 1: x = 5; break; default: return x; }
      return -x;
    }
    __device__ int name(int x) { switch (x) { case 0: return 1; default: return 2; } }"""
    text = source("int *out", "int i = threadIdx.x; out[i] = f(i) * 10 + name(i);", function)
    assert run(text, np.zeros(4, "i4"), block=4).arrays[0].tolist() == [71, -48, 22, 32]


def test_lanes_meet_again_behind_a_switch() -> None:
    body = """
      int i = threadIdx.x;
      switch (i & 3) { case 0: out[i] = 1; break; case 1: out[i] = 2; case 2: out[i] += 3; }
      __syncthreads();
      out[i] += 10 * __popc(__activemask());
    """
    every = run(source("int *out", body), np.zeros(32, "i4")).arrays[0]
    np.testing.assert_array_equal(every, 320 + np.tile([1, 5, 3, 0], 8))


def test_a_switch_is_one_branch_and_divergent_where_labels_differ() -> None:
    body = "int i = threadIdx.x; switch (i / 32) { case 0: case 1: out[i] = 1; break; case 2: ; }"
    ran = run(source("int *out", body), np.zeros(96, "i4"), block=96)
    assert (ran.counters.branches, ran.counters.divergent_branches) == (3, 0)
    body = "int i = threadIdx.x; switch (i) { case 40: out[i] = 1; case 41: out[i] = 2; }"
    ran = run(source("int *out", body), np.zeros(96, "i4"), block=96)
    assert (ran.counters.branches, ran.counters.divergent_branches) == (3, 1)
    assert ran.site("branch").text == "i"


def test_a_known_selector_is_no_branch() -> None:
    body = "switch (MODE) { case 1: out[0] = 1; break; default: out[0] = 2; }"
    ran = run("#define MODE 1\n" + source("int *out", body), np.zeros(1, "i4"))
    assert ran.counters.branches == 0
    assert ran.arrays[0][0] == 1


@pytest.mark.parametrize(
    ("body", "words", "place"),
    [
        ("switch (x) { case 1: case 2: case 1: ; }", "the label 1 stands twice", "case 1:"),
        ("switch (x) { default: ; default: ; }", "`default` stands twice", "default:"),
        ("case 1: ;", "`case` outside a switch", "case 1:"),
        ("default: ;", "`default` outside a switch", "default:"),
        ("switch (x) { case 0: if (x) { case 1: ; } }", "`case` in an inner block", "case 1:"),
        ("switch (x) { case x: ; }", "the label `x` is not a constant integer", "x"),
        ("switch (x) { case 1.5: ; }", "the label `1.5` is not a constant integer", "1.5"),
        ("switch (x) { case 1LL << 40: ; }", "never has the value", "1LL << 40"),
        ("switch (1.5f) { case 1: ; }", "a switch needs an integer, not `float`", "1.5f"),
        ("int *p; switch (p) { case 1: ; }", "a switch needs an integer, not `int *`", "p"),
        ("switch (x) { case 0: int t = 1; case 1: ; }", "jumps past the first value of `t`",
         "case 1:"),
        ("switch (x) { x = 1; case 1: ; }", "no label of the switch leads here", "x = 1;"),
        ("switch (x) { case 1: continue; }", "`continue` outside a loop", "continue;"),
        ("break;", "`break` outside a loop or switch", "break;"),
        ("switch (x) { case 1 ... 3: ; }", "a range of labels", "..."),
    ],
)  # fmt: skip
def test_misuse_is_refused(body: str, words: str, place: str) -> None:
    text = f"__global__ void k(int x) {{ {body} }}"
    with pytest.raises(simulator.CompileError) as caught:
        check(read(simulator.Source(text)))
    assert words in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.text == place


def test_functions_end_where_a_switch_lets_them() -> None:
    ends = "__device__ int f(int x) { switch (x) { case 1: return 1; } }"
    breaks = "__device__ int f(int x) { switch (x) { case 1: if (x) break; default: return 1; } }"
    for text in (ends, breaks):
        (warning,) = check(read(simulator.Source(text))).warnings
        assert "can end without returning" in warning.message
    loops = "__device__ int f(int x) { switch (x) { default: while (1) { if (x) return 1; } } }"
    assert check(read(simulator.Source(loops))).warnings == ()
