"""C's implicit and explicit conversions, each spelled out as a node, or refused in words."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.ir import group_types, tree
from simulator.ir.constants import folded
from simulator.ir.lvalues import is_const, is_place, placed
from simulator.ir.types import (
    BOOL,
    DIM3,
    LONG,
    UINT,
    ULONG,
    VECTORS,
    VOID,
    Array,
    CType,
    Pointer,
    Scalar,
    Struct,
    Void,
    common,
)
from simulator.source import CompileError, Span


def cast(node: tree.Expression, target: CType, explicit: bool = False) -> tree.Expression:
    """`node` as a `target`, without asking whether C allows it; a literal stays a literal."""
    if node.type == target and not explicit:
        return node
    if isinstance(target, Pointer) and is_null(node):
        return tree.Literal(0, span=node.span, type=target)
    return folded(tree.Cast(node, explicit, span=node.span, type=target))


def is_null(node: tree.Expression) -> bool:
    """Whether `node` is a null pointer constant: nullptr, or a literal integer 0."""
    if not isinstance(node, tree.Literal) or node.value != 0:
        return False
    return node.type == Pointer(VOID) or (isinstance(node.type, Scalar) and node.type.is_integer)


def convert(node: tree.Expression, target: CType, what: str) -> tree.Expression:
    """`node` as C converts it by itself to `target`; `what` names it in messages.

    Raises
    ------
    CompileError
        if C does not
    """
    source = node.type
    if source == target:
        return node
    if target == DIM3 and isinstance(source, Scalar):
        return dim3((node,), node.span)
    if target == DIM3 and source == VECTORS["uint3"]:
        return tree.Cast(node, span=node.span, type=DIM3)
    if isinstance(source, Scalar) and isinstance(target, Scalar):
        return cast(node, target)
    if isinstance(source, Pointer) and target == BOOL:
        return cast(node, target)
    if isinstance(target, Pointer) and (is_null(node) or _widens(source, target)):
        return cast(node, target)
    if (group := group_types.general(node, target)) is not None:
        return group
    raise CompileError(
        f"{what} is `{source}`, but `{target}` is needed", node.span, _remedy(source, target)
    )


def dim3(values: Sequence[tree.Expression], span: Span) -> tree.Expression:
    """A dim3 of up to three checked values, 1 where one is missing.

    Raises
    ------
    CompileError
        if they are too many, or no numbers
    """
    if len(values) > 3:
        raise CompileError(f"`dim3` takes at most 3 values, not {len(values)}", span)
    ones = [tree.Literal(1, span=span, type=UINT)] * (3 - len(values))
    given = [*(convert(value, UINT, "a size") for value in values), *ones]
    return tree.Call("dim3", tuple(given), span=span, type=DIM3)


def _widens(source: CType, target: Pointer) -> bool:
    """Whether a pointer may lose knowledge on the way.

    It may become const, volatile, or a pointer to void.
    """
    if not isinstance(source, Pointer) or (source.const and not target.const):
        return False
    if source.volatile and not target.volatile:
        return False
    return target.to == VOID or source.to == target.to


def _remedy(source: CType, target: CType) -> str:
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        if source.to == target.to and source.const:
            return "what it points to must not be written: make the other pointer const, too"
        if source.to == target.to and source.volatile and not target.volatile:
            return f"make the other pointer volatile, too, or write the conversion: `({target})…`"
        return f"if this is meant, write the conversion: `({target})…`"
    if isinstance(source, Pointer) and isinstance(target, Scalar):
        return "use `*` or `[…]` to read what it points to"
    if isinstance(source, Scalar) and isinstance(target, Pointer):
        return "use `&` for the address of a variable or an array's element"
    return ""


def convert_explicitly(node: tree.Expression, target: CType) -> tree.Expression:
    """`node` as a cast converts it to `target`.

    Raises
    ------
    CompileError
        if no cast can
    """
    source = node.type
    if isinstance(target, Struct) and source == target:
        return node
    if target == VOID:
        return tree.Cast(node, True, span=node.span, type=VOID)
    if isinstance(source, Scalar) and isinstance(target, Scalar):
        return cast(node, target, explicit=True)
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        return cast(node, target, explicit=True)
    if isinstance(source, Pointer) and isinstance(target, Scalar):
        if target == BOOL or (target.is_integer and target.size == Pointer.size):
            return cast(node, target, explicit=True)
        raise CompileError(
            f"a pointer does not fit `{target}`", node.span, "use `unsigned long long`"
        )
    if isinstance(source, Scalar) and source.is_integer and isinstance(target, Pointer):
        wide = cast(node, LONG if source.is_signed else ULONG)
        return cast(wide, target, explicit=True)
    raise CompileError(f"`{source}` cannot be converted to `{target}`", node.span)


def as_value(node: tree.Expression) -> tree.Expression:
    """`node` where its value is wanted: arrays become pointers to their first element.

    Raises
    ------
    CompileError
        if it has no value
    """
    if isinstance(node.type, Array):
        place = placed(node)
        if not is_place(place):
            what = f"`{node.span.text}` is an array in a value that is stored nowhere"
            raise CompileError(what, node.span, "copy the structure to a variable first")
        pointer = Pointer(node.type.of, is_const(place), tree.is_volatile(place))
        return tree.Decay(place, span=node.span, type=pointer)
    if isinstance(node.type, Void):
        raise CompileError(f"`{node.span.text}` has no value", node.span, "it is of type void")
    return node


def as_condition(node: tree.Expression) -> tree.Expression:
    """A value as the bool that a condition needs.

    Raises
    ------
    CompileError
        if it is neither a number nor a pointer
    """
    if not isinstance(node.type, Scalar | Pointer):
        hint = "compare one of its members"
        raise CompileError(f"`{node.type}` is neither true nor false", node.span, hint)
    return cast(node, BOOL)


def balanced(
    left: tree.Expression, right: tree.Expression
) -> tuple[tree.Expression, tree.Expression, Scalar]:
    """Two numbers in the type in which C computes with them."""
    assert isinstance(left.type, Scalar)
    assert isinstance(right.type, Scalar)
    ctype = common(left.type, right.type)
    return cast(left, ctype), cast(right, ctype), ctype
