"""Rules to nodes, for classes: their members, constructors and functions, and lambdas."""

# ruff: noqa: D102 (cuda.lark says what each rule is, and a method makes a node of it)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from simulator.ir import tree, unchecked
from simulator.ir.types import VOID, CType
from simulator.ir.unchecked import (
    Auto,
    Capture,
    ClassContent,
    Definition,
    Field,
    InitializerList,
    Lambda,
    MemberValue,
    Named,
    PackType,
    Prototype,
    Structure,
    Template,
    TemplateId,
    UsedName,
)
from simulator.read.build_types import FIELD_WORDS, Friend, field, unnamed
from simulator.read.declarators import (
    Alignment,
    Declarator,
    Parameter,
    Specifiers,
    Tag,
    TemplateWord,
    declared_name,
    head,
    inlined,
    plain,
    spanning,
    specifiers,
    typed,
    variable,
)
from simulator.source import CompileError, Span, Token

# The heads of functions: what stands behind their parameters, and heads without a result.


@dataclass(frozen=True)
class Tail:
    """What stands behind a function's parameters: `const`, and a result behind `->`."""

    const: bool
    result: Declarator | None


@dataclass(frozen=True)
class Disposal:
    """`= default` or `= delete`."""

    word: str


def with_tail(made: Prototype, front: Specifiers, tail: Tail | None) -> Prototype:
    """Return a head with what its tail says."""
    if tail is None:
        return made
    if tail.result is None:
        return replace(made, const=tail.const)
    if not isinstance(made.result, Auto):
        hint = "write `auto` in front"
        raise CompileError("a result behind `->` needs `auto`", made.location, hint)
    reference = tail.result.reference is not None
    return replace(made, const=tail.const, result=tail.result.type, returns_reference=reference)


def ended(made: Prototype, disposal: Disposal | None, end: Token) -> Prototype:
    """Return the head of a function that has no body here."""
    word = disposal.word if disposal is not None else ""
    return replace(made, disposal=word, span=made.span.to(end.span))


def conversion(
    front: Specifiers | None, keyword: Token, result: Any, opening: Token, tail: Tail | None
) -> Prototype:
    """Return the head of `operator type()`."""
    before, name = result
    ctype, _, _ = typed(plain(before), name)
    if name.reference is not None:
        raise CompileError("a conversion to a reference is not supported", keyword.span)
    words = front.specifiers if front is not None else frozenset[str]()
    label = keyword.text.replace("operator", f"operator {ctype}")
    span = (front or keyword).span.to(before.span)
    const = tail is not None and tail.const
    return Prototype(
        label, ctype, (), words, name_span=keyword.span, kind="conversion", const=const, span=span
    )


def constructor(
    front: Specifiers | None,
    tilde: Token | None,
    name: Token,
    given: tuple[Parameter, ...],
    closing: Token,
) -> Prototype:
    """Return the head of a constructor or destructor."""
    declarator = Declarator(name.span, name.renamed("IDENT"), (), None, ())
    if front is None or front.base != VOID:
        nothing = Specifiers(name.span, VOID, frozenset(), (), (), None)
        front = nothing if front is None else replace(front, base=VOID)
    made = head(plain(front), declarator, given, closing)
    ends = tilde is not None or "~" in name.text
    return replace(made, kind="destructor" if ends else "constructor")


def member_value(name: Any, children: tuple[Any, ...]) -> MemberValue:
    """Return `name(values…)` or `name{values…}` of a constructor."""
    listed = isinstance(children[0], InitializerList)
    values = children[0].values if listed else children[1] or ()
    ctype: CType = VOID
    if isinstance(name, TemplateWord):
        ctype = name.type
    elif name.type == "TYPE_NAME":
        ctype = Named(name.text, name.span)
    text = name.name.text if isinstance(name, TemplateWord) else name.text
    return MemberValue(text, ctype, values, listed, span=spanning(name, children[-1]))


# Classes.


#: What messages call a structure without a name.
UNNAMED = "unnamed {}"


@dataclass(frozen=True)
class Access:
    """`public:` and its like."""

    word: str


@dataclass(frozen=True)
class Base:
    """A class that another one inherits from."""

    type: CType
    access: str


