"""Integers and their bits in PTX: operators, counts, shifts, and parts of words."""

from __future__ import annotations

from simulator.check.ptx.opcodes import Opcode, instruction
from simulator.check.ptx.operands import C_TYPES, Operands, size_of
from simulator.check.ptx.types import (
    INTEGERS,
    UNSIGNED,
    WORDS,
    Code,
    cast,
    unsigned,
    values_of,
)
from simulator.read.ptx import Piece

#: What instructions are whose operands and result have one type, and which types these are.
_ALIKE: dict[str, tuple[tuple[str, ...], int, str]] = {
    "rem": (INTEGERS, 2, "{0} % {1}"),
    "and": (("pred", *UNSIGNED), 2, "{0} & {1}"),
    "or": (("pred", *UNSIGNED), 2, "{0} | {1}"),
    "xor": (("pred", *UNSIGNED), 2, "{0} ^ {1}"),
    "cnot": (UNSIGNED, 1, "{0} == 0"),
    "brev": (("u32", "u64"), 1, "{brev}({0})"),
    "sad": (("u32", "s32"), 3, "({0} < {1} ? {1} - {0} : {0} - {1}) + {2}"),
}


@instruction(*_ALIKE)
def _alike(op: Opcode, o: Operands) -> Code:
    types, count, template = _ALIKE[op.name]
    t = op.type(*types)
    target, *given = op.end(count + 1)
    brev = "__brev" if t == "u32" else "__brevll"
    yield o.assigned(target, t, cast(t, template.format(*values_of(o, t, *given), brev=brev)))


@instruction("not")
def _not(op: Opcode, o: Operands) -> Code:
    t = op.type("pred", *UNSIGNED)
    target, a = op.end(2)
    sign = "!" if t == "pred" else "~"
    yield o.assigned(target, t, cast(t, f"{sign}{o.value(a, t)}"))


@instruction("popc", "clz")
def _count(op: Opcode, o: Operands) -> Code:
    t = op.type("u32", "u64")
    target, a = op.end(2)
    call = f"__{op.name}" + ("" if t == "u32" else "ll")
    yield o.assigned(target, "u32", f"(unsigned){call}({o.value(a, t)})")


@instruction("bfind")
def _highest_bit(op: Opcode, o: Operands) -> Code:
    distance = op.has("shiftamt")
    t = op.type(*WORDS)
    target, a = op.end(2)
    value, most = o.value(a, t), size_of(t) - 1
    if t[0] == "s":
        value = f"({value} < 0 ? ~{value} : {value})"
    zeros = f"__clz{'' if most == 31 else 'll'}({value})"
    found = zeros if distance else f"{most} - {zeros}"
    yield o.assigned(target, "u32", f"({value} == 0 ? 0xffffffffu : (unsigned)({found}))")


@instruction("shl", "shr")
def _shift(op: Opcode, o: Operands) -> Code:
    t = op.type(*(UNSIGNED if op.name == "shl" else INTEGERS))
    target, a, by = op.end(3)
    value, count, size = o.value(a, t), o.value(by, "u32"), size_of(t)
    sign = "<<" if op.name == "shl" else ">>"
    if t[0] == "s":
        yield o.assigned(target, t, cast(t, f"{value} >> min({count}, {size - 1}u)"))
        return
    yield o.assigned(target, t, cast(t, f"{count} < {size}u ? {value} {sign} {count} : 0"))


@instruction("shf")
def _funnel_shift(op: Opcode, o: Operands) -> Code:
    side, mode = op.one_of(("l", "r")), op.one_of(("wrap", "clamp"))
    op.type("u32")
    target, low, high, count = op.end(4)
    call = f"__funnelshift_{side}{'c' if mode == 'clamp' else ''}"
    given = ", ".join(values_of(o, "u32", low, high, count))
    yield o.assigned(target, "u32", f"{call}({given})")


