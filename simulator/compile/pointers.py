"""Lvalues and pointers: which place of memory a piece of the tree means."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from simulator.compile.bindings import Binding, PointerVariable, ReferenceVariable
from simulator.compile.lvalues import At, Base, Element, Place, PlaceEmitter, pointee, zero
from simulator.compile.values import Value, constant
from simulator.compile.writer import Register
from simulator.ir import tree
from simulator.ir.types import LONG, Array, CType, Pointer, Scalar


class PointerEmitter(PlaceEmitter):
    """Everything that has an address."""

    bindings: dict[tree.Symbol, Binding]

    @abstractmethod
    def value(self, node: tree.Expression) -> Value:
        """The value of an expression for the active lanes."""

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
        place = self._place(node)
        if isinstance(place, Register):
            return place
        read_only = isinstance(node, tree.Deref) and node.read_only
        return replace(place, volatile=tree.is_volatile(node), read_only=read_only)

    def _place(self, node: tree.Expression) -> Place:
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
        if not isinstance(array, tree.Index):
            place = self.place(array)
        else:
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

    def plain_value(self, node: tree.Expression) -> Value:
        """The value of an expression; that of a pointer as the program sees it."""
        if not isinstance(node.type, Pointer):
            return self.value(node)
        return self.plain_address(self.pointer(node), node.type)

    def plain_address(self, pointer: Element | At, ctype: CType) -> Value:
        """The byte address of a place as the program sees it."""
        if isinstance(pointer, Element):
            return self.address(pointer, ctype, marked=False)
        return self.unmarked(self.address(pointer, ctype))

    _value_Decay = _address_node
    _value_AddressOf = _address_node


def _same_elements(left: CType, right: CType) -> bool:
    a, b = pointee(left), pointee(right)
    if a == b:
        return True
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
