"""What reaches beyond memory: printf, assert and their like, the clock, launches of kernels."""

from __future__ import annotations

from collections.abc import Callable

from simulator.compile.addresses import plain_address
from simulator.compile.basic_blocks import close
from simulator.compile.context import Context
from simulator.compile.copies import packed
from simulator.compile.dispatch import expression, members, pointer, value
from simulator.compile.expressions import plain_value
from simulator.compile.lvalues import Element
from simulator.compile.values import Value, constant, nothing, typed
from simulator.ir import tree
from simulator.ir.events import Ordered
from simulator.ir.tree import NO_VALUE
from simulator.ir.types import INT, Pointer, Struct
from simulator.lanes.printing import Format


@expression.register
def _print(node: tree.Print, context: Context) -> Value:
    """`printf("%d", x)`."""
    values = [context.keep("shown", plain_value(a, context)) for a in node.arguments]
    form = context.constant_object("format", Format(node.pieces, node.texts))
    codes = ", ".join([form, f"{context.lanes}.size", *map(typed, values)])
    context.put(f"launch.effects.show({codes})")
    return constant(len(node.arguments), INT)


def _assert(node: tree.Call, context: Context) -> Value:
    """`assert(test)`."""
    (test,) = node.arguments
    text = context.constant_object("text", test.span.text)
    held = context.keep("test", value(test, context))
    context.put(f"require({held.code}, {text})")
    return nothing(node.type)


def _trap(node: tree.Call, context: Context) -> Value:
    """`__trap()`."""
    context.put(f"trap({context.lanes})")
    return nothing(node.type)


def _no_value(node: tree.Call, context: Context) -> Value:
    """The end of a function that should have returned a value before."""
    name = context.constant_object("name", context.frame.function.name)
    context.put(f"no_value({context.lanes}, {name})")
    return nothing(node.type)


def _sleep(node: tree.Call, context: Context) -> Value:
    """`__nanosleep(time)`: others may run."""
    value(node.arguments[0], context)
    close(context)
    number, lanes, visit = -1, context.lanes, "None"
    if context.spins:
        spin = context.spins[-1]
        number, lanes, visit = spin.number, spin.lanes, spin.visit
    context.put(f"yield ('sleep', {number}, {lanes}, (0, {visit}))")
    return nothing(node.type)


def _clock(node: tree.Call, context: Context) -> Value:
    """`clock()`, `clock64()`."""
    return context.keep("clock", Value("launch.effects.clock()", node.type, True))


REPORTS: dict[str, Callable[[tree.Call, Context], Value]] = {
    "assert": _assert,
    "__trap": _trap,
    NO_VALUE: _no_value,
    "__nanosleep": _sleep,
    "clock": _clock,
    "clock64": _clock,
}


@expression.register
def _launch(node: tree.Launch, context: Context) -> Value:
    """`kernel<<<grid, block>>>(…)`."""
    grid, block = (_size(part, context) for part in node.configuration[:2])
    shared = typed(context.keep("bytes", value(node.configuration[2], context)))
    given = [_argument(argument, context) for argument in node.arguments]
    values, origins = (_tuple([pair[part] for pair in given]) for part in (0, 1))
    order = context.constant_object("order", Ordered(node.name, node.stream))
    codes = f"{order}, {context.lanes}.size, {grid}, {block}, {shared}, {values}, {origins}"
    close(context)
    context.put(f"launch.effects.children.add({codes})")
    return nothing(node.type)


def _size(node: tree.Expression, context: Context) -> str:
    values = [context.keep(name, value) for name, value in members(node, context).items()]
    return _tuple([typed(value) for value in values])


def _argument(node: tree.Expression, context: Context) -> tuple[str, str]:
    """An argument and, for a pointer into an array of the parent's, where that array begins.

    The child then binds it as the host does, checked against the bounds of the array.
    """
    if isinstance(node.type, Struct):
        return packed(members(node, context), node.type, context).code, "None"
    if not isinstance(node.type, Pointer):
        return typed(context.keep("given", value(node, context))), "None"
    found, origin = pointer(node, context), "None"
    if isinstance(found, Element) and found.base.view in context.kernel.bases:
        number, _ = context.kernel.bases[found.base.view]
        origin = f"arguments[{number}].base"
    return typed(context.keep("given", plain_address(found, node.type, context))), origin


def _tuple(codes: list[str]) -> str:
    return f"({', '.join(codes)},)" if codes else "()"
