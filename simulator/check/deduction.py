"""What the type of an argument tells of a template's parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from simulator.ir import tree
from simulator.ir.group_types import parts_of
from simulator.ir.types import INT, CType, Pointer, Struct
from simulator.ir.unchecked import Named, TemplateId, TypeArgument


@dataclass(frozen=True)
class Given:
    """What a parameter of a template stands for.

    A type, maybe const; or a `value` of that type. `deduced` says that an argument told it.
    """

    type: CType
    const: bool = False
    value: tree.Literal | None = None
    deduced: bool = False

    @property
    def text(self) -> str:
        """How the names of instances write it."""
        if self.value is None:
            return f"{'const ' if self.const else ''}{self.type}"
        value = self.value.value
        return str(value).lower() if isinstance(value, bool) else str(value)


#: The template's parameters by their names.
Bound = dict[str, Given]


def deduce(
    pattern: CType, actual: CType, const: bool, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """The parameters among `names` in `pattern`, with what `actual` makes of them.

    Examples
    --------
    >>> from simulator.ir.types import INT
    >>> from simulator.source import Source, Span
    >>> t = Named("T", Span(Source("T"), 1, 1, 1, 2))
    >>> [(name, found.text) for name, found in deduce(Pointer(t), Pointer(INT, True), False, {"T"})]
    [('T', 'const int')]
    """
    if isinstance(pattern, Named):
        if pattern.name in names:
            yield pattern.name, Given(actual, const)
    elif isinstance(pattern, Pointer):
        if isinstance(actual, Pointer):
            inner = actual.const and not pattern.const
            yield from deduce(pattern.to, actual.to, inner, names)
    elif isinstance(pattern, TemplateId) and isinstance(actual, Struct):
        parts = parts_of(actual)
        if parts is not None and parts[0] == pattern.name:
            for argument, part in zip(pattern.arguments, parts[1], strict=False):
                yield from _argument(argument, part, names)


def _argument(
    argument: tree.Node, part: CType | int, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """The same for an argument in the `<…>` of a pattern."""
    if isinstance(argument, TypeArgument) and not isinstance(part, int):
        yield from deduce(argument.type, part, False, names)
    elif isinstance(argument, tree.Name) and isinstance(part, int) and argument.name in names:
        yield argument.name, Given(INT, value=tree.Literal(part, span=argument.span, type=INT))
