"""What a kernel tells a person, asks of the clock, or gives up: printf, assert and their like."""

from __future__ import annotations

from collections.abc import Callable

from simulator.compile.basic_blocks import close
from simulator.compile.context import Context
from simulator.compile.dispatch import expression, value
from simulator.compile.operators import plain_value
from simulator.compile.values import Value, constant, nothing, typed
from simulator.ir import tree
from simulator.ir.tree import NO_VALUE
from simulator.ir.types import INT
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
