"""The rules of C's operators, applied to operands that are checked."""

from __future__ import annotations

from simulator.check.scopes import COORDINATES, Scope, complete
from simulator.hints import foreign
from simulator.hints.similar import nearest
from simulator.hints.unsupported import as_macro
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import balanced, cast, is_null
from simulator.ir.types import (
    BOOL,
    LONG,
    VOID,
    Array,
    CType,
    Pointer,
    Scalar,
    Struct,
    Void,
    common,
    promoted,
)
from simulator.source import CompileError, Span

# What to do about an expression that cannot be: the hints of its errors.


_LENGTHS = frozenset({"length", "len", "size", "shape", "count"})


def declared_where(node: tree.Name, scope: Scope) -> str:
    """Return the hint for a name without a meaning."""
    if (hint := foreign.NAMES.get(node.name)) is not None:
        return hint
    if scope.frame is not None and (span := scope.frame.declared.get(node.name)) is not None:
        return f"it was declared in line {span.line}, in a block that has ended"
    hint = nearest(node.name, [*scope.names(tree.Symbol), *COORDINATES, "warpSize"])
    declare = f"declare it before its use, as in `int {node.name} = …;`"
    return hint or as_macro(node.name) or declare


def no_member(name: str, base: tree.Expression) -> str:
    """Return the hint for a member of something that has none."""
    if isinstance(base.type, Pointer) and isinstance(base.type.to, Struct):
        return f"write `{base.span.text}->{name}`"
    if isinstance(base.type, Pointer | Array) and name in _LENGTHS:
        return "an array does not know its length: pass it as a parameter"
    return "vectors such as `float2` have members"


def is_power(span: Span) -> bool:
    """Whether another star stands right before this one."""
    return not span.macro and span.source.line(span.line)[: span.column - 1].endswith("*")


def bracketed(node: tree.Expression) -> str:
    """Return the text of an operand for a cast, in parentheses where it needs them."""
    plain = isinstance(node, tree.Name | tree.Index | tree.Call | tree.Literal)
    return node.span.text if plain else f"({node.span.text})"


COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
SHIFTS = frozenset({"<<", ">>"})
INTEGERS_ONLY = frozenset({"%", "&", "|", "^"}) | SHIFTS


def pointee(pointer: tree.Expression, op: str) -> CType:
    """Return what a pointer points to; `op` is what wants to know."""
    if not isinstance(pointer.type, Pointer):
        what = f"`{pointer.span.text}` is `{pointer.type}`, not a pointer: `{op}` needs one"
        raise CompileError(what, pointer.span, _no_pointer(pointer, op))
    if isinstance(pointer.type.to, Void):
        what = f"`{pointer.span.text}` points to void: what it points to has no type"
        raise CompileError(what, pointer.span, "cast it first")
    return complete(pointer.type.to, pointer.span)


def _no_pointer(value: tree.Expression, op: str) -> str:
    """Return the hint where a pointer is needed and a `value` stands."""
    if op == "->" and isinstance(value.type, Struct):
        return f"write `{value.span.text}.` in place of `{value.span.text}->`"
    if op in ("*", "[…]") and isinstance(value, tree.Name):
        return f"a pointer is declared with a star: `{value.type} *{value.name}`"
    return ""


def check_bound(array: tree.Expression, position: tree.Literal, beyond: int) -> None:
    """Refuse a constant index outside an array, but for `beyond` elements past its end."""
    assert isinstance(array.type, Array)
    length = array.type.length
    if position.value < 0 or (length is not None and position.value >= length + beyond):
        allowed = "start at 0" if length is None else f"are 0 to {length - 1}"
        what = f"`{array.span.text}` has no element {position.value}"
        raise CompileError(what, position.span, f"its elements {allowed}")


def combined(node: tree.Binary, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    """`left op right` for any operator but the comma."""
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _pointers(node, left, right)
    check_numbers(node, node.op, left.type, right.type)
    return folded(_arithmetic(node, left, right))


def check_numbers(node: tree.Expression, op: str, left: CType, right: CType) -> None:
    """Refuse operands that are no numbers, and floats where only integers will do."""
    for ctype in (left, right):
        if not isinstance(ctype, Scalar):
            what = f"`{op}` cannot combine `{left}` and `{right}`"
            hint = "compute member by member" if isinstance(ctype, Struct) else ""
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
    if node.op in ("+", "-") and isinstance(right.type, Scalar) and right.type.is_integer:
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


def updated(
    node: tree.CompoundAssign, target: tree.Expression, value: tree.Expression
) -> tree.CompoundAssign:
    """`target op= value`."""
    compute: CType
    if isinstance(target.type, Pointer):
        compute, value = target.type, _step(node, target, value)
    else:
        check_numbers(node, f"{node.op}=", target.type, value.type)
        compute, value = _computed_in(node.op, target.type, value)
    return tree.CompoundAssign(node.op, target, value, compute, span=node.span, type=target.type)


def _step(
    node: tree.CompoundAssign, target: tree.Expression, value: tree.Expression
) -> tree.Expression:
    """Return what a pointer moves by, a long."""
    pointee(target, f"{node.op}=")
    if node.op in ("+", "-") and isinstance(value.type, Scalar) and value.type.is_integer:
        return cast(value, LONG)
    what = f"`{node.op}=` cannot combine `{target.type}` and `{value.type}`"
    raise CompileError(what, node.span)


def _computed_in(op: str, target: CType, value: tree.Expression) -> tuple[Scalar, tree.Expression]:
    """Return the type that `target op= value` computes in, and the value as it enters."""
    assert isinstance(target, Scalar)
    assert isinstance(value.type, Scalar)
    if op in SHIFTS:
        return promoted(target), cast(value, promoted(value.type))
    compute = common(target, value.type)
    return compute, cast(value, compute)
