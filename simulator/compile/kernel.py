"""A kernel as a Python generator function: parameters, prologue, body."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

import numpy as np

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import AsyncCopy
from simulator.compile.context import Context, Origin, context_of, may_change, python_name
from simulator.compile.copies import finish
from simulator.compile.dispatch import allocations, close, new_register, run_all, write
from simulator.compile.memory import store
from simulator.compile.values import (
    Base,
    Binding,
    Element,
    PointerVariable,
    Value,
    dtype_code,
    dtype_name,
    innermost,
    numpy_dtype,
    zero,
)
from simulator.compile.variables import (
    load_members,
    local_array,
    shared_variable,
    structure_variable,
)
from simulator.ir import tree
from simulator.ir.events import Build, Plan
from simulator.ir.tree import nodes_of
from simulator.ir.types import (
    DIM3,
    PAIRS,
    SHARED_UNIT,
    VECTORS,
    Array,
    CType,
    Pointer,
    Struct,
    Void,
    size_of,
)
from simulator.lanes import arithmetic, atomics, bit_fields, control_flow, rounding, warp
from simulator.lanes.control_flow import check_depth, no_value, require, trap, unreachable
from simulator.source import CompileError, Span

__all__ = ["PLAIN", "SHIFTED", "VIEWED", "CompiledKernel", "compile_kernel", "dtype_name", "viewed"]

# The names that generated code finds: NumPy, helpers over arrays of lanes, and its own.


def fetch(view: Any, index: int) -> Any:
    """Load the element that all lanes share."""
    return view[inside(index)]


def inside(index: int) -> int:
    """Check an index that all lanes share: a negative one does not count from the end."""
    if index < 0:
        raise IndexError(index)
    return index


def nonnegative(index: Any) -> None:
    """Refuse 64-bit indices if some are negative."""
    if index.size and index.min() < 0:
        raise IndexError(index.min())


def row_index(view: Any, slot: Any, index: Any) -> Any:
    """Element `index` of each lane's block's shared array, counted in a flat view of all blocks."""
    if np.any(np.less(index, 0)) or np.any(np.greater_equal(index, view.shape[1])):
        raise IndexError("shared")
    size = view.dtype.itemsize
    return slot * (view.strides[0] // size) + index * (view.strides[1] // size)


def union(*lanes: Any) -> Any:
    """Disjoint ascending arrays of lanes as one."""
    some = [part for part in lanes if part.size]
    return some[0] if len(some) == 1 else np.sort(np.concatenate(lanes))


def filled(value: Any, count: int, dtype: Any) -> Any:
    """Make a writable array of `count` lanes filled with `value`."""
    result = np.empty(count, dtype)
    result[:] = value
    return result


_MODULES = (arithmetic, atomics, bit_fields, control_flow, rounding, warp)
_FUNCTIONS = (
    fetch,
    inside,
    nonnegative,
    row_index,
    union,
    filled,
    require,
    trap,
    no_value,
    unreachable,
    check_depth,
)

#: Functions of SciPy, which is slow to import.
SPECIAL = "special"
RUNTIME: dict[str, Any] = {
    "__builtins__": {},
    "np": np,
    "b1": np.bool_,
    **{f"{kind}{size}": np.dtype(f"{kind}{size}").type for kind in "iu" for size in (1, 2, 4, 8)},
    **{dtype_name(vector): numpy_dtype(vector) for vector in (*VECTORS.values(), *PAIRS)},
    dtype_name(DIM3): numpy_dtype(DIM3),
    "f2": np.float16,
    "f4": np.float32,
    "f8": np.float64,
    "nan": float("nan"),
    "inf": float("inf"),
    "int": int,
    "no_lanes": np.empty(0, np.int64),
    "count_nonzero": np.count_nonzero,
    **{name: getattr(module, name) for module in _MODULES for name in module.__all__},
    **{f.__name__: f for f in _FUNCTIONS},
}


#: How a launch binds a pointer argument: to a view that starts at it, to a view of its whole
#: allocation, or by address.
VIEWED, SHIFTED, PLAIN = "viewed", "shifted", "plain"


@dataclass(frozen=True)
class CompiledKernel:
    """`text` is the generated Python; `function(gang, arguments)` starts it.

    `origins` map its lines to the source.

    `bases` give for every view of a parameter's array the parameter's number and a byte offset.
    `variables` are those outside functions that it uses; their arguments follow the parameters'.
    `cluster` are the blocks of a cluster along x, y and z. `shared_align` is what the shared memory
    of a block begins at a multiple of.
    """

    name: str
    parameters: tuple[str, ...]
    variables: tuple[tree.Symbol, ...]
    text: str
    function: Callable[[Any, list[Any]], GeneratorType[Any, Any, None]]
    origins: dict[int, Origin]
    plan: Plan
    bases: dict[str, tuple[int, int]]
    shared_bytes: int
    filename: str
    span: Span
    cluster: tuple[int, int, int] = (1, 1, 1)
    shared_align: int = SHARED_UNIT

    @property
    def cluster_blocks(self) -> int:
        """Blocks of a cluster."""
        return self.cluster[0] * self.cluster[1] * self.cluster[2]


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
    return CompiledKernel(
        kernel.name,
        tuple(symbol.name for symbol in (*kernel.parameters, *variables)),
        variables,
        text,
        _function(name, text, filename, context),
        origins,
        context.kernel.plan,
        context.kernel.bases,
        -(-context.kernel.shared_bytes // align) * align,
        filename,
        kernel.span,
        kernel.cluster or (1, 1, 1),
        context.kernel.shared_align,
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
    lines = [*_PROLOGUE, *(f"{t}_table = gang.table({t!r})" for t in kernel.tables)]
    lines += [*kernel.prologue, *allocations(context.registers)]
    head = [f"def {name}(gang, arguments):", *("    " + line for line in lines)]
    writer.lines[:0] = kernel.callee_lines
    writer.indent = 1
    finish(context)
    writer.put("if False:")
    writer.put("    yield")
    body, origins = writer.finish("")
    shift = len(head) - 1
    return "\n".join(head) + body, {line + shift: origin for line, origin in origins.items()}


def _function(name: str, text: str, filename: str, context: Context) -> Any:
    """Compile the text to the function that it defines."""
    kernel = context.frame.function
    try:
        code = compile(text, filename, "exec")
    except (SyntaxError, RecursionError, MemoryError) as problem:
        raise CompileError(
            f"{kernel.name} is nested too deeply for the simulator",
            kernel.span,
            "Python allows 20 loops and about 90 branches inside one another; use fewer.",
        ) from problem
    types = {dtype_name(found): numpy_dtype(found) for found in structures_of(kernel)}
    namespace = RUNTIME | types | context.kernel.constants
    if SPECIAL in text:
        namespace[SPECIAL] = importlib.import_module("scipy.special")
    exec(code, namespace)
    return namespace[name]


_PROLOGUE = [
    "log, lanes_0, lane_count = gang.log, gang.lanes, gang.lane_count",
    "budget, preempt_after, exited = gang.budget, gang.preempt_after, gang.exited",
    "warp_size = gang.warp_size",
    "local, shared, flat, load, store, resolve = (",
    "    gang.local, gang.shared, gang.flat, gang.load, gang.store, gang.resolve)",
    *(f"{n}_{a} = gang.extent({n!r}, {a!r})" for n in ("blockDim", "gridDim") for a in "xyz"),
]


def viewed(kernel: tree.Function) -> tuple[str, ...]:
    """Return the modes in which every pointer points to the start of an array, if it can."""
    return tuple(VIEWED if _has_elements(s.type) else PLAIN for s in kernel.parameters)


def _has_elements(ctype: CType) -> bool:
    """Whether it is a pointer to what has a size: not to void, nor to an undefined structure."""
    return isinstance(ctype, Pointer) and not isinstance(ctype.to, Void) and size_of(ctype.to) > 0


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
