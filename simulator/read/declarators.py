"""Declared names: the words in front, the stars and brackets around, the type that these make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.ir import tree
from simulator.ir.tokens import TYPE_WORDS, Token
from simulator.ir.types import SCALARS, VOID, Array, CType, Pointer, Scalar
from simulator.ir.unchecked import (
    Alias,
    Auto,
    FunctionType,
    InitializerList,
    Named,
    Sized,
    TemplateId,
    Variable,
)
from simulator.source import CompileError, Span

# What may stand among the words in front of a declared name, beside words.


@dataclass(frozen=True)
class Alignment:
    """`__align__(bytes)` or `alignas(bytes)`."""

    span: Span
    bytes: tree.Expression


@dataclass(frozen=True)
class Tag:
    """`struct name` or `enum name` as a type, and what it defines on the way, if anything."""

    span: Span
    base: CType
    defines: tuple[tree.Statement, ...] = ()
    word: str = ""


# Which words may stand together in front of a declared name, and in which order.


#: Of each of these kinds a declaration has one word at most.
_ONE_OF = (
    (frozenset(["static", "extern"]), "a declaration has one storage class"),
    (frozenset(["inline", "__inline__", "__forceinline__"]), "one of these words is enough"),
    (frozenset(["constexpr"]), "once is enough"),
)
#: What may stand before `alignas`.
_BEFORE_ALIGNAS = frozenset(["__shared__", "__device__", "__constant__", "__managed__"])


def check_order(words: Sequence[Any]) -> None:
    """Look at the words in front of a name.

    Raises
    ------
    CompileError
        for `register`, for two words of which C++ takes one, and for `alignas` behind other words
    """
    tokens = [word for word in words if isinstance(word, Token)]
    for word in tokens:
        if word.text == "register":
            hint = "leave it out: the compiler chooses registers by itself"
            raise CompileError("C++17 has no `register`", word.span, hint)
    for kind, hint in _ONE_OF:
        found = [word for word in tokens if word.text in kind]
        if len(found) > 1:
            what = f"`{found[1].text}` cannot stand here after `{found[0].text}`"
            raise CompileError(what, found[1].span, f"leave one of them out: {hint}")
    for at, word in enumerate(words):
        wrong = [w for w in words[:at] if isinstance(w, Token) and w.text not in _BEFORE_ALIGNAS]
        if wrong and isinstance(word, Alignment) and word.span.text.startswith("alignas"):
            what = f"`alignas` cannot stand here after `{wrong[-1].text}`"
            raise CompileError(what, word.span, "begin the declaration with it, or use `__align__`")


MOST_TYPE_LEVELS = 32


class MissingType(CompileError):
    """Words in front of a declared name that do not say its type."""


@dataclass(frozen=True)
class Star:
    """One `*` of a declarator; `const` and `volatile` stand after it."""

    span: Span
    const: bool
    volatile: bool = False


@dataclass(frozen=True)
class Dimension:
    """One `[length]` of a declarator."""

    span: Span
    length: tree.Expression | None


@dataclass(frozen=True)
class Bounds:
    """`__launch_bounds__(…)`."""

    span: Span
    arguments: tuple[tree.Expression, ...]


@dataclass(frozen=True)
class TemplateWord:
    """The name of a type with what stands in its `<…>`."""

    name: Token
    arguments: tuple[Any, ...]
    span: Span


@dataclass(frozen=True)
class Specifiers:
    """The words in front of a declared name: the type that they make, and all of them."""

    span: Span
    base: CType
    words: frozenset[str]
    bounds: tuple[tree.Expression, ...]
    alignments: tuple[tree.Expression, ...] = ()
    defines: tuple[tree.Statement, ...] = ()

    @property
    def const(self) -> bool:
        """Whether the type is const before any star."""
        return bool(self.words & {"const", "constexpr"})


@dataclass(frozen=True)
class Declarator:
    """A name with stars in front and brackets behind; of a type's name, only `type` is of use."""

    span: Span | None
    name: Token | None
    stars: tuple[Star, ...]
    reference: Token | None
    dimensions: tuple[Dimension, ...]
    type: CType = VOID
    const: bool = False


