"""What only an unchecked tree has.

Types that still name something, and the order of a file's declarations.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator import tree
from simulator.ctype import Array, CType, Void
from simulator.source import Span


@dataclass(frozen=True)
class Named(Void):
    """A type called by its name, which the checker looks up."""

    name: str
    span: Span

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Auto(Void):
    """`auto`: the type of the initialiser."""

    def __str__(self) -> str:
        return "auto"


@dataclass(frozen=True)
class Sized(Array):
    """An array whose length is an expression, which the checker evaluates."""

    expression: tree.Expression


@dataclass(frozen=True, eq=False)
class InitializerList(tree.Expression):
    """`{a, b, …}`, possibly nested."""

    values: tuple[tree.Expression, ...]


@dataclass(frozen=True, eq=False)
class Text(tree.Expression):
    """A string, with its quotes."""

    text: str


@dataclass(frozen=True, eq=False)
class Variable(tree.Declaration):
    """A declaration with the words in front of it, which the checker judges."""

    words: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Alias(tree.Statement):
    """`typedef type name;` or `using name = type;`."""

    name: str
    type: CType


@dataclass(frozen=True, eq=False)
class Prototype(tree.Node):
    """The head of a function.

    `words` are its specifiers, `bounds` what `__launch_bounds__` says, `name_span` is where its
    name stands.
    """

    name: str
    result: CType
    parameters: tuple[tree.Symbol, ...]
    words: frozenset[str]
    bounds: tuple[tree.Expression, ...] = ()
    name_span: Span | None = None

    @property
    def place(self) -> Span:
        """Where messages point: the name."""
        return self.name_span or self.span


@dataclass(frozen=True, eq=False)
class Definition(tree.Node):
    """A function with its body."""

    head: Prototype
    body: tree.Block


Item = Prototype | Definition | Variable | Alias


@dataclass(frozen=True, eq=False)
class Unit(tree.Program):
    """A program as it was read: its declarations in their order.

    `functions` is empty until it is checked.
    """

    items: tuple[Item, ...] = ()
