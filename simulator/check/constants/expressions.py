"""Evaluate checked expressions: C's operators on numbers, places and pointers to them."""

from __future__ import annotations

from typing import Any

from simulator.check.constants.dispatch import place, value
from simulator.check.constants.storage import Evaluation, NotConstant, Place, structure_of
from simulator.ir import tree
from simulator.ir.constants import computed, folded
from simulator.ir.types import BOOL, INT, Bits, CType, Pointer, Scalar, Struct
from simulator.source import Span


@value.register
def _literal(node: tree.Literal, evaluation: Evaluation) -> Any:
    return node.value


@value.register
def _name(node: tree.Name, evaluation: Evaluation) -> Any:
    known = evaluation.constants.get(node.symbol) if node.symbol is not None else None
    return known.value if known is not None else place(node, evaluation).load(node.span)


@place.register
def _place_of_name(node: tree.Name, evaluation: Evaluation) -> Place:
    assert node.symbol is not None
    found = evaluation.frame.place(node.symbol)
    if found is not None:
        return found
    if node.symbol in evaluation.objects:
        return Place([evaluation.objects[node.symbol]])
    if node.symbol in evaluation.constants:
        return Place([evaluation.constants[node.symbol].value])
    if isinstance(node.type, Struct) and not node.type.members:
        return Place([[]])
    raise NotConstant(f"`{node.name}` is known at run time only", node.span)


@place.register
def _member(node: tree.Member, evaluation: Evaluation) -> Place:
    ctype = node.base.type
    assert isinstance(ctype, Struct)
    names = [name for name, _, _ in ctype.members]
    at = names.index(node.name)
    inner = ctype.members[at][1]
    bits = inner if isinstance(inner, Bits) else None
    return Place(place(node.base, evaluation).part(node.span), at, bits)


@value.register
def _value_of_member(node: tree.Member, evaluation: Evaluation) -> Any:
    return place(node, evaluation).load(node.span)


@place.register
def _index(node: tree.Index, evaluation: Evaluation) -> Place:
    base = _pointer(node.base, evaluation)
    return base.moved(int(value(node.index, evaluation)))


@place.register
def _deref(node: tree.Deref, evaluation: Evaluation) -> Place:
    return _pointer(node.pointer, evaluation)


def _pointer(node: tree.Expression, evaluation: Evaluation) -> Place:
    found = value(node, evaluation)
    if not isinstance(found, Place):
        raise NotConstant(f"`{node.span.text}` leads nowhere", node.span)
    return found


@value.register
def _decay(node: tree.Decay, evaluation: Evaluation) -> Any:
    return Place(place(node.operand, evaluation).part(node.span))


@value.register
def _address_of(node: tree.AddressOf, evaluation: Evaluation) -> Any:
    return place(node.operand, evaluation)


@value.register
def _aggregate(node: tree.Aggregate, evaluation: Evaluation) -> Any:
    if not isinstance(node.type, Struct):
        return [value(part, evaluation) for part in node.values]
    values = {name: value(part, evaluation) for name, _, _, part in node.parts}
    return structure_of(node.type, values)


@value.register
def _cast(node: tree.Cast, evaluation: Evaluation) -> Any:
    found = value(node.operand, evaluation)
    if isinstance(found, Place):
        source, target = node.operand.type, node.type
        if target == BOOL:
            return True
        if isinstance(source, Pointer) and isinstance(target, Pointer) and source.to == target.to:
            return found
        raise NotConstant(f"`{node.span.text}` changes the type of a pointer", node.span)
    if isinstance(node.type, Pointer) or not isinstance(node.type, Scalar):
        return found
    source = node.operand.type
    scalar = source if isinstance(source, Scalar) else INT
    return _folded(tree.Cast(_literal_of(found, scalar, node.span), span=node.span, type=node.type))


@value.register
def _is_evaluated(node: tree.IsEvaluated, evaluation: Evaluation) -> Any:
    return True


@value.register
def _unary(node: tree.Unary, evaluation: Evaluation) -> Any:
    found = value(node.operand, evaluation)
    _check_range(node, -found if node.op == "-" else 0)
    operand = _literal_of(found, node.operand.type, node.span)
    return _folded(tree.Unary(node.op, operand, span=node.span, type=node.type))


@value.register
def _binary(node: tree.Binary, evaluation: Evaluation) -> Any:
    left = value(node.left, evaluation)
    right = value(node.right, evaluation)
    if node.op == ",":
        return right
    if isinstance(left, Place) or isinstance(right, Place):
        return _of_pointers(node, left, right)
    return _operation(node, left, right)


@place.register
def _place_of_binary(node: tree.Binary, evaluation: Evaluation) -> Place:
    if node.op != ",":
        return Place([value(node, evaluation)])
    value(node.left, evaluation)
    return place(node.right, evaluation)


