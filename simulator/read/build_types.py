"""Rules to nodes, for types, templates and what stands beside declarations."""

# ruff: noqa: D102 (cuda.lark says what each rule is, and a method makes a node of it)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from simulator.ir import tree
from simulator.ir.types import VOID, CType
from simulator.ir.unchecked import (
    Alias,
    Auto,
    Construct,
    Definition,
    Enumeration,
    Enumerator,
    Expansion,
    Field,
    Fold,
    FunctionType,
    InitializerList,
    MemberOf,
    Method,
    Named,
    NameExpression,
    PackSize,
    PackType,
    StaticAssertion,
    Structure,
    Template,
    TemplateCall,
    TemplateParameter,
    TemplateValue,
    Text,
    TypeArgument,
    TypeOf,
    Variable,
)
from simulator.read.declarators import (
    Alignment,
    Declarator,
    Specifiers,
    Tag,
    TemplateWord,
    declared_name,
    flat,
    inlined,
    plain,
    pointed_declarator,
    spanning,
    specifiers,
    typed,
)
from simulator.read.libraries import COMPLEX, TEMPLATE_TYPES
from simulator.source import CompileError, Span, Token

# Rules to nodes: the methods for the rules of cuda.lark that have to do with templates.


@dataclass(frozen=True)
class ConstexprWord:
    """`if constexpr`."""

    span: Span


def _argument(given: Any) -> TypeArgument | tree.Expression:
    """Return a type or a value between `<` and `>`."""
    if isinstance(given, Declarator):
        assert given.span is not None
        return TypeArgument(type_of(given), given.const, span=given.span)
    value: tree.Expression = given
    return value


def _folded(sign: Token) -> str:
    """Return the operator of `op ...`, `... op` or `op ... op`."""
    return next(part for part in sign.text.split("...") if part)


