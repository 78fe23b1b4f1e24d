"""Complex numbers of `complex<T>`: their operators, and their member functions."""

from __future__ import annotations

from simulator.builtins import ROWS
from simulator.builtins.overloads import Overloads
from simulator.check import scopes
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.conversions import cast, convert, writable
from simulator.ir.types import VOID, CType, Scalar, Struct, is_complex
from simulator.ir.unchecked import Method
from simulator.source import CompileError


def combined(node: tree.Binary, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    """`left op right`: templates take both of one precision, and convert nothing.

    Raises
    ------
    CompileError
        if there is no such operator
    """
    found = ROWS.get(f"operator{node.op}")
    for row in found.rows if isinstance(found, Overloads) else ():
        if [parameter.type for parameter in row.types.parameters] == [left.type, right.type]:
            return row.call((left, right), node.span)
    what = f"`{node.op}` cannot combine `{left.type}` and `{right.type}`"
    raise CompileError(what, node.span, _remedy(left, right))


def _remedy(left: tree.Expression, right: tree.Expression) -> str:
    """Return the hint for operands of different types."""
    if left.type == right.type:
        return "compute with `.real()` and `.imag()`"
    number, other = (left, right) if is_complex(left.type) else (right, left)
    assert isinstance(number.type, Struct)
    part = number.type.members[0][1] if isinstance(other.type, Scalar) else number.type
    return f"convert `{other.span.text}`: `{part}(…)`"


def method(node: Method, base: tree.Expression, scope: Scope) -> tree.Expression:
    """`z.real()`, or `z.real(x)`, which sets it.

    Raises
    ------
    CompileError
        if there is no such function, or it takes other arguments
    """
    assert isinstance(base.type, Struct)
    found = base.type.member(node.name)
    if found is None:
        raise no_member(node, base.type)
    if not node.arguments:
        part = tree.Member(base, node.name, span=node.span, type=found[0])
        return cast(part, found[0], explicit=True)  # a value, which nothing can be assigned to
    if len(node.arguments) > 1:
        what = f"`{node.name}` takes 1 argument at most, not {len(node.arguments)}"
        raise CompileError(what, node.span)
    part = tree.Member(writable(base), node.name, span=node.span, type=found[0])
    value = convert(scopes.value(node.arguments[0], scope), found[0], "the argument")
    stored = tree.Assign(part, value, span=node.span, type=found[0])
    return tree.Cast(stored, True, span=node.span, type=VOID)


def no_member(node: tree.Member | Method, ctype: CType) -> CompileError:
    """Return the error for a member that complex numbers have not, or that is a function."""
    what = f"`{ctype}` has no member `{node.name}`"
    name = node.name if node.name in ("real", "imag") else "real"
    return CompileError(what, node.span, f"its parts are functions: write `.{name}()`")