@dataclass(frozen=True)
class FunctionAlias:
    """`name(int)` or `(*name)(int)` in a typedef."""

    name: Token
    span: Span


def spanning(*children: Any) -> Span:
    """From the start of the first to the end of the last of `children` that has a place."""
    spans = [child.span for child in children if getattr(child, "span", None) is not None]
    first: Span = spans[0]
    return first.to(spans[-1])


def specifiers(words: Sequence[Any]) -> Specifiers:
    """Sort the words: type words make the base type, `__launch_bounds__` is kept apart."""
    check_order(words)
    bounds = tuple(a for word in words if isinstance(word, Bounds) for a in word.arguments)
    tokens = [word for word in words if isinstance(word, Token)]
    tags = [word for word in words if isinstance(word, Tag)]
    span = spanning(*words)
    made = [word for word in words if isinstance(word, TemplateWord)]
    if tags:
        base = tags[0].base
    else:
        base = _made_type(made, tokens, span) if made else _base_type(tokens, span)
    return Specifiers(
        span,
        base,
        frozenset([*(token.text for token in tokens), *(tag.word for tag in tags)]),
        bounds,
        tuple(word.bytes for word in words if isinstance(word, Alignment)),
        tuple(defined for tag in tags for defined in tag.defines),
    )


def _made_type(made: list[TemplateWord], tokens: list[Token], span: Span) -> CType:
    if len(made) > 1 or any(t.type == "TYPE_NAME" or t.text in TYPE_WORDS for t in tokens):
        raise CompileError(f"`{span.text}` is not a type", span, "a type has one name")
    return TemplateId(made[0].name.text, made[0].arguments, made[0].span)


def _base_type(tokens: list[Token], span: Span) -> CType:
    named = [token for token in tokens if token.type == "TYPE_NAME"]
    words = [
        token.text for token in tokens if token.text in TYPE_WORDS and token.type != "TYPE_NAME"
    ]
    if len(named) == 1 and not words:
        return Named(named[0].text, named[0].span)
    if named:
        text = " ".join(
            token.text for token in tokens if token in named or token.text in TYPE_WORDS
        )
        raise CompileError(f"`{text}` is not a type", span, "a type has one name")
    if words in (["void"], ["auto"]):
        return VOID if words == ["void"] else Auto()
    return _scalar(words, span)


def _scalar(words: list[str], span: Span) -> Scalar:
    if not words:
        hint = "write one, such as `int`; a kernel's is `void`"
        raise MissingType("the type is missing here", span, hint)
    found = _SPELLINGS.get(_key(words))
    if found is None:
        hint = (
            "device code has no long double: use double"
            if sorted(words) == ["double", "long"]
            else "write one type, such as `float` or `unsigned int`"
        )
        raise CompileError(f"`{' '.join(words)}` is not a type", span, hint)
    return found


def _key(words: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(words).items()))


def _spellings() -> dict[tuple[tuple[str, int], ...], Scalar]:
    """Every way to spell each scalar type, the order of the words left out."""
    found = {}
    for ctype in SCALARS:
        words = ctype.name.split()
        found[_key(words)] = ctype
        if words[-1] in ("short", "long"):
            found[_key([*words, "int"])] = ctype
        if words[0] in ("short", "int", "long"):
            found[_key(["signed", *words])] = ctype
            if words[-1] != "int":
                found[_key(["signed", *words, "int"])] = ctype
    by_name = {ctype.name: ctype for ctype in SCALARS}
    return found | {_key(["signed"]): by_name["int"], _key(["unsigned"]): by_name["unsigned int"]}


_SPELLINGS = _spellings()


