"""What `static_cast` and `reinterpret_cast` do not convert, and a cast in C's form does."""

from __future__ import annotations

from simulator.ir import tree
from simulator.ir.conversions import is_null
from simulator.ir.types import BOOL, VOID, CType, FunctionPointer, Pointer, Scalar
from simulator.source import CompileError


def check_named_cast(node: tree.Cast, operand: tree.Expression, target: CType) -> None:
    """Refuse what a cast of this name does not do; `node` is the cast, `operand` is checked.

    Raises
    ------
    CompileError
        that names the cast which does it
    """
    source = operand.type
    if not node.named or node.named == "const_cast":
        return
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        _check_pointers(node, source, target)
        return
    pair = {isinstance(source, Pointer), isinstance(target, Pointer)}
    mixed = pair == {True, False} and _is_number(source, target) and target != BOOL
    if node.named == "static_cast" and mixed and not is_null(operand):
        raise _refused(node, source, target, "reinterpret_cast")
    numbers = isinstance(source, Scalar) and isinstance(target, Scalar)
    functions = isinstance(source, FunctionPointer) or isinstance(target, FunctionPointer)
    if node.named == "reinterpret_cast" and numbers and source != target and not functions:
        raise _refused(node, source, target, "static_cast")


def _is_number(source: CType, target: CType) -> bool:
    """Whether one of the types is a number, or a pointer to a function."""
    return isinstance(source, Scalar) or isinstance(target, Scalar)


def _check_pointers(node: tree.Cast, source: Pointer, target: Pointer) -> None:
    if source.const and not target.const:
        what = f"`{node.named}` does not take `const` from `{source}`"
        raise CompileError(what, node.span, f"cast to `{_with_const(target)}`, or use `const_cast`")
    if (
        node.named == "static_cast"
        and source.to != target.to
        and VOID not in (source.to, target.to)
    ):
        raise _refused(node, source, target, "reinterpret_cast")


def _with_const(ctype: Pointer) -> Pointer:
    return Pointer(ctype.to, True, ctype.volatile)


def _refused(node: tree.Cast, source: CType, target: CType, other: str) -> CompileError:
    what = f"`{node.named}` does not convert `{source}` to `{target}`"
    return CompileError(what, node.span, f"use `{other}`")
