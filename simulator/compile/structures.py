"""Structures: as variables a register a member, in memory one access where a GPU has one.

CUDA's vector types of two and four elements move whole, by one 4- to 16-byte instruction a warp.
Any other structure moves member by member.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

from simulator import tree
from simulator.compile.bindings import Binding, StructureVariable
from simulator.compile.expressions import ExpressionEmitter
from simulator.compile.places import At, Element, Place
from simulator.compile.values import Value, dtype_code, dtype_name
from simulator.compile.writer import Register
from simulator.ctype import Struct
from simulator.source import Span

Members = dict[str, Value]


@dataclass(frozen=True)
class _Whole:
    """A place with a whole structure in it."""

    place: Element | At
    type: Struct


class StructureEmitter(ExpressionEmitter):
    """Values, places and variables of structure type."""

    def members_of(self, node: tree.Expression) -> Members:
        """The members' values of an expression of structure type."""
        ctype = node.type
        assert isinstance(ctype, Struct)
        outer, self.span = self.span, node.span
        if isinstance(node, tree.Call):
            result = self.call_members(node, ctype)
        elif isinstance(node, tree.Assign):
            result = self.assign_members(node)
        elif isinstance(node, tree.Cast):
            result = self.members_of(node.operand)
        else:
            result = self._load_members(self.structure(node), node.span)
        self.span = outer
        return result

    @abstractmethod
    def call_members(self, node: tree.Call, ctype: Struct) -> Members:
        """The members of what a call returns."""

    def structure(self, node: tree.Expression) -> StructureVariable | _Whole:
        """Where an lvalue of structure type is."""
        ctype = node.type
        assert isinstance(ctype, Struct)
        if isinstance(node, tree.Name) and node.symbol is not None:
            binding = self.bindings[node.symbol]
            if isinstance(binding, StructureVariable):
                return binding
        if isinstance(node, tree.Member):
            outer = self.structure(node.base)
            if isinstance(outer, StructureVariable):
                inner = outer.members[node.name]
                assert isinstance(inner, StructureVariable)
                return inner
        place = self.place(node)
        assert not isinstance(place, Register)
        return _Whole(place, ctype)

    def _load_members(self, where: StructureVariable | _Whole, span: Span) -> Members:
        if isinstance(where, StructureVariable):
            return {
                name: self.load(self._place_of(b), where.type_of(name), span)
                for name, b in where.members.items()
            }
        place, ctype = where.place, where.type
        if not ctype.whole:
            return {
                name: self.load(self.member(self.once(place), name, inner, at), inner, span)
                for name, inner, at in ctype.members
            }
        whole = self.load(place, ctype, span)
        return {
            name: self.keep(name, Value(f"{whole.code}[{name!r}]", inner, whole.scalar))
            for name, inner, _ in ctype.members
        }

    def assign_members(self, node: tree.Assign) -> Members:
        """`a = b` of structures."""
        where = self.structure(node.target)
        values = {n: self.keep(n, v) for n, v in self.members_of(node.value).items()}
        if isinstance(where, StructureVariable):
            for name, binding in where.members.items():
                self.store(self._place_of(binding), values[name], node.span)
        else:
            self._store_members(where, values, node.span)
        return values

    def _store_members(self, where: _Whole, values: Members, span: Span) -> None:
        place, ctype = where.place, where.type
        if not ctype.whole:
            for name, inner, at in ctype.members:
                self.store(self.member(self.once(place), name, inner, at), values[name], span)
            return
        packed = self.writer.fresh("packed")
        self.put(f"{packed} = np.empty({self.region.lanes}.size, {dtype_name(ctype)})")
        for name, value in values.items():
            self.put(f"{packed}[{name!r}] = {value.code}")
        self.store(place, Value(packed, ctype), span)

    def variable_of(self, name: str, ctype: Struct, values: Members | None) -> StructureVariable:
        """A new variable, a register a member."""
        members: dict[str, Binding] = {}
        for member, inner, _ in ctype.members:
            register = self.register(f"{name}_{member}", dtype_code(inner))
            if values is not None:
                self.write(register, values[member])
            members[member] = register
        return StructureVariable(ctype, members)

    # Members as expressions.

    def _value_Member(self, node: tree.Member) -> Value:
        if _is_place(node.base):
            return self.load(self.place(node), node.type, node.span)
        return replace(self.members_of(node.base)[node.name], type=node.type)

    def place(self, node: tree.Expression) -> Place:
        """Where an lvalue is; members included."""
        if not isinstance(node, tree.Member):
            return super().place(node)
        where = self.structure(node.base)
        if isinstance(where, StructureVariable):
            return self._place_of(where.members[node.name])
        found = where.type.member(node.name)
        assert found is not None
        member = self.member(where.place, node.name, *found)
        return replace(member, volatile=tree.is_volatile(node))


def _is_place(node: tree.Expression) -> bool:
    if isinstance(node, tree.Member):
        return _is_place(node.base)
    return isinstance(node, (tree.Name, tree.Index, tree.Deref))
