"""Expressions: one method a node of the tree, each giving a `Value` or a place."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator import tree
from simulator.compile.places import At, Base, Element, Place, PlaceEmitter, pointee, zero
from simulator.compile.values import Value, constant, dtype_name, known, typed
from simulator.compile.writer import Register
from simulator.ctype import BOOL, INT, LONG, Array, CType, Pointer, Scalar, Struct, size_of
from simulator.execute.arithmetic import LaneError, divide, remainder
from simulator.plan import CONDITION, Operand

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class PointerVariable:
    """A pointer that is set once, to an element of a known array.

    The array, and where the index is kept.
    """

    base: Base
    index: Value | Register
    index_type: CType


@dataclass(frozen=True)
class ReferenceVariable:
    """A reference to memory that differs between lanes.

    `where` keeps the index in the known array `base`, or the address if there is no such array.
    """

    base: Base | None
    element: CType
    where: Register


@dataclass(frozen=True)
class StructureVariable:
    """A variable of structure type: what each member is bound to."""

    type: Struct
    members: dict[str, Binding]

    def type_of(self, name: str) -> CType:
        """The type of a member."""
        found = self.type.member(name)
        assert found is not None
        return found[0]


#: What a C variable is bound to.
Binding = (
    Value | Register | Element | Base | At | PointerVariable | ReferenceVariable | StructureVariable
)


class ExpressionEmitter(PlaceEmitter):
    """Everything that has a value."""

    bindings: dict[tree.Symbol, Binding]

    def value(self, node: tree.Expression) -> Value:
        """The value of an expression for the active lanes."""
        if isinstance(node.type, Struct):
            self.members_of(node)
            return Value("None", node.type, True)
        outer, self.span = self.span, node.span
        result: Value = getattr(self, f"_value_{type(node).__name__}")(node)
        self.span = outer
        return result

    def lanes_of(self, node: tree.Expression) -> Value:
        """The value of an expression, as an array even where all lanes agree."""
        return self.spread(self.value(node))

    def spread(self, value: Value) -> Value:
        """A scalar as an array over the active lanes."""
        if not value.scalar:
            return value
        code = f"np.full({self.region.lanes}.size, {value.code}, {dtype_name(value.type)})"
        return self.keep("spread", Value(code, value.type))

    # Leaves.

    def _value_Literal(self, node: tree.Literal) -> Value:
        if isinstance(node.type, Pointer):
            return Value("i8(0)", node.type, True)
        return constant(node.value, node.type)

    def _value_Builtin(self, node: tree.Builtin) -> Value:
        if node.name == "warpSize":
            return Value("warp_size", INT, True)
        if node.name in ("blockDim", "gridDim"):
            return Value(f"{node.name}_{node.axis}", node.type, True)
        return self.read(self.lane_table(f"{node.name}_{node.axis}"), node.type)

    def _value_Name(self, node: tree.Name) -> Value:
        assert node.symbol is not None
        binding = self.bindings[node.symbol]
        if isinstance(binding, Value):
            return Value(binding.code, node.type, binding.scalar, binding.constant)
        if isinstance(binding, PointerVariable):
            return self.address(self._bound(binding), node.type)
        return self.load(self._place_of(binding), node.type, node.span)

    def _place_of(self, binding: Binding) -> Place:
        if isinstance(binding, Base):
            return Element(binding, zero())
        if isinstance(binding, ReferenceVariable):
            where = self.read(binding.where, LONG)
            return Element(binding.base, where) if binding.base else At(where, binding.element)
        assert isinstance(binding, (Register, Element, At))
        return binding

    # Places and pointers.

    def place(self, node: tree.Expression) -> Place:
        """Where an lvalue is."""
        if isinstance(node, tree.Name):
            assert node.symbol is not None
            return self._place_of(self.bindings[node.symbol])
        if isinstance(node, tree.Index):
            pointer = self.pointer(node.base)
            return self.step(pointer, self.value(node.index))
        assert isinstance(node, tree.Deref), node
        return self.pointer(node.pointer)

    def pointer(self, node: tree.Expression) -> Element | At:
        """What a pointer points to.

        An element of a known array if the source tells, else an address.
        """
        outer, self.span = self.span, node.span
        result = self._pointer(node)
        self.span = outer
        return result

    def _pointer(self, node: tree.Expression) -> Element | At:
        if isinstance(node, tree.Decay):
            return self._decayed(node)
        if isinstance(node, tree.AddressOf):
            place = self.place(node.operand)
            assert not isinstance(place, Register)
            return place
        if (
            isinstance(node, tree.Binary)
            and isinstance(node.left.type, Pointer)
            and node.op in "+-"
        ):
            return self.step(self.pointer(node.left), self.value(node.right), node.op)
        if isinstance(node, tree.Cast) and isinstance(node.operand.type, Pointer):
            inner = self.pointer(node.operand)
            if _same_elements(node.operand.type, node.type):
                return inner
            return At(self.address(inner, node.type), pointee(node.type))
        if isinstance(node, tree.Name):
            assert node.symbol is not None
            binding = self.bindings[node.symbol]
            if isinstance(binding, PointerVariable):
                return self._bound(binding)
        return At(self.value(node), pointee(node.type))

    def _bound(self, variable: PointerVariable) -> Element:
        index = variable.index
        if isinstance(index, Register):
            index = self.read(index, variable.index_type)
        return Element(variable.base, index)

    def _decayed(self, node: tree.Decay) -> Element | At:
        """An array as a pointer.

        Rows of nested arrays are flattened into the innermost elements.
        """
        array = node.operand
        assert isinstance(array.type, Array)
        if isinstance(array, tree.Name):
            place = self.place(array)
        else:
            assert isinstance(array, tree.Index), array
            row = array.type
            inner = _flat_length(row)
            outer = self.pointer(array.base)
            place = self.step(outer, self._times(self.value(array.index), inner))
        assert not isinstance(place, Register)
        return place

    def _times(self, index: Value, count: int) -> Value:
        wide = self.convert(index, LONG)
        if wide.constant is not None:
            return constant(int(wide.constant) * count, LONG)
        return Value(f"({wide.code} * {count})", LONG, wide.scalar)

    def _load_node(self, node: tree.Expression) -> Value:
        return self.load(self.place(node), node.type, node.span)

    _value_Index = _load_node
    _value_Deref = _load_node

    def _address_node(self, node: tree.Expression) -> Value:
        return self.address(self.pointer(node), node.type)

    _value_Decay = _address_node
    _value_AddressOf = _address_node

    # Operators.

    def _value_Cast(self, node: tree.Cast) -> Value:
        if isinstance(node.operand.type, Pointer) and isinstance(node.type, Pointer):
            return self._address_node(node)
        return self.convert(self.value(node.operand), node.type)

    def _value_Unary(self, node: tree.Unary) -> Value:
        operand = self.value(node.operand)
        if operand.constant is not None:
            folded: dict[str, Callable[[Any], Any]] = {
                "-": operator.neg,
                "+": operator.pos,
                "~": operator.invert,
                "!": operator.not_,
            }
            with np.errstate(all="ignore"):
                result = np.asarray(folded[node.op](known(operand)))
            return constant(result.item(), node.type)
        if node.op == "!":
            return Value(f"(~{operand.code})", BOOL, operand.scalar)
        return Value(f"({node.op}{operand.code})", node.type, operand.scalar)

    def _value_Binary(self, node: tree.Binary) -> Value:
        if node.op == ",":
            self.value(node.left)
            return self.value(node.right)
        if isinstance(node.left.type, Pointer):
            return self._pointer_arithmetic(node)
        left, right = self.value(node.left), self.value(node.right)
        return self.combine(node.op, left, right, node.type)

    def _pointer_arithmetic(self, node: tree.Binary) -> Value:
        if not isinstance(node.right.type, Pointer):
            return self._address_node(node)
        left, right = self.value(node.left), self.value(node.right)
        scalar = left.scalar and right.scalar
        if node.op == "-":
            size = size_of(pointee(node.left.type))
            return Value(f"(({left.code} - {right.code}) // {size})", node.type, scalar)
        return Value(f"({left.code} {node.op} {right.code})", node.type, scalar)

    def combine(self, op: str, left: Value, right: Value, ctype: CType) -> Value:
        """`left op right`, both already of the type that C computes in."""
        scalar = left.scalar and right.scalar
        if left.constant is not None and right.constant is not None:
            folded = self._fold(op, left, right, ctype)
            if folded is not None:
                return folded
        if op in ("/", "%") and isinstance(left.type, Scalar) and not left.type.is_float:
            function = "divide" if op == "/" else "remainder"
            return self.keep(
                "q", Value(f"{function}({typed(left)}, {typed(right)})", ctype, scalar)
            )
        if op in ("<<", ">>"):
            count = right if right.constant is not None else self.convert(right, left.type)
            return Value(f"({typed(left)} {op} {count.code})", ctype, scalar)
        first = typed(left) if right.constant is not None or right.scalar else left.code
        return Value(f"({first} {op} {right.code})", ctype, scalar)

    def _fold(self, op: str, left: Value, right: Value, ctype: CType) -> Value | None:
        a, b = known(left), known(right)
        try:
            with np.errstate(all="ignore"):
                if op in ("/", "%"):
                    if a.dtype.kind == "f":
                        return constant((a / b).item(), ctype)
                    return constant((divide if op == "/" else remainder)(a, b).item(), ctype)
                if op in ("<<", ">>"):
                    b = b.astype(a.dtype)
                result = _FOLD[op](a, b)
        except LaneError:
            return None
        return constant(result.item(), ctype)

    # Expressions whose parts run on some of the lanes only.

    def _value_Logical(self, node: tree.Logical) -> Value:
        left = self.value(node.left)
        short = node.op == "||"
        if left.constant is not None:
            return left if bool(left.constant) == short else self.value(node.right)
        if is_pure(node.right):
            right = self.value(node.right)
            op = "|" if short else "&"
            return Value(f"({left.code} {op} {typed(right)})", BOOL, left.scalar and right.scalar)
        left = self.keep("test", left)
        needed = Value(f"(~{left.code})", BOOL, left.scalar) if short else left
        needed = self._branched(needed, node.right)
        return self._partly(needed, node.right, left, BOOL)

    def _value_Conditional(self, node: tree.Conditional) -> Value:
        test = self.value(node.test)
        if test.constant is not None:
            return self.value(node.then if test.constant else node.other)
        if is_pure(node.then) and is_pure(node.other):
            return self._select(test, self.value(node.then), self.value(node.other), node.type)
        test = self._branched(test, node.test)
        start = Value(f"{dtype_name(node.type)}(0)", node.type, True)
        first = self._partly(test, node.then, start, node.type)
        return self._partly(
            Value(f"(~{test.code})", BOOL, test.scalar), node.other, first, node.type
        )

    def _select(self, test: Value, then: Value, other: Value, ctype: CType) -> Value:
        if test.scalar and then.scalar and other.scalar:
            return Value(f"({typed(then)} if {test.code} else {typed(other)})", ctype, True)
        code = f"np.where({test.code}, {typed(then)}, {typed(other)})"
        return Value(code, ctype)

    def _branched(self, test: Value, node: tree.Expression) -> Value:
        """Note that the lanes part by `test`, at the place of `node`."""
        test = self.keep("test", test)
        self.log(Operand(CONDITION, self.site("branch", node.span)), test.code)
        return test

    def _partly(self, test: Value, node: tree.Expression, rest: Value, ctype: CType) -> Value:
        """`node` for the lanes where `test` holds, `rest` for the others."""
        test = self.keep("test", test)
        self.close()
        result = self.writer.fresh("either")
        self.put(f"{result} = spread({rest.code}, {self.region.lanes}.size, {dtype_name(ctype)})")
        if test.scalar:
            picked = ""
            self.put(f"if {test.code}:")
        else:
            picked = self.writer.fresh("pick")
            self.put(f"{picked} = {test.code}.nonzero()[0]")
            self.put(f"if {picked}.size:")
        lanes = self.writer.fresh("lanes") if picked else None
        outer = self.region
        self.writer.indent += 1
        self.enter(picked, lanes)
        if picked:
            self.put(f"{lanes} = {outer.lanes}[{picked}]")
        value = self.value(node)
        self.put(f"{result}[{picked or ':'}] = {value.code}")
        self.leave()
        self.writer.indent -= 1
        return Value(result, ctype)

    # Assignments.

    def members_of(self, node: tree.Expression) -> dict[str, Value]:
        """The members' values of an expression of structure type."""
        raise NotImplementedError

    def _value_Assign(self, node: tree.Assign) -> Value:
        value = self.keep("value", self.value(node.value))  # C++17: the right side comes first
        self.store(self.place(node.target), value, node.span)
        return value

    def _value_CompoundAssign(self, node: tree.CompoundAssign) -> Value:
        value = self.value(node.value)
        place = self.once(self.place(node.target))
        old = self.load(place, node.target.type, node.target.span)
        new = self._changed(node.op, old, value, node.compute, node.target.type)
        self.store(place, new, node.span)
        return new

    def _changed(self, op: str, old: Value, value: Value, compute: CType, target: CType) -> Value:
        if isinstance(target, Pointer):
            moved = self.step(At(old, target.to), value, op)
            return self.keep("value", self.address(moved, target))
        wide = self.combine(op, self.convert(old, compute), value, compute)
        return self.keep("value", self.convert(wide, target))

    def once(self, place: Place) -> Any:
        """The place with its index or address named, so that using it twice evaluates it once."""
        if isinstance(place, Element):
            return Element(place.base, self.keep("at", place.index))
        if isinstance(place, At):
            return At(self.keep("address", place.address), place.element)
        return place

    def _value_Increment(self, node: tree.Increment) -> Value:
        place = self.once(self.place(node.target))
        old = self.load(place, node.target.type, node.target.span)
        op = node.op[0]
        target = node.target.type
        if isinstance(target, Pointer):
            new = self._changed(op, old, constant(1, LONG), target, target)
        else:
            assert isinstance(target, Scalar)
            compute = INT if target.rank < INT.rank else target
            new = self._changed(op, old, constant(1, compute), compute, target)
        self.store(place, new, node.span)
        return new if node.prefix else old

    def _value_Call(self, node: tree.Call) -> Value:
        raise NotImplementedError


def is_pure(node: tree.Expression) -> bool:
    """Whether lanes that do not need `node` may evaluate it: no accesses, effects or faults."""
    if isinstance(node, (tree.Literal, tree.Builtin)):
        return True
    if isinstance(node, tree.Name):
        assert node.symbol is not None
        held = node.symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
        return held and not node.symbol.reference
    if isinstance(node, (tree.Unary, tree.Cast)):
        return is_pure(node.operand)
    if isinstance(node, (tree.Binary, tree.Logical)):
        safe = node.op not in ("/", "%") or (isinstance(node.type, Scalar) and node.type.is_float)
        return safe and is_pure(node.left) and is_pure(node.right)
    if isinstance(node, tree.Conditional):
        return is_pure(node.test) and is_pure(node.then) and is_pure(node.other)
    return False


def _same_elements(left: CType, right: CType) -> bool:
    a, b = pointee(left), pointee(right)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.code == b.code
    return isinstance(a, Pointer) and isinstance(b, Pointer)


def _flat_length(row: Array) -> int:
    count = 1
    inner: CType = row
    while isinstance(inner, Array):
        count *= inner.length or 1
        inner = inner.of
    return count
