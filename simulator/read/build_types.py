"""Rules to nodes, for types, templates and what stands beside declarations."""

# ruff: noqa: D102 (cuda.lark says what each rule is, and a method makes a node of it)

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from simulator.ir import tree
from simulator.ir.tokens import Token
from simulator.ir.types import VOID
from simulator.ir.unchecked import (
    Construct,
    Definition,
    Enumeration,
    Enumerator,
    InitializerList,
    Method,
    Named,
    NameExpression,
    Prototype,
    StaticAssertion,
    Structure,
    Template,
    TemplateCall,
    TemplateParameter,
    Text,
    TypeArgument,
)
from simulator.read import declarators
from simulator.read.declarators import (
    Alignment,
    Declarator,
    Specifiers,
    Tag,
    TemplateWord,
    spanning,
)
from simulator.source import CompileError, Span

# How Lark's lists of children reach the methods of the builder.


def _takes_children(method: Callable[..., Any]) -> Callable[[Any, list[Any]], Any]:
    return lambda self, children: method(self, *children)


def inlined(cls: type) -> type:
    """Lark hands over a list of children; the public methods of `cls` name them."""
    for name, method in list(vars(cls).items()):
        if not name.startswith("__"):
            setattr(cls, name, _takes_children(method))
    return cls


def flat(children: tuple[Any, ...]) -> Iterator[Any]:
    """The nodes among `children`, tuples of them opened, tokens and gaps left out."""
    for child in children:
        if isinstance(child, tuple):
            yield from child
        elif child is not None and not isinstance(child, Token):
            yield child


# Rules to nodes: the methods for the rules of cuda.lark that have to do with templates.


@dataclass(frozen=True)
class ConstexprWord:
    """`if constexpr`."""

    span: Span


def _argument(given: Any) -> TypeArgument | tree.Expression:
    """A type or a value between `<` and `>`."""
    if isinstance(given, Declarator):
        assert given.span is not None
        return TypeArgument(given.type, given.const, span=given.span)
    value: tree.Expression = given
    return value


class TemplateRules:
    """The rules of templates, and of what comes with their types."""

    def template(self, word: Token, opening: Token, *children: Any) -> Template:
        """A function template, or its head."""
        parameters = tuple(c for c in children if isinstance(c, TemplateParameter))
        item: Definition | Prototype = children[-1]
        return Template(parameters, item, span=item.span)

    def type_parameter(
        self, word: Token, name: Token | None, equals: Token | None, default: Any
    ) -> TemplateParameter:
        """`typename T`, maybe with a default."""
        text = name.text if name is not None else ""
        given = _argument(default) if default is not None else None
        return TemplateParameter(text, None, given, span=(name or word).span)

    def value_parameter(
        self, front: Specifiers, name: Token | None, equals: Token | None, default: Any
    ) -> TemplateParameter:
        """`int N`, maybe with a default."""
        text = name.text if name is not None else ""
        span = name.span if name is not None else front.span
        return TemplateParameter(text, front.base, default, span=span)

    def template_arguments(self, *children: Any) -> tuple[TypeArgument | tree.Expression, ...]:
        """What stands between `<` and `>`."""
        return tuple(c for c in children if c is not None and not isinstance(c, Token))

    def template_argument(self, given: Any) -> TypeArgument | tree.Expression:
        """A type or a constant."""
        return _argument(given)

    def name_expression(self, sign: Token | None, name: Token, given: Any = None) -> NameExpression:
        """A function as the host names it."""
        return NameExpression("", name.text, given, span=name.span)

    def template_type(self, name: Token, arguments: Any) -> TemplateWord:
        """A type made by a template."""
        if not arguments:
            raise CompileError(f"`{name.text}` needs arguments in its `<…>`", name.span)
        return TemplateWord(name, arguments, name.span.to(spanning(*arguments)))

    def template_call(
        self, name: Token, given: Any, opening: Token, arguments: Any, closing: Token
    ) -> TemplateCall:
        """A call that says which instance."""
        span = spanning(name, closing)
        return TemplateCall(name.text, arguments or (), given=given, span=span)

    def method(
        self, base: tree.Expression, dot: Token, name: Token, opening: Token, *rest: Any
    ) -> Method:
        """A call of a member function."""
        return Method(base, name.text, rest[0] or (), span=spanning(base, rest[1]))

    def construct(self, word: Any, opening: Token, closing: Token) -> Construct:
        """`T()`."""
        ctype = declarators.specifiers((word,)).base
        if ctype == VOID:
            raise CompileError("`void()` has no value", spanning(word, closing))
        return Construct(span=spanning(word, closing), type=ctype)

    def if_constexpr(self, word: Token, constexpr: Token) -> ConstexprWord:
        """The words in front of a condition."""
        return ConstexprWord(word.span.to(constexpr.span))


# Rules to nodes, for what defines types and what stands beside declarations.


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
