"""The order in which functions are checked: callees first, which recursion does not allow."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from simulator import tree
from simulator.declared import Definition
from simulator.source import CompileError
from simulator.walk import walk


def callees_first(definitions: Mapping[str, Definition]) -> list[str]:
    """The names of `definitions`, each after those that it calls.

    Raises
    ------
    CompileError
        if functions call each other in a circle
    """
    helpers = {name for name, found in definitions.items() if "__global__" not in found.head.words}
    calls = {name: _called(found) & helpers for name, found in definitions.items()}
    try:
        return list(TopologicalSorter(calls).static_order())
    except CycleError as error:
        circle = list(reversed(error.args[1]))
        path = " calls ".join(f"`{name}`" for name in circle)
        raise CompileError(
            f"recursion is not supported yet: {path}",
            definitions[circle[0]].head.span,
            "use a loop",
        ) from None


def _called(definition: Definition) -> set[str]:
    return {node.name for node in walk(definition.body) if isinstance(node, tree.Call)}
