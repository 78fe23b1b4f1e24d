"""Launches of kernels by kernels: each active lane puts one in the queue."""

from __future__ import annotations

from simulator.compile.lvalues import Element
from simulator.compile.reports import ReportEmitter
from simulator.compile.values import Value, typed
from simulator.ir import tree
from simulator.ir.events import Ordered
from simulator.ir.types import Pointer, Struct


class LaunchEmitter(ReportEmitter):
    """`kernel<<<grid, block>>>(…)`."""

    def _value_Launch(self, node: tree.Launch) -> Value:
        grid, block = (self._size(part) for part in node.configuration[:2])
        shared = typed(self.keep("bytes", self.value(node.configuration[2])))
        given = [self._handed(argument) for argument in node.arguments]
        values, origins = (_tuple([pair[part] for pair in given]) for part in (0, 1))
        order = self.constant_object("order", Ordered(node.name, node.stream))
        lanes = self.region.lanes
        codes = f"{order}, {lanes}.size, {grid}, {block}, {shared}, {values}, {origins}"
        self.close()
        self.put(f"launch.effects.children.add({codes})")
        return Value("None", node.type, True)

    def _size(self, node: tree.Expression) -> str:
        values = [self.keep(name, value) for name, value in self.members_of(node).items()]
        return _tuple([typed(value) for value in values])

    def _handed(self, node: tree.Expression) -> tuple[str, str]:
        """An argument and, for a pointer into an array of the parent's, where that array begins.

        The child then binds it as the host does, checked against the bounds of the array.
        """
        if isinstance(node.type, Struct):
            return self.packed(self.members_of(node), node.type).code, "None"
        if not isinstance(node.type, Pointer):
            return typed(self.keep("given", self.value(node))), "None"
        pointer = self.pointer(node)
        origin = "None"
        if isinstance(pointer, Element) and pointer.base.view in self.bases:
            place, _ = self.bases[pointer.base.view]
            origin = f"arguments[{place}].base"
        return typed(self.keep("given", self.plain_address(pointer, node.type))), origin


def _tuple(codes: list[str]) -> str:
    return f"({', '.join(codes)},)" if codes else "()"
