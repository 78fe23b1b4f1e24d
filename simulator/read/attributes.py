"""Attributes `[[…]]`, taken away before the parser: they change nothing that a program does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from simulator.hints.similar import nearest
from simulator.source import CompileError, Diagnostic, Span, Token, TokenStream

#: The attributes that C++17 knows.
_KNOWN = frozenset(
    """nodiscard maybe_unused likely unlikely fallthrough noreturn deprecated carries_dependency
    no_unique_address""".split()
)
#: What an attribute cannot stand behind: an operand is missing there.
_WANTS_OPERAND = frozenset("= + - / % ! ~ < <= >= == != && || ? | ^ << >> . -> return".split()) | {
    *("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "sizeof", "[")
}
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_MOST_TOKENS = 64


def attributes(tokens: TokenStream, front: Sequence[Token]) -> list[Diagnostic] | None:
    """Take the attributes from where `[[` stands.

    Parameters
    ----------
    tokens : TokenStream
        Put back as it was where no attributes stand there.
    front : sequence of Token
        The tokens before.

    Returns
    -------
    list of Diagnostic or None
        What must be said of those that mean nothing; None where there are none.

    Examples
    --------
    >>> from simulator.read.grammar import lex
    >>> from simulator.source import Source
    >>> tokens = TokenStream(lex(Source("[[maybe_unused]] int n = a[b[0]];")))
    >>> attributes(tokens, ()), tokens.text()
    ([], 'int')
    """
    taken = _inside(tokens)
    names = list(_names(taken[2:-2]))
    if not taken or None in names or _is_subscript(names, front):
        tokens.put_back(*taken)
        return None
    if front and front[-1].text in _WANTS_OPERAND:
        hint = "attributes stand before statements and declarations, and behind declared names"
        span = taken[0].span.to(taken[1].span)
        raise CompileError("an attribute cannot stand here", span, hint)
    return [_ignored(*name) for name in names if name is not None and name[0] not in _KNOWN]


def _ignored(name: str, span: Span) -> Diagnostic:
    what = f"the attribute `{name}` means nothing here: it is ignored"
    return Diagnostic(what, span, nearest(name, _KNOWN) or "leave it out")


def _inside(tokens: TokenStream) -> list[Token]:
    """Return the tokens from `[[` to `]]`; none, and all put back, if there are too many."""
    found: list[Token] = []
    depth = 0
    while len(found) < _MOST_TOKENS + 2 and (token := next(tokens, None)) is not None:
        found.append(token)
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth == 0:
            return found
    tokens.put_back(*found)
    return []


def _is_subscript(names: Iterable[tuple[str, Span] | None], front: Sequence[Token]) -> bool:
    """Whether `a[[i]]` was meant to be an element: behind a name that is not being declared."""
    if not front or all(name is None or name[0] in _KNOWN for name in names):
        return False
    declared = len(front) > 1 and front[-2].is_word
    return front[-1].text == "]" or (front[-1].type == "IDENT" and not declared)


def _names(tokens: list[Token]) -> Iterator[tuple[str, Span] | None]:
    """Yield the name of each attribute of a list; None for what is no attribute."""
    space = ""
    if [token.text for token in tokens[:1] + tokens[2:3]] == ["using", ":"]:
        space, tokens = f"{tokens[1].text}::", tokens[3:]
    part: list[Token] = []
    depth = 0
    for token in (*tokens, None):
        if token is None or (token.text == "," and not depth):
            if part:
                yield _name(part, space)
            part = []
            continue
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        part.append(token)


def _name(part: list[Token], space: str) -> tuple[str, Span] | None:
    length = 3 if len(part) > 2 and part[1].type == "SCOPE" else 1
    words, rest = part[:length], [token.text for token in part[length:]]
    if not (words[0].is_word and words[-1].is_word) or (rest and rest[0] + rest[-1] != "()"):
        return None
    name = space + "".join(word.text for word in words)
    return name, words[0].span.to(words[-1].span)


#: GNU's attributes that say something to the compiler only.
_ADVICE = frozenset(
    """noinline always_inline unused used const pure deprecated noreturn flatten hot cold malloc
    nothrow visibility weak nonnull artificial gnu_inline""".split()
)


def changes_nothing(tokens: TokenStream) -> bool:
    """Take `__attribute__((…))` of GNU's, if it changes nothing that a program does."""
    taken, depth = [next(tokens)], 0
    while len(taken) < _MOST_TOKENS and (token := next(tokens, None)) is not None:
        taken.append(token)
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth <= 0:
            break
    words = {token.text.strip("_") for token in taken[1:] if token.is_word}
    if words and words <= _ADVICE and depth == 0:
        return True
    tokens.put_back(*taken)
    return False
