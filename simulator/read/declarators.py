"""Declared names: specifiers in front, declarators around, the types that these make; functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.ir import tree, unchecked
from simulator.ir.types import (
    SCALARS,
    VOID,
    Array,
    CType,
    Pointer,
    Scalar,
    function_pointer,
)
from simulator.ir.unchecked import Named, Prototype, Variable
from simulator.source import TYPE_WORDS, CompileError, Span, Token

# What may stand among specifiers, beside keywords and names.


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


#: Of each of these kinds a declaration has one specifier at most.
_ONE_OF = (
    (frozenset(["static", "extern"]), "a declaration has one storage class"),
    (frozenset(["inline", "__inline__", "__forceinline__"]), "one of these words is enough"),
    (frozenset(["constexpr"]), "once is enough"),
)
#: What may stand before `alignas`.
_BEFORE_ALIGNAS = frozenset(["__shared__", "__device__", "__constant__", "__managed__"])


def _check_order(words: Sequence[Any], tokens: list[Token]) -> None:
    """Refuse `register`, two specifiers of which C++ takes one, and `alignas` behind others."""
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
    """Specifiers that do not say the type of what is declared."""


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
class ClusterDims:
    """`__cluster_dims__(…)`."""

    span: Span
    arguments: tuple[tree.Expression, ...]


@dataclass(frozen=True)
class TemplateWord:
    """The name of a type with what stands in its `<…>`."""

    name: Token
    arguments: tuple[Any, ...]
    span: Span
    nested: str = ""

    @property
    def type(self) -> CType:
        """The type that it names, or the one `nested` in it."""
        whole = unchecked.TemplateId(self.name.text, self.arguments, self.span)
        return unchecked.Nested(whole, self.nested, self.span) if self.nested else whole


@dataclass(frozen=True)
class Specifiers:
    """The specifiers of a declaration: the type that they make, and all of them."""

    span: Span
    base: CType
    specifiers: frozenset[str]
    bounds: tuple[tree.Expression, ...]
    alignments: tuple[tree.Expression, ...] = ()
    cluster: ClusterDims | None = None
    defines: tuple[tree.Statement, ...] = ()

    @property
    def const(self) -> bool:
        """Whether the type is const before any star."""
        return bool(self.specifiers & {"const", "constexpr"})


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
    arguments: tuple[Any, ...] | None = None
    pointed: Pointed | None = None
    pack: bool = False


@dataclass(frozen=True)
class Pointed:
    """What stands around and behind `(*name)` or `(&name)`.

    `parameters` are those of a function, None of arrays; `dimensions` are those of the array that
    is pointed or referred to, `const` says that the pointer is.
    """

    reference: bool
    const: bool
    parameters: tuple[CType, ...] | None
    dimensions: tuple[Dimension, ...]


def spanning(*children: Any) -> Span:
    """From the start of the first to the end of the last of `children` that has a span."""
    spans = [child.span for child in children if getattr(child, "span", None) is not None]
    first: Span = spans[0]
    return first.to(spans[-1])


def specifiers(words: Sequence[Any]) -> Specifiers:
    """Sort specifiers: types make the base type, those with arguments are kept apart."""
    tokens = [word for word in words if isinstance(word, Token)]
    _check_order(words, tokens)
    tags = [word for word in words if isinstance(word, Tag)]
    span = spanning(*words)
    made = [word for word in words if isinstance(word, TemplateWord)]
    return Specifiers(
        span,
        tags[0].base if tags else _base_type(made, tokens, span),
        frozenset([*(token.text for token in tokens), *(tag.word for tag in tags)]),
        tuple(a for word in words if isinstance(word, Bounds) for a in word.arguments),
        tuple(word.bytes for word in words if isinstance(word, Alignment)),
        next((word for word in words if isinstance(word, ClusterDims)), None),
        tuple(defined for tag in tags for defined in tag.defines),
    )


def _base_type(made: list[TemplateWord], tokens: list[Token], span: Span) -> CType:
    types = [t for t in tokens if t.type == "TYPE_NAME" or t.text in TYPE_WORDS]
    if len(made) + len(types) == 1 and (made or types[0].type == "TYPE_NAME"):
        if made:
            return made[0].type
        return Named(types[0].text, types[0].span)
    if made or any(token.type == "TYPE_NAME" for token in types):
        text = span.text if made else " ".join(token.text for token in types)
        raise CompileError(f"`{text}` is not a type", span, "a type has one name")
    words = [token.text for token in types]
    if words in (["void"], ["auto"]):
        return VOID if words == ["void"] else unchecked.Auto()
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
    """Every way to spell each scalar type, the order of its specifiers left out."""
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


_NAMES = frozenset(["IDENT", "TEMPLATE_NAME"])


def declarator(children: Sequence[Any]) -> Declarator:
    """Sort what stands around a name."""
    if len(children) > MOST_TYPE_LEVELS:
        raise CompileError("this type has too many levels", spanning(*children))
    tokens = [child for child in children if isinstance(child, Token)]
    return Declarator(
        spanning(*children) if any(child is not None for child in children) else None,
        next((token for token in tokens if token.type in _NAMES), None),
        tuple(child for child in children if isinstance(child, Star)),
        next((token for token in tokens if token.text in ("&", "&&")), None),
        tuple(child for child in children if isinstance(child, Dimension)),
        pack=any(token.text == "..." for token in tokens),
    )


def typed(front: Specifiers, name: Declarator, decays: bool = False) -> tuple[CType, bool, bool]:
    """Return the declared type, whether the thing is const, and whether it is volatile.

    `decays` makes an array a pointer.
    """
    if front.cluster is not None:
        what = "`__cluster_dims__` cannot stand here"
        raise CompileError(what, front.cluster.span, "only kernels have it: leave it out")
    ctype, const, volatile = front.base, "const" in front.specifiers, "volatile" in front.specifiers
    for star in name.stars:
        ctype, const, volatile = Pointer(ctype, const, volatile), star.const, star.volatile
    if name.pointed is not None:
        ctype, const, volatile = _pointed(name.pointed, ctype, const, volatile)
    dimensions = name.dimensions[1:] if decays else name.dimensions
    for dimension in reversed(dimensions):
        length = dimension.length
        ctype = Array(ctype, None) if length is None else unchecked.Sized(ctype, None, length)
    if decays and name.dimensions:
        return Pointer(ctype, const, volatile), False, False
    return ctype, const or "constexpr" in front.specifiers, volatile


def _pointed(
    pointed: Pointed, ctype: CType, const: bool, volatile: bool
) -> tuple[CType, bool, bool]:
    """Return what `(*name)` or `(&name)` is, with what its type says behind it."""
    if pointed.parameters is not None:
        return function_pointer(ctype, pointed.parameters), pointed.const, False
    for dimension in reversed(pointed.dimensions):
        if dimension.length is None:
            raise CompileError("this array needs a length", dimension.span)
        ctype = unchecked.Sized(ctype, None, dimension.length)
    if pointed.reference:
        return ctype, const, volatile
    return Pointer(ctype, const, volatile), pointed.const, False


def pointed_declarator(children: Sequence[Any]) -> Declarator:
    """Return `*(*name[2])(parameters)` or `(&name)[4]`."""
    outer = [child for child in children if isinstance(child, Star)]
    inner = next(child for child in children if isinstance(child, PointedName))
    given = next((child for child in children if isinstance(child, Signature)), None)
    behind = tuple(child for child in children if isinstance(child, Dimension))
    types = given.types if given is not None else None
    pointed = Pointed(inner.sign.text == "&", inner.const, types, behind)
    reference = inner.sign if pointed.reference else None
    span = spanning(*children)
    return Declarator(span, inner.name, tuple(outer), reference, inner.dimensions, pointed=pointed)


@dataclass(frozen=True)
class PointedName:
    """`(*name[2])` or `(&name)`."""

    span: Span
    sign: Token
    const: bool
    name: Token | None
    dimensions: tuple[Dimension, ...]


@dataclass(frozen=True)
class Signature:
    """`(parameters)` behind `(*name)`."""

    span: Span
    types: tuple[CType, ...]


def declared_name(declared: Declarator) -> Token:
    """Return the name of what is declared; a pointer to a function may have none."""
    if declared.name is None:
        assert declared.span is not None
        raise CompileError("a name is missing here", declared.span, "write `(*name)`")
    return declared.name


def variable(
    front: Specifiers, name: Declarator, value: tree.Expression | None, whole: Span | None
) -> Variable:
    """Return a variable, with its value or list of values."""
    word = declared_name(name)
    ctype, const, volatile = typed(front, name)
    storage = _storage(front.specifiers)
    ctype, reference = _referred(ctype, name.reference)
    symbol = tree.Symbol(word.text, ctype, storage, word.span, const, reference, volatile)
    span = whole or spanning(name, value)
    value = _deducible(ctype, value)
    values = value.values if isinstance(value, unchecked.InitializerList) else None
    first = None if values is not None else value
    words, given = front.specifiers, name.arguments
    return Variable(symbol, first, values, words, front.alignments, given, span=span)


def _deducible(ctype: CType, value: tree.Expression | None) -> tree.Expression | None:
    """Return the value alone in `auto x{value}` and `auto *x{value}`, and others as they are."""
    while isinstance(ctype, Pointer):
        ctype = ctype.to
    if not isinstance(ctype, unchecked.Auto) or not isinstance(value, unchecked.InitializerList):
        return value
    alone = value.values[0] if value.direct and len(value.values) == 1 else value
    return value if isinstance(alone, unchecked.InitializerList) else alone


def _referred(ctype: CType, sign: Token | None) -> tuple[CType, bool]:
    """Return a type with what `&` or `&&` behind it makes of it: whether it is a reference."""
    if sign is not None and sign.text == "&&":
        return unchecked.Forwarded(ctype), False
    return ctype, sign is not None


def _storage(words: frozenset[str]) -> tree.Storage:
    if "__shared__" in words:
        return tree.Storage.SHARED
    if "__constant__" in words:
        return tree.Storage.CONSTANT
    return tree.Storage.DEVICE if words & {"__device__", "__managed__"} else tree.Storage.LOCAL


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
    """Yield the nodes among `children`, tuples of them opened, tokens and gaps left out."""
    for child in children:
        if isinstance(child, tuple):
            yield from child
        elif child is not None and not isinstance(child, Token):
            yield child


def plain(front: Specifiers) -> Specifiers:
    """Take `front`, which must neither define a type nor align."""
    if front.defines:
        what = "a type cannot be defined here"
        raise CompileError(what, front.defines[0].span, "define it in a statement of its own")
    if front.alignments:
        what = "an alignment cannot stand here"
        hint = "align a structure: `struct __align__(16) Name { … };`, or a shared array"
        raise CompileError(what, front.alignments[0].span, hint)
    return front


# The heads of functions: what stands before their bodies.


_NO_PARAMETERS = frozenset(
    ["__shared__", "__constant__", "__device__", "__managed__", "__global__", "static", "extern"]
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function; `grid_constant` is where that specifier stands, if it does."""

    symbol: tree.Symbol
    default: tree.Expression | None
    grid_constant: Span | None


