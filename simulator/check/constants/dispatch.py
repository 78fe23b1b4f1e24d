"""What evaluates a node: its value, the place of what has one, and what a statement does."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from simulator.check.constants.storage import Evaluation, NotConstant, Place
from simulator.ir import tree
from simulator.ir.conversions import is_lvalue


@singledispatch
def value(node: tree.Expression, evaluation: Evaluation) -> Any:
    """Return what an expression comes to."""
    if is_lvalue(node):
        return place(node, evaluation).load(node.span)
    raise NotConstant(f"`{node.span.text}` is known at run time only", node.span)


@singledispatch
def place(node: tree.Expression, evaluation: Evaluation) -> Place:
    """Return where what an expression names is; a mere value gets a place of its own."""
    return Place([value(node, evaluation)])


@singledispatch
def run(node: tree.Statement, evaluation: Evaluation) -> None:
    """Execute a statement."""
    raise NotConstant("this statement does something at run time only", node.span)
