"""Tokens of classes: names such as `operator+` and `Class::member` made whole, words of classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from simulator.source import CompileError, Token, TokenStream

_SIGNS = frozenset(
    """+ - * / % ^ & | ~ ! = < > += -= *= /= %= ^= &= |= << >> <<= >>= == != <= >= && || ++ --
    , ->""".split()
)
_BEFORE_FRIEND = frozenset(
    "__device__ __host__ inline __inline__ __forceinline__ __noinline__ constexpr static".split()
)
_PAIRS = {"(": ")", "[": "]"}


def words_joined(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens with `operator+` and its like as names, and words of classes as terminals.

    `noexcept`, `final` and `override` behind a head change nothing here, nor does `.template`.
    """
    stream, before = TokenStream(tokens), ""
    for token in stream:
        made: Token | None = token
        if token.text in _BEFORE_FRIEND and before not in _BEFORE_FRIEND:
            friend = _friend_behind(stream)
            if friend is not None:
                yield friend
        if token.text == "operator":
            made = _operator(token, stream)
        elif token.text == "noexcept" and before in (")", "const"):
            made = None
            _pass_brackets(stream)
        elif (token.text == "final" and stream.text() in ("{", ":")) or (
            token.text == "template" and before in (".", "->")
        ):
            made = None
        elif token.text == "delete" and before == "=" and stream.text() == ";":
            made = token.renamed("DELETE")
        elif token.text == "friend":
            made = None if before in _BEFORE_FRIEND else token.renamed("FRIEND")
        if made is not None:
            yield made
            before = made.text


def _pass_brackets(stream: TokenStream) -> None:
    """Leave out `(…)`, if it comes next."""
    depth = 0
    while stream.text() == "(" or depth > 0:
        token = next(stream, None)
        if token is None:
            return
        depth += {"(": 1, ")": -1}.get(token.text, 0)


def _friend_behind(stream: TokenStream) -> Token | None:
    """Return the `friend` that stands behind other words of a head, as the first of them."""
    at = 0
    while stream.text(at) in _BEFORE_FRIEND:
        at += 1
    word = stream.peek(at) if stream.text(at) == "friend" else None
    return None if word is None else word.renamed("FRIEND")


def _operator(word: Token, stream: TokenStream) -> Token:
    """Return the name of an operator's function; that of a conversion has another terminal."""
    text = stream.text()
    if text in _PAIRS and stream.text(1) == _PAIRS[text]:
        next(stream)
        last = next(stream)
        name = f"operator{text}{_PAIRS[text]}"
        return Token("IDENT", name, word.span.to(last.span), word.hidden)
    if text in _SIGNS:
        last = next(stream)
        if text == ">" and stream.text() == ">":
            last = next(stream)
            text = ">>"
        return Token("IDENT", f"operator{text}", word.span.to(last.span), word.hidden)
    following = stream.peek()
    if following is not None and following.type == "STRING":
        what = "user-defined literals are not supported"
        raise CompileError(what, word.span.to(following.span), "write a function")
    if text in ("new", "delete"):
        what = f"`operator {text}` is not supported"
        raise CompileError(what, word.span, "write a function")
    return word.renamed("OPERATOR")


def member_joined(
    token: Token, before: str, stream: TokenStream, is_type: Callable[[str], bool]
) -> Token:
    """Return `Type::name` as one token, of the terminal that its last part has."""
    typename = token.text == "typename" and stream.text(1) == "::"
    if typename:
        token = next(stream)
    elif not is_type(token.text) or before == "::":
        return token
    kind = "IDENT"
    while stream.text() == "::":
        last = stream.peek(1)
        if last is None or not (last.is_word or last.text == "~"):
            break
        next(stream)
        next(stream)
        if last.text == "~":
            destructor = next(stream)
            text = f"{token.text}::~{destructor.text}"
            return Token("DESTRUCTOR", text, token.span.to(destructor.span), token.hidden)
        if last.text == "template":
            continue
        kind = "OPERATOR" if last.type == "OPERATOR" else kind
        text = f"{token.text}::{last.text}"
        token = Token(kind, text, token.span.to(last.span), token.hidden)
    return token.renamed("TYPE_NAME") if typename else token


def member_of_template(token: Token, stream: TokenStream) -> Token:
    """Return `Template::name` where `Template<…>::name(` defines a member outside of its class."""
    end = behind_arguments(stream)
    if end is None or stream.text(end) != "::":
        return token
    name, after = stream.peek(end + 1), stream.text(end + 2)
    if name is None or not name.is_word or (after != "(" and name.type != "OPERATOR"):
        return token
    for _ in range(end + 2):
        next(stream)
    kind = "OPERATOR" if name.type == "OPERATOR" else "IDENT"
    text = f"{token.text}::{name.text}"
    return Token(kind, text, token.span.to(name.span), token.hidden)


def behind_arguments(stream: TokenStream) -> int | None:
    """Return how many tokens `<…>` has that comes next; None if none does."""
    depth = brackets = 0
    for at in range(200):
        text = stream.text(at)
        brackets += {"(": 1, ")": -1}.get(text, 0)
        depth += 0 if brackets else {"<": 1, ">": -1, ">>": -2}.get(text, 0)
        if depth <= 0:
            return at + 1 if at else None
        if text in ("", ";", "{", "}"):
            return None
    return None