@dataclass(frozen=True)
class Fields:
    """One declaration of members: their symbols and first values, and what it defines."""

    symbols: tuple[tree.Symbol, ...]
    values: tuple[tuple[str, tree.Expression], ...]
    defines: tuple[tree.Statement, ...]
    statics: tuple[tree.Statement, ...] = ()


def _name_of(node: tree.Node) -> str:
    if isinstance(node, Definition):
        return node.head.name
    if isinstance(node, Template):
        return _name_of(node.item)
    if isinstance(node, tree.Declaration):
        return node.symbol.name
    return getattr(node, "name", "")


def _content(word: str, children: tuple[Any, ...], arguments: Any) -> ClassContent:
    """Return what stands in the braces of a class, beside its fields."""
    access = "private" if word == "class" else "public"
    members: list[tree.Node] = []
    values: list[tuple[str, tree.Expression]] = []
    hidden: dict[str, str] = {}
    public: set[str] = set()  # of several functions of a name, one that is public makes all so
    for child in children:
        if isinstance(child, Access):
            access = child.word
            continue
        found = list(_members(child))
        names = [_name_of(node) for node in found]
        names += [child.name] if isinstance(child, UsedName) else []
        if isinstance(child, Fields):
            values += child.values
            names += [symbol.name for symbol in child.symbols]
        members += found
        public |= set(names) if access == "public" else set()
        hidden |= dict.fromkeys(names, access) if access != "public" else {}
    friends = tuple(c.node for c in children if isinstance(c, Friend) and c.node is not None)
    found_bases = [c for c in children if isinstance(c, Base)]
    bases = tuple(base.type for base in found_bases)
    own = "private" if word == "class" else "public"
    hides = frozenset(at for at, base in enumerate(found_bases) if (base.access or own) != "public")
    return ClassContent(
        word,
        bases,
        tuple(values),
        tuple(members),
        {name: how for name, how in hidden.items() if name not in public},
        friends,
        any(isinstance(c, Friend) for c in children),
        arguments,
        hides,
        tuple(c for c in children if isinstance(c, UsedName)),
    )


def _named(child: Any) -> Any:
    """Return a structure without a name in a class as the member that it is."""
    nodes = child if isinstance(child, tuple) else ()
    node = nodes[0] if nodes else None
    if not isinstance(node, Structure) or not node.name.startswith("<"):
        return child
    place = tree.Storage.LOCAL
    member = Field(node.name, Named(node.name, node.span), place, node.span)
    return Fields((member,), (), (node,))


def _members(child: Any) -> Iterator[tree.Node]:
    """Yield what one part of a class declares beside fields."""
    if isinstance(child, Fields):
        yield from (*child.defines, *child.statics)
    elif isinstance(child, tuple):
        yield from (node for node in child if isinstance(node, tree.Node))
    elif isinstance(child, tree.Node) and not isinstance(child, UsedName):
        yield child


@dataclass(frozen=True)
class BitField:
    """`name : width` among members, with its first value."""

    name: Declarator
    width: tree.Expression
    value: tree.Expression | None


def _value_of(name: Declarator, value: Any) -> Iterator[tuple[str, tree.Expression]]:
    if value is not None:
        yield declared_name(name).text, value


def _declared(
    children: tuple[Any, ...],
) -> tuple[list[tuple[Declarator, Any]], list[tree.Expression | None]]:
    """Return the declarators of members with their first values, and the widths of bit fields."""
    pairs: list[tuple[Declarator, Any]] = []
    widths: list[tree.Expression | None] = []
    for child in children:
        if isinstance(child, BitField):
            if child.value is not None:
                what = "a bit field cannot have a first value in C++17"
                raise CompileError(what, child.value.span, "let a constructor set it")
            pairs.append((child.name, None))
            widths.append(child.width)
            continue
        name, value = child if isinstance(child, tuple) else (child, None)
        if isinstance(name, Declarator):
            pairs.append((name, value))
            widths.append(None)
    return pairs, widths


