"""The rules of C's operators, applied to operands that are checked."""

from __future__ import annotations

from simulator.builtins import ROWS
from simulator.check import (
    complex_numbers,
)
from simulator.check.names import pointee
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import (
    as_operand,
    balanced,
    cast,
    check_alike,
    convert,
    is_null,
)
from simulator.ir.types import (
    BOOL,
    LONG,
    PAIRS,
    ULONG,
    VOID,
    Array,
    CType,
    Enumerated,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
    common,
    is_complex,
    is_integer,
    is_scoped,
    promoted,
)
from simulator.source import CompileError

COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
SHIFTS = frozenset({"<<", ">>"})
#: The remedy for values of an `enum class` where a number is needed.
_AS_NUMBER = "an `enum class` converts to no number by itself: write `(int)…`"
INTEGERS_ONLY = frozenset({"%", "&", "|", "^"}) | SHIFTS


def check_bound(array: tree.Expression, position: tree.Literal, beyond: int) -> None:
    """Refuse a constant index outside an array, but for `beyond` elements past its end."""
    assert isinstance(array.type, Array)
    length = array.type.length
    if position.value < 0 or (length is not None and position.value >= length + beyond):
        allowed = "start at 0" if length is None else f"are 0 to {length - 1}"
        what = f"`{array.span.text}` has no element {position.value}"
        raise CompileError(what, position.span, f"its elements {allowed}")


def bracketed(node: tree.Expression) -> str:
    """Return the text of an operand for a cast, in parentheses where it needs them."""
    plain = isinstance(node, tree.Name | tree.Index | tree.Call | tree.Literal)
    return node.span.text if plain else f"({node.span.text})"


