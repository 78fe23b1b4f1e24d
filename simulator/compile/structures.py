"""Structures: as variables a register a member, in memory one access where a GPU has one.

Structures of up to 16 bytes that are aligned to their size, such as CUDA's vector types of two and
four elements, move whole, by one instruction a warp. Any other structure moves member by member.
The value of a structure is that of its leaves, the numbers and pointers at its bottom.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

from simulator.compile.bindings import Binding, StructureVariable
from simulator.compile.expressions import ExpressionEmitter
from simulator.compile.layouts import (
    Leaf,
    elements_of,
    leaves,
    leaves_by_path,
    padding,
    under,
    units,
)
from simulator.compile.lvalues import At, Base, Element, Place, zero
from simulator.compile.operators import is_pure
from simulator.compile.values import Value, constant, dtype_code, dtype_name
from simulator.compile.writer import Register
from simulator.ir import tree
from simulator.ir.types import INT, Array, CType, Struct
from simulator.source import Span

Members = dict[str, Value]


@dataclass(frozen=True)
class Whole:
    """A place with a whole structure in it."""

    place: Element | At
    type: Struct


class StructureEmitter(ExpressionEmitter):
    """Values, places and variables of structure type."""

    def members_of(self, node: tree.Expression) -> Members:
        """The leaves' values of an expression of structure type, by their paths."""
        ctype = node.type
        assert isinstance(ctype, Struct)
        outer, self.span = self.span, node.span
        if isinstance(node, tree.Call):
            result = self.call_members(node, ctype)
        elif isinstance(node, tree.Assign):
            result = self.assign_members(node)
        elif isinstance(node, tree.Cast):
            result = self.members_of(node.operand)
        elif isinstance(node, tree.Aggregate):
            result = dict(self._aggregate_leaves(node))
        elif isinstance(node, tree.Conditional):
            result = self._chosen_members(node, ctype)
        elif isinstance(node, tree.Binary):
            self.value(node.left)
            result = self.members_of(node.right)
        elif isinstance(node, tree.Member) and not is_place(node.base):
            result = under(node.name, self.members_of(node.base))
        else:
            result = self.load_members(self.structure(node), node.span)
        self.span = outer
        return result

    def _aggregate_leaves(self, node: tree.Aggregate) -> Iterator[tuple[str, Value]]:
        assert isinstance(node.type, Struct)
        for (name, inner, _), value in zip(node.type.members, node.values, strict=True):
            if isinstance(inner, Array):
                for at, element in enumerate(elements_of(value)):
                    yield from self._leaf_values(f"{name}.{at}", element)
            else:
                yield from self._leaf_values(name, value)

    def _leaf_values(self, path: str, node: tree.Expression) -> Iterator[tuple[str, Value]]:
        if isinstance(node.type, Struct):
            for inner, leaf in self.members_of(node).items():
                yield f"{path}.{inner}", leaf
        else:
            yield path, self.keep("part", self.value(node))

    def _chosen_members(self, node: tree.Conditional, ctype: Struct) -> Members:
        """`test ? then : other`, each side evaluated by its lanes only."""
        test = self.keep("test", self.value(node.test))
        if test.constant is not None:
            return self.members_of(node.then if test.constant else node.other)
        if is_pure(node.then) and is_pure(node.other):
            then, other = self.members_of(node.then), self.members_of(node.other)
            kinds = {leaf.path: leaf.type for leaf in leaves(ctype)}
            select = self.select
            return {
                n: self.keep("one", select(test, v, other[n], kinds[n])) for n, v in then.items()
            }
        test = self.branched(test, node.test)
        chosen = self.variable_of("chosen", ctype, None)
        others = Value(f"(~{test.code})", test.type, test.scalar)
        for chooses, side in ((test, node.then), (others, node.other)):
            with self.where(chooses):
                self.store_members(chosen, self.members_of(side), side.span)
        return self.load_members(chosen, node.span)

    @abstractmethod
    def call_members(self, node: tree.Call, ctype: Struct) -> Members:
        """The members of what a call returns."""

    def structure(self, node: tree.Expression) -> StructureVariable | Whole:
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
        return Whole(place, ctype)

    # Leaves of variables and of memory.

    def _leaf_of_variable(self, variable: StructureVariable, leaf: Leaf) -> Place | Value:
        name, _, rest = leaf.path.partition(".")
        binding = variable.members[name]
        if isinstance(binding, StructureVariable):
            return self._leaf_of_variable(binding, leaves_by_path(binding.type)[rest])
        if isinstance(binding, Base):
            return self._leaf_of_array(binding, rest, leaf)
        return binding if isinstance(binding, Value) else self._place_of(binding)

    def _leaf_of_array(self, base: Base, path: str, leaf: Leaf) -> Place:
        """A leaf of an array member, which is an array of its own."""
        index, _, rest = path.partition(".")
        element = Element(base, constant(int(index), INT))
        if not isinstance(base.element, Struct):
            return element
        return self.leaf(element, leaves_by_path(base.element)[rest])

    def load_members(self, where: StructureVariable | Whole, span: Span) -> Members:
        """Read a whole structure."""
        outer, self.copying = self.copying, True
        found = self._loaded(where, span)
        self.copying = outer
        return found

    def _loaded(self, where: StructureVariable | Whole, span: Span) -> Members:
        if isinstance(where, Whole):
            return self._load_whole(where, span)
        found = {}
        for leaf in leaves(where.type):
            place = self._leaf_of_variable(where, leaf)
            value = place if isinstance(place, Value) else self.load(place, leaf.type, span)
            found[leaf.path] = value
        return found

    def _load_whole(self, where: Whole, span: Span) -> Members:
        """Read a structure in memory: by one access, or by several."""
        if where.type.whole:
            place = self.once(where.place)
            return self._unpacked(self.load(place, where.type, span), where.type, place)
        place = self.once(where.place)
        found: Members = {}
        for unit in units(where.type):
            value = self.load(self.leaf(place, unit), unit.type, span)
            if isinstance(unit.type, Struct):
                parts = self._unpacked(value, unit.type, self.leaf(place, unit))
                found |= {f"{unit.path}.{path}": part for path, part in parts.items()}
            else:
                found[unit.path] = value
        return found

    def _unpacked(self, whole: Value, ctype: Struct, place: Element | At) -> Members:
        """The leaves of a structure that was loaded from a place by one access."""
        found = {}
        for leaf in leaves(ctype):
            code = whole.code + leaf.scalar_accessor if whole.scalar else whole.code + leaf.accessor
            value = self.keep(leaf.name, Value(code, leaf.type, whole.scalar))
            found[leaf.path] = self.recalled_from(self._part_at(place, leaf), value)
        return found

    def assign_members(self, node: tree.Assign) -> Members:
        """`a = b` of structures."""
        values = {n: self.keep("part", v) for n, v in self.members_of(node.value).items()}
        self.store_members(self.structure(node.target), values, node.span)
        return values

    def store_members(self, where: StructureVariable | Whole, values: Members, span: Span) -> None:
        """Write a whole structure."""
        if isinstance(where, Whole):
            self._store_whole(where, values, span)
            return
        for leaf in leaves(where.type):
            place = self._leaf_of_variable(where, leaf)
            assert not isinstance(place, Value)
            self.store(place, values[leaf.path], span)

    def _store_whole(self, where: Whole, values: Members, span: Span) -> None:
        """Write a structure in memory: by one access, or by several."""
        place = self.once(where.place)
        if where.type.whole:
            self.store(place, self._packed_for(place, values, where.type), span)
            return
        for unit in units(where.type):
            part = self.leaf(place, unit)
            if isinstance(unit.type, Struct):
                value = self._packed_for(part, under(unit.path, values), unit.type)
            else:
                value = values[unit.path]
            self.store(part, value, span)

    def _packed_for(self, place: Element | At, values: Members, ctype: Struct) -> Value:
        """The structures that leaves make, one a lane, as a place holds them."""
        parts = leaves(ctype)
        return self.packed(
            {x.path: self.kept_for(self._part_at(place, x), values[x.path]) for x in parts}, ctype
        )

    def _part_at(self, place: Element | At, leaf: Leaf) -> At:
        """A leaf of what is at a place, by its address."""
        start = place if isinstance(place, At) else self.located(place)
        return self._behind(start, leaf.offset, leaf.type)

    def packed(self, values: Members, ctype: Struct) -> Value:
        """The structures that leaves make, one a lane."""
        packed = self.writer.fresh("packed")
        made = "zeros" if padding(ctype) else "empty"  # what no member sets is the same always
        self.put(f"{packed} = np.{made}({self.region.lanes}.size, {dtype_name(ctype)})")
        for leaf in leaves(ctype):
            self.put(f"{packed}{leaf.accessor} = {values[leaf.path].code}")
        return Value(packed, ctype)

    # Variables.

    @abstractmethod
    def _local(self, name: str, ctype: CType) -> Base:
        """An array in every thread's own memory."""

    def structure_binding(
        self, name: str, ctype: Struct, values: Members | None, addressed: bool, span: Span
    ) -> Binding:
        """A new variable: in memory if its address is taken, else in registers."""
        if not addressed:
            return self.variable_of(name, ctype, values)
        base = self._local(name, ctype)
        if values is not None:
            self.store_members(Whole(Element(base, zero()), ctype), values, span)
        return base

    def variable_of(self, name: str, ctype: Struct, values: Members | None) -> StructureVariable:
        """A new variable, a register a leaf; arrays in it are arrays of their own."""
        members: dict[str, Binding] = {}
        for member, inner, _ in ctype.members:
            label = f"{name}.{member}"
            if isinstance(inner, Struct):
                members[member] = self.variable_of(label, inner, None)
            elif isinstance(inner, Array):
                members[member] = self._local(f"{name}.{member}", inner)
            else:
                members[member] = self.register(label, dtype_code(inner))
        variable = StructureVariable(ctype, members)
        if values is not None and self.span is not None:
            self.store_members(variable, values, self.span)
        return variable

    # Members as expressions.

    def _value_Member(self, node: tree.Member) -> Value:
        if not is_place(node.base):
            return replace(self.members_of(node.base)[node.name], type=node.type)
        place = self._member_place(node)
        if isinstance(place, Value):
            return replace(place, type=node.type)
        return self.load(place, node.type, node.span)

    def place(self, node: tree.Expression) -> Place:
        """Where an lvalue is; members included."""
        if not isinstance(node, tree.Member):
            return super().place(node)
        place = self._member_place(node)
        assert not isinstance(place, Value)
        return place

    def _member_place(self, node: tree.Member) -> Place | Value:
        where = self.structure(node.base)
        if isinstance(where, StructureVariable):
            binding = where.members[node.name]
            return binding if isinstance(binding, Value) else self._place_of(binding)
        found = where.type.member(node.name)
        assert found is not None
        member = self.member(where.place, node.name, *found)
        read_only = where.place.read_only
        return replace(member, volatile=tree.is_volatile(node), read_only=read_only)


def is_place(node: tree.Expression) -> bool:
    """Whether an expression is an lvalue."""
    if isinstance(node, tree.Member):
        return is_place(node.base)
    return isinstance(node, (tree.Name, tree.Index, tree.Deref))
