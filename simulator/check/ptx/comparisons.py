"""Comparisons of PTX, and what is chosen by them."""

from __future__ import annotations

from simulator.check.ptx.opcodes import Opcode, instruction
from simulator.check.ptx.operands import Operands, is_float
from simulator.check.ptx.types import (
    FLOATS,
    INTEGERS,
    Code,
    cast,
    flushed,
    values_of,
)
from simulator.read.ptx import Piece

# Comparisons, and what is chosen by them.

_COMPARED = {
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "lo": "{0} < {1}",
    "ls": "{0} <= {1}",
    "hi": "{0} > {1}",
    "hs": "{0} >= {1}",
}
#: Of floats: what ends with u holds for NaN, too.
_COMPARED_FLOATS = {
    **{name: _COMPARED[name] for name in ("eq", "lt", "le", "gt", "ge")},
    "ne": "({0} < {1}) | ({0} > {1})",
    "equ": "!(({0} < {1}) | ({0} > {1}))",
    "neu": "{0} != {1}",
    "ltu": "!({0} >= {1})",
    "leu": "!({0} > {1})",
    "gtu": "!({0} <= {1})",
    "geu": "!({0} < {1})",
    "num": "({0} == {0}) & ({1} == {1})",
    "nan": "({0} != {0}) | ({1} != {1})",
}


def _compared(op: Opcode, o: Operands, t: str, given: tuple[Piece, ...], flushes: bool) -> str:
    """Return the truth of a comparison, joined with a third operand if a part says how."""
    join = op.one_of(("and", "or", "xor"), "")
    table = _COMPARED_FLOATS if is_float(t) else _COMPARED
    name = op.one_of(tuple(table))
    x, y = (flushed(value, flushes) for value in values_of(o, t, *given[:2]))
    truth = f"({table[name].format(x, y)})"
    if join:
        sign = {"and": "&", "or": "|", "xor": "^"}[join]
        truth = f"({truth} {sign} {o.value(given[2], 'pred')})"
    return truth


@instruction("setp")
def _set_predicate(op: Opcode, o: Operands) -> Code:
    t, flushes = op.type(*INTEGERS, *FLOATS), op.has("ftz")
    joins = any(part in ("and", "or", "xor") for part in op.parts)
    given = op.instruction.operands
    if len(given) != 3 + joins:
        raise op.refused(f"takes {3 + joins} operands, not {len(given)}")
    target, *compared = given
    truth = _compared(op, o, t, tuple(compared), flushes)
    op.end(len(given))
    first, *second = o.both(target)
    if not second:
        yield o.assigned(first, "pred", truth)
        return
    kept = o.temporary("pred")
    yield f"{kept} = {truth}"
    if joins:
        raise op.refused("with two results and a third operand is not supported")
    yield o.assigned(first, "pred", kept)
    yield o.assigned(second[0], "pred", f"!{kept}")


@instruction("set")
def _set(op: Opcode, o: Operands) -> Code:
    flushes = op.has("ftz")
    t, result = op.type(*INTEGERS, *FLOATS), op.type("u32", "s32", "f32")
    given = op.instruction.operands
    if len(given) < 3:
        raise op.refused("takes 3 or 4 operands")
    truth = _compared(op, o, t, given[1:], flushes)
    target = op.end(3, 4)[0]
    one, zero = ("1.0f", "0.0f") if is_float(result) else ("0xffffffffu", "0u")
    yield o.assigned(target, result, cast(result, f"{truth} ? {one} : {zero}"))


@instruction("selp")
def _select(op: Opcode, o: Operands) -> Code:
    t = op.type(*INTEGERS, *FLOATS)
    target, a, b, p = op.end(4)
    x, y = values_of(o, t, a, b)
    yield o.assigned(target, t, f"{o.value(p, 'pred')} ? {x} : {y}")


@instruction("slct")
def _select_by_sign(op: Opcode, o: Operands) -> Code:
    op.has("ftz")
    by, t = op.type("s32", "f32"), op.type(*INTEGERS, *FLOATS)
    target, a, b, c = op.end(4)
    x, y = values_of(o, t, a, b)
    yield o.assigned(target, t, f"{o.value(c, by)} >= 0 ? {x} : {y}")
