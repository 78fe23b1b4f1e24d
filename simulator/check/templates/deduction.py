"""What the types of arguments tell of a template's parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from simulator.check.scopes import ClassTemplate, FunctionTemplate
from simulator.ir import tree
from simulator.ir.conversions import parts_of
from simulator.ir.types import INT, Array, CType, FunctionPointer, Pointer, Struct
from simulator.ir.unchecked import Named, Sized, TemplateId, TypeArgument


@dataclass(frozen=True)
class Given:
    """What a parameter of a template stands for.

    A type, maybe const; or a `value` of that type. `deduced` says that it comes from an argument.
    """

    type: CType
    const: bool = False
    value: tree.Literal | None = None
    deduced: bool = False

    def is_like(self, other: Given) -> bool:
        """Whether another one is the same type or value."""
        same = self.value is not None or self.type == other.type
        return same and self.text == other.text

    @property
    def text(self) -> str:
        """How the names of instances write it."""
        if self.value is None:
            return f"{'const ' if self.const else ''}{self.type}"
        value = self.value.value
        return str(value).lower() if isinstance(value, bool) else str(value)


#: The template's parameters by their names.
Bound = dict[str, Given]
AnyTemplate = FunctionTemplate | ClassTemplate


def deduce(
    pattern: CType, actual: CType, const: bool, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """Yield the parameters among `names` in `pattern`, with what `actual` makes of them.

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
    elif isinstance(pattern, Pointer) and isinstance(actual, Pointer):
        inner = actual.const and not pattern.const
        yield from deduce(pattern.to, actual.to, inner, names)
    elif isinstance(pattern, Array) and isinstance(actual, Array):
        yield from _deduce_array(pattern, actual, const, names)
    elif isinstance(pattern, FunctionPointer) and isinstance(actual, FunctionPointer):
        yield from deduce(pattern.result, actual.result, False, names)
        for one, other in zip(pattern.parameters, actual.parameters, strict=False):
            yield from deduce(one, other, False, names)
    elif isinstance(pattern, TemplateId) and isinstance(actual, Struct):
        parts = actual.made_of or parts_of(actual)
        if parts is not None and parts[0] == pattern.name:
            for argument, part in zip(pattern.arguments, parts[1], strict=False):
                yield from deduce_argument(argument, part, names)


def _deduce_array(
    pattern: Array, actual: Array, const: bool, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """Yield the same for `T (&name)[N]`."""
    yield from deduce(pattern.of, actual.of, const, names)
    length = pattern.expression if isinstance(pattern, Sized) else None
    if isinstance(length, tree.Name) and length.name in names and actual.length is not None:
        number = tree.Literal(actual.length, span=length.span, type=INT)
        yield length.name, Given(INT, value=number)


def deduce_argument(
    argument: tree.Node, part: CType | int, names: Collection[str]
) -> Iterator[tuple[str, Given]]:
    """Yield the same as `deduce` for an argument in the `<…>` of a pattern."""
    if isinstance(argument, TypeArgument) and not isinstance(part, int):
        yield from deduce(argument.type, part, False, names)
    elif isinstance(argument, tree.Name) and isinstance(part, int) and argument.name in names:
        yield argument.name, Given(INT, value=tree.Literal(part, span=argument.span, type=INT))
