"""Sums and products of PTX, of integers and floats, carries, signs and extremes."""

from __future__ import annotations

from simulator.check.ptx.floats import of_floats
from simulator.check.ptx.opcodes import Opcode, instruction
from simulator.check.ptx.operands import Operands, is_float, size_of
from simulator.check.ptx.types import (
    FLOATS,
    INTEGERS,
    SIGNED,
    WIDER,
    WORDS,
    Code,
    cast,
    flushed,
    unsigned,
    values_of,
)
from simulator.read.ptx import Piece


@instruction("mul", "mad", "madc", "mul24", "mad24")
def _product(op: Opcode, o: Operands) -> Code:
    if op.parts and op.parts[-1] in FLOATS:
        yield from of_floats(op, o)
        return
    if op.name.endswith("24"):
        raise op.refused("is not supported")
    part = op.one_of(("lo", "hi", "wide"))
    if "cc" in op.parts or op.name == "madc":
        yield from _product_with_carry(op, o, part)
        return
    t = op.type(*(WIDER if part == "wide" else INTEGERS))
    adds = op.name == "mad"
    target, a, b, *c = op.end(4 if adds else 3)
    result = WIDER[t] if part == "wide" else t
    x, y = values_of(o, t, a, b)
    made = _high(t, x, y) if part == "hi" else f"{cast(result, x)} * {cast(result, y)}"
    if adds:
        made = f"{made} + {o.value(c[0], result)}"
    yield o.assigned(target, result, cast(result, made))


def _high(t: str, x: str, y: str) -> str:
    """Return the high half of a product."""
    if size_of(t) == 16:
        wide = WIDER[t]
        return f"({cast(wide, x)} * {cast(wide, y)} >> 16)"
    calls = {"u32": "__umulhi", "s32": "__mulhi", "u64": "__umul64hi", "s64": "__mul64hi"}
    return f"{calls[t]}({x}, {y})"


# Sums with a carry, which is a predicate of its own.


@instruction("addc", "subc")
def _with_carry(op: Opcode, o: Operands) -> Code:
    yield from _carrying(op, o, True)


def _carrying(op: Opcode, o: Operands, takes: bool) -> Code:
    """Add or subtract, take the carry of the instruction before, and give it to the next."""
    gives = op.has("cc")
    t = op.type(*WORDS)
    target, a, b = op.end(3)
    u = unsigned(t)
    x, y = (f"({cast(u, one)})" for one in values_of(o, t, a, b))
    sign = "+" if op.name.startswith("add") else "-"
    yield from _joined(o, target, u, (x, sign, y), takes, gives)


def _product_with_carry(op: Opcode, o: Operands, part: str) -> Code:
    """Add to one half of a product."""
    gives, takes = op.has("cc"), op.name == "madc"
    t = op.type(*WORDS)
    target, a, b, c = op.end(4)
    u, (x, y) = unsigned(t), values_of(o, t, a, b)
    made = _high(t, x, y) if part == "hi" else f"{x} * {y}"
    product, added = f"({cast(u, made)})", f"({cast(u, o.value(c, t))})"
    yield from _joined(o, target, u, (product, "+", added), takes, gives)


def _joined(
    o: Operands, target: Piece, u: str, parts: tuple[str, str, str], takes: bool, gives: bool
) -> Code:
    """Set a register to a sum or difference, with the carry that it takes, and set the carry."""
    x, sign, y = parts
    carry, made = o.carry(), o.temporary(u)
    yield f"{made} = {cast(u, f'{x} {sign} {y}' + (f' {sign} {carry}' if takes else ''))}"
    less, same = (
        (f"{made} < {x}", f"{made} == {x}") if sign == "+" else (f"{x} < {y}", f"{x} == {y}")
    )
    if gives:
        yield f"{carry} = {less} | ({carry} & {same})" if takes else f"{carry} = {less}"
    yield o.assigned(target, u, made)


# Numbers of both kinds.


@instruction("add", "sub")
def _sum(op: Opcode, o: Operands) -> Code:
    if op.parts and op.parts[-1] in FLOATS:
        yield from of_floats(op, o)
    elif "cc" in op.parts:
        yield from _carrying(op, o, False)
    else:
        t = op.type(*INTEGERS)
        target, a, b = op.end(3)
        x, y = values_of(o, t, a, b)
        sign = "+" if op.name == "add" else "-"
        yield o.assigned(target, t, cast(t, f"{x} {sign} {y}"))


@instruction("div")
def _quotient(op: Opcode, o: Operands) -> Code:
    if op.parts and op.parts[-1] in FLOATS:
        yield from of_floats(op, o)
        return
    t = op.type(*INTEGERS)
    target, a, b = op.end(3)
    x, y = values_of(o, t, a, b)
    yield o.assigned(target, t, cast(t, f"{x} / {y}"))


@instruction("neg", "abs")
def _sign(op: Opcode, o: Operands) -> Code:
    flushes = op.has("ftz")
    t = op.type(*SIGNED, *FLOATS)
    target, a = op.end(2)
    value = o.value(a, t)
    if is_float(t):
        made = f"-{value}" if op.name == "neg" else f"{'fabsf' if t == 'f32' else 'fabs'}({value})"
    else:
        made = f"-{value}" if op.name == "neg" else f"{value} < 0 ? -{value} : {value}"
    yield o.assigned(target, t, flushed(made, flushes) if is_float(t) else cast(t, made))


@instruction("min", "max")
def _extreme(op: Opcode, o: Operands) -> Code:
    flushes = op.has("ftz")
    t = op.type(*INTEGERS, *FLOATS)
    target, a, b = op.end(3)
    x, y = values_of(o, t, a, b)
    if is_float(t):
        call = f"f{op.name}{'f' if t == 'f32' else ''}"
        made = f"{call}({flushed(x, flushes)}, {flushed(y, flushes)})"
        yield o.assigned(target, t, made)
        return
    sign = "<" if op.name == "min" else ">"
    yield o.assigned(target, t, cast(t, f"{x} {sign} {y} ? {x} : {y}"))
