"""Constants that calls of `constexpr` functions make: checked trees, evaluated while compiling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.check.constants import expressions as _expressions  # noqa: F401 (they register)
from simulator.check.constants import statements as _statements  # noqa: F401 (likewise)
from simulator.check.constants.dispatch import value
from simulator.check.constants.storage import (
    Evaluation,
    NotConstant,
    Place,
    array_of,
    as_tree,
    deep,
    is_set,
)
from simulator.ir import tree

__all__ = ["NotConstant", "array_of", "as_tree", "deep", "evaluated"]

#: How much an evaluation may do: iterations, statements and calls.
MOST_STEPS = 200_000


def evaluated(
    node: tree.Expression,
    constants: Mapping[tree.Symbol, tree.Literal],
    objects: Mapping[tree.Symbol, Any],
) -> Any:
    """Return the value of a checked expression: a number, or a list of parts.

    `constants` and `objects` are the values of variables that are constant.

    Raises
    ------
    NotConstant
        where the evaluation stops
    """
    with deep():
        found = value(node, Evaluation(constants, objects, MOST_STEPS))
    if isinstance(found, Place) or not is_set(found):
        raise NotConstant(f"`{node.span.text}` is no value that lasts", node.span)
    return found
