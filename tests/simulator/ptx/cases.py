"""One case for each instruction of values: its text, and what it means by the reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tests.simulator.ptx import reference as ref

#: The letters of constraints by types of PTX.
LETTERS = {"16": "h", "32": "r", "64": "l", "f32": "f", "f64": "d"}
C_TYPES = {"h": "unsigned short", "r": "unsigned", "l": "unsigned long long", "f": "float"}
C_TYPES["d"] = "double"


@dataclass(frozen=True)
class Case:
    """An instruction: its text, the letters of its operands, the result first, and its meaning.

    The meaning takes and gives bits. `near` says that a GPU approximates it.
    """

    text: str
    letters: str
    meaning: Callable[..., int]
    near: bool = False

    def statement(self, result: str, *given: str) -> str:
        inputs = ", ".join(f'"{c}"({x})' for c, x in zip(self.letters[1:], given, strict=False))
        return f'asm("{self.text}" : "={self.letters[0]}"({result}) : {inputs});'

    def __str__(self) -> str:
        return self.text


def letter(ptx_type: str) -> str:
    return LETTERS.get(ptx_type) or LETTERS[ptx_type[1:]]


def typed(op: str, t: str, count: int, meaning: Callable[..., Any], result: str = "") -> Case:
    """An instruction whose operands are of one type, and the result of it or another one."""
    operands = ", ".join(f"%{n}" for n in range(count + 1))
    made = result or t
    return Case(
        f"{op} {operands};",
        letter(made) + letter(t) * count,
        lambda *given: ref.bits(meaning(*(ref.view(x, t) for x in given)), made),
    )


def bitwise(op: str, size: int, count: int, meaning: Callable[..., int]) -> Case:
    return typed(f"{op}.b{size}", f"u{size}", count, meaning)


def integers() -> Iterator[Case]:
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        size = int(t[1:])
        yield typed(f"add.{t}", t, 2, lambda x, y: x + y)
        yield typed(f"sub.{t}", t, 2, lambda x, y: x - y)
        yield typed(f"mul.lo.{t}", t, 2, lambda x, y: x * y)
        yield typed(f"mul.hi.{t}", t, 2, lambda x, y, s=size: x * y >> s)
        yield typed(f"mad.lo.{t}", t, 3, lambda x, y, z: x * y + z)
        yield typed(f"min.{t}", t, 2, min)
        yield typed(f"max.{t}", t, 2, max)
        if size < 64:
            wide = f"{t[0]}{2 * size}"
            yield typed(f"mul.wide.{t}", t, 2, lambda x, y: x * y, wide)
            yield Case(
                f"mad.wide.{t} %0, %1, %2, %3;",
                letter(wide) + letter(t) * 2 + letter(wide),
                lambda x, y, z, t=t, w=wide: ref.bits(ref.view(x, t) * ref.view(y, t) + z, w),
            )
        if t[0] == "s":
            yield typed(f"neg.{t}", t, 1, lambda x: -x)
            yield typed(f"abs.{t}", t, 1, abs)
    for t in ("u32", "s32"):
        yield typed(f"mad.hi.{t}", t, 3, lambda x, y, z: (x * y >> 32) + z)
        yield typed(f"sad.{t}", t, 3, lambda x, y, z: abs(x - y) + z)
    for t in ("u32", "s32", "u64", "s64"):
        wanted = "u32" if t[1:] == "32" else "u64"
        one = f"{{{{ .reg .b{t[1:]} y; max.u{t[1:]} y, %2, 1; div.{t} %0, %1, y; }}}}".format()
        yield Case(
            one,
            letter(t) * 3,
            lambda x, y, t=t, w=wanted: ref.bits(
                ref.truncated(ref.view(x, t), ref.view(max(y, 1), t)), w
            ),
        )
        yield Case(
            one.replace("div", "rem"),
            letter(t) * 3,
            lambda x, y, t=t, w=wanted: ref.bits(
                ref.remainder(ref.view(x, t), ref.view(max(y, 1), t)), w
            ),
        )


def words() -> Iterator[Case]:
    for size in (16, 32, 64):
        yield bitwise("and", size, 2, lambda x, y: x & y)
        yield bitwise("or", size, 2, lambda x, y: x | y)
        yield bitwise("xor", size, 2, lambda x, y: x ^ y)
        yield bitwise("not", size, 1, lambda x: ~x)
        yield bitwise("cnot", size, 1, lambda x: x == 0)
        for op, t, cut in (("shl.b", "u", True), ("shr.u", "u", False), ("shr.s", "s", False)):
            yield Case(
                f"{op}{size} %0, %1, %2;",
                letter(f"u{size}") * 2 + "r",
                lambda x, n, t=f"{t}{size}", left=cut: ref.bits(
                    (ref.view(x, t) << min(n, 64)) if left else (ref.view(x, t) >> min(n, 64)), t
                ),
            )
    for size in (32, 64):
        t, c = f"u{size}", letter(f"u{size}")
        yield typed(f"popc.b{size}", t, 1, lambda x: x.bit_count(), "u32")
        yield typed(f"clz.b{size}", t, 1, lambda x, s=size: s - x.bit_length(), "u32")
        yield bitwise("brev", size, 1, lambda x, s=size: int(f"{x:0{s}b}"[::-1], 2))
        for sign in "us":
            own = f"{sign}{size}"
            yield Case(
                f"bfe.{own} %0, %1, %2, %3;",
                f"{c}{c}rr",
                lambda a, b, n, t=own: ref.masked(ref.bfe(a, b, n, t), int(t[1:])),
            )
            yield typed(f"bfind.{own}", own, 1, lambda x, s=size: ref.bfind(x, s), "u32")
        yield typed(
            f"bfind.shiftamt.u{size}",
            t,
            1,
            lambda x, s=size: s - 1 - ref.bfind(x, s) if x else 0xFFFFFFFF,
            "u32",
        )
        yield Case(
            f"bfi.b{size} %0, %1, %2, %3, %4;",
            f"{c}{c}{c}rr",
            lambda a, b, p, n, s=size: ref.bfi(a, b, p, n, s),
        )


def parts_of_words() -> Iterator[Case]:
    yield typed("prmt.b32", "u32", 3, ref.prmt)
    for table in (0x00, 0x1B, 0x96, 0xE8, 0xFF):
        text = f"lop3.b32 %0, %1, %2, %3, {table:#x};"
        yield Case(text, "rrrr", lambda a, b, c, k=table: ref.lop3(a, b, c, k))
    for side in "lr":
        for mode in ("wrap", "clamp"):
            yield typed(
                f"shf.{side}.{mode}.b32",
                "u32",
                3,
                lambda a, b, n, s=side, m=mode: ref.funnel(a, b, n, s, m),
            )
    yield Case("mov.b64 %0, {%1, %2};", "lrr", lambda x, y: x | y << 32)
    yield Case("mov.b32 %0, {%1, %2};", "rhh", lambda x, y: x | y << 16)
    half = "{ .reg .b32 a, b; mov.b64 {a, b}, %1; sub.u32 %0, b, a; }"
    yield Case(half, "rl", lambda x: ref.masked((x >> 32) - x, 32))
    for sign, low in (("u", 0), ("s", -128)):

        def product(x: int, y: int, z: int, low: int = low, s: str = sign) -> int:
            def parts(v: int) -> list[int]:
                octets = v.to_bytes(4, "little")
                return [o - 256 if s == "s" and o > 127 else o for o in octets]

            total = sum(a * b for a, b in zip(parts(x), parts(y), strict=True))
            return ref.masked(total + z, 32)

        yield Case(f"dp4a.{sign}32.{sign}32 %0, %1, %2, %3;", "rrrr", product)
    carried = "{ .reg .u32 a, b, c, d; mov.b64 {a, b}, %1; mov.b64 {c, d}, %2; "
    ends = " mov.b64 %0, {a, b}; }"
    yield Case(
        carried + "add.cc.u32 a, a, c; addc.u32 b, b, d;" + ends,
        "lll",
        lambda x, y: ref.masked(x + y, 64),
    )
    yield Case(
        carried + "sub.cc.u32 a, a, c; subc.cc.u32 b, b, d; subc.u32 a, a, 0;" + ends,
        "lll",
        _borrowed,
    )


def _borrowed(x: int, y: int) -> int:
    difference = ref.masked(x - y, 64)
    low = ref.masked((difference & 0xFFFFFFFF) - (x < y), 32)
    return difference & ~0xFFFFFFFF | low


def floats() -> Iterator[Case]:
    def exact(function: Callable[..., Any], special: Callable[..., float]) -> Callable[..., float]:
        def code(*given: float) -> float:
            if all(map(math.isfinite, given)):
                found = function(*map(Fraction, given))
                if found:
                    return ref.rounded_single(found)
            return special(*given)

        return code

    for rounding in ("", ".rn"):
        yield typed(f"add{rounding}.f32", "f32", 2, exact(lambda x, y: x + y, lambda x, y: x + y))
        yield typed(f"sub{rounding}.f32", "f32", 2, exact(lambda x, y: x - y, lambda x, y: x - y))
        yield typed(f"mul{rounding}.f32", "f32", 2, exact(lambda x, y: x * y, lambda x, y: x * y))
        yield typed(f"add{rounding}.f64", "f64", 2, lambda x, y: x + y)
        yield typed(f"mul{rounding}.f64", "f64", 2, lambda x, y: x * y)
    fused = exact(lambda x, y, z: x * y + z, lambda x, y, z: x * y + z)
    yield typed("fma.rn.f32", "f32", 3, fused)
    yield from flushed_and_clamped(exact, fused)
    yield typed("neg.f32", "f32", 1, lambda x: -x)
    yield typed("abs.f64", "f64", 1, abs)
    for name, choose in (("min", min), ("max", max)):
        yield typed(
            f"{name}.f32",
            "f32",
            2,
            lambda x, y, choose=choose, name=name: (
                y
                if x != x
                else x
                if y != y
                else (math.copysign(0.0, choose(math.copysign(1, x), math.copysign(1, y))))
                if x == y == 0
                else choose(x, y)
            ),
        )
    yield typed("copysign.f32", "f32", 2, lambda x, y: math.copysign(y, x))
    for t in ("f32", "f64"):
        yield Case(f"mov.b{t[1:]} %0, %1;", letter(f"u{t[1:]}") + letter(t), lambda x: x)


def halves_and_narrow_types() -> Iterator[Case]:
    half = lambda x: int(np.float32(ref.single(x)).astype(np.float16).view(np.uint16))  # noqa: E731
    yield Case("cvt.rn.f16.f32 %0, %1;", "hf", half)
    back = lambda x: ref.of_single(float(np.uint16(x).view(np.float16)))  # noqa: E731
    yield Case("cvt.f32.f16 %0, %1;", "fh", back)
    for t in ("u8", "s8", "u16", "s16"):
        size = int(t[1:])
        low, high = (0, 2**size - 1) if t[0] == "u" else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)

        def clamped(x: int, low: int = low, high: int = high) -> int:
            value = ref.single(x)
            whole = 0 if value != value else int(min(max(value, -(2.0**40)), 2.0**40))
            return min(max(whole, low), high)

        yield Case(f"cvt.rzi.{t}.f32 %0, %1;", "rf" if size == 8 else "hf", clamped)


def long_products() -> Iterator[Case]:
    """Products of 64 bits from halves of 32, by carries."""
    text = (
        "{ .reg .u32 a, b, c, d, e, f, g; mov.b64 {a, b}, %1; mov.b64 {c, d}, %2;"
        " mul.lo.u32 e, a, c; mul.hi.u32 f, a, c;"
        " mad.lo.cc.u32 f, a, d, f; madc.hi.u32 g, a, d, 0;"
        " mad.lo.cc.u32 f, b, c, f; madc.hi.cc.u32 g, b, c, g; addc.u32 a, 0, 0;"
        " mad.lo.cc.u32 g, b, d, g; madc.hi.u32 b, b, d, a; mov.b64 %0, {g, b}; }"
    )
    yield Case(text, "lll", lambda x, y: x * y >> 64)


def flush(x: float) -> float:
    return math.copysign(0.0, x) if abs(x) < 2.0**-126 else x


def clamp(x: float) -> float:
    return 0.0 if x != x else min(max(x, 0.0), 1.0)


def flushed_and_clamped(exact: Callable[..., Any], fused: Callable[..., float]) -> Iterator[Case]:
    added = exact(lambda x, y: x + y, lambda x, y: x + y)
    product = exact(lambda x, y: x * y, lambda x, y: x * y)
    yield typed("add.ftz.f32", "f32", 2, lambda x, y: flush(added(flush(x), flush(y))))
    yield typed("mul.rn.ftz.f32", "f32", 2, lambda x, y: flush(product(flush(x), flush(y))))
    yield typed("fma.rn.ftz.f32", "f32", 3, lambda *given: flush(fused(*map(flush, given))))
    yield typed("add.sat.f32", "f32", 2, lambda x, y: clamp(added(x, y)))
    yield typed("fma.rn.sat.f32", "f32", 3, lambda *given: clamp(fused(*given)))
    yield typed("abs.ftz.f32", "f32", 1, lambda x: abs(flush(x)))
    text = "{ .reg .pred p; setp.gt.ftz.f32 p, %1, 0f00000000; selp.u32 %0, 7, 9, p; }"
    yield Case(text, "rf", lambda x: 7 if flush(ref.single(x)) > 0 else 9)
    for way, towards in (("rz", math.trunc), ("rm", math.floor), ("rp", math.ceil)):

        def directed(x: float, y: float, towards: Callable[[float], int] = towards) -> float:
            return _directed(x, y, towards)

        yield typed(f"add.{way}.f32", "f32", 2, directed)


def _directed(x: float, y: float, towards: Callable[[Any], int]) -> float:
    """A sum that is rounded in one direction, by the units of its binade."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x + y
    total = Fraction(x) + Fraction(y)
    if not total:
        down = towards is math.floor
        same = math.copysign(1, x) == math.copysign(1, y)
        return x if same and x == 0 else (-0.0 if down else 0.0)
    exponent = -126
    while abs(total) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - 23)
    found = towards(total / unit) * unit
    if abs(found) >= Fraction(2) ** 128:
        return math.copysign(math.inf, total)
    return math.copysign(float(found), total)


