"""Formulas of counters: expressions of Python with their names, and what they are worth."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from typing import Any

from simulator.source import SimulatorError

#: What formulas may call.
FUNCTIONS = {"abs": abs, "max": max, "min": min}


#: The largest exponent.
MAX_POWER = 16


class Formula:
    """An expression of counters; 0 where it divides by 0.

    Parameters
    ----------
    text : str
        A Python expression of numbers and names of counters; a dot leads into a distribution.

    Attributes
    ----------
    names : tuple of str
        The counters in it.

    Raises
    ------
    SimulatorError
        If it is no expression.

    Examples
    --------
    >>> share = Formula("1 - thread_steps / (32 * warp_steps)")
    >>> share.names, share.value({"thread_steps": 24, "warp_steps": 1}.get)
    (('thread_steps', 'warp_steps'), 0.25)
    """

    def __init__(self, text: str) -> None:
        try:
            tree = _Names().visit(ast.parse(text, mode="eval"))
        except (SyntaxError, ValueError):
            hint = 'use names of counters and arithmetic: "load_bytes / (32 * load_sectors)"'
            raise SimulatorError(f"{text!r} is no formula of counters", hint=hint) from None
        found = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        self.names = tuple(dict.fromkeys(name for name in found if name not in FUNCTIONS))
        self._code = compile(tree, "formula", "eval")

    def value(self, find: Callable[[str], Any]) -> float | None:
        """Compute it, where `find` gives the value of a counter; None if one of them is None."""
        values = {name: find(name) for name in self.names}
        if None in values.values():
            return None
        try:
            result: float = eval(self._code, {"__builtins__": FUNCTIONS}, values)
        except ZeroDivisionError:
            return 0.0
        return result


class _Names(ast.NodeTransformer):
    """Makes one name of a name with dots, and refuses what may take for ever."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        right = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
        power = getattr(right, "value", None) if isinstance(node.op, ast.Pow) else 1
        if isinstance(node.op, ast.LShift) or not isinstance(power, int | float):
            raise ValueError
        if abs(power) > MAX_POWER:
            raise ValueError
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        inner = self.visit(node.value)
        if not isinstance(inner, ast.Name):
            raise ValueError
        return ast.copy_location(ast.Name(f"{inner.id}.{node.attr}", ast.Load()), node)


parsed = cache(Formula)
