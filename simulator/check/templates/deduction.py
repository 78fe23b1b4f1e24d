"""What the types of arguments tell of a template's parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

from simulator.check.scopes import ClassTemplate, FunctionTemplate
from simulator.ir import tree
from simulator.ir.conversions import parts_of
from simulator.ir.types import (
    INT,
    VOID,
    Array,
    Constant,
    CType,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
)
from simulator.ir.unchecked import (
    Expansion,
    Fold,
    Named,
    PackSize,
    PackType,
    Sized,
    TemplateId,
    TemplateParameter,
    TypeArgument,
)
from simulator.source import Source, Span, Token


@dataclass(frozen=True)
class Given:
    """What a parameter of a template stands for.

    A type, maybe const, or a reference; a `value` of that type; a `template`; or the elements of a
    `pack`. `deduced` says that it comes from an argument.
    """

    type: CType
    const: bool = False
    value: tree.Literal | None = None
    deduced: bool = False
    reference: bool = False
    template: ClassTemplate | None = None
    pack: tuple[Given, ...] | None = None

    def is_like(self, other: Given) -> bool:
        """Whether another one is the same type or value."""
        if self.pack is not None and other.pack is not None:
            pairs = zip(self.pack, other.pack, strict=False)
            return len(self.pack) == len(other.pack) and all(a.is_like(b) for a, b in pairs)
        same = self.value is not None or self.type == other.type
        return same and self.text == other.text

    @property
    def text(self) -> str:
        """How the names of instances write it."""
        if self.pack is not None:
            return ", ".join(one.text for one in self.pack)
        if self.template is not None:
            return self.template.name
        if self.value is None:
            return f"{'const ' if self.const else ''}{self.type}{' &' if self.reference else ''}"
        value = self.value.value
        return str(value).lower() if isinstance(value, bool) else str(value)

    @property
    def key(self) -> object:
        """What tells it from others whose text is the same."""
        if self.pack is not None:
            return tuple(one.key for one in self.pack)
        if self.value is not None:
            return self.text, self.value.type
        return self.template or self.type


#: The template's parameters by their names.
Bound = dict[str, Given]
#: Parameters that are to be found out, by their names.
Sought = Mapping[str, TemplateParameter]
AnyTemplate = FunctionTemplate | ClassTemplate


def flat(bound: Bound) -> list[Given]:
    """Return what the parameters of a template stand for, each element of a pack by itself."""
    return [
        part for one in bound.values() for part in (one.pack if one.pack is not None else (one,))
    ]


def deduce(
    pattern: CType, actual: CType, const: bool, names: Sought
) -> Iterator[tuple[str, Given]]:
    """Yield the parameters among `names` in `pattern`, with what `actual` makes of them.

    Examples
    --------
    >>> from simulator.ir.types import INT
    >>> from simulator.source import Source, Span
    >>> span = Span(Source("T"), 1, 1, 1, 2)
    >>> names = {"T": TemplateParameter("T", None, span=span)}
    >>> pattern = Pointer(Named("T", span))
    >>> [(name, found.text) for name, found in deduce(pattern, Pointer(INT, True), False, names)]
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
        yield from deduce_types(pattern.parameters, actual.parameters, names)
    elif isinstance(pattern, TemplateId) and isinstance(actual, Struct):
        parts = actual.made_of or parts_of(actual)
        if parts is not None and pattern.name in names:
            yield pattern.name, Given(actual)
        if parts is not None and (parts[0] == pattern.name or pattern.name in names):
            yield from deduce_arguments(pattern.arguments, parts[1], names)


def _deduce_array(
    pattern: Array, actual: Array, const: bool, names: Sought
) -> Iterator[tuple[str, Given]]:
    """Yield the same for `T (&name)[N]`."""
    yield from deduce(pattern.of, actual.of, const, names)
    length = pattern.expression if isinstance(pattern, Sized) else None
    if isinstance(length, tree.Name) and length.name in names and actual.length is not None:
        number = tree.Literal(actual.length, span=length.span, type=INT)
        yield length.name, Given(INT, value=number)