@inlined
class ClassRules:
    """The rules of cuda.lark's part on classes."""

    def structure(self, keyword: Token, *parts: Any) -> Tag:
        children = tuple(map(_named, parts))
        alignments = tuple(child.bytes for child in children if isinstance(child, Alignment))
        tag = next(
            c
            for c in children
            if c is None or isinstance(c, TemplateWord) or (isinstance(c, Token) and c.is_word)
        )
        arguments = tag.arguments if isinstance(tag, TemplateWord) else None
        token = tag.name if isinstance(tag, TemplateWord) else tag
        content = _content(keyword.text, children, arguments)
        fields = tuple(s for c in children if isinstance(c, Fields) for s in c.symbols)
        label = token.text if token is not None else UNNAMED.format(keyword.text)
        name = token.text if token is not None else f"<{keyword.text} {next(unnamed)}>"
        at = spanning(keyword, token)
        node = Structure(name, label, fields, alignments, content, span=at)
        ctype: CType = Named(name, at)
        if arguments is not None:
            ctype = TemplateId(name, arguments, at)
        return Tag(at, ctype, (node,))

    def base(self, access: Any, given: Any, dots: Token | None) -> Base:
        word = access.text if isinstance(access, Token) else ""
        ctype = specifiers((given,)).base
        return Base(ctype if dots is None else PackType(ctype), word)

    def access(self, word: Token, colon: Token) -> Access:
        return Access(word.text)

    def field(self, front: Specifiers, *children: Any) -> Fields:
        pairs, widths = _declared(children)
        if "static" in front.specifiers:
            statics = tuple(variable(front, name, value, None) for name, value in pairs)
            return Fields((), (), front.defines, statics)
        values = tuple(one for name, value in pairs for one in _value_of(name, value))
        made = (field(front, name, FIELD_WORDS) for name, _ in pairs)
        symbols = tuple(replace(f, width=w) for f, w in zip(made, widths, strict=True))
        return Fields(symbols, values, front.defines)

    def bit_field(
        self, name: Declarator, colon: Token, width: tree.Expression, sign: Any, value: Any
    ) -> BitField:
        return BitField(name, width, value)

    def used(self, keyword: Token, named: Any, *rest: Token) -> UsedName:
        span = spanning(keyword, rest[-1])
        if isinstance(named, TemplateWord):
            whole = unchecked.TemplateId(named.name.text, named.arguments, named.span)
            return UsedName(whole, named.nested or rest[1].text, span=span)
        front, _, name = named.text.rpartition("::")
        if not front:
            raise CompileError("a class is missing in front of this name", named.span)
        return UsedName(Named(front, named.span), name, span=span)

    def friend(self, keyword: Token, *children: Any) -> Friend:
        node = next((c for c in children if isinstance(c, Definition)), None)
        return Friend(node, keyword.span)


def _captured(children: tuple[Any, ...]) -> Capture:
    tokens = [child for child in children if isinstance(child, Token)]
    texts = [token.text for token in tokens]
    name = next((t.text for t in tokens if t.type == "IDENT"), "")
    value = next((c for c in children if isinstance(c, tree.Expression)), None)
    word = name or ("this" if "this" in texts else "")
    if not word:
        word = texts[0]
    if texts[0] == "*":
        raise CompileError("`*this` as a capture is not supported", tokens[0].span, "keep `this`")
    return Capture(word, texts[0] == "&", spanning(*tokens), value, texts[-1] == "...")


def lambda_of(children: tuple[Any, ...]) -> Lambda:
    """Return a lambda from the parts of its rule."""
    opening, captures, _, front, body = children
    given, mutable, tail = front if front is not None else ((), False, None)
    span: Span = spanning(opening, body)
    result: CType = Auto() if tail is None else tail.type
    reference = tail is not None and tail.reference is not None
    made = Prototype(
        "operator()",
        result,
        tuple(one.symbol for one in given),
        frozenset(["__device__"]),
        defaults=tuple(one.default for one in given if one.default is not None),
        const=not mutable,
        returns_reference=reference,
        span=opening.span,
    )
    return Lambda(captures or (), made, body, mutable, span=span)


@inlined
class LambdaRules:
    """The rules of cuda.lark for lambdas."""

    def captures(self, *children: Any) -> tuple[Capture, ...]:
        return tuple(c for c in children if isinstance(c, Capture))

    def capture(self, *children: Any) -> Capture:
        return _captured(children)

    def lambda_head(self, opening: Token, given: Any, closing: Token, *rest: Any) -> Any:
        return given or (), rest[0] is not None, rest[1]


setattr(LambdaRules, "lambda", lambda self, children: lambda_of(tuple(children)))