class TemplateRules:
    """The rules of templates, and of what comes with their types."""

    def template(self, keyword: Token, opening: Token, *children: Any) -> Template:
        parameters = tuple(c for c in children if isinstance(c, TemplateParameter))
        item = children[-1]
        if isinstance(item, tuple):
            if len(item) != 1:
                raise CompileError("a template declares one thing", keyword.span)
            item = item[0]
        return Template(parameters, item, span=item.span)

    def type_parameter(
        self, keyword: Token, dots: Token | None, name: Token | None, *rest: Any
    ) -> TemplateParameter:
        text = name.text if name is not None else ""
        given = _argument(rest[1]) if rest[1] is not None else None
        pack = dots is not None
        return TemplateParameter(text, None, given, pack, span=(name or keyword).span)

    def template_template(self, keyword: Token, *children: Any) -> TemplateParameter:
        inner = tuple(c for c in children if isinstance(c, TemplateParameter))
        word, dots, name, _, default = children[-5:]
        text = name.text if name is not None else ""
        given = _argument(default) if default is not None else None
        pack, span = dots is not None, (name or word).span
        return TemplateParameter(text, None, given, pack, inner, span=span)

    def value_parameter(
        self, front: Specifiers, dots: Token | None, name: Token | None, *rest: Any
    ) -> TemplateParameter:
        text = name.text if name is not None else ""
        span = name.span if name is not None else front.span
        return TemplateParameter(text, front.base, rest[1], dots is not None, span=span)

    def pointed_parameter(self, front: Specifiers, *children: Any) -> TemplateParameter:
        name = pointed_declarator(children[:-2])
        ctype, _, _ = typed(plain(front), name)
        text = name.name.text if name.name is not None else ""
        return TemplateParameter(text, ctype, children[-1], span=spanning(front, name))

    def template_arguments(self, *children: Any) -> tuple[TypeArgument | tree.Expression, ...]:
        return tuple(c for c in children if c is not None and not isinstance(c, Token))

    def template_argument(self, given: Any, dots: Token | None) -> TypeArgument | tree.Expression:
        made = _argument(given)
        if dots is None:
            return made
        span = made.span.to(dots.span)
        if isinstance(made, TypeArgument):
            return TypeArgument(PackType(made.type), made.const, span=span)
        return Expansion(made, span=span)

    def expansion(self, pattern: tree.Expression, dots: Token) -> Expansion:
        return Expansion(pattern, span=spanning(pattern, dots))

    def sizeof_pack(self, keyword: Token, dots: Token, *rest: Token) -> PackSize:
        return PackSize(rest[1].text, span=spanning(keyword, rest[2]))

    def fold(self, opening: Token, left: Any, sign: Token, right: Any, closing: Token) -> Fold:
        return Fold(
            next(filter(None, sign.text.split("..."))), left, right, span=spanning(opening, closing)
        )

    def fold_left(self, opening: Token, sign: Token, right: Any, closing: Token) -> Fold:
        return Fold(
            next(filter(None, sign.text.split("..."))), None, right, span=spanning(opening, closing)
        )

    def type_of(self, keyword: Token, opening: Token, of: Any, closing: Token) -> Tag:
        span = spanning(keyword, closing)
        return Tag(span, Auto() if isinstance(of, Token) else TypeOf(of))

    def name_expression(self, sign: Token | None, name: Token, given: Any = None) -> NameExpression:
        return NameExpression("", name.text, given, span=name.span)

    def template_type(self, name: Token, arguments: Any) -> TemplateWord:
        if not arguments and name.text in {*TEMPLATE_TYPES, COMPLEX}:
            raise CompileError(f"`{name.text}` needs arguments in its `<…>`", name.span)
        return TemplateWord(name, arguments, name.span.to(spanning(name, *arguments)))

    def template_call(
        self, name: Token, given: Any, opening: Token, arguments: Any, closing: Token
    ) -> TemplateCall:
        span = spanning(name, closing)
        return TemplateCall(name.text, arguments or (), given=given, span=span)

    def method(
        self, base: tree.Expression, dot: Token, name: Token, opening: Token, *rest: Any
    ) -> Method:
        return Method(base, name.text, rest[0] or (), span=spanning(base, rest[1]))

    def nested_type(self, keyword: Token, name: Token, given: Any, *rest: Token) -> TemplateWord:
        return TemplateWord(name, given, spanning(keyword, *rest), rest[-1].text)

    def template_value(self, name: Token, given: Any) -> TemplateValue:
        return TemplateValue(name.text, given, span=spanning(name, given))

    def member_of(self, of: TemplateWord, sign: Token, name: Token) -> MemberOf:
        return MemberOf(of.type, name.text, span=spanning(of, name))

    def static_call(
        self, of: TemplateWord, sign: Token, name: Token, opening: Token, *rest: Any
    ) -> MemberOf:
        return MemberOf(of.type, name.text, rest[0] or (), span=spanning(of, rest[1]))

    def arrow_method(
        self, base: tree.Expression, sign: Token, name: Token, opening: Token, *rest: Any
    ) -> Method:
        target = tree.Deref(base, span=base.span)
        return Method(target, name.text, rest[0] or (), span=spanning(base, rest[1]))

    def template_method(
        self, base: tree.Expression, dot: Token, name: Token, given: Any, *rest: Any
    ) -> Method:
        span = spanning(base, rest[2])
        return Method(base, name.text, rest[1] or (), given, span=span)

    def template_arrow(
        self, base: tree.Expression, arrow: Token, name: Token, given: Any, *rest: Any
    ) -> Method:
        target, span = tree.Deref(base, span=base.span), spanning(base, rest[2])
        return Method(target, name.text, rest[1] or (), given, span=span)

    def construct(self, keyword: Any, opening: Token, *rest: Any) -> Construct:
        ctype = specifiers((keyword,)).base
        span = spanning(keyword, rest[-1])
        if ctype == VOID:
            raise CompileError("`void()` has no value", span)
        return Construct(rest[0] if len(rest) > 1 else (), span=span, type=ctype)

    def made_of_template(self, keyword: Any, values: InitializerList) -> Construct:
        span = spanning(keyword, values)
        return Construct(values.values, span=span, type=specifiers((keyword,)).base)

    def if_constexpr(self, keyword: Token, constexpr: Token) -> ConstexprWord:
        return ConstexprWord(keyword.span.to(constexpr.span))


# Rules to nodes, for what defines types and what stands beside declarations.


@dataclass(frozen=True)
class FunctionAlias:
    """`name(int)` or `(*name)(int)` in a typedef."""

    name: Token
    span: Span


def type_name_of(front: Specifiers, name: Declarator) -> Declarator:
    """Return the type that a cast, sizeof or alias names."""
    ctype, const, _ = typed(front, name)
    return Declarator(front.span, None, (), name.reference, (), ctype, const)


def type_of(named: Declarator) -> CType:
    """Return a named type that values have: no `T &`."""
    if named.reference:
        hint = "name the type without `&`; to read the bits as another type, `*(float *)&x`"
        raise CompileError("a reference cannot stand here", named.reference.span, hint)
    return named.type


def alias(front: Specifiers, name: Declarator | FunctionAlias, span: Span) -> Alias:
    """One name that a typedef declares."""
    if isinstance(name, FunctionAlias):
        return Alias(name.name.text, FunctionType(), span=span)
    named = type_name_of(front, name)
    return Alias(declared_name(name).text, type_of(named), named.const, span=span)


