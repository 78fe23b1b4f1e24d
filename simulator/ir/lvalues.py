"""Lvalues: what has a place in memory or in a register, and what of it may be written."""

from __future__ import annotations

from dataclasses import replace

from simulator.ir import tree
from simulator.ir.group_types import is_group
from simulator.ir.types import Array, Pointer
from simulator.source import CompileError


def is_const(node: tree.Expression) -> bool:
    """Whether an lvalue must not be written."""
    if isinstance(node, tree.Name):
        return node.symbol is not None and node.symbol.const
    if isinstance(node, tree.Index | tree.Deref):
        pointer = node.base if isinstance(node, tree.Index) else node.pointer
        return isinstance(pointer.type, Pointer) and pointer.type.const
    return isinstance(node, tree.Member) and is_const(node.base)


def is_place(node: tree.Expression) -> bool:
    """Whether `node` is an lvalue: something that has an address."""
    if isinstance(node, tree.Member):
        return is_place(node.base)
    return isinstance(node, tree.Name | tree.Index | tree.Deref)


def placed(node: tree.Expression) -> tree.Expression:
    """`node` with its place, where C++ says that an operator's result has one: `test ? a : b`.

    Others, and what has none, stay as they are.
    """
    if isinstance(node, tree.Member) and not is_place(node.base):
        return replace(node, base=placed(node.base))
    pointer = _address(node)
    if pointer is None or isinstance(node.type, Array) or is_group(node.type):
        return node
    return tree.Deref(pointer, span=node.span, type=node.type)


def _address(node: tree.Expression) -> tree.Expression | None:
    """The address of an operator's result; None if it has none."""
    if isinstance(node, tree.Conditional):
        return _chosen(node)
    if isinstance(node, tree.Binary) and node.op == ",":
        return _behind(node.left, node.right, node)
    if isinstance(node, tree.Increment) and not node.prefix:
        return None
    if isinstance(node, tree.Assign | tree.CompoundAssign | tree.Increment):
        return _behind(node, node.target, node) if _is_named(node.target) else None
    return None


def _chosen(node: tree.Conditional) -> tree.Expression | None:
    """The address of one of two places of one type."""
    then, other = _pointer_to(node.then), _pointer_to(node.other)
    if then is None or other is None or node.then.type != node.other.type:
        return None
    (left, a), (right, b) = then, other
    ctype = Pointer(a.to, a.const or b.const, a.volatile or b.volatile)
    sides = (replace(side, type=ctype) for side in (left, right))
    return tree.Conditional(node.test, *sides, span=node.span, type=ctype)


def _behind(
    first: tree.Expression, place: tree.Expression, node: tree.Expression
) -> tree.Expression | None:
    """The address of a place, after something else has been done."""
    found = _pointer_to(place)
    if found is None:
        return None
    return tree.Binary(",", first, found[0], span=node.span, type=found[1])


def _pointer_to(node: tree.Expression) -> tuple[tree.AddressOf, Pointer] | None:
    """The address of a place, and its type; None for what is none."""
    node = placed(node)
    if not is_place(node):
        return None
    pointer = Pointer(node.type, is_const(node), tree.is_volatile(node))
    return tree.AddressOf(node, span=node.span, type=pointer), pointer


def _is_named(node: tree.Expression) -> bool:
    """Whether a place is a variable or a member of one, so that it can be written twice."""
    while isinstance(node, tree.Member):
        node = node.base
    return isinstance(node, tree.Name)


def writable(node: tree.Expression) -> tree.Expression:
    """`node`, an lvalue that can be assigned to.

    Raises
    ------
    CompileError
        that says why it cannot
    """
    node = placed(node)
    root = variable_in(node)
    in_constant = root is not None and root.storage is tree.Storage.CONSTANT
    plain = is_place(node) and not isinstance(node.type, Array)
    if plain and not is_const(node) and not in_constant:
        return node
    text = node.span.text
    if isinstance(node, tree.Builtin):
        raise CompileError(f"`{text}` cannot be changed", node.span, "copy it to a variable first")
    if not is_place(node):
        hint = "a variable or an element stands on the left"
        raise CompileError(f"`{text}` is a value: nothing can be assigned to it", node.span, hint)
    if isinstance(node.type, Array):
        what = f"the array `{text}` cannot be assigned to as a whole"
        raise CompileError(what, node.span, "assign its elements")
    remedy = "remove `const` from its declaration, or write elsewhere"
    if root is not None and in_constant:
        what = f"`{root.name}` is __constant__: kernels cannot change it"
        raise CompileError(what, node.span, f'write it from the host: get_global("{root.name}")')
    raise CompileError(f"`{text}` is const", node.span, remedy)


def variable_in(node: tree.Expression) -> tree.Symbol | None:
    """The variable that a place is in, as far as the source tells."""
    while isinstance(node, tree.Member | tree.Index | tree.Decay):
        node = node.operand if isinstance(node, tree.Decay) else node.base
    return node.symbol if isinstance(node, tree.Name) else None
