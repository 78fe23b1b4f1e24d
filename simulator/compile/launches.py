"""Launches of kernels by kernels: each active lane puts one in the queue."""

from __future__ import annotations

from simulator.compile.addresses import plain_address
from simulator.compile.basic_blocks import close
from simulator.compile.context import Context
from simulator.compile.copies import packed
from simulator.compile.dispatch import expression, members, pointer, value
from simulator.compile.lvalues import Element
from simulator.compile.values import Value, nothing, typed
from simulator.ir import tree
from simulator.ir.events import Ordered
from simulator.ir.types import Pointer, Struct


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
    if isinstance(found, Element) and found.base.view in context.around.bases:
        number, _ = context.around.bases[found.base.view]
        origin = f"arguments[{number}].base"
    return typed(context.keep("given", plain_address(found, node.type, context))), origin


def _tuple(codes: list[str]) -> str:
    return f"({', '.join(codes)},)" if codes else "()"
