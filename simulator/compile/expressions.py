"""Expressions: one method a node of the tree, each giving a `Value` or a place."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from simulator.compile.bindings import PointerVariable
from simulator.compile.lvalues import At, Element, Place
from simulator.compile.operators import OperatorEmitter
from simulator.compile.values import Value, constant, dtype_name
from simulator.ir import tree
from simulator.ir.types import INT, LONG, CType, Pointer, Scalar, Struct


class ExpressionEmitter(OperatorEmitter):
    """Everything that has a value."""

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
        return self.load(self.place(node), node.type, node.span)

    # Assignments.

    @abstractmethod
    def members_of(self, node: tree.Expression) -> dict[str, Value]:
        """The members' values of an expression of structure type."""

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
            return replace(place, index=self.keep("at", place.index))
        if isinstance(place, At):
            return replace(place, address=self.keep("address", place.address))
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

    @abstractmethod
    def _value_Call(self, node: tree.Call) -> Value:
        """Compile a call."""