def declarator(children: Sequence[Any]) -> Declarator:
    """Sort what stands around a name.

    Raises
    ------
    CompileError
        if the type has more levels than anybody needs
    """
    if len(children) > MOST_TYPE_LEVELS:
        raise CompileError("this type has too many levels", spanning(*children))
    tokens = [child for child in children if isinstance(child, Token)]
    return Declarator(
        spanning(*children) if any(child is not None for child in children) else None,
        next((token for token in tokens if token.type == "IDENT"), None),
        tuple(child for child in children if isinstance(child, Star)),
        next((token for token in tokens if token.text == "&"), None),
        tuple(child for child in children if isinstance(child, Dimension)),
    )


def typed(front: Specifiers, name: Declarator, decays: bool = False) -> tuple[CType, bool, bool]:
    """The declared type, whether the thing is const, and whether it is volatile.

    `decays` makes an array a pointer.
    """
    ctype, const, volatile = front.base, front.const, "volatile" in front.words
    for star in name.stars:
        ctype, const, volatile = Pointer(ctype, const, volatile), star.const, star.volatile
    dimensions = name.dimensions[1:] if decays else name.dimensions
    for dimension in reversed(dimensions):
        ctype = _array(ctype, dimension)
    if decays and name.dimensions:
        return Pointer(ctype, const, volatile), False, False
    return ctype, const, volatile


def _array(of: CType, dimension: Dimension) -> CType:
    if dimension.length is None:
        return Array(of, None)
    return Sized(of, None, dimension.length)


def type_name(front: Specifiers, name: Declarator) -> Declarator:
    """The type that a cast, sizeof or alias names."""
    if name.reference:
        raise CompileError(
            "a reference cannot stand here",
            name.reference.span,
            "name the type without `&`; to read the bits as another type, `*(float *)&x`",
        )
    ctype, const, _ = typed(front, name)
    return Declarator(front.span, None, (), None, (), ctype, const)


def alias(front: Specifiers, name: Declarator | FunctionAlias, span: Span) -> Alias:
    """One name that a typedef declares."""
    if isinstance(name, FunctionAlias):
        return Alias(name.name.text, FunctionType(), span=span)
    assert name.name is not None
    return Alias(name.name.text, type_name(front, name).type, span=span)


def field(front: Specifiers, name: Declarator, wrong: frozenset[str]) -> tree.Symbol:
    """A member of a structure; words in `wrong` cannot stand before it.

    Raises
    ------
    CompileError
        for such words, alignments and references
    """
    assert name.name is not None
    for word in sorted(front.words & wrong):
        what = f"`{word}` members are not supported"
        raise CompileError(what, front.span, f"leave `{word}` out")
    if front.alignments:
        hint = "align the whole structure: `struct __align__(16) Name { … };`"
        raise CompileError("aligned members are not supported", front.alignments[0].span, hint)
    if name.reference:
        what = "members that are references are not supported"
        raise CompileError(what, name.reference.span, "use a pointer")
    ctype, const, volatile = typed(front, name)
    if const:
        raise CompileError("const members are not supported", front.span, "leave `const` out")
    if volatile:
        hint = "make the whole variable volatile, or what a pointer to it points to"
        raise CompileError("volatile members are not supported", front.span, hint)
    return tree.Symbol(name.name.text, ctype, tree.Storage.LOCAL, name.name.span)


def variable(
    front: Specifiers, name: Declarator, value: tree.Expression | None, whole: Span | None
) -> Variable:
    """A variable, with its value or list of values."""
    assert name.name is not None
    ctype, const, volatile = typed(front, name)
    symbol = tree.Symbol(
        name.name.text,
        ctype,
        _storage(front.words),
        name.name.span,
        const,
        name.reference is not None,
        volatile,
    )
    values = value.values if isinstance(value, InitializerList) else None
    span = whole or spanning(name, value)
    first = None if values is not None else value
    return Variable(symbol, first, values, front.words, front.alignments, span=span)


def _storage(words: frozenset[str]) -> tree.Storage:
    if "__shared__" in words:
        return tree.Storage.SHARED
    if words & {"__constant__"}:
        return tree.Storage.CONSTANT
    return tree.Storage.DEVICE if words & {"__device__", "__managed__"} else tree.Storage.LOCAL
