"""Pointers to shared arrays remember which array they were made from.

Where the source tells the array of a pointer, NumPy checks the index for nothing. A pointer that is
chosen, stored or handed on is an address, in which the number of its array travels
(`execute.provenance`). Kernels that make no such address pay nothing for it.
"""

from __future__ import annotations

from simulator.compile.context import Context
from simulator.compile.values import Value, typed
from simulator.compile.writer import Origin
from simulator.ir.events import Site
from simulator.ir.pointer_tags import MASK, MOST, SHIFT
from simulator.ir.types import Pointer


def mark(address: str, number: int, context: Context) -> str:
    """The code of an address in the shared array of a number, with the mark of that."""
    if not 0 < number <= MOST:
        return address
    context.around.marked = True
    return f"({address} + {number << SHIFT})"


def unmarked(value: Value, context: Context) -> Value:
    """An address as the program sees it."""
    if not context.around.may_mark or not isinstance(value.type, Pointer) or value.code == "i8(0)":
        return value
    value = context.keep("address", value)
    return _if_marked("plain", f"{value.code} & {MASK}", value, context)


def kept(address: str, value: Value, context: Context) -> Value:
    """A pointer as memory holds it, whose mark is kept aside for who loads it as a pointer."""
    call = f"launch.kept({address}, {typed(value)})"
    return _if_marked("plain", call, value, context)


def recalled(address: str, value: Value, context: Context) -> Value:
    """A pointer that was loaded, with the mark that it had when it was stored."""
    return _if_marked("marked", f"launch.recalled({address}, {value.code})", value, context)


def owned(address: Value, size: int, site: Site, context: Context) -> Value:
    """The address that an access goes to, which lies in the array that it is marked with."""
    if context.around.may_mark:
        context.around.constants["shared_arrays"] = context.plan.shared
    call = f"launch.owned(shared_arrays, {context.lanes}, {address.code}, {size}, {site.kind!r})"
    return _if_marked("plain", call, address, context, site)


def _if_marked(
    hint: str, code: str, value: Value, context: Context, site: Site | None = None
) -> Value:
    """`code` in kernels of which some address bears a mark, else `value`."""
    around = context.around
    if not around.may_mark:
        return value
    name = context.fresh(hint)
    origin = Origin(context.span, context.lanes, site) if context.span else None
    context.writer.put(lambda: [f"{name} = {code if around.marked else value.code}"], origin)
    return Value(name, value.type, value.scalar)