@instruction("lop3")
def _any_function(op: Opcode, o: Operands) -> Code:
    op.type("u32")
    target, a, b, c, table = op.end(5)
    x, y, z = values_of(o, "u32", a, b, c)
    try:
        bits = int(table.text, 0)
    except ValueError:
        bits = -1
    if not 0 <= bits < 256:
        raise op.refused("needs a constant from 0 to 255 at its end")
    terms = [
        "(" + " & ".join(v if n >> k & 1 else f"~{v}" for v, k in ((x, 2), (y, 1), (z, 0))) + ")"
        for n in range(8)
        if bits >> n & 1
    ]
    yield o.assigned(target, "u32", " | ".join(terms) or "0u")


def _bits(op: Opcode, o: Operands, count: Piece) -> str:
    """Return a number of bits, of which the lowest byte counts; a constant must be one."""
    try:
        number = int(count.text.rstrip("U"), 0)
    except ValueError:
        number = 0
    if not 0 <= number < 256:
        raise op.refused(f"takes from 0 to 255 bits, not {count.text}")
    return f"({o.value(count, 'u32')} & 0xffu)"


@instruction("bfe")
def _extract(op: Opcode, o: Operands) -> Code:
    t = op.type(*WORDS)
    target, a, start, length = op.end(4)
    u, size, value = unsigned(t), size_of(t), o.value(a, t)
    first, many = (_bits(op, o, one) for one in (start, length))
    moved = f"({first} < {size}u ? {cast(u, value)} >> {first} : 0)"
    mask = f"({many} < {size}u ? (({C_TYPES[u]})1 << {many}) - 1 : ~({C_TYPES[u]})0)"
    if t[0] == "u":
        yield o.assigned(target, t, cast(t, f"{moved} & {mask}"))
        return
    last = f"min({first} + {many} - 1u, {size - 1}u)"
    sign = f"({many} != 0 & ({cast(u, value)} >> {last} & 1) != 0)"
    # Above the sign, and above the value, all bits are the sign.
    inside = f"({first} < {size}u ? ~({C_TYPES[u]})0 >> {first} : 0) & {mask}"
    filled = f"({moved} & {mask}) | ({sign} ? ~({inside}) : ({C_TYPES[u]})0)"
    yield o.assigned(target, t, cast(t, filled))


@instruction("bfi")
def _insert(op: Opcode, o: Operands) -> Code:
    t = op.type("u32", "u64")
    target, a, b, start, length = op.end(5)
    size, (value, into) = size_of(t), values_of(o, t, a, b)
    first, many = (_bits(op, o, one) for one in (start, length))
    one = f"({C_TYPES[t]})1"
    ones = f"({many} < {size}u ? ({one} << {many}) - 1 : ~({C_TYPES[t]})0)"
    mask = f"({first} < {size}u ? {ones} << {first} : 0)"
    moved = f"({first} < {size}u ? {value} << {first} : 0)"
    yield o.assigned(target, t, cast(t, f"({into} & ~{mask}) | ({moved} & {mask})"))


@instruction("prmt")
def _permute(op: Opcode, o: Operands) -> Code:
    op.type("u32")
    target, a, b, selector = op.end(4)
    x, y, s = values_of(o, "u32", a, b, selector)
    # The highest bit of a selector repeats the sign of its byte.
    signs = f"(({s} >> 3 & 1) | ({s} << 1 & 0x100) | ({s} << 5 & 0x10000) | ({s} << 9 & 0x1000000))"
    bytes_ = f"__byte_perm({x}, {y}, {s} & 0x7777)"
    repeated = f"(({bytes_} >> 7 & 0x01010101) * 255)"
    mask = f"({signs} * 255)"
    yield o.assigned(target, "u32", f"({bytes_} & ~{mask}) | ({repeated} & {mask})")


@instruction("dp4a")
def _dot_product(op: Opcode, o: Operands) -> Code:
    t = op.type("u32", "s32")
    if op.type("u32", "s32") != t:
        raise op.refused("of numbers with and without a sign is not supported")
    target, *given = op.end(4)
    yield o.assigned(target, t, f"__dp4a({', '.join(values_of(o, t, *given))})")
