"""What a kernel tells a person, asks of the clock, or gives up: printf, assert and their like."""

from __future__ import annotations

from typing import Any

from simulator.compile.frames import Frame
from simulator.compile.groups import GroupEmitter
from simulator.compile.values import Value, constant, typed
from simulator.ir import tree
from simulator.ir.tree import NO_VALUE
from simulator.ir.types import INT
from simulator.lanes.printing import Format

#: The functions that `ReportEmitter.report` compiles.
REPORTS = frozenset(["assert", "__trap", NO_VALUE, "clock", "clock64", "__nanosleep"])


class ReportEmitter(GroupEmitter):
    """Calls that reach beyond the memory of the device."""

    frame: Frame
    waits: list[tuple[int, str, str]]
    constants: dict[str, Any]
    bases: dict[str, tuple[int, int]]

    def constant_object(self, hint: str, held: Any) -> str:
        """A name by which generated code finds an object."""
        name = self.writer.fresh(hint)
        self.constants[name] = held
        return name

    def _value_Print(self, node: tree.Print) -> Value:
        values = [self.keep("shown", self.plain_value(a)) for a in node.arguments]
        form = self.constant_object("format", Format(node.pieces, node.texts))
        codes = ", ".join([form, f"{self.region.lanes}.size", *map(typed, values)])
        self.put(f"launch.effects.show({codes})")
        return constant(len(node.arguments), INT)

    def report(self, node: tree.Call) -> Value:
        """A call of one of `REPORTS`."""
        nothing = Value("None", node.type, True)
        if node.name == "assert":
            (test,) = node.arguments
            text = self.constant_object("text", test.span.text)
            held = self.keep("test", self.value(test))
            self.put(f"require({held.code}, {text})")
        elif node.name == "__trap":
            self.put(f"trap({self.region.lanes})")
        elif node.name == NO_VALUE:
            name = self.constant_object("name", self.frame.function.name)
            self.put(f"no_value({self.region.lanes}, {name})")
        elif node.name == "__nanosleep":
            self.value(node.arguments[0])
            self.close()
            here = -1, self.region.lanes, "None"
            number, watched, visit = self.waits[-1] if self.waits else here
            self.put(f"yield ('sleep', {number}, {watched}, (0, {visit}))")
        else:
            return self.keep("clock", Value("launch.effects.clock()", node.type, True))
        return nothing
