"""Rules to nodes, for what defines types and what stands beside declarations."""

# ruff: noqa: D102 (cuda.lark says what each rule is, and a method makes a node of it)

from __future__ import annotations

from itertools import count
from typing import Any

from simulator.ir import tree
from simulator.ir.tokens import Token
from simulator.ir.unchecked import (
    Enumeration,
    Enumerator,
    InitializerList,
    Named,
    StaticAssertion,
    Structure,
    Text,
)
from simulator.read import declarators
from simulator.read.declarators import Declarator, Specifiers, spanning
from simulator.read.rules import flat, inlined
from simulator.read.tags import Alignment, Tag
from simulator.source import CompileError

#: Structures and enumerations without a name get one that no program can write.
_unnamed = count()

_NO_MEMBERS = frozenset(
    "constexpr static extern inline register __inline__ __forceinline__ __noinline__".split()
) | {
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__grid_constant__",
}


def plain(front: Specifiers) -> Specifiers:
    """`front`, if it neither defines a type nor aligns.

    Raises
    ------
    CompileError
        otherwise
    """
    if front.defines:
        what = "a type cannot be defined here"
        raise CompileError(what, front.defines[0].span, "define it in a statement of its own")
    if front.alignments:
        what = "an alignment cannot stand here"
        hint = "align a structure: `struct __align__(16) Name { … };`, or a shared array"
        raise CompileError(what, front.alignments[0].span, hint)
    return front


@inlined
class TypeRules:
    """The rules of cuda.lark's part on structures, enumerations and direct values."""

    def definition(self, front: Specifiers, end: Token) -> tuple[tree.Statement, ...]:
        if front.defines:
            return front.defines
        if "struct" in front.words and isinstance(front.base, Named):
            name = front.base.name
            return (Structure(name, name, None, span=spanning(front, end)),)
        raise CompileError("this declares nothing", spanning(front, end), "a name is missing")

    def tagged(self, word: Token, name: Token) -> Tag:
        return Tag(spanning(word, name), Named(name.text, name.span, word.text), (), word.text)

    def structure(self, word: Token, *children: Any) -> Tag:
        alignments = tuple(child.bytes for child in children if isinstance(child, Alignment))
        tag = next(c for c in children if c is None or (isinstance(c, Token) and c.is_word))
        fields = tuple(symbol for inner, _ in _groups(children) for symbol in inner)
        inner = tuple(node for _, defined in _groups(children) for node in defined)
        label = tag.text if tag is not None else "unnamed structure"
        name = tag.text if tag is not None else f"<structure {next(_unnamed)}>"
        head = spanning(word, tag)
        node = Structure(name, label, fields, alignments, span=head)
        return Tag(head, Named(name, head), (*inner, node))

    def field(self, front: Specifiers, *children: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        names = [child for child in children if isinstance(child, Declarator)]
        return tuple(declarators.field(front, name, _NO_MEMBERS) for name in names), front.defines

    def alignment(self, word: Token, opening: Token, given: Any, closing: Token) -> Alignment:
        return Alignment(spanning(word, closing), given)

    def enumeration(self, word: Token, kind: Token | None, tag: Token | None, *rest: Any) -> Tag:
        head = spanning(word, tag)
        name = tag.text if tag is not None else f"<enumeration {next(_unnamed)}>"
        values = tuple(child for child in rest if isinstance(child, Enumerator))
        underlying = rest[0].base if isinstance(rest[0], Specifiers) else None
        node = Enumeration(name, kind is not None, underlying, values, span=head)
        return Tag(head, Named(name, head), (node,))

    def underlying(self, colon: Token, *words: Token) -> Specifiers:
        return declarators.specifiers(words)

    def enumerator(self, name: Token, equals: Token | None, value: Any) -> Enumerator:
        return Enumerator(name.text, value, span=spanning(name, value))

    def enumerator_of(self, enumeration: Token, sign: Token, name: Token) -> tree.Name:
        return tree.Name(f"{enumeration.text}::{name.text}", span=spanning(enumeration, name))

    def static_assertion(
        self, word: Token, opening: Token, condition: Any, comma: Any, message: Any, *rest: Token
    ) -> StaticAssertion:
        text = message.text.strip('"') if isinstance(message, Text) else ""
        return StaticAssertion(condition, text, span=spanning(word, *rest))

    def direct(self, name: Declarator, *given: Any) -> tuple[Declarator, InitializerList]:
        """`name{a, b}`, and `name(a)`, which here means the same."""
        if isinstance(given[0], InitializerList):
            return name, given[0]
        values = tuple(flat(given))
        if len(values) > 1:
            hint = "write the values in braces"
            raise CompileError("constructors are not supported", spanning(*given), hint)
        return name, InitializerList(values, span=values[0].span)


def _groups(children: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """What each field of a structure gave: its symbols, and the types that it defined."""
    return [child for child in children if isinstance(child, tuple)]
