"""Random straight-line PTX, carried out by the simulator and instruction by instruction here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.machines import nvrtc
from tests.simulator.launching import run
from tests.simulator.ptx import reference as ref

THREADS = 32
COUNTS = {"r": 5, "l": 3, "p": 3}
_32 = ["%0", "%1", "%2", "a", "b"]
_64 = ["%3", "c", "d"]
NAMES = {"r": _32, "l": _64, "p": ["p", "q", "w"]}

Meaning = Callable[..., int]


def of(size: int, meaning: Meaning) -> Meaning:
    return lambda *given: ref.masked(meaning(*given), size)


def signed32(meaning: Meaning) -> Meaning:
    return lambda *given: ref.masked(meaning(*(ref.signed(x, 32) for x in given)), 32)


#: Opcodes: the kinds of the result and of the operands, and the meaning.
OPCODES: dict[str, tuple[str, Meaning]] = {
    "add.u32": ("rrr", of(32, lambda x, y: x + y)),
    "sub.s32": ("rrr", of(32, lambda x, y: x - y)),
    "mul.lo.u32": ("rrr", of(32, lambda x, y: x * y)),
    "mul.hi.s32": ("rrr", signed32(lambda x, y: x * y >> 32)),
    "mul.wide.u32": ("lrr", lambda x, y: x * y),
    "mad.wide.u32": ("lrrl", of(64, lambda x, y, z: x * y + z)),
    "mad.lo.s32": ("rrrr", of(32, lambda x, y, z: x * y + z)),
    "min.s32": ("rrr", signed32(min)),
    "max.u32": ("rrr", max),
    "and.b32": ("rrr", lambda x, y: x & y),
    "or.b64": ("lll", lambda x, y: x | y),
    "xor.b32": ("rrr", lambda x, y: x ^ y),
    "not.b64": ("ll", of(64, lambda x: ~x)),
    "add.u64": ("lll", of(64, lambda x, y: x + y)),
    "sub.u64": ("lll", of(64, lambda x, y: x - y)),
    "mul.lo.u64": ("lll", of(64, lambda x, y: x * y)),
    "mul.hi.u64": ("lll", lambda x, y: x * y >> 64),
    "shl.b32": ("rrr", of(32, lambda x, n: x << n if n < 32 else 0)),
    "shr.u64": ("llr", lambda x, n: x >> n if n < 64 else 0),
    "shr.s32": ("rrr", of(32, lambda x, n: ref.signed(x, 32) >> min(n, 31))),
    "popc.b64": ("rl", int.bit_count),
    "clz.b32": ("rr", lambda x: 32 - x.bit_length()),
    "brev.b32": ("rr", lambda x: int(f"{x:032b}"[::-1], 2)),
    "prmt.b32": ("rrrr", ref.prmt),
    "bfe.s32": ("rrrr", lambda a, b, n: ref.masked(ref.bfe(a, b, n, "s32"), 32)),
    "bfi.b32": ("rrrrr", lambda a, b, p, n: ref.bfi(a, b, p, n, 32)),
    "cvt.u64.u32": ("lr", lambda x: x),
    "cvt.s64.s32": ("lr", of(64, lambda x: ref.signed(x, 32))),
    "cvt.u32.u64": ("rl", of(32, lambda x: x)),
    "mov.b32": ("rr", lambda x: x),
    "setp.lt.s32": ("prr", lambda x, y: int(ref.signed(x, 32) < ref.signed(y, 32))),
    "setp.hs.u64": ("pll", lambda x, y: int(x >= y)),
    "setp.eq.u32": ("prr", lambda x, y: int(x == y)),
    "and.pred": ("ppp", lambda x, y: x & y),
    "xor.pred": ("ppp", lambda x, y: x ^ y),
    "not.pred": ("pp", lambda x: 1 - x),
    "selp.b32": ("rrrp", lambda x, y, p: x if p else y),
    "selp.u64": ("lllp", lambda x, y, p: x if p else y),
}
Step = tuple[str, str, list[str], str]


@st.composite
def steps(draw: Any) -> Step:
    """An instruction: its opcode, where its result goes, its operands, and a predicate."""
    opcode = draw(st.sampled_from(sorted(OPCODES)))
    kinds, _ = OPCODES[opcode]
    given_names = []
    for at, kind in enumerate(kinds[1:]):
        counts_bits = opcode.startswith("bf") and at >= len(kinds) - 3
        larger = [] if counts_bits else ["0x80000000", "-3"]
        constants = st.sampled_from(["0", "1", "7", "31", "0xff", *larger])
        names = st.sampled_from(NAMES[kind])
        plain = kind == "p" or opcode.startswith(("cvt", "not", "popc", "clz", "brev"))
        given_names.append(draw(names if plain else st.one_of(names, names, constants)))
    guard = draw(st.sampled_from(["", "", "", "@p ", "@!q "]))
    return opcode, draw(st.sampled_from(NAMES[kinds[0]])), given_names, guard


def text_of(program: list[Step]) -> str:
    """An asm statement with three 32-bit operands and one of 64 bits, all set before and after."""
    zero = "mov.b32 a, %4; mov.b32 b, 5; mov.b64 c, %5; mov.b64 d, 9;"
    start = f"setp.ne.u32 p, %4, 0; setp.eq.u32 q, %4, 0; setp.gt.u32 w, %4, 9; {zero}"
    lines = [f"{guard}{op} {', '.join([to, *given])};" for op, to, given, guard in program]
    ends = "selp.u32 a, 1, 0, p; @q add.u32 %0, %0, a; xor.b32 %1, %1, b; add.u64 %3, %3, c;"
    body = "\\n\\t".join(
        ["{ .reg .pred p, q, w; .reg .b32 a, b; .reg .b64 c, d;", start, *lines, ends, "}"]
    )
    operands = '"+r"(x), "+r"(y), "+r"(z), "+l"(v) : "r"(i), "l"(u)'
    return f'asm volatile("{body}" : {operands});'


def kernel(program: list[Step]) -> str:
    return f"""extern "C" __global__ void k(const unsigned *r, const unsigned long long *l,
  unsigned *out, unsigned long long *wide) {{
  int t = threadIdx.x;
  unsigned x = r[t], y = r[32 + t], z = r[64 + t], i = r[96 + t];
  unsigned long long v = l[t], u = l[32 + t];
  {text_of(program)}
  out[t] = x; out[32 + t] = y; out[64 + t] = z; wide[t] = v;
}}"""


def carried_out(program: list[Step], r: list[int], v: int, u: int) -> list[int]:
    """The same of one thread, here."""
    x, y, z, i = r
    values = {"%0": x, "%1": y, "%2": z, "%3": v, "a": i, "b": 5, "c": u, "d": 9}
    values |= {"p": int(i != 0), "q": int(i == 0), "w": int(i > 9)}

    def value(name: str, kind: str) -> int:
        if name in values:
            return values[name]
        return ref.masked(int(name, 0), 64 if kind == "l" else 32)

    for opcode, to, names, guard in program:
        if guard and bool(values[guard.strip("@! ")]) == ("!" in guard):
            continue
        kinds, meaning = OPCODES[opcode]
        values[to] = meaning(*(value(n, k) for n, k in zip(names, kinds[1:], strict=True)))
    if values["q"]:
        values["%0"] = ref.masked(values["%0"] + values["p"], 32)
    values["%1"] ^= values["b"]
    values["%3"] = ref.masked(values["%3"] + values["c"], 64)
    return [values[f"%{n}"] for n in range(4)]


def drawn(seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    r = random.integers(0, 2**32, 128, dtype="u4")
    l = random.integers(0, 2**64, 64, dtype="u8")  # noqa: E741
    r[::3] = random.integers(0, 40, r[::3].size)
    return r, l


PROGRAMS = st.lists(steps(), max_size=14)


@pytest.mark.slow
@given(PROGRAMS, st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_random_programs(program: list[Step], seed: int) -> None:
    r, wide = drawn(seed)
    arrays = run(kernel(program), r, wide, np.zeros(96, "u4"), np.zeros(32, "u8")).arrays
    for t in range(THREADS):
        found = [*(int(arrays[2][32 * n + t]) for n in range(3)), int(arrays[3][t])]
        mine = [int(r[32 * n + t]) for n in range(4)]
        assert found == carried_out(program, mine, int(wide[t]), int(wide[32 + t]))


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
@pytest.mark.slow
@given(PROGRAMS)
@settings(max_examples=60, deadline=None)
def test_nvidias_assembler_takes_random_programs(program: list[Step]) -> None:
    nvrtc.compile_text(kernel(program), "programs.cu", Path())


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
def test_nvidias_assembler_takes_every_opcode(tmp_path: Path) -> None:
    program = [
        (op, NAMES[kinds[0]][0], [NAMES[k][n % len(NAMES[k])] for n, k in enumerate(kinds[1:])], "")
        for op, (kinds, _) in OPCODES.items()
    ]
    nvrtc.compile_text(kernel(program), "programs.cu", tmp_path)