def parameter(front: Specifiers, name: Declarator, default: tree.Expression | None) -> Parameter:
    """Return a parameter; without a name it is called "". Arrays are pointers."""
    ctype, const, volatile = typed(front, name, decays=True)
    label = name.name.text if name.name else ""
    span = name.name.span if name.name else spanning(front, name)
    for word in sorted(front.specifiers & _NO_PARAMETERS):
        raise CompileError(f"a parameter cannot be `{word}`", span, "remove that word")
    ctype, reference = _referred(ctype, name.reference)
    ctype = unchecked.PackType(ctype) if name.pack else ctype
    symbol = tree.Symbol(label, ctype, tree.Storage.PARAMETER, span, const, reference, volatile)
    in_grid = front.span if "__grid_constant__" in front.specifiers else None
    if in_grid is not None and not const:
        hint = "write `const __grid_constant__`"
        raise CompileError("a `__grid_constant__` parameter must be const", span, hint)
    return Parameter(symbol, default, in_grid)


def head(
    front: Specifiers, name: Declarator, given: tuple[Parameter, ...], closing: Token
) -> Prototype:
    """Return the head of a function. `(void)` means no parameters."""
    parameters = tuple(one.symbol for one in given)
    defaults = tuple(one.default for one in given if one.default is not None)
    if None in [one.default for one in given[len(given) - len(defaults) :]]:
        what = "a parameter without a default value stands behind one with"
        raise CompileError(what, defaults[0].span, "parameters with default values come last")
    constant = next((one.grid_constant for one in given if one.grid_constant), None)
    if constant is not None and "__global__" not in front.specifiers:
        what = "only a kernel's parameters are `__grid_constant__`"
        raise CompileError(what, constant, "leave that word out")
    word = declared_name(name)
    if name.dimensions:
        raise CompileError("a function cannot return an array", name.span, "return a pointer")
    if len(parameters) == 1 and parameters[0].type == VOID and not parameters[0].name:
        parameters = ()
    words = front.specifiers - {"constexpr"}  # which says nothing of the result
    ctype, const, _ = typed(replace(front, specifiers=words, cluster=None), name)
    cluster = front.cluster.arguments if front.cluster is not None else ()
    span, label, at = front.span.to(closing.span), word.text, word.span
    return Prototype(
        label,
        ctype,
        parameters,
        front.specifiers,
        front.bounds,
        defaults,
        at,
        cluster=cluster,
        returns_reference=name.reference is not None,
        const_result=const,
        arguments=name.arguments,
        span=span,
    )
