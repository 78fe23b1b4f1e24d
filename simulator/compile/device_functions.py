"""Device functions: inlined, as a GPU's compiler does."""

from __future__ import annotations

from simulator.compile.active_lanes import enter, leave
from simulator.compile.basic_blocks import close
from simulator.compile.context import Context
from simulator.compile.copies import load_members
from simulator.compile.dispatch import members, pointer, run_all, value
from simulator.compile.facts import Facts, facts_of
from simulator.compile.frames import Frame
from simulator.compile.lvalues import Binding, Members
from simulator.compile.registers import new_register, read
from simulator.compile.values import Value, dtype_code, nothing
from simulator.compile.variables import (
    in_registers,
    pointer_variable,
    reference,
    structure_variable,
    variable,
)
from simulator.ir import tree
from simulator.ir.lvalues import is_place
from simulator.ir.types import Pointer, Struct, Void


def inlined(node: tree.Call, function: tree.Function, context: Context) -> Value | Members:
    """`f(x)` of a function that does not call itself."""
    facts = facts_of(function)
    pairs = list(zip(function.parameters, node.arguments, strict=True))
    bindings = [_argument(parameter, given, facts, context) for parameter, given in pairs]
    context.bindings.update(zip(function.parameters, bindings, strict=True))
    outer = context.frame, context.dead, context.calls
    context.frame, context.dead = Frame(function, facts), False
    context.calls = (*context.calls, node.span)
    result = body(context)
    context.frame, context.dead, context.calls = outer
    return result


def _argument(
    parameter: tree.Symbol, given: tree.Expression, facts: Facts, context: Context
) -> Binding:
    """What a parameter is bound to."""
    ctype = parameter.type
    if parameter.reference and is_place(given):
        return reference(given, context)
    if isinstance(ctype, Struct):
        values = members(given, context)
        return structure_variable(parameter, ctype, values, facts, given.span, context)
    if isinstance(ctype, Pointer) and parameter not in facts.written:
        return pointer_variable(parameter, pointer(given, context), context)
    found = value(given, context)
    if found.scalar and parameter not in facts.written:
        return context.keep(parameter.name, found)
    return variable(parameter, found, facts, context)


def body(context: Context) -> Value | Members:
    """Compile the body of the current function: what it returns, of structures the leaves."""
    frame = context.frame
    function, result = frame.function, frame.function.result
    if frame.facts.early_return:
        if isinstance(result, Struct):
            frame.structure = in_registers("result", result, None, context)
        elif not isinstance(result, Void):
            frame.result = new_register("result", dtype_code(result), context)
        _leave_early(context)
    else:
        run_all(function.body.body, context)
    if frame.result is not None:
        return read(frame.result, result, context)
    if frame.structure is not None:
        return load_members(frame.structure, function.span, context)
    return frame.members if isinstance(result, Struct) else frame.value or nothing(result)


def _leave_early(context: Context) -> None:
    """Compile a body from which some lanes may return before others."""
    frame, lanes = context.frame, context.fresh("lanes")
    close(context)
    frame.exited = context.fresh("gone")
    context.writer.put(
        lambda: [f"{frame.exited} = np.zeros(lane_count, b1)"] if frame.asked else []
    )
    context.put(f"{lanes} = {context.lanes}")
    enter("", lanes, context)
    run_all(frame.function.body.body, context)
    leave(context)