#: Texts of instructions that a GPU approximates, and what they approximate.
NEAR: dict[str, Callable[[float], float]] = {
    "rcp.approx.f32": lambda x: 1 / x,
    "rcp.approx.ftz.f32": lambda x: 1 / x,
    "rcp.rn.f32": lambda x: 1 / x,
    "sqrt.approx.f32": math.sqrt,
    "sqrt.rn.f32": math.sqrt,
    "rsqrt.approx.f32": lambda x: 1 / math.sqrt(x),
    "ex2.approx.f32": lambda x: 2.0**x,
    "ex2.approx.ftz.f32": lambda x: 2.0**x,
    "lg2.approx.f32": math.log2,
    "sin.approx.f32": math.sin,
    "cos.approx.f32": math.cos,
    "tanh.approx.f32": math.tanh,
}


def comparisons() -> Iterator[Case]:
    for t, names in (
        ("u32", "eq ne lt le gt ge lo ls hi hs"),
        ("s32", "eq ne lt le gt ge"),
        ("s64", "lt ge"),
        ("u16", "lt ge"),
        ("s16", "lt ge"),
        ("f32", "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"),
        ("f64", "lt neu num"),
    ):
        for name in names.split():
            text = f"{{ .reg .pred p; setp.{name}.{t} p, %1, %2; selp.u32 %0, 7, 9, p; }}"
            yield Case(
                text,
                "r" + letter(t) * 2,
                lambda x, y, n=name, t=t: (
                    7 if ref.compare(n, ref.view(x, t), ref.view(y, t)) else 9
                ),
            )
    joined = (
        "{ .reg .pred p, q; setp.lt.s32 q, %1, 0; setp.gt.OP.u32 p, %1, %2, !q;"
        " selp.b32 %0, %1, %2, p; }"
    )
    for op, join in (
        ("and", lambda a, b: a and b),
        ("or", lambda a, b: a or b),
        ("xor", lambda a, b: a != b),
    ):
        yield Case(
            joined.replace("OP", op),
            "rrr",
            lambda x, y, join=join: x if join(x > y, not x >> 31) else y,
        )
    yield Case(
        "{ .reg .pred p, q; setp.eq.u32 p|q, %1, %2; mov.u32 %0, 0; @p add.u32 %0, %0, 1;"
        " @!q add.u32 %0, %0, 2; }",
        "rrr",
        lambda x, y: 3 if x == y else 0,
    )
    yield Case(
        "set.lt.u32.s32 %0, %1, %2;",
        "rrr",
        lambda x, y: 0xFFFFFFFF * (ref.signed(x, 32) < ref.signed(y, 32)),
    )
    yield Case("slct.u32.s32 %0, %1, %2, %3;", "rrrr", lambda x, y, z: x if z < 2**31 else y)
    logic = (
        "{ .reg .pred p, q, r; setp.ne.u32 p, %1, 0; setp.lt.u32 q, %1, %2; and.pred r, p, q;"
        " not.pred p, r; xor.pred q, p, r; @q or.pred r, r, p; selp.u32 %0, 1, 0, p; }"
    )
    yield Case(logic, "rrr", lambda x, y: int(not (x != 0 and x < y)))


