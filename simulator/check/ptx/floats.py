"""Floats in PTX. Approximate functions are exact here, to the last bits that NumPy gives."""

from __future__ import annotations

from simulator.check.ptx.opcodes import Opcode, instruction
from simulator.check.ptx.operands import Operands
from simulator.check.ptx.types import (
    FLOATS,
    ROUNDINGS,
    Code,
    flushed,
    values_of,
)

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def of_floats(op: Opcode, o: Operands) -> Code:
    """Add, subtract, multiply, divide, or multiply and add."""
    flushes, saturates = op.has("ftz"), op.has("sat")
    roughly = op.name == "div" and (op.has("approx") or op.has("full"))
    way = "rn" if roughly else ROUNDINGS[op.one_of(tuple(ROUNDINGS), "rn")]
    t = op.type(*FLOATS)
    adds = op.name in ("mad", "fma")
    target, *given = op.end(4 if adds else 3)
    if t == "f64" and way != "rn":
        raise op.refused("of doubles rounds to nearest only")
    values = [flushed(value, flushes) for value in values_of(o, t, *given)]
    if adds:
        call = "fma" if t == "f64" else f"__fmaf_{way}"
        made = f"{call}({', '.join(values)})"
    elif way == "rn":
        made = f"{values[0]} {_SIGNS[op.name]} {values[1]}"
    else:
        made = f"__f{op.name}_{way}({', '.join(values)})"
    if flushes or saturates:
        result = o.temporary(t)
        yield f"{result} = {made}"
        made = flushed(f"__saturatef({result})" if saturates else result, flushes)
    yield o.assigned(target, t, made)


@instruction("fma")
def _fused(op: Opcode, o: Operands) -> Code:
    yield from of_floats(op, o)


#: Functions of one float: what C has for them in float, and in double.
_FUNCTIONS = {
    "rcp": ("1.0f / {0}", "1.0 / {0}"),
    "sqrt": ("sqrtf({0})", "sqrt({0})"),
    "rsqrt": ("rsqrtf({0})", "rsqrt({0})"),
    "ex2": ("exp2f({0})", ""),
    "lg2": ("log2f({0})", ""),
    "sin": ("sinf({0})", ""),
    "cos": ("cosf({0})", ""),
    "tanh": ("tanhf({0})", ""),
}


@instruction(*_FUNCTIONS)
def _function(op: Opcode, o: Operands) -> Code:
    flushes, roughly = op.has("ftz"), op.has("approx")
    exact = op.name in ("rcp", "sqrt")
    way = ROUNDINGS[op.one_of(tuple(ROUNDINGS))] if exact and not roughly else "rn"
    if not exact and not roughly:
        raise op.refused("needs `.approx`")
    single, double = _FUNCTIONS[op.name]
    t = op.type(*(FLOATS if double else ("f32",)))
    target, a = op.end(2)
    value = flushed(o.value(a, t), flushes)
    if way != "rn":
        if t == "f64":
            raise op.refused("of doubles rounds to nearest only")
        single = f"__f{op.name}_{way}({{0}})"
    made = (single if t == "f32" else double).format(value)
    if flushes:
        result = o.temporary(t)
        yield f"{result} = {made}"
        made = flushed(result, True)
    yield o.assigned(target, t, made)


@instruction("copysign")
def _copied_sign(op: Opcode, o: Operands) -> Code:
    t = op.type(*FLOATS)
    target, a, b = op.end(3)
    sign, value = values_of(o, t, a, b)
    yield o.assigned(target, t, f"copysign{'f' if t == 'f32' else ''}({value}, {sign})")
