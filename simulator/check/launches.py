"""Check launches of kernels from device code, and the dim3 that say how large they are."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.check import dispatch
from simulator.check.initializers import first_value
from simulator.check.scopes import Scope
from simulator.hints.unsupported import refuse_function
from simulator.ir import tree
from simulator.ir.conversions import convert, dim3
from simulator.ir.types import DIM3, UINT, ULONG
from simulator.ir.unchecked import Direct, Prototype, Variable
from simulator.ir.walk import walk
from simulator.source import CompileError

STREAMS = {"cudaStreamTailLaunch": "tail", "cudaStreamFireAndForget": "fire"}

_COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


def size(node: tree.Call, scope: Scope) -> tree.Expression:
    """`dim3(…)` as an expression."""
    if len(node.arguments) == 1:
        return extent(node.arguments[0], "the size", scope)
    return dim3([dispatch.value(v, scope) for v in node.arguments], node.span)


def first_size(node: Variable, symbol: tree.Symbol, scope: Scope) -> tree.Expression:
    """The first value of a dim3 variable: `(…)`, `= …`, `{…}`, or all ones."""
    if node.value is None or isinstance(node.value, Direct):
        values = node.value.values if node.value is not None else node.values or ()
        return dim3([dispatch.value(v, scope) for v in values], symbol.span)
    return extent(node.value, f"the first value of `{symbol.name}`", scope)


def extent(node: tree.Expression, what: str, scope: Scope) -> tree.Expression:
    """A value as a dim3: a number, a dim3 or uint3, or `gridDim` and its like as a whole."""
    named = isinstance(node, tree.Name) and node.name in _COORDINATES
    if isinstance(node, tree.Name) and named and scope.lookup(node.name) is None:
        axes = [tree.Builtin(node.name, axis, span=node.span, type=UINT) for axis in "xyz"]
        return dim3(axes, node.span)
    return first_value(node, DIM3, what, scope)


def launch(node: tree.DeviceLaunch, scope: Scope) -> tree.Expression:
    """A checked launch.

    Raises
    ------
    CompileError
        if there is no such kernel, or it cannot be launched so
    """
    head = _kernel(node, scope)
    given = node.configuration
    if not 2 <= len(given) <= 4:
        hint = "it is `<<<grid, block>>>`, `<<<grid, block, shared>>>` or with a stream behind"
        raise CompileError(f"a launch takes 2 to 4 values, not {len(given)}", node.span, hint)
    grid = extent(given[0], "the grid", scope)
    block = extent(given[1], "the block", scope)
    none = tree.Literal(0, span=node.span, type=ULONG)
    bytes_of = dispatch.value(given[2], scope) if len(given) > 2 else none
    shared = convert(bytes_of, ULONG, "the size of shared memory")
    stream = _stream(given[3], scope) if len(given) > 3 else "default"
    arguments = _arguments(node, head, scope)
    return tree.DeviceLaunch(node.name, (grid, block, shared), arguments, stream, span=node.span)


def _kernel(node: tree.DeviceLaunch, scope: Scope) -> Prototype:
    meaning = scope.lookup(node.name)
    if isinstance(meaning, Prototype) and "__global__" in meaning.words:
        return meaning
    if isinstance(meaning, Prototype):
        what = f"`{node.name}` is a device function, no kernel"
        raise CompileError(what, node.span, f"call it: `{node.name}(…)`")
    if meaning is None:
        refuse_function(node.name, node.span)
        hint = "a kernel of the same program is declared before it is launched"
        raise CompileError(f"the kernel `{node.name}` is not declared", node.span, hint)
    raise CompileError(f"`{node.name}` is no kernel", node.span)


def _stream(node: tree.Expression, scope: Scope) -> str:
    if isinstance(node, tree.Name) and node.name in STREAMS and scope.lookup(node.name) is None:
        return STREAMS[node.name]
    if isinstance(node, tree.Literal) and node.value == 0:
        return "default"
    names = " and ".join(STREAMS)
    what = f"`{node.span.text}` is no stream that the simulator has"
    raise CompileError(what, node.span, f"device code has 0 (the default stream), {names} here")


def _arguments(
    node: tree.DeviceLaunch, head: Prototype, scope: Scope
) -> tuple[tree.Expression, ...]:
    wanted, given = len(head.parameters), len(node.arguments)
    parameters = ", ".join(str(parameter).strip() for parameter in head.parameters)
    hint = f"it is `{head.name}({parameters})`, line {head.span.line} of {head.span.source.name}"
    if not wanted - len(head.defaults) <= given <= wanted:
        plural = "" if wanted == 1 else "s"
        least = f"{wanted - len(head.defaults)} to " if head.defaults else ""
        what = f"`{node.name}` takes {least}{wanted} argument{plural}, not {given}"
        raise CompileError(what, node.span, hint)
    defaults = head.defaults[len(head.defaults) - (wanted - given) :]
    values = [*((v, scope) for v in node.arguments), *((v, scope.outermost) for v in defaults)]
    return tuple(
        first_value(value, parameter.type, f"the argument `{parameter.name}` of `{node.name}`", at)
        for parameter, (value, at) in zip(head.parameters, values, strict=True)
    )


def check_defined(functions: Mapping[str, tree.Function]) -> None:
    """Refuse launches of kernels that are declared only.

    Raises
    ------
    CompileError
        at the first one
    """
    for function in functions.values():
        for node in walk(function.body):
            if isinstance(node, tree.DeviceLaunch) and node.name not in functions:
                what = f"the kernel `{node.name}` is declared, but not defined"
                raise CompileError(what, node.span, "define it in this program")
