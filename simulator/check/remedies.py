"""What to do about an expression that cannot be: the hints of its errors."""

from __future__ import annotations

from simulator.check.scopes import COORDINATES, Scope
from simulator.hints import foreign
from simulator.hints.similar import nearest
from simulator.hints.unsupported import as_macro
from simulator.ir import tree
from simulator.ir.types import Array, Pointer, Struct
from simulator.source import Span

_LENGTHS = frozenset({"length", "len", "size", "shape", "count"})


def declared_where(node: tree.Name, scope: Scope) -> str:
    """The hint for a name without a meaning."""
    if (hint := foreign.NAMES.get(node.name)) is not None:
        return hint
    if scope.frame is not None and (span := scope.frame.declared.get(node.name)) is not None:
        return f"it was declared in line {span.line}, in a block that has ended"
    hint = nearest(node.name, [*scope.names(tree.Symbol), *COORDINATES, "warpSize"])
    declare = f"declare it before its use, as in `int {node.name} = …;`"
    return hint or as_macro(node.name) or declare


def no_member(name: str, base: tree.Expression) -> str:
    """The hint for a member of something that has none."""
    if isinstance(base.type, Pointer) and isinstance(base.type.to, Struct):
        return f"write `{base.span.text}->{name}`"
    if isinstance(base.type, Pointer | Array) and name in _LENGTHS:
        return "an array does not know its length: pass it as a parameter"
    return "vectors such as `float2` have members"


def is_power(span: Span) -> bool:
    """Whether another star stands right before this one."""
    return not span.macro and span.source.line(span.line)[: span.column - 1].endswith("*")


def bracketed(node: tree.Expression) -> str:
    """The text of an operand for a cast, in parentheses where it needs them."""
    plain = isinstance(node, tree.Name | tree.Index | tree.Call | tree.Literal)
    return node.span.text if plain else f"({node.span.text})"
