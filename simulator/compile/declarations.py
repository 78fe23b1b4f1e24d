"""Declarations: where a variable lives, and its first value."""

from __future__ import annotations

from simulator.compile.bindings import Binding
from simulator.compile.calls import CallEmitter
from simulator.compile.facts import Facts
from simulator.compile.layouts import innermost, leaves
from simulator.compile.lvalues import Base, Element, zero
from simulator.compile.structures import Whole
from simulator.compile.values import Value, constant, dtype_code, dtype_name, numpy_dtype
from simulator.ir import tree
from simulator.ir.events import SharedArray
from simulator.ir.types import INT, Array, CType, Pointer, Struct, align_of, size_of


class DeclarationEmitter(CallEmitter):
    """Everything that is declared."""

    prologue: list[str]
    shared_bytes: int
    shared_bases: dict[tree.Symbol, Base]

    def _run_Declaration(self, node: tree.Declaration) -> None:
        symbol = node.symbol
        if symbol.storage is tree.Storage.SHARED:
            self.bindings[symbol] = self.shared_base(symbol)
        elif symbol.reference and node.value is not None:
            self.bindings[symbol] = self.reference(node.value)
        elif isinstance(symbol.type, Array):
            self.bindings[symbol] = base = self._local(symbol.name, symbol.type)
            self._initialise(base, node)
        else:
            self._declare(symbol, node.value)

    def _declare(self, symbol: tree.Symbol, init: tree.Expression | None) -> None:
        facts = self.frame.facts
        binding: Binding
        if isinstance(symbol.type, Struct):
            values = None if init is None else self.members_of(init)
            addressed = symbol in facts.addressed
            binding = self.structure_binding(
                symbol.name, symbol.type, values, addressed, symbol.span
            )
        elif init is not None and isinstance(symbol.type, Pointer) and symbol not in facts.written:
            binding = self.pointer_binding(symbol, self.pointer(init))
        else:
            value = self.value(init) if init is not None else None
            if value is not None and value.scalar and symbol not in facts.written:
                binding = self.note(symbol.name, self.keep(symbol.name, value))
            else:
                binding = self._fresh_variable(symbol, value, facts)
        self.bindings[symbol] = binding
        if init is not None:
            self.count_statement()

    def _fresh_variable(
        self, symbol: tree.Symbol, value: Value | None, facts: Facts | None
    ) -> Binding:
        watched = facts is None or symbol not in facts.shuffled
        unset = value is None and self.build.locals and watched  # is it read before it is set?
        if unset or (facts is not None and symbol in facts.addressed):
            base = self._local(symbol.name, symbol.type)
            if value is not None:
                self.store(Element(base, zero()), value, symbol.span)
            return base
        register = self.register(symbol.name, dtype_code(symbol.type))
        if value is not None:
            self.write(register, self.note(symbol.name, value))
        return register

    def shared_base(self, symbol: tree.Symbol) -> Base:
        """A shared variable: one for a block, however often its function is inlined."""
        if symbol not in self.shared_bases:
            self.shared_bases[symbol] = self._shared(symbol)
        return self.shared_bases[symbol]

    def _shared(self, symbol: tree.Symbol) -> Base:
        element, count = innermost(symbol.type)
        align = max(symbol.align, align_of(element))
        view = self.writer.fresh("S_" + symbol.name)
        length: int | None = count
        dynamic = isinstance(symbol.type, Array) and symbol.type.length is None
        if dynamic:
            offset, length = -1, None
        else:
            offset = -(-self.shared_bytes // align) * align
            self.shared_bytes = offset + count * size_of(element)
        kind = dtype_name(element)
        arguments = f"{offset}, {length}, {kind}"
        self.prologue.append(f"{view}, flat_{view}, address_{view} = shared({arguments})")
        array = SharedArray(symbol.name, numpy_dtype(element), length, offset)
        if array not in self.plan.shared:  # a dynamic one may be declared several times
            self.plan.shared.append(array)
        number = self.plan.shared.index(array) + 1
        place = (f"address_{view}", "", length, offset)
        return Base("shared", symbol.name, view, element, *place, number=number)

    def _local(self, name: str, ctype: CType) -> Base:
        element, count = innermost(ctype)
        view = self.writer.fresh("L_" + name)
        wanted = f"{count}, {dtype_name(element)}"
        if self.stack is None:
            self.prologue.append(f"{view}, address_{view} = local({wanted})")
        else:
            made = f"{view}, address_{view} = launch.calls.local({wanted})"
            self.stack.append((made, f"launch.calls.leave({wanted})"))
        return Base("local", name, view, element, f"address_{view}", "", count)

    def _initialise(self, base: Base, node: tree.Declaration) -> None:
        if node.values is None:
            return
        of, length = base.element, base.length or 0
        for at in range(length):
            place = Element(base, constant(at, INT))
            given = node.values[at] if at < len(node.values) else None
            if isinstance(of, Struct):
                zeros = {leaf.path: constant(0, leaf.type) for leaf in leaves(of)}
                values = zeros if given is None else self.members_of(given)
                self.store_members(Whole(place, of), values, node.span)
            else:
                value = constant(0, of) if given is None else self.value(given)
                self.store(place, value, node.span)
        self.count_statement()