def combined(node: tree.Binary, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    """`left op right` for any operator but the comma."""
    if FunctionPointer in (type(left.type), type(right.type)):
        left, right = _functions(left, right)
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _pointers(node, left, right)
    if is_complex(left.type) or is_complex(right.type):
        return complex_numbers.combined(node, left, right)
    row = ROWS.get(f"operator{node.op}")
    if row is not None and left.type == right.type and left.type in PAIRS:
        return row.call((left, right), node.span)
    left, right = as_operand(left), as_operand(right)
    kind = left.type
    if node.op in COMPARISONS and kind == right.type and isinstance(kind, Enumerated):
        left, right = cast(left, kind.promotes), cast(right, kind.promotes)
    check_numbers(node, node.op, left.type, right.type)
    check_alike(node.op, left.type, right.type, node.span)
    return folded(_arithmetic(node, left, right))


def _functions(
    left: tree.Expression, right: tree.Expression
) -> tuple[tree.Expression, tree.Expression]:
    """Return pointers to functions, and null pointers beside them, as numbers."""
    if isinstance(left.type, FunctionPointer) and is_null(right):
        right = cast(right, left.type)
    if isinstance(right.type, FunctionPointer) and is_null(left):
        left = cast(left, right.type)
    if left.type == right.type and isinstance(left.type, FunctionPointer):
        return cast(left, ULONG), cast(right, ULONG)
    return left, right


def check_numbers(node: tree.Expression, op: str, left: CType, right: CType) -> None:
    """Refuse operands that are no numbers, and floats where only integers will do."""
    for ctype in (left, right):
        if not isinstance(ctype, Scalar) or is_scoped(ctype):
            what = f"`{op}` cannot combine `{left}` and `{right}`"
            hint = "compute member by member" if isinstance(ctype, Struct) else ""
            hint = _AS_NUMBER if is_scoped(ctype) else hint
            raise CompileError(what, node.span, hint)
        if op.removesuffix("=") in INTEGERS_ONLY and ctype.is_float:
            remainder = op.startswith("%")
            hint = "use fmodf for floating-point remainders" if remainder else "cast it first"
            raise CompileError(f"`{op}` needs integers, not `{ctype}`", node.span, hint)


def _arithmetic(node: tree.Binary, left: tree.Expression, right: tree.Expression) -> tree.Binary:
    assert isinstance(left.type, Scalar)
    assert isinstance(right.type, Scalar)
    if node.op in SHIFTS:
        left, right = cast(left, promoted(left.type)), cast(right, promoted(right.type))
        return tree.Binary(node.op, left, right, span=node.span, type=left.type)
    left, right, ctype = balanced(left, right)
    result = BOOL if node.op in COMPARISONS else ctype
    return tree.Binary(node.op, left, right, span=node.span, type=result)


def _pointers(node: tree.Binary, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    """`left op right` where at least one side is a pointer."""
    if node.op in COMPARISONS:
        left, right = alike(node, left, right)
        return tree.Binary(node.op, left, right, span=node.span, type=BOOL)
    if node.op == "+" and isinstance(right.type, Pointer):
        left, right = right, left
    if node.op in ("+", "-") and is_integer(right.type):
        assert isinstance(right.type, Scalar)
        pointee(left, node.op)
        step = cast(right, promoted(right.type))
        return tree.Binary(node.op, left, step, span=node.span, type=left.type)
    if node.op == "-" and isinstance(right.type, Pointer) and pointee(left, "-") == right.type.to:
        return tree.Binary("-", left, right, span=node.span, type=LONG)
    what = f"`{node.op}` cannot combine `{left.type}` and `{right.type}`"
    raise CompileError(what, node.span, "for what a pointer points to, write `*` or `[…]`")


def alike(
    node: tree.Expression, left: tree.Expression, right: tree.Expression
) -> tuple[tree.Expression, tree.Expression]:
    """Two pointers, or a pointer and a null pointer, in one pointer type."""
    a, b = left.type, right.type
    if isinstance(a, Pointer) and is_null(right):
        return left, cast(right, a)
    if isinstance(b, Pointer) and is_null(left):
        return cast(left, b), right
    if isinstance(a, Pointer) and isinstance(b, Pointer) and (a.to == b.to or VOID in (a.to, b.to)):
        to = VOID if VOID in (a.to, b.to) else a.to
        both = Pointer(to, a.const or b.const, a.volatile or b.volatile)
        return cast(left, both), cast(right, both)
    what = f"`{a}` and `{b}` cannot stand together here"
    raise CompileError(what, node.span, "convert one of them")


def as_enumeration(ctype: CType) -> str:
    """Return the remedy where a number would become an enumeration."""
    return f"assign a number that is converted: `({ctype})(…)`"


def updated(
    node: tree.CompoundAssign, target: tree.Expression, value: tree.Expression
) -> tree.CompoundAssign:
    """`target op= value`."""
    compute: CType
    if isinstance(target.type, Pointer):
        compute, value = target.type, _step(node, target, value)
    else:
        if target.type in PAIRS:
            return _updated_pair(node, target, value)
        if isinstance(target.type, Enumerated):
            what = f"`{node.op}=` cannot be used on `{target.type}`"
            raise CompileError(what, node.span, as_enumeration(target.type))
        check_numbers(node, f"{node.op}=", target.type, value.type)
        compute, value = _computed_in(node.op, as_operand(target).type, as_operand(value))
    return tree.CompoundAssign(node.op, target, value, compute, span=node.span, type=target.type)


def _updated_pair(
    node: tree.CompoundAssign, target: tree.Expression, value: tree.Expression
) -> tree.CompoundAssign:
    """`target op= value` of pairs: the operator's row says that there is one."""
    row = ROWS.get(f"operator{node.op}")
    if is_complex(target.type) and row is not None:
        value = convert(value, target.type, "the value")
    if row is None or value.type != target.type:
        what = f"`{node.op}=` cannot combine `{target.type}` and `{value.type}`"
        raise CompileError(what, node.span, f"convert the value to `{target.type}`")
    row.call((target, value), node.span)
    return tree.CompoundAssign(
        node.op, target, value, target.type, span=node.span, type=target.type
    )


def _step(
    node: tree.CompoundAssign, target: tree.Expression, value: tree.Expression
) -> tree.Expression:
    """Return what a pointer moves by, a long."""
    pointee(target, f"{node.op}=")
    if node.op in ("+", "-") and is_integer(value.type):
        return cast(value, LONG)
    what = f"`{node.op}=` cannot combine `{target.type}` and `{value.type}`"
    raise CompileError(what, node.span)


def _computed_in(op: str, target: CType, value: tree.Expression) -> tuple[Scalar, tree.Expression]:
    """Return the type that `target op= value` computes in, and the value as it enters."""
    assert isinstance(target, Scalar)
    assert isinstance(value.type, Scalar)
    if op in SHIFTS:
        return promoted(target), cast(value, promoted(value.type))
    if not target.is_narrow:
        check_alike(f"{op}=", target, value.type, value.span)
    compute = target if target.is_narrow else common(target, value.type)
    return compute, cast(value, compute)
