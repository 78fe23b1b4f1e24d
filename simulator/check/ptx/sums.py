"""Sums and products of PTX, of integers and floats, carries, signs and extremes."""

from __future__ import annotations

from simulator.check.ptx.floats import of_floats
from simulator.check.ptx.operands import Opcode, Operands, instruction, is_float, size_of
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


@instruction("mul", "mad", "mul24", "mad24")
def _product(op: Opcode, o: Operands) -> Code:
    if op.parts and op.parts[-1] in FLOATS:
        yield from of_floats(op, o)
        return
    if op.name.endswith("24"):
        raise op.refused("is not supported")
    part = op.one_of(("lo", "hi", "wide"))
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
    carry = o.carry()
    x, y = (cast(u, one) for one in values_of(o, t, a, b))
    given = f" {'+' if op.name.startswith('add') else '-'} {carry}" if takes else ""
    made = o.temporary(u)
    if op.name.startswith("add"):
        yield f"{made} = {cast(u, f'({x}) + ({y}){given}')}"
        over = f"{made} < ({x})" if not takes else f"{made} < ({x}) | ({carry} & {made} == ({x}))"
    else:
        yield f"{made} = {cast(u, f'({x}) - ({y}){given}')}"
        over = f"({x}) < ({y})" if not takes else f"({x}) < ({y}) | ({carry} & ({x}) == ({y}))"
    if gives:
        yield f"{carry} = {over}"
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
