"""Moves and conversions of PTX."""

from __future__ import annotations

from simulator.check.ptx.opcodes import Opcode, instruction
from simulator.check.ptx.operands import Operands, is_float, size_of
from simulator.check.ptx.types import (
    FLOATS,
    INTEGERS,
    ROUNDINGS,
    Code,
    cast,
    flushed,
    unsigned,
)


@instruction("mov")
def _move(op: Opcode, o: Operands) -> Code:
    t = op.type("pred", *INTEGERS, *FLOATS)
    target, a = op.end(2)
    if target.text.startswith("{"):
        parts, size = o.elements(target), 0
        value = o.temporary(unsigned(t))
        yield f"{value} = {o.value(a, unsigned(t))}"
        size = size_of(t) // len(parts)
        for at, part in enumerate(parts):
            if part.text != "_":
                yield o.assigned(part, f"u{size}", cast(f"u{size}", f"{value} >> {at * size}"))
    elif a.text.startswith("{"):
        parts = o.elements(a)
        size, u = size_of(t) // len(parts), unsigned(t)
        values = [cast(u, o.value(part, f"u{size}")) for part in parts]
        joined = " | ".join(f"({value} << {at * size})" for at, value in enumerate(values))
        yield o.assigned(target, u, cast(u, joined))
    else:
        yield o.assigned(target, t, o.value(a, t))


_OF_FLOATS = {"rn": "rint", "rz": "trunc", "rm": "floor", "rp": "ceil"}
_NAMES = {"s32": "int", "u32": "uint", "s64": "ll", "u64": "ull", "f32": "float", "f64": "double"}
_NARROW = ("u8", "s8")


def _clamped(t: str, code: str) -> str:
    """Return an integer of 32 bits, but no more than a smaller type has."""
    size = size_of(t)
    if t[0] == "u":
        return f"min({code}, {2**size - 1}u)"
    return f"max(min({code}, {2 ** (size - 1) - 1}), -{2 ** (size - 1)})"


def _of_halves(op: Opcode, o: Operands) -> Code:
    """Convert to or from `.f16`, whose bits a register of 16 bits has."""
    if op.parts == ["f32", "f16"]:
        target, a = op.instruction.operands
        yield o.assigned(target, "f32", f"__half2float(__ushort_as_half({o.value(a, 'u16')}))")
        return
    way = op.one_of(tuple(ROUNDINGS), "")
    if not way or op.parts != ["f16", "f32"]:
        raise op.refused("is not supported: of `.f16` there are `cvt.rn.f16.f32` and its way back")
    target, a = op.instruction.operands
    call = f"__float2half_{ROUNDINGS[way]}({o.value(a, 'f32')})"
    yield o.assigned(target, "u16", f"__half_as_ushort({call})")


@instruction("cvt")
def _convert(op: Opcode, o: Operands) -> Code:
    if "f16" in op.parts and len(op.instruction.operands) == 2:
        yield from _of_halves(op, o)
        return
    flushes, saturates = op.has("ftz"), op.has("sat")
    whole = op.one_of(tuple(f"{way}i" for way in ROUNDINGS), "")
    way = op.one_of(tuple(ROUNDINGS), "")
    types = (*_NARROW, *INTEGERS, *FLOATS)
    source, t = op.type(*types), op.type(*types)
    target, a = op.end(2)
    value = o.value(a, source, wider=True)
    value = flushed(value, flushes and source == "f32")
    if saturates and not (is_float(t) and is_float(source)):
        raise op.refused("with `.sat` is not supported")
    made = _converted(op, value, source, t, whole, way)
    if saturates:
        made = f"__saturatef({made})" if t == "f32" else f"fmin(fmax({made}, 0.0), 1.0)"
    if flushes and t == "f32":
        result = o.temporary(t)
        yield f"{result} = {made}"
        made = flushed(result, True)
    yield o.assigned(target, t, made)


def _converted(op: Opcode, value: str, source: str, t: str, whole: str, way: str) -> str:
    if is_float(source) and not is_float(t):
        if not whole:
            raise op.refused("needs a way to round, such as `.rzi`")
        wide = t if t in _NAMES else f"{t[0]}32"
        call = f"__{_NAMES[source]}2{_NAMES[wide]}_{ROUNDINGS[whole[:2]]}({value})"
        return cast(t, call if wide == t else _clamped(t, call))
    if is_float(t) and not is_float(source):
        if not way:
            raise op.refused("needs a way to round, such as `.rn`")
        if t == "f64":
            if way != "rn" and size_of(source) > 32:
                raise op.refused("of doubles rounds to nearest only")
            return cast(t, value)
        wide = source if source in _NAMES else f"{source[0]}32"
        return f"__{_NAMES[wide]}2float_{ROUNDINGS[way]}({value})"
    if (source, t) == ("f64", "f32"):
        if not way:
            raise op.refused("needs a way to round, such as `.rn`")
        return f"__double2float_{ROUNDINGS[way]}({value})"
    if is_float(t) and source == t and whole:
        return f"{_OF_FLOATS[whole[:2]]}{'f' if t == 'f32' else ''}({value})"
    return cast(t, value)
