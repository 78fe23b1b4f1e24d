"""Functions that call themselves: each becomes a generator function inside the kernel's.

It takes the active lanes and arrays over them, and returns arrays over them. Registers and local
arrays are made at every call. Pointers travel as addresses, references as the address of a variable
in local memory (`facts.py` sees to that), structures leaf by leaf.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from simulator.compile.active_lanes import Region
from simulator.compile.bindings import Binding, ReferenceVariable
from simulator.compile.facts import Facts, facts_of
from simulator.compile.frames import Frame
from simulator.compile.launches import LaunchEmitter
from simulator.compile.layouts import leaves
from simulator.compile.lvalues import At, Base, Element
from simulator.compile.structures import Members
from simulator.compile.values import Value
from simulator.compile.writer import Line, Register
from simulator.ir import tree
from simulator.ir.events import TURN_COST
from simulator.ir.types import CType, Pointer, Struct, Void

_STATE = ("region", "registers", "open", "frame", "dead", "depth", "stack", "span", "waits")


class RecursionEmitter(LaunchEmitter):
    """Calls of functions that call themselves."""

    frame: Frame
    dead: bool
    waits: list[tuple[int, str, str]]
    returned: Members
    depth: str = "0"
    #: The lines that make a call's local arrays, and those that give them back.
    stack: list[tuple[str, str]] | None = None
    callees: dict[tree.Function, str]
    callee_lines: list[Line]

    def recurse(self, node: tree.Call, function: tree.Function) -> Value:
        """A call of a function that calls itself."""
        name = self._callee(function)
        passed = [
            code
            for parameter, argument in zip(function.parameters, node.arguments, strict=True)
            for code in self._passed(parameter, argument)
        ]
        self.close()
        label = self.constant_object("name", function.name)
        codes = ", ".join([f"deeper({self.depth}, {label})", self.region.lanes, *passed])
        result = self.writer.fresh("returned")
        self.put(f"{result} = yield from {name}({codes})")
        if isinstance(function.result, Struct):
            self.returned = {
                leaf.path: self.keep(leaf.name, Value(f"{result}[{place}]", leaf.type))
                for place, leaf in enumerate(leaves(function.result))
            }
        return Value(result, function.result, isinstance(function.result, Void))

    def _passed(self, parameter: tree.Symbol, argument: tree.Expression) -> list[str]:
        """What a call hands over for one parameter: arrays over the active lanes."""
        if parameter.reference:
            place = self.place(argument)
            assert not isinstance(place, Register), argument
            return [self.spread(self.keep("address", self._address_of(place))).code]
        if isinstance(parameter.type, Struct):
            values = self.members_of(argument)
            parts = leaves(parameter.type)
            return [self.spread(self.keep(leaf.name, values[leaf.path])).code for leaf in parts]
        return [self.spread(self.keep(parameter.name or "x", self.value(argument))).code]

    def _address_of(self, place: Element | At) -> Value:
        element = place.base.element if isinstance(place, Element) else place.element
        return self.address(place, Pointer(element))

    # The function itself.

    def _callee(self, function: tree.Function) -> str:
        """The name of its generator function, which is written at the first call."""
        if function not in self.callees:
            self.callees[function] = self.writer.fresh(f"call_{function.name}")
            with self._apart():
                self._write(function, self.callees[function])
        return self.callees[function]

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """Write lines that stand before the kernel's own, in a state of their own."""
        state = {name: getattr(self, name) for name in _STATE}
        lines, indent = self.writer.lines, self.writer.indent
        self.writer.lines, self.writer.indent = [], 1
        yield
        self.callee_lines += self.writer.lines
        self.writer.lines, self.writer.indent = lines, indent
        for name, value in state.items():
            setattr(self, name, value)

    def _write(self, function: tree.Function, name: str) -> None:
        facts = replace(facts_of(function), early_return=True)
        lanes = self.writer.fresh("lanes")
        self.region, self.open, self.depth = Region(lanes), None, "depth"
        registers: list[Register] = []
        stack: list[tuple[str, str]] = []
        self.registers, self.stack, self.waits = registers, stack, []
        self.frame, self.dead, self.span = Frame(function, facts), False, function.span
        given = {symbol: self._given(symbol) for symbol in function.parameters}
        names = [lanes, *(name for names in given.values() for name in names.values())]
        self.writer.put(f"def {name}(depth, {', '.join(names)}):")
        self.writer.indent += 1
        self.writer.put("nonlocal budget, fuse")
        self.writer.put(lambda: [*(line for line, _ in stack), *_made(registers)])
        self.put(f"budget -= {lanes}.size + {TURN_COST}")
        self.put("if budget < 0:")
        self.put(f"    budget = yield ('turn', -1, {lanes}, ({TURN_COST}, None))")
        for symbol, codes in given.items():
            self.bindings[symbol] = self._bind(symbol, codes, facts)
        code = self._result(function, facts)
        self.close()
        self.writer.put(lambda: [line for _, line in stack if line])
        self.put(f"return {code}")

    def _given(self, symbol: tree.Symbol) -> dict[str, str]:
        """The names of the arrays that stand for one parameter, by leaf ("" if it is whole)."""
        if isinstance(symbol.type, Struct) and not symbol.reference:
            paths = (leaf.path for leaf in leaves(symbol.type))
            return {path: self.writer.fresh(f"p_{symbol.name}_{path}") for path in paths}
        return {"": self.writer.fresh(f"p_{symbol.name}")}

    def _bind(self, symbol: tree.Symbol, codes: dict[str, str], facts: Facts) -> Binding:
        if symbol.reference:
            register = self.register("address", "i8")
            self.write(register, Value(codes[""], Pointer(symbol.type)))
            return ReferenceVariable(None, symbol.type, register)
        if not isinstance(symbol.type, Struct):
            return self._fresh_variable(symbol, Value(codes[""], symbol.type), facts)
        values = {leaf.path: Value(codes[leaf.path], leaf.type) for leaf in leaves(symbol.type)}
        addressed = symbol in facts.addressed
        return self.structure_binding(symbol.name, symbol.type, values, addressed, symbol.span)

    def _result(self, function: tree.Function, facts: Facts) -> str:
        """The body, and the code of what it returns."""
        value = self._body(function, facts)
        if isinstance(function.result, Struct):
            members = self._returned(function.result)
            codes = [self.spread(members[leaf.path]).code for leaf in leaves(function.result)]
            return f"({', '.join(codes)},)"
        return "None" if isinstance(function.result, Void) else self.spread(value).code

    @abstractmethod
    def _body(self, function: tree.Function, facts: Facts) -> Value:
        """Run a function's body."""

    @abstractmethod
    def _returned(self, ctype: Struct) -> Members:
        """The members of what the function that is ending returns."""

    @abstractmethod
    def _local(self, name: str, ctype: CType) -> Base:
        """A local array."""

    @abstractmethod
    def _fresh_variable(
        self, symbol: tree.Symbol, value: Value | None, facts: Facts | None
    ) -> Binding:
        """Make a variable."""


def _made(registers: list[Register]) -> list[str]:
    return [
        f"{r.name} = np.zeros(lane_count, {r.code.replace('?', 'b1')})"
        for r in registers
        if r.gathered
    ]
