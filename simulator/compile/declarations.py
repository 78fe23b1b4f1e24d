"""Declarations: where a variable lives, and its first value."""

from __future__ import annotations

from simulator import tree
from simulator.compile.bindings import Binding
from simulator.compile.calls import CallEmitter
from simulator.compile.facts import Facts
from simulator.compile.places import Base, Element, zero
from simulator.compile.values import Value, constant, dtype_code, dtype_name
from simulator.ctype import INT, Array, CType, Pointer, Scalar, Struct, size_of


class DeclarationEmitter(CallEmitter):
    """Everything that is declared."""

    prologue: list[str]
    shared_bytes: int

    def _run_Declaration(self, node: tree.Declaration) -> None:
        symbol = node.symbol
        if symbol.storage is tree.Storage.SHARED:
            self.bindings[symbol] = self._shared(symbol)
        elif isinstance(symbol.type, Array):
            self.bindings[symbol] = base = self._local(symbol.name, symbol.type)
            self._initialise(base, node)
        else:
            self._declare(symbol, node.value)

    def _declare(self, symbol: tree.Symbol, init: tree.Expression | None) -> None:
        facts = self.frame.facts
        binding: Binding
        if isinstance(symbol.type, Struct):
            binding = self._declare_structure(symbol, symbol.type, init)
        elif init is not None and isinstance(symbol.type, Pointer) and symbol not in facts.written:
            binding = self.pointer_binding(symbol, self.pointer(init))
        else:
            value = self.value(init) if init is not None else None
            if value is not None and value.scalar and symbol not in facts.written:
                binding = self.keep(symbol.name, value)
            else:
                binding = self._fresh_variable(symbol, value, facts)
        self.bindings[symbol] = binding
        if init is not None:
            self.count_statement()

    def _declare_structure(
        self, symbol: tree.Symbol, ctype: Struct, init: tree.Expression | None
    ) -> Binding:
        values = None if init is None else self.members_of(init)
        if symbol not in self.frame.facts.addressed:
            return self.variable_of(symbol.name, ctype, values)
        base = self._local(symbol.name, ctype)
        for name, inner, at in ctype.members if values is not None else ():
            assert values is not None
            self.store(
                self.member(Element(base, zero()), name, inner, at), values[name], symbol.span
            )
        return base

    def _fresh_variable(
        self, symbol: tree.Symbol, value: Value | None, facts: Facts | None
    ) -> Binding:
        unset = value is None and self.build.locals  # so that it is seen whether it gets a value
        if unset or (facts is not None and symbol in facts.addressed):
            base = self._local(symbol.name, symbol.type)
            if value is not None:
                self.store(Element(base, zero()), value, symbol.span)
            return base
        register = self.register(symbol.name, dtype_code(symbol.type))
        if value is not None:
            self.write(register, value)
        return register

    def _shared(self, symbol: tree.Symbol) -> Base:
        element, count = _flatten(symbol.type)
        align = element.align if isinstance(element, Struct) else size_of(element)
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
        return Base("shared", symbol.name, view, element, f"address_{view}", "", length, offset)

    def _local(self, name: str, ctype: CType) -> Base:
        element, count = _flatten(ctype)
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
        length = base.length or 0
        for at in range(length):
            given = at < len(node.values)
            value = self.value(node.values[at]) if given else constant(0, base.element)
            self.store(Element(base, constant(at, INT)), value, node.span)
        self.count_statement()


def _flatten(ctype: CType) -> tuple[CType, int]:
    """The innermost element of a nested array, and how many there are."""
    count = 1
    while isinstance(ctype, Array):
        count *= ctype.length if ctype.length is not None else 0
        ctype = ctype.of
    assert isinstance(ctype, (Scalar, Pointer, Struct))
    return ctype, count
