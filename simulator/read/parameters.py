"""What parentheses declare: the parameters of functions, and names in the heads of statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simulator.ir import tree
from simulator.ir.tokens import Token
from simulator.ir.types import VOID
from simulator.ir.unchecked import Prototype, Scoped, Variable
from simulator.read.declarators import Declarator, Specifiers, spanning, typed
from simulator.source import CompileError, Span

# What the parentheses of `if`, `switch`, `while` and `for` declare: names of a block around.


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


# The heads of functions: what stands before their bodies.


_NO_PARAMETERS = frozenset(
    ["__shared__", "__constant__", "__device__", "__managed__", "__global__", "static", "extern"]
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function; `grid_constant` is where that word stands, if it does."""

    symbol: tree.Symbol
    default: tree.Expression | None
    grid_constant: Span | None


def parameter(front: Specifiers, name: Declarator, default: tree.Expression | None) -> Parameter:
    """A parameter; without a name it is called "". Arrays are pointers.

    Raises
    ------
    CompileError
        for words that say how a parameter cannot be
    """
    ctype, const, volatile = typed(front, name, decays=True)
    label = name.name.text if name.name else ""
    span = name.name.span if name.name else spanning(front, name)
    for word in sorted(front.words & _NO_PARAMETERS):
        raise CompileError(f"a parameter cannot be `{word}`", span, "remove that word")
    reference = name.reference is not None
    symbol = tree.Symbol(label, ctype, tree.Storage.PARAMETER, span, const, reference, volatile)
    in_grid = front.span if "__grid_constant__" in front.words else None
    if in_grid is not None and not const:
        hint = "write `const __grid_constant__`"
        raise CompileError("a `__grid_constant__` parameter must be const", span, hint)
    return Parameter(symbol, default, in_grid)


def head(
    front: Specifiers,
    name: Declarator,
    given: tuple[Parameter, ...],
    closing: Token,
) -> Prototype:
    """The head of a function. `(void)` means no parameters.

    Raises
    ------
    CompileError
        for results that no function can have, and a parameter without a value behind one with
    """
    parameters = tuple(one.symbol for one in given)
    defaults = tuple(one.default for one in given if one.default is not None)
    if None in [one.default for one in given[len(given) - len(defaults) :]]:
        what = "a parameter without a default value stands behind one with"
        raise CompileError(what, defaults[0].span, "parameters with default values come last")
    _check_grid_constants(front, given)
    assert name.name is not None
    if name.dimensions or name.reference:
        raise CompileError(
            "a function cannot return an array or a reference",
            name.span,
            "return a pointer or a value",
        )
    if len(parameters) == 1 and parameters[0].type == VOID and not parameters[0].name:
        parameters = ()
    ctype, _, _ = typed(front, name)
    span = front.span.to(closing.span)
    return Prototype(
        name.name.text,
        ctype,
        parameters,
        front.words,
        front.bounds,
        defaults,
        name.name.span,
        span=span,
    )


def _check_grid_constants(front: Specifiers, given: tuple[Parameter, ...]) -> None:
    for one in given:
        if one.grid_constant is not None and "__global__" not in front.words:
            what = "only a kernel's parameters are `__grid_constant__`"
            raise CompileError(what, one.grid_constant, "leave that word out")
