"""Statements without parts of their own: expressions, declarations, and what leaves a loop."""

from __future__ import annotations

from simulator.compile.active_lanes import write
from simulator.compile.basic_blocks import close, count_statement, log, site
from simulator.compile.context import Context, LeavableFrame
from simulator.compile.copies import store_members
from simulator.compile.dispatch import members, pointer, run_all, statement, value
from simulator.compile.layouts import leaves
from simulator.compile.lvalues import Base, Binding, Element
from simulator.compile.memory import note, store
from simulator.compile.values import constant
from simulator.compile.variables import (
    local_array,
    pointer_variable,
    reference,
    shared_variable,
    structure_variable,
    variable,
)
from simulator.ir import tree
from simulator.ir.events import EXIT
from simulator.ir.types import INT, Array, Pointer, Struct


@statement.register
def _block(node: tree.Block, context: Context) -> None:
    """`{ … }`."""
    run_all(node.body, context)


@statement.register
def _empty(node: tree.Empty, context: Context) -> None:
    """`;`."""


@statement.register
def _evaluate(node: tree.Evaluate, context: Context) -> None:
    """`x;`."""
    value(node.expression, context)
    count_statement(context)


@statement.register
def _break(node: tree.Break, context: Context) -> None:
    """`break;`."""
    count_statement(context)
    context.dead = True


@statement.register
def _continue(node: tree.Continue, context: Context) -> None:
    """`continue;`."""
    count_statement(context)
    close(context)
    loops = context.frame.loops
    switches = [s for s in context.frame.switches if s.depth == len(loops)]
    frames: list[LeavableFrame] = [loops[-1], *switches]
    for left in frames:
        left.continued = True
        context.put(f"{left.continues}.append({context.lanes})")
    context.dead = True


@statement.register
def _return(node: tree.Return, context: Context) -> None:
    """`return x;`."""
    if node.value is not None:
        _keep_result(node.value, node, context)
    count_statement(context)
    frame = context.frame
    if frame.function.kind == "__global__" or frame.facts.early_return:
        _exit(node, context)


def _keep_result(result: tree.Expression, node: tree.Return, context: Context) -> None:
    """Keep what is returned for the call."""
    frame = context.frame
    if isinstance(result.type, Struct):
        parts = members(result, context)
        if frame.structure is not None:
            store_members(frame.structure, parts, node.span, context)
        else:
            frame.members = {n: context.keep(n, v) for n, v in parts.items()}
        return
    found = context.keep("result", value(result, context))
    found = note(f"{frame.function.name}()", found, context)
    if frame.result is not None:
        write(frame.result, found, context)
    else:
        frame.value = found


def _exit(node: tree.Return, context: Context) -> None:
    """The active lanes leave the function."""
    frame = context.frame
    if context.build.steps and frame is context.kernel.frame:
        log(EXIT, site("exit", node.span, context), "None", context)
    close(context)
    line = f"{frame.exited}[{context.lanes}] = True"
    context.writer.put(lambda: [line] if frame.asked else [])
    frames: list[LeavableFrame] = [*frame.loops, *frame.switches]
    for left in frames:
        left.returned = True
    context.dead = True


@statement.register
def _declaration(node: tree.Declaration, context: Context) -> None:
    """`int x = y;`, `float a[4] = {1};`, `__shared__ int s[32];`, `int &r = x;`."""
    symbol = node.symbol
    if symbol.storage is tree.Storage.SHARED:
        context.bindings[symbol] = shared_variable(symbol, context)
    elif symbol.reference and node.value is not None:
        context.bindings[symbol] = reference(node.value, context)
    elif isinstance(symbol.type, Array):
        context.bindings[symbol] = base = local_array(symbol.name, symbol.type, context)
        if node.values is not None:
            _initialise(base, node, node.values, context)
            count_statement(context)
    else:
        context.bindings[symbol] = _declared(symbol, node.value, context)
        if node.value is not None:
            count_statement(context)


def _declared(symbol: tree.Symbol, init: tree.Expression | None, context: Context) -> Binding:
    """A variable that is no array, set to its first value."""
    facts, ctype = context.frame.facts, symbol.type
    if isinstance(ctype, Struct):
        values = None if init is None else members(init, context)
        return structure_variable(symbol, values, facts, symbol.span, context)
    if init is None:
        return variable(symbol, None, facts, context)
    if isinstance(ctype, Pointer) and symbol not in facts.written:
        return pointer_variable(symbol, pointer(init, context), context)
    first = value(init, context)
    if first.scalar and symbol not in facts.written:
        return note(symbol.name, context.keep(symbol.name, first), context)
    return variable(symbol, first, facts, context)


def _initialise(
    base: Base, node: tree.Declaration, values: tuple[tree.Expression, ...], context: Context
) -> None:
    """Set the elements of an array; those without a value to zero."""
    of = base.element
    for at in range(base.length or 0):
        where = Element(base, constant(at, INT))
        given = values[at] if at < len(values) else None
        if isinstance(of, Struct):
            zeros = {leaf.path: constant(0, leaf.type) for leaf in leaves(of)}
            parts = zeros if given is None else members(given, context)
            store_members(where, parts, node.span, context)
        else:
            number = constant(0, of) if given is None else value(given, context)
            store(where, number, node.span, context)
