"""`asm` statements: their operands, what they declare, and what is refused by name."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.launching import run, source

PARAMETERS = "int *o, long long *w, float *f"

#: Statements, and what is in `o[0]` after them: before, it is 7.
ACCEPTED = {
    'asm("add.s32 %0, %0, 5;" : "+r"(o[0]));': 12,
    'asm("mov.u32 %0, %1;" : "=r"(o[0]) : "n"(3 * 4));': 12,
    'asm("mov.u32 %0, %%tid.x; add.u32 %0, %0, %1;" : "=r"(o[0]) : "r"(2));': 2,
    'asm volatile("" ::: "memory");': 7,
    'asm volatile("");': 7,
    'asm("mov.u32 %0, 1;" "add.u32 %0, %0, 1;\\n\\t" "shl.b32 %0, %0, 4; // x\\n"'
    ' : "=r"(o[0]));': 32,
    'asm("{ .reg .u32 a; mov.u32 a, 3; { .reg .u32 a; mov.u32 a, 9; } mov.u32 %0, a; }"'
    ' : "=r"(o[0]));': 3,
    'asm("{ .reg .b32 t<3>; mov.b32 t0, 1; mov.b32 t2, 5; add.u32 %0, t0, t2; }" : "=r"(o[0]));': 6,
    'asm("{ .reg .pred %%p; .reg .b32 %%r<2>, %%x; setp.eq.u32 %%p, %0, 7; mov.b32 %%r1, 4;"'
    ' "@%%p mov.b32 %%x, 1; @!%%p mov.b32 %%x, 2; add.u32 %0, %%r1, %%x; }" : "+r"(o[0]));': 5,
    'short h = -3; asm("add.s16 %0, %0, 1;" : "+h"(h)); o[0] = h;': -2,
    'unsigned u = 5; asm("sub.u32 %0, %1, %0;" : "+r"(u) : "r"(9u)); o[0] = u;': 4,
    'long long l = 1; asm("shl.b64 %0, %0, 33;" : "+l"(l)); o[0] = l >> 32;': 2,
    'int *p; asm("add.u64 %0, %1, 4;" : "=l"(p) : "l"(o - 1)); *p = 8;': 8,
    'double d = 1.5; asm("add.f64 %0, %0, %0;" : "+d"(d)); o[0] = d;': 3,
    'asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(o[0]) : "f"(-2.75f));': -2,
    'float x = 1; asm("add.f32 %0, %0, 0f3f800000; mul.f32 %0, %0, 2.5;" : "+f"(x)); o[0] = x;': 5,
    'int x = 1; asm("mov.b32 %0, %1;" : "=r"(x) : "f"(1.0f)); o[0] = x >> 23;': 127,
    'struct S { int x; } s; asm("mov.u32 %0, 4;" : "=r"(s.x)); o[0] = s.x;': 4,
    'asm("mov.u32 %0, 0x10; add.u32 %0, %0, 010; add.u32 %0, %0, 0b11;" : "=r"(o[0]));': 27,
    'if (o[0] > 99) asm volatile("trap;"); else asm("mov.u32 %0, 2;" : "=r"(o[0]));': 2,
    'int a, b; asm("mov.u32 %0, 5; mov.u32 %1, 6;" : "=r"(a), "=&r"(b)); o[0] = 10 * a + b;': 56,
    'int min = 3; asm("min.s32 %0, %0, %1;" : "+r"(o[0]) : "r"(min));': 3,
    'for (int i = 0; i < 3; i++) asm("add.s32 %0, %0, %1;" : "+r"(o[0]) : "r"(i) :);': 10,
}


@pytest.mark.parametrize("statement", ACCEPTED)
def test_statements(statement: str) -> None:
    arrays = np.array([7], "i4"), np.zeros(1, "i8"), np.zeros(1, "f4")
    found = run(source(PARAMETERS, statement), *arrays, block=1, sanitize="all").arrays[0]
    assert found[0] == ACCEPTED[statement]


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
def test_nvidias_assembler_takes_them(tmp_path: Path) -> None:
    texts = [
        source(PARAMETERS, one).replace(" k(", f" k{number}(")
        for number, one in enumerate(ACCEPTED)
    ]
    nvrtc.compile_text("\n".join(texts), "statements.cu", tmp_path)


def test_steps_are_counted_and_found_by_their_text() -> None:
    statement = (
        'asm volatile("add.u32 %0, %0, 1;\\n\\tst.global.u32 [%1], %0;" : "+r"(x) : "l"(o));'
    )
    ran = run(source("int *o", f"int x = 3; {statement}"), np.zeros(1, "i4"), block=1)
    assert ran.site("store").text == "st.global.u32 [%1], %0"
    assert ran.counters.warp_steps > 2


def test_a_function_of_the_programs_own_means_nothing_to_ptx() -> None:
    functions = "__device__ int __popc(float x) { return 99; }"
    statement = 'asm("popc.b32 %0, %0;" : "+r"(o[0]));'
    assert run(source("int *o", statement, functions), np.array([7], "i4"), block=1).arrays[0] == 3


#: Statements, the message, where it points, and part of the hint.
REFUSED = [
    (
        'asm("bfe.u32 %0, %0, 256, 3;" : "+r"(x));',
        "`bfe.u32` takes from 0 to 255 bits, not 256",
        "bfe.u32 %0, %0, 256, 3",
        "in C",
    ),
    (
        'asm("foo.u32 %0, 1;" : "=r"(x));',
        "the PTX instruction `foo.u32` is",
        "foo.u32 %0, 1",
        "in C",
    ),
    ('asm("mov.u32 %0, 1" : "=r"(x));', "`mov.u32 %0, 1` has no `;`", "mov.u32 %0, 1", "ends with"),
    ('asm("L: add.u32 %0, %0, 1;" : "+r"(x));', "labels are not", "L: add.u32 %0, %0, 1", "loop"),
    ('asm("bra L;");', "the PTX instruction `bra` is not", "bra L", "in C"),
    (
        'asm(".shared .u32 s;");',
        "`.shared` is not supported",
        ".shared .u32 s",
        "declare variables",
    ),
    ('asm("mov.u32 %0, %1;" : "=r"(x));', "there is no operand `%1`", "%1", "has 1"),
    ('asm("mov.u32 %0, y;" : "=r"(x));', "`y` is not declared", "y", "`.reg`"),
    (
        'asm("mov.u32 %0, %%envreg0;" : "=r"(x));',
        "the special register `%envreg0`",
        "%%envreg0",
        "`%laneid`",
    ),
    ('asm("add.u32 %0, %1, 1;" : "=r"(x) : "l"(w));', "`%1` has 64 bits, and the", "%1", "cvt"),
    (
        'asm("add.sat.s32 %0, %0, 1;" : "+r"(x));',
        "has the part `.sat`",
        "add.sat.s32 %0, %0, 1",
        "C",
    ),
    (
        'asm("add.f16 %0, %0, %0;" : "+h"(h));',
        "the PTX type `.f16`",
        "add.f16 %0, %0, %0",
        "8 to 64",
    ),
    ('asm("add.u32 %0, %0;" : "+r"(x));', "takes 3 operands, not 2", "add.u32 %0, %0", "C"),
    ('asm("setp.lt.u32 %0, 1, 2;" : "=r"(x));', "`%0` is one of 32 bits", "%0", "size"),
    ('asm("bar.sync 1, 32;");', "a barrier of some of the block's", "bar.sync 1, 32", "C"),
    (
        'asm("ld.global.u32 %0, [%0];" : "+r"(x));',
        "`%0` has 32 bits, and an address",
        "[%0]",
        '"l"',
    ),
    (
        'asm("ld.const.u32 %0, [%1];" : "=r"(x) : "l"(w));',
        "of memory that the",
        "ld.const.u32 %0, [%1]",
        "",
    ),
    (
        'asm("shfl.sync.idx.b32 %0, %0, 1, %0, -1;" : "+r"(x));',
        "needs a constant such as 0x1f",
        "shfl.sync.idx.b32 %0, %0, 1, %0, -1",
        "",
    ),
    (
        'asm("shfl.up.b32 %0, %0, 1, 0;" : "+r"(x));',
        "needs `.sync`",
        "shfl.up.b32 %0, %0, 1, 0",
        "",
    ),
    (
        'asm("mma.sync.aligned.m16n8k8.row.col.f32 %0;" : "+f"(y));',
        "the PTX instruction `mma",
        "mma.sync.aligned.m16n8k8.row.col.f32 %0",
        "",
    ),
    (
        'asm("cvt.s32.f32 %0, %1;" : "=r"(x) : "f"(y));',
        "needs a way to round",
        "cvt.s32.f32 %0, %1",
        "",
    ),
    ('asm("{ mov.u32 %0, 1;" : "=r"(x));', "a `{` of this `asm` is not closed", None, "write `}`"),
    ('asm("mov.u32 %0, 1; }" : "=r"(x));', "this `}` closes nothing", "}", "remove"),
    (
        'asm("mov.u32 %0, %1;" : "=r"(x) : "r"(h));',
        '"r" does not take `h`, which is `short`',
        "h",
        "convert",
    ),
    (
        'asm("mov.u32 %0, %1;" : "=r"(x) : "r"(y));',
        '"r" does not take `y`, which is `float`',
        "y",
        "convert",
    ),
    ('asm("mov.u32 %0, %1;" : "=r"(x) : "n"(x));', "`x` is no constant integer", '"n"(x)', '"r"'),
    (
        'asm("mov.u32 %0, %1;" : "=r"(x) : "q"(x));',
        'the constraint "q" is not supported',
        '"q"(x)',
        '"h"',
    ),
    (
        'asm("mov.u32 %0, 1;" : "r"(x));',
        'the constraint "r" is that of an input',
        '"r"(x)',
        "outputs come",
    ),
    ('asm("mov.u32 %0, 1;" : "=r"(5));', "nothing can be assigned to it", None, ""),
    ('asm("add.u32 %0, %0, 1;" : "+r"(o[x++]));', "evaluated twice", '"+r"(o[x++])', "variable"),
    ('asm("mov.u32 %0, %%1;" : "=r"(x) : "r"(x));', "no operand `%%1`", "%%1", "has 2"),
    ('asm("mov.u32 %0, !%1;" : "=r"(x) : "r"(x));', "is no predicate", "!%1", "`not`"),
    ('asm("mov.u32 %0, 09;" : "=r"(x));', "`09` is not declared", "09", ""),
    ('asm("ld.global.u32 %0, [16];" : "=r"(x));', "`16` is no register with", "[16]", ""),
    ('asm("mov.u32 %0, 1;;" : "=r"(x));', "no PTX instruction before", ";", "remove"),
    ('asm("mov.u32 %0, 1;" : "=r");', '`"=r"` has no operand', '"=r"', "(x)"),
    ('__asm__("bar.sync 0;");', "`__asm__` is not supported", "__asm__", "write `asm`"),
    ('asm("a\\q");', "`\\q` is not supported in `asm`", None, ""),
]


@pytest.mark.parametrize(("statement", "message", "at", "hint"), REFUSED)
def test_what_is_refused(statement: str, message: str, at: str | None, hint: str) -> None:
    body = f"int x = 1; short h = 2; float y = 3;\n{statement}"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(source(PARAMETERS, body))
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.span is not None
    assert caught.value.span.line == 4
    if at is not None:
        assert caught.value.span.text == at


VALID = [
    "{ .reg .pred p; setp.lt.s32 p, %1, 5; @!p add.s32 %0, %0, 0x10; }",
    "mov.b32 %0, {%2, %2};",
    "ld.global.v2.u32 {%0, %0}, [%3+-8];",
    "{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 1, 0, -1; }",
    "atom.relaxed.gpu.global.add.u32 %0, [%3], %1;",
    "cvt.rzi.u32.f32 %0, %4;",
    "bar.sync 0;",
    "{ .reg .b64 t<3>; mov.b64 t2, 1; mad.wide.u32 t1, %1, 3, t2; }",
    "lop3.b32 %0, %1, %0, 7, 0x1b;",
    "cp.async.ca.shared.global [%1], [%3], 16;",
    "vote.sync.ballot.b32 %0, 1, -1;",
    "slct.f32.s32 %4, %4, 0f3f800000, %1;",
    "prefetch.global.L2 [%3];",
    "cvta.to.shared.u64 %3, %3;",
]
PIECES = r"""; { } % %9 %%x . .cc .u64 .pred , [ ] | @p 1.5 0f1 - ! _ sat // /* \n :: <2> 09 $ é p
    ( )""".split()


@pytest.mark.slow
@given(
    st.sampled_from(VALID),
    st.lists(
        st.tuples(st.integers(0, 70), st.integers(0, 4), st.sampled_from(["", " ", *PIECES])),
        max_size=3,
    ),
)
@settings(max_examples=150, deadline=None)
def test_nothing_but_messages_comes_of_wrong_ptx(
    text: str, changes: list[tuple[int, int, str]]
) -> None:
    for at, cut, piece in changes:
        text = text[:at] + piece + text[at + cut :]
    operands = '"+r"(x), "+r"(y) : "h"(h), "l"(w), "f"(z)'
    body = f"""unsigned x = 1, y = 2; unsigned short h = 3; float z = 4;
      asm volatile("{text}" : {operands} : "memory");"""
    with suppress(simulator.CompileError):
        simulator.RawKernel(source(PARAMETERS, body), "k").compiled()