def _of_pointers(node: tree.Binary, left: Any, right: Any) -> Any:
    """`left op right` of places, and of numbers that move them."""
    if node.op in ("+", "-") and isinstance(left, Place) and not isinstance(right, Place):
        return left.moved(right if node.op == "+" else -right)
    if node.op in ("==", "!="):
        same = isinstance(left, Place) and left.is_same(right)
        return same == (node.op == "==")
    together = isinstance(left, Place) and isinstance(right, Place) and left.parts is right.parts
    if not together:
        raise NotConstant(f"`{node.span.text}` is known at run time only", node.span)
    return computed(node.op, left.at, right.at, is_float=False)


def _operation(node: tree.Binary, left: Any, right: Any) -> Any:
    """`left op right` of numbers, refused where C leaves open what it is."""
    one, other = node.left.type, node.right.type
    is_float = isinstance(one, Scalar) and one.is_float
    if node.op in ("/", "%") and not right and not is_float:
        raise NotConstant(f"`{node.span.text}` divides by zero", node.span)
    if node.op in ("<<", ">>"):
        if isinstance(one, Scalar) and not 0 <= right < 8 * one.size:
            raise NotConstant(f"`{node.span.text}` shifts by {right} bits", node.span)
    elif node.op in ("+", "-", "*", "/") and not is_float:
        _check_range(node, computed(node.op, left, right, is_float=False))
    a, b = _literal_of(left, one, node.span), _literal_of(right, other, node.span)
    return _folded(tree.Binary(node.op, a, b, span=node.span, type=node.type))


def _check_range(node: tree.Expression, exact: Any) -> None:
    """Refuse a sum or product that a signed type does not hold: C leaves open what it is."""
    ctype = node.type
    if not isinstance(ctype, Scalar) or ctype.is_float or ctype == BOOL or not ctype.is_signed:
        return
    bound = 1 << (8 * ctype.size - 1)
    if not -bound <= exact < bound:
        what = f"`{node.span.text}` is {exact}, which `{ctype}` does not hold"
        raise NotConstant(what, node.span)


def _literal_of(found: Any, ctype: CType, span: Span) -> tree.Literal:
    return tree.Literal(found, span=span, type=ctype)


def _folded(node: tree.Expression) -> Any:
    made = folded(node)
    if not isinstance(made, tree.Literal):
        raise NotConstant(f"C leaves open what `{node.span.text}` is", node.span)
    return made.value


@value.register
def _logical(node: tree.Logical, evaluation: Evaluation) -> Any:
    left = bool(value(node.left, evaluation))
    decided = left == (node.op == "||")
    return left if decided else bool(value(node.right, evaluation))


@value.register
def _conditional(node: tree.Conditional, evaluation: Evaluation) -> Any:
    chosen = node.then if value(node.test, evaluation) else node.other
    return value(chosen, evaluation)


@place.register
def _place_of_conditional(node: tree.Conditional, evaluation: Evaluation) -> Place:
    chosen = node.then if value(node.test, evaluation) else node.other
    return place(chosen, evaluation)


# Assignments.


@place.register
def _assign(node: tree.Assign, evaluation: Evaluation) -> Place:
    new = value(node.value, evaluation)
    target = place(node.target, evaluation)
    target.store(new, node.span)
    return target


@place.register
def _compound_assign(node: tree.CompoundAssign, evaluation: Evaluation) -> Place:
    by = value(node.value, evaluation)
    target = place(node.target, evaluation)
    old = target.load(node.span)
    if isinstance(old, Place):
        target.store(old.moved(by if node.op == "+" else -by), node.span)
        return target
    ctype = node.compute
    old = _converted(old, node.target.type, ctype, node.span)
    left, right = _literal_of(old, ctype, node.span), _literal_of(by, node.value.type, node.span)
    made = tree.Binary(node.op, left, right, span=node.span, type=ctype)
    new = _operation(made, old, by)
    target.store(_converted(new, ctype, node.target.type, node.span), node.span)
    return target


def _converted(found: Any, source: CType, target: CType, span: Span) -> Any:
    if source == target:
        return found
    return _folded(tree.Cast(_literal_of(found, source, span), span=span, type=target))


def _incremented(node: tree.Increment, evaluation: Evaluation) -> tuple[Place, Any]:
    """Change a variable by one, and return it and the value that it had."""
    target = place(node.target, evaluation)
    old, by = target.load(node.span), 1 if node.op == "++" else -1
    if isinstance(old, Place):
        target.store(old.moved(by), node.span)
        return target, old
    _check_range(node, old + by)
    one = _literal_of(old + by, INT if isinstance(old, int) else node.type, node.span)
    target.store(_folded(tree.Cast(one, span=node.span, type=node.type)), node.span)
    return target, old


@value.register
def _increment(node: tree.Increment, evaluation: Evaluation) -> Any:
    target, old = _incremented(node, evaluation)
    return target.load(node.span) if node.prefix else old


@place.register
def _place_of_increment(node: tree.Increment, evaluation: Evaluation) -> Place:
    return _incremented(node, evaluation)[0]


@value.register(tree.Assign)
@value.register(tree.CompoundAssign)
def _assigned(node: tree.Assign | tree.CompoundAssign, evaluation: Evaluation) -> Any:
    return place(node, evaluation).load(node.span)