def conversions() -> Iterator[Case]:
    for source in ("u16", "s16", "u32", "s32", "u64", "s64"):
        for t in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
            register = f"u{max(int(t[1:]), 16)}" if t[1:] != "8" else "u32"
            yield Case(
                f"cvt.{t}.{source} %0, %1;",
                letter(register) + letter(source),
                lambda x, s=source, t=t, r=register: ref.bits(
                    ref.view(ref.bits(ref.view(x, s), t), t), r
                ),
            )
    for t in ("u32", "s32", "u64", "s64"):
        for way in ("rni", "rzi", "rmi", "rpi"):
            for source in ("f32", "f64"):
                yield Case(
                    f"cvt.{way}.{t}.{source} %0, %1;",
                    letter(t) + letter(source),
                    lambda x, s=source, t=t, w=way: ref.to_integer(ref.view(x, s), w, t, s),
                )
        yield Case(
            f"cvt.rn.f32.{t} %0, %1;",
            "f" + letter(t),
            lambda x, t=t: ref.of_single(ref.rounded_single(Fraction(ref.view(x, t)))),
        )
        yield Case(
            f"cvt.rn.f64.{t} %0, %1;",
            "d" + letter(t),
            lambda x, t=t: ref.of_double(float(ref.view(x, t))),
        )
    yield Case("cvt.f64.f32 %0, %1;", "df", lambda x: ref.of_double(ref.single(x)))
    yield Case("cvt.rn.f32.f64 %0, %1;", "fd", lambda x: ref.of_single(ref.double(x)))


FAMILIES = (
    *(integers, long_products, halves_and_narrow_types, words, parts_of_words),
    *(floats, comparisons, conversions),
)
EXACT = [case for family in FAMILIES for case in family()]
