"""Device functions: inlined, as a GPU's compiler does, or called if they call themselves.

A function that calls itself becomes a generator function inside the kernel's. It takes the active
lanes and arrays over them, and returns arrays over them. Registers and local arrays are made at
every call. Pointers travel as addresses, references as the address of a variable in local memory
(`facts.py` sees to that), structures leaf by leaf.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.compile.context import Context, FunctionFrame, Region, Writer, facts_of
from simulator.compile.dispatch import (
    allocations,
    close,
    enter,
    leave,
    location,
    members,
    new_register,
    pointer,
    read,
    run_all,
    value,
    write,
)
from simulator.compile.dtypes import dtype_code
from simulator.compile.memory import address
from simulator.compile.values import (
    Binding,
    BitField,
    Members,
    ReferenceVariable,
    Register,
    StructureVariable,
    Value,
    leaves,
    nothing,
)
from simulator.compile.variables import (
    in_registers,
    load_members,
    pointer_variable,
    reference,
    structure_variable,
    variable,
)
from simulator.ir import tree
from simulator.ir.conversions import is_lvalue
from simulator.ir.events import ITERATION_COST
from simulator.ir.types import Pointer, Struct, Void
from simulator.source import Span


def inlined(node: tree.Call, function: tree.Function, context: Context) -> Value | Members:
    """`f(x)` of a function that does not call itself."""
    facts = facts_of(function)
    pairs = list(zip(function.parameters, node.arguments, strict=True))
    bindings = [_argument(function, *pair, context) for pair in pairs]
    context.bindings.update(zip(function.parameters, bindings, strict=True))
    outer = context.frame, context.dead, context.calls, context.library
    context.frame, context.dead = FunctionFrame(function, facts), False
    context.library = _library(node.span, function, context)
    if context.library is None:
        context.calls = (*context.calls, node.span)
    result = body(context)
    context.frame, context.dead, context.calls, context.library = outer
    return result


def _library(call: Span, function: tree.Function, context: Context) -> Span | None:
    """Return the program's call of a function of the simulator's own texts, None for others."""
    if not function.span.source.library:
        return None
    return context.library or call


def _argument(
    function: tree.Function, parameter: tree.Symbol, given: tree.Expression, context: Context
) -> Binding:
    """Bind a parameter of a function to an argument."""
    ctype, facts = parameter.type, facts_of(function)
    if parameter.reference and is_lvalue(given):
        return reference(given, context)
    same = _same_variable(function, parameter, given, context)
    if same is not None:
        return same
    if isinstance(ctype, Struct):
        values = members(given, context)
        return structure_variable(parameter, values, facts, given.span, context)
    if isinstance(ctype, Pointer) and parameter not in facts.written:
        return pointer_variable(parameter, pointer(given, context), context)
    found = value(given, context)
    if found.scalar and parameter not in facts.written:
        return context.keep(parameter.name, found)
    return variable(parameter, found, facts, context)


def _same_variable(
    function: tree.Function, parameter: tree.Symbol, given: tree.Expression, context: Context
) -> Register | StructureVariable | None:
    """Return the variable that is given, where neither it nor the parameter is ever changed.

    Then the call needs no copy. Builds for traces make one, as they show what parameters are.
    """
    if context.build.steps or not isinstance(given, tree.Name) or given.symbol is None:
        return None
    binding, frame = context.bindings.get(given.symbol), context.frame
    if not isinstance(binding, Register | StructureVariable) or not _in_registers(binding):
        return None
    if given.symbol.type != parameter.type:
        return None
    for symbol, owner in ((parameter, function), (given.symbol, frame.function)):
        known = facts_of(owner)
        if symbol.reference or symbol in known.written or symbol in known.addressed:
            return None
    return binding


def _in_registers(binding: Binding) -> bool:
    """Whether a variable is in registers alone: no arrays and unions, which are in memory."""
    if isinstance(binding, StructureVariable):
        return all(map(_in_registers, binding.members.values()))
    return isinstance(binding, Register)


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
    frame.exited = context.fresh("exited")
    context.writer.put(
        lambda: [f"{frame.exited} = np.zeros(lane_count, b1)"] if frame.exited_used else []
    )
    context.put(f"{lanes} = {context.lanes}")
    enter("", lanes, context)
    run_all(frame.function.body.body, context)
    leave(context)


def recursive(node: tree.Call, function: tree.Function, context: Context) -> Value | Members:
    """`f(x)` of a function that calls itself."""
    name = _callee(function, context)
    passed = [
        context.broadcast(context.keep(hint, given)).code
        for parameter, argument in zip(function.parameters, node.arguments, strict=True)
        for hint, given in _passed(parameter, argument, context)
    ]
    close(context)
    label = context.constant_object("name", function.name)
    codes = ", ".join([f"check_depth({context.depth}, {label})", context.lanes, *passed])
    result = context.fresh("returned")
    context.put(f"{result} = yield from {name}({codes})")
    if isinstance(function.result, Struct):
        return {
            leaf.path: context.keep(leaf.name, Value(f"{result}[{number}]", leaf.type))
            for number, leaf in enumerate(leaves(function.result))
        }
    return Value(result, function.result, isinstance(function.result, Void))


def _passed(
    parameter: tree.Symbol, argument: tree.Expression, context: Context
) -> Iterator[tuple[str, Value]]:
    """Yield what a call passes for one parameter, and what to name it."""
    if parameter.reference:
        where = location(argument, context)
        assert not isinstance(where, Register | BitField), argument
        yield "address", address(where, Pointer(where.type), context)
    elif isinstance(parameter.type, Struct):
        values = members(argument, context)
        yield from ((leaf.name, values[leaf.path]) for leaf in leaves(parameter.type))
    else:
        yield parameter.name or "x", value(argument, context)


def _callee(function: tree.Function, context: Context) -> str:
    """Return the name of its generator function, which is written at the first call."""
    kernel = context.kernel
    if function not in kernel.callees:
        name = kernel.callees[function] = context.fresh(f"call_{function.name}")
        inner = _inside(function, context)
        _write(name, inner)
        kernel.callee_lines += inner.writer.lines
    return kernel.callees[function]


def _inside(function: tree.Function, context: Context) -> Context:
    """Return the state in which the compilation of a recursive function begins."""
    return replace(
        context,
        writer=Writer(numbers=context.writer.numbers),
        frame=FunctionFrame(function, replace(facts_of(function), early_return=True)),
        region=Region(context.fresh("lanes")),
        registers=[],
        block=None,
        dead=False,
        span=function.span,
        spins=[],
        depth="depth",
        stack=[],
    )


def _write(name: str, context: Context) -> None:
    """Write the generator function."""
    function, writer, lanes = context.frame.function, context.writer, context.lanes
    stack, registers = context.stack, context.registers
    assert stack is not None
    given = {symbol: _parameters(symbol, context) for symbol in function.parameters}
    names = [lanes, *(name for names in given.values() for name in names.values())]
    writer.put(f"def {name}(depth, {', '.join(names)}):")
    writer.indent += 1
    writer.put("nonlocal budget, preempt_after")
    writer.put(lambda: [*(line for line, _ in stack), *allocations(registers)])
    context.put(f"budget -= {lanes}.size + {ITERATION_COST}")
    context.put("if budget < 0:")
    context.put(f"    budget = yield ('iteration', -1, {lanes}, ({ITERATION_COST}, None))")
    for symbol, codes in given.items():
        context.bindings[symbol] = _bind(symbol, codes, context)
    code = _result(context)
    close(context)
    writer.put(lambda: [line for _, line in stack if line])
    context.put(f"return {code}")


def _parameters(symbol: tree.Symbol, context: Context) -> dict[str, str]:
    """Name the arrays that stand for one parameter, by leaf ("" if it is whole)."""
    if isinstance(symbol.type, Struct) and not symbol.reference:
        paths = (leaf.path for leaf in leaves(symbol.type))
        return {path: context.fresh(f"p_{symbol.name}_{path}") for path in paths}
    return {"": context.fresh(f"p_{symbol.name}")}


def _bind(symbol: tree.Symbol, codes: dict[str, str], context: Context) -> Binding:
    if symbol.reference:
        register = new_register("address", "i8", context)
        write(register, Value(codes[""], Pointer(symbol.type)), context)
        return ReferenceVariable(None, symbol.type, register)
    facts = context.frame.facts
    if not isinstance(symbol.type, Struct):
        return variable(symbol, Value(codes[""], symbol.type), facts, context)
    values = {leaf.path: Value(codes[leaf.path], leaf.type) for leaf in leaves(symbol.type)}
    return structure_variable(symbol, values, facts, symbol.span, context)


def _result(context: Context) -> str:
    """Compile the body; the code of what it returns."""
    result, ctype = body(context), context.frame.function.result
    if isinstance(result, Value):
        return "None" if isinstance(ctype, Void) else context.broadcast(result).code
    assert isinstance(ctype, Struct)
    codes = [context.broadcast(result[leaf.path]).code for leaf in leaves(ctype)]
    return f"({', '.join(codes)},)"