def field(front: Specifiers, name: Declarator, wrong: frozenset[str]) -> Field:
    """Return a member of a structure; specifiers in `wrong` cannot stand before it."""
    called = declared_name(name)
    for word in sorted(front.specifiers & wrong):
        what = f"`{word}` members are not supported"
        raise CompileError(what, front.span, f"leave `{word}` out")
    if front.alignments:
        hint = "align the whole structure: `struct __align__(16) Name { … };`"
        raise CompileError("aligned members are not supported", front.alignments[0].span, hint)
    ctype, const, volatile = typed(front, name)
    if volatile:
        hint = "make the whole variable volatile, or what a pointer to it points to"
        raise CompileError("volatile members are not supported", front.span, hint)
    place, reference = tree.Storage.LOCAL, name.reference is not None
    mutable = "mutable" in front.specifiers
    return Field(called.text, ctype, place, called.span, const, reference, mutable=mutable)


@dataclass(frozen=True)
class Friend:
    """A friend of a class: a function that is defined there, or only named."""

    node: Definition | None
    span: Span


#: Structures and enumerations without a name get one that no program can write.
unnamed = count()

FIELD_WORDS = frozenset(
    """constexpr extern inline register __inline__ __forceinline__ __noinline__ __global__
    __device__ __host__ __shared__ __constant__ __managed__ __grid_constant__""".split()
)


def _nameless(front: Specifiers) -> Iterator[tree.Statement]:
    """Yield the variable that a union without a name is, whose members are called by theirs."""
    node = front.defines[-1]
    if isinstance(node, Structure) and node.name.startswith("<union"):
        place, base = tree.Storage.LOCAL, front.base
        symbol = tree.Symbol(node.name, base, place, node.span)
        yield Variable(symbol, None, None, front.specifiers, span=node.span)


@inlined
class TypeRules:
    """The rules of cuda.lark's part on structures, enumerations and names of types."""

    def typedef(
        self, keyword: Token, front: Specifiers, *children: Any
    ) -> tuple[tree.Statement, ...]:
        whole = spanning(keyword, children[-1])
        names = (alias(front, name, whole) for name in flat(children))
        return (*front.defines, *names)

    def function_alias(self, *children: Any) -> FunctionAlias:
        names = (c.name if isinstance(c, Declarator) else c for c in children)
        name = next(c for c in names if isinstance(c, Token) and c.type == "IDENT")
        return FunctionAlias(name, spanning(*children))

    def using(
        self, keyword: Token, name: Token, equals: Token, type_name: Declarator, end: Token
    ) -> Alias:
        made = type_of(type_name)
        return Alias(name.text, made, type_name.const, span=spanning(keyword, end))

    def using_function(self, keyword: Token, name: Token, *rest: Any) -> Alias:
        return Alias(name.text, FunctionType(), span=spanning(keyword, rest[-1]))

    def definition(self, front: Specifiers, end: Token) -> tuple[tree.Statement, ...]:
        if front.defines:
            return (*front.defines, *_nameless(front))
        if front.specifiers & {"struct", "class", "union"} and isinstance(front.base, Named):
            name = front.base.name
            return (Structure(name, name, None, span=spanning(front, end)),)

        raise CompileError("this declares nothing", spanning(front, end), "a name is missing")

    def tagged(self, keyword: Token, name: Token) -> Tag:
        return Tag(
            spanning(keyword, name), Named(name.text, name.span, keyword.text), (), keyword.text
        )

    def alignment(self, keyword: Token, opening: Token, given: Any, closing: Token) -> Alignment:
        return Alignment(spanning(keyword, closing), given)

    def enumeration(self, keyword: Token, kind: Token | None, tag: Token | None, *rest: Any) -> Tag:
        head = spanning(keyword, tag)
        name = tag.text if tag is not None else f"<enumeration {next(unnamed)}>"
        values = tuple(child for child in rest if isinstance(child, Enumerator))
        underlying = rest[0].base if isinstance(rest[0], Specifiers) else None
        node = Enumeration(name, kind is not None, underlying, values, span=head)
        return Tag(head, Named(name, head), (node,))

    def underlying(self, colon: Token, *keywords: Token) -> Specifiers:
        return specifiers(keywords)

    def enumerator(self, name: Token, equals: Token | None, value: Any) -> Enumerator:
        return Enumerator(name.text, value, span=spanning(name, value))

    def enumerator_of(self, enumeration: Token, sign: Token, name: Token) -> tree.Name:
        return tree.Name(f"{enumeration.text}::{name.text}", span=spanning(enumeration, name))

    def static_assertion(
        self, keyword: Token, opening: Token, condition: Any, comma: Any, message: Any, *rest: Token
    ) -> StaticAssertion:
        text = message.text.strip('"') if isinstance(message, Text) else ""
        return StaticAssertion(condition, text, span=spanning(keyword, *rest))

    def direct(self, name: Declarator, *given: Any) -> tuple[Declarator, InitializerList]:
        """`name{a, b}`, and `name(a)`, which here means the same."""
        if isinstance(given[0], InitializerList):
            return name, given[0]
        values = tuple(flat(given))
        if len(values) > 1:
            return name, InitializerList(values, span=values[0].span)
        return name, InitializerList(values, span=values[0].span)
