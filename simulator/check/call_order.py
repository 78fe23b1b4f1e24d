"""The order in which functions are checked: callees first, those that call each other together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.ir import tree
from simulator.ir.unchecked import Definition
from simulator.ir.walk import walk


@dataclass(frozen=True)
class Group:
    """Functions that call each other, or one alone; `recursive` if it calls itself."""

    names: tuple[str, ...]
    recursive: bool


def callees_first(definitions: Mapping[str, Definition]) -> list[Group]:
    """The names of `definitions` in groups, each after those that it calls."""
    helpers = {name for name, found in definitions.items() if "__global__" not in found.head.words}
    called = {name: _called(found) & helpers for name, found in definitions.items()}
    calls = {name: [n for n in definitions if n in called[name]] for name in definitions}
    search = _Search(calls)
    for name in definitions:
        if name not in search.number:
            search.visit(name)
    return [Group(names, len(names) > 1 or names[0] in calls[names[0]]) for names in search.groups]


def _called(definition: Definition) -> set[str]:
    return {node.name for node in walk(definition.body) if isinstance(node, tree.Call)}


@dataclass
class _Search:
    """Tarjan's search for the strongly connected parts of a graph, callees before callers."""

    calls: Mapping[str, list[str]]
    number: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    groups: list[tuple[str, ...]] = field(default_factory=list)

    def visit(self, name: str) -> None:
        self.number[name] = self.lowest[name] = len(self.number)
        self.waiting.append(name)
        for callee in self.calls[name]:
            if callee not in self.number:
                self.visit(callee)
                self.lowest[name] = min(self.lowest[name], self.lowest[callee])
            elif callee in self.waiting:
                self.lowest[name] = min(self.lowest[name], self.number[callee])
        if self.lowest[name] == self.number[name]:
            first = self.waiting.index(name)
            self.groups.append(tuple(self.waiting[first:]))
            del self.waiting[first:]