def deduce_types(
    patterns: Sequence[CType], actuals: Sequence[CType], names: Sought
) -> Iterator[tuple[str, Given]]:
    """Yield the same for a row of types, of which the last pattern may be `type...`."""
    for at, pattern in enumerate(patterns):
        if isinstance(pattern, PackType):
            found = [dict(deduce(pattern.of, one, False, names)) for one in actuals[at:]]
            yield from packed(pattern, found, names)
        elif at < len(actuals):
            yield from deduce(pattern, actuals[at], False, names)


def deduce_arguments(
    patterns: Sequence[tree.Node], parts: Sequence[CType | Constant | int], names: Sought
) -> Iterator[tuple[str, Given]]:
    """Yield the same for what stands in the `<…>` of a pattern."""
    for at, pattern in enumerate(patterns):
        inner = opened(pattern)
        if inner is not None:
            found = [dict(_deduce_argument(inner, one, names)) for one in parts[at:]]
            yield from packed(inner, found, names)
        elif at < len(parts):
            yield from _deduce_argument(pattern, parts[at], names)


def _deduce_argument(
    argument: tree.Node, part: CType | Constant | int, names: Sought
) -> Iterator[tuple[str, Given]]:
    const = isinstance(part, Constant)
    part = part.of if isinstance(part, Constant) else part
    if isinstance(argument, TypeArgument) and not isinstance(part, int):
        if const or not argument.const:
            yield from deduce(argument.type, part, const and not argument.const, names)
    elif isinstance(argument, tree.Name) and isinstance(part, int) and argument.name in names:
        yield argument.name, Given(INT, value=tree.Literal(part, span=argument.span, type=INT))


def packed(pattern: Any, found: Sequence[Bound], names: Sought) -> Iterator[tuple[str, Given]]:
    """Yield the packs that a pattern names, of what each element tells, and other parameters."""
    for name in sorted(mentioned(pattern, names)):
        if not names[name].pack:
            yield from ((name, one[name]) for one in found if name in one)
        elif all(name in one for one in found):
            yield name, Given(VOID, pack=tuple(one[name] for one in found))


def opened(value: Any) -> Any:
    """Return the pattern of an expansion among the arguments of a template; None of others."""
    if isinstance(value, Expansion):
        return value.pattern
    if isinstance(value, TypeArgument) and isinstance(value.type, PackType):
        return TypeArgument(value.type.of, value.const, span=value.span)
    return None


# Names in any part of a tree.

#: What has no names in it, and what has its packs expanded.
_LEAVES = (Span, Source, Token, Scalar, Struct, tree.Function)
EXPANDED = (Expansion, PackType, Fold, PackSize)


@cache
def field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(one.name for one in fields(kind))


def is_branch(value: Any) -> bool:
    """Whether a part of a tree has parts in which names may stand."""
    if not is_dataclass(value):
        return False
    return isinstance(value, FunctionPointer) or not isinstance(value, _LEAVES)


def mentioned(value: Any, names: Mapping[str, Any]) -> set[str]:
    """Return the names among `names` that stand in a part of a tree, outside of expansions in it.

    Of the pattern of an expansion these are what is expanded.
    """
    if isinstance(value, PackType | Expansion):
        value = value.of if isinstance(value, PackType) else value.pattern
    return _mentioned(value, names)


def _mentioned(value: Any, names: Mapping[str, Any]) -> set[str]:
    if isinstance(value, tuple):
        return {name for one in value for name in _mentioned(one, names)}
    if not is_branch(value) or isinstance(value, EXPANDED):
        return set()
    parts = (getattr(value, key) for key in field_names(value.__class__))
    found = {name for part in parts for name in _mentioned(part, names)}
    text = getattr(value, "name", None)
    front = text.partition("::")[0] if isinstance(text, str) else ""
    return found | {front} if front and front in names else found
