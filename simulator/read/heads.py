"""What the parentheses of `if`, `switch`, `while` and `for` declare: names of a block around."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simulator.ir import tree
from simulator.ir.unchecked import Scoped, Variable
from simulator.source import Span


@dataclass(frozen=True)
class Start:
    """What stands before the `;` of `if (…; test)`."""

    statements: tuple[tree.Statement, ...]


@dataclass(frozen=True)
class Declared:
    """`int x = 3` as a condition: the value of `x` is tested."""

    variable: Variable

    @property
    def test(self) -> tree.Name:
        """The value; its place is that of the whole declaration."""
        return tree.Name(self.variable.symbol.name, span=self.variable.span)


def scoped(head: tuple[Any, ...], span: Span, make: Callable[[Any], Any]) -> Any:
    """The statement that `make` gives for a test, in a block of its own if its head declares."""
    *starts, condition = head
    declared = [statement for start in starts for statement in start.statements]
    test = condition
    if isinstance(condition, Declared):
        declared.append(condition.variable)
        test = condition.test
    made = make(test)
    return Scoped((*declared, made), span=span) if declared else made


def loop(
    kind: str, start: tuple[tree.Statement, ...], test: Any, step: Any, body: Any, span: Span
) -> tree.Loop:
    """A loop; a variable that its condition declares is made and tested at each turn."""
    if not isinstance(test, Declared):
        return tree.Loop(kind, start, test, step, body, span=span)
    place = test.variable.span
    ends = tree.Unary("!", test.test, span=place)
    leave = tree.If(ends, tree.Break(span=place), None, span=place)
    turn = Scoped((test.variable, leave, body), span=body.span)
    return tree.Loop(kind, start, None, step, turn, span=span)
