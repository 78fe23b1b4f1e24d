"""Calls of functions that read and write members of a structure by a pointer to it."""

from __future__ import annotations

from simulator.builtins.lowerings import Stateful
from simulator.compile.context import Context
from simulator.compile.dispatch import pointer, value
from simulator.compile.dtypes import numpy_dtype
from simulator.compile.memory import load, once, part_at, store
from simulator.compile.values import (
    Members,
    Value,
    leaves_by_path,
    pointee,
    typed,
)
from simulator.ir import tree
from simulator.ir.types import CType, Pointer, Struct, Void
from simulator.lanes.extensions import leafwise


def stateful(how: Stateful, node: tree.Call, context: Context) -> Members:
    """`curand(&state)`: the members of what it returns, under an empty path if that is a number."""
    (target,) = (a for a in node.arguments if isinstance(a.type, Pointer))
    given = [a for a in node.arguments if a is not target]
    values = [context.keep("x", value(argument, context)) for argument in given]
    where = once(pointer(target, context), context)
    ctype = pointee(target.type)
    assert isinstance(ctype, Struct)
    places = {path: part_at(where, leaf, context) for path, leaf in leaves_by_path(ctype).items()}
    read = [load(places[path], places[path].type, node.span, context) for path in how.reads]
    made = _made(node.type)
    types = [*made.values(), *(places[path].type for path in how.writes)]
    name = context.constant_object(
        node.name.partition("(")[0], leafwise(how.code, tuple(map(numpy_dtype, types)))
    )
    operands = [*read, *values]
    scalar = all(one.scalar for one in operands)
    results = [Value(context.fresh("result"), one, scalar) for one in types]
    names = "".join(f"{one.code}, " for one in results)
    context.put(f"{names}= {name}({', '.join(map(typed, operands))})")
    for path, result in zip(how.writes, results[len(made) :], strict=True):
        store(places[path], result, node.span, context)
    return dict(zip(made, results, strict=False))


def _made(ctype: CType) -> dict[str, CType]:
    """Return the types of what a function returns, by their paths."""
    if isinstance(ctype, Struct):
        return {path: leaf.type for path, leaf in leaves_by_path(ctype).items()}
    return {} if isinstance(ctype, Void) else {"": ctype}
