"""A kernel as a Python generator function: parameters, prologue, body."""

from __future__ import annotations

import re
from types import CodeType

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import AsyncCopy
from simulator.compile import handlers as _handlers  # noqa: F401 (they register themselves)
from simulator.compile.compiled import PLAIN, SHIFTED, CompiledKernel, Origin, viewed
from simulator.compile.context import Context, context_of, may_change, python_name
from simulator.compile.copies import finish
from simulator.compile.dispatch import allocations, close, new_register, run_all, write
from simulator.compile.dtypes import dtype_code, dtype_name, innermost, numpy_dtype
from simulator.compile.memory import store
from simulator.compile.runtime import function_of
from simulator.compile.values import (
    Base,
    Binding,
    Element,
    PointerVariable,
    Value,
    zero,
)
from simulator.compile.variables import (
    load_members,
    local_array,
    shared_variable,
    structure_variable,
)
from simulator.ir import tree
from simulator.ir.events import Build
from simulator.ir.tree import nodes_of
from simulator.ir.types import Array, CType, Pointer, Struct
from simulator.source import CompileError

__all__ = ["CompiledKernel", "compile_kernel"]


def compile_kernel(
    kernel: tree.Function, modes: tuple[str, ...] | None = None, build: Build | None = None
) -> CompiledKernel:
    """Compile a checked kernel.

    `modes` says for each parameter how a pointer argument is bound, `build` what the kernel is
    compiled for.
    """
    context = context_of(kernel, build or Build())
    context.kernel.plan.clustered = kernel.cluster is not None
    variables = variables_of(kernel)
    _bind_all(modes or viewed(kernel), variables, context)
    try:
        run_all(kernel.body.body, context)
    except RecursionError:
        raise CompileError(
            f"{kernel.name} calls functions that are nested too deeply for the simulator",
            kernel.span,
            "Use a chain of fewer functions that call each other.",
        ) from None
    close(context)
    name = f"run_{python_name(kernel.name)}"
    filename = f"<{kernel.name} compiled from {kernel.span.source.name}>"
    text, origins = _text(name, context)
    align = context.kernel.dynamic_align
    types = {dtype_name(found): numpy_dtype(found) for found in structures_of(kernel)}
    names = types | context.kernel.constants
    return CompiledKernel(
        kernel.name,
        tuple(symbol.name for symbol in (*kernel.parameters, *variables)),
        variables,
        text,
        function_of(_code(name, text, filename, kernel), names),
        origins,
        context.kernel.plan,
        context.kernel.bases,
        -(-context.kernel.shared_bytes // align) * align,
        filename,
        kernel.span,
        kernel.cluster or (1, 1, 1),
        context.kernel.shared_align,
        names,
    )


def _bind_all(modes: tuple[str, ...], variables: tuple[tree.Symbol, ...], context: Context) -> None:
    """Bind the parameters, and the variables outside functions."""
    kernel = context.frame.function
    for number, (parameter, mode) in enumerate(zip(kernel.parameters, modes, strict=True)):
        context.bindings[parameter] = _parameter(number, parameter, mode, context)
    for number, symbol in enumerate(variables, len(modes)):
        space = "constant" if symbol.storage is tree.Storage.CONSTANT else "global"
        element, count = innermost(symbol.type)
        context.bindings[symbol] = _given(number, symbol.name, space, element, count, context)
    context.kernel.may_tag = has_shared(kernel)
    context.kernel.may_copy = has_copies(kernel)
    for symbol in outer_shared(kernel):
        context.bindings[symbol] = shared_variable(symbol, context)


def _parameter(number: int, symbol: tree.Symbol, mode: str, context: Context) -> Binding:
    if isinstance(symbol.type, Struct):
        return _structure(number, symbol, symbol.type, context)
    facts = context.frame.facts
    name = context.fresh("p_" + symbol.name)
    context.kernel.prologue.append(f"{name} = arguments[{number}].value")
    value = Value(name, symbol.type, True)
    if isinstance(symbol.type, Pointer) and mode != PLAIN and symbol not in facts.written:
        return _viewed(number, symbol, symbol.type, mode, name, context)
    if symbol in facts.addressed:
        base = local_array(symbol.name, symbol.type, context)
        store(Element(base, zero()), value, symbol.span, context)
        return base
    if symbol in facts.written:
        register = new_register(symbol.name, dtype_code(symbol.type), context)
        write(register, value, context)
        return register
    return value


def _viewed(
    number: int, symbol: tree.Symbol, ctype: Pointer, mode: str, address: str, context: Context
) -> Binding:
    """Bind a pointer into a known array."""
    kernel, shift = context.kernel, ""
    view = context.fresh("V_" + symbol.name)
    kernel.prologue.append(f"{view} = arguments[{number}].view")
    if mode == SHIFTED:
        shift = context.fresh("shift")
        kernel.prologue.append(f"{shift} = arguments[{number}].shift")
    kernel.bases[view] = (number, 0)
    base = Base("global", symbol.name, view, ctype.to, address, shift)
    return PointerVariable(base, zero(), zero().type)


def _structure(number: int, symbol: tree.Symbol, ctype: Struct, context: Context) -> Binding:
    """One structure in constant memory; one that is written is copied to a variable first."""
    base = _given(number, symbol.name, "constant", ctype, 1, context)
    facts, function = context.frame.facts, context.frame.function
    if not (symbol in facts.written | facts.addressed or may_change(function, symbol)):
        return base
    values = load_members(Element(base, zero()), symbol.span, context)
    return structure_variable(symbol, values, facts, symbol.span, context)


def _given(
    number: int, name: str, space: str, element: CType, count: int, context: Context
) -> Base:
    """Bind the array of `count` elements that an argument brings."""
    view, address = context.fresh("V_" + name), context.fresh("p_" + name)
    context.kernel.prologue.append(
        f"{view}, {address} = arguments[{number}].view, arguments[{number}].value"
    )
    context.kernel.bases[view] = (number, 0)
    return Base(space, name, view, element, address, "", count)


def _text(name: str, context: Context) -> tuple[str, dict[int, Origin]]:
    """Return the whole text, and the origins of its lines by number."""
    kernel, writer = context.kernel, context.writer
    writer.lines[:0] = kernel.callee_lines
    writer.indent = 1
    finish(context)
    writer.put("if False:")
    writer.put("    yield")
    body, origins = writer.finish("")
    lines = [f"{t}_table = gang.table({t!r})" for t in kernel.tables]
    lines += [f"{table.name} = {code}" for code, table in kernel.computed.items()]
    lines += [*kernel.prologue, *allocations(context.registers)]
    used = set(_EXTENT_NAMES.findall("\n".join([*lines, body])))
    lines[:0] = [*_PROLOGUE, *(line for extent, line in _EXTENTS.items() if extent in used)]
    head = [f"def {name}(gang, arguments):", *("    " + line for line in lines)]
    shift = len(head) - 1
    return "\n".join(head) + body, {line + shift: origin for line, origin in origins.items()}


def _code(name: str, text: str, filename: str, kernel: tree.Function) -> CodeType:
    """Compile the text to the code of the function that it defines."""
    try:
        whole = compile(text, filename, "exec")
    except (SyntaxError, RecursionError, MemoryError) as problem:
        raise CompileError(
            f"{kernel.name} is nested too deeply for the simulator",
            kernel.span,
            "Python allows 20 loops and about 90 branches inside one another; use fewer.",
        ) from problem
    return next(one for one in whole.co_consts if isinstance(one, CodeType) and one.co_name == name)


_PROLOGUE = [
    "log, lanes_0, lane_count = gang.log, gang.lanes, gang.lane_count",
    "budget, preempt_after, exited = gang.budget, gang.preempt_after, gang.exited",
    "warp_size = gang.warp_size",
    "local, shared, flat, load, store, resolve = (",
    "    gang.local, gang.shared, gang.flat, gang.load, gang.store, gang.resolve)",
]
#: What makes the sizes of blocks and of the grid, where a kernel uses them.
_EXTENTS = {
    f"{name}_{axis}": f"{name}_{axis} = gang.extent({name!r}, {axis!r})"
    for name in ("blockDim", "gridDim")
    for axis in "xyz"
}
_EXTENT_NAMES = re.compile(r"\b(?:block|grid)Dim_[xyz]\b")


def variables_of(kernel: tree.Function) -> tuple[tree.Symbol, ...]:
    """Find the variables outside functions that a kernel uses."""
    outer = (tree.Storage.CONSTANT, tree.Storage.DEVICE)
    names = (node for node in nodes_of(kernel) if isinstance(node, tree.Name))
    used = {n.symbol: None for n in names if n.symbol is not None and n.symbol.storage in outer}
    return tuple(used)


def outer_shared(kernel: tree.Function) -> tuple[tree.Symbol, ...]:
    """Find the shared variables outside functions that a kernel uses."""
    nodes = list(nodes_of(kernel))
    own = {node.symbol for node in nodes if isinstance(node, tree.Declaration)}
    names = (node.symbol for node in nodes if isinstance(node, tree.Name))
    used = {s: None for s in names if s is not None and s.storage is tree.Storage.SHARED}
    return tuple(symbol for symbol in used if symbol not in own)


def has_shared(kernel: tree.Function) -> bool:
    """Return whether a kernel has shared variables, in itself or in what it calls."""
    declared = (node.symbol for node in nodes_of(kernel) if isinstance(node, tree.Declaration))
    shared = any(symbol.storage is tree.Storage.SHARED for symbol in declared)
    return shared or bool(outer_shared(kernel))


def has_copies(kernel: tree.Function) -> bool:
    """Return whether a kernel copies asynchronously, in itself or in what it calls."""
    calls = (node for node in nodes_of(kernel) if isinstance(node, tree.Call))
    return any(isinstance(lowering_of(call), AsyncCopy) for call in calls)


def structures_of(kernel: tree.Function) -> set[Struct]:
    """Every structure that a kernel has to do with."""
    found: set[Struct] = set()
    for symbol in kernel.parameters:
        _collect(symbol.type, found)
    for node in nodes_of(kernel):
        if isinstance(node, tree.Expression):
            _collect(node.type, found)
        elif isinstance(node, tree.Declaration):
            _collect(node.symbol.type, found)
    return found


def _collect(ctype: CType, found: set[Struct]) -> None:
    while isinstance(ctype, Pointer | Array):
        ctype = ctype.to if isinstance(ctype, Pointer) else ctype.of
    if isinstance(ctype, Struct) and ctype.size and ctype not in found:
        found.add(ctype)
        for _, inner, _ in ctype.members:
            _collect(inner, found)
