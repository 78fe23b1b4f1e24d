"""Attributes `[[…]]`, taken away before the parser: they change nothing that a program does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from simulator.hints.similar import nearest
from simulator.ir.tokens import Token
from simulator.source import CompileError, Diagnostic, Span

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
_MOST_WORDS = 64


def plain(tokens: Iterable[Token], warn: Callable[[Diagnostic], None]) -> Iterator[Token]:
    """The tokens without attributes; `warn` takes what must be said of those that mean nothing.

    Raises
    ------
    CompileError
        at an attribute in the place of a value, and one that has no end

    Examples
    --------
    >>> from simulator.read.grammar import lex
    >>> from simulator.source import Source
    >>> " ".join(t.text for t in plain(lex(Source("[[maybe_unused]] int n = a[b[0]];")), print))
    'int n = a [ b [ 0 ] ] ;'
    """
    reader = _Reader(tokens)
    first = before = None
    for token in reader:
        if token.text == "[" and (second := next(reader, None)) is not None:
            if second.text != "[":
                reader.give_back(second)
            elif (found := _attributes(reader, (token, second), (first, before))) is not None:
                for name, span in found:
                    if name not in _KNOWN:
                        what = f"the attribute `{name}` means nothing here: it is ignored"
                        warn(Diagnostic(what, span, nearest(name, _KNOWN) or "leave it out"))
                continue
        yield token
        first, before = before, token


class _Reader:
    """Tokens that can be put back."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = iter(tokens)
        self._back: list[Token] = []

    def __iter__(self) -> Iterator[Token]:
        return self

    def __next__(self) -> Token:
        return self._back.pop() if self._back else next(self._tokens)

    def give_back(self, *tokens: Token) -> None:
        """Put tokens back, to be taken in this order."""
        self._back.extend(reversed(tokens))

    def inside(self) -> list[Token] | None:
        """The tokens up to `]]` and with it; None, and all put back, if there are too many."""
        found: list[Token] = []
        depth = 0
        while len(found) < _MOST_WORDS and (token := next(self, None)) is not None:
            found.append(token)
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            if depth == -2:
                return found
        self.give_back(*found)
        return None


_Pair = tuple[Token | None, Token | None]


def _attributes(
    reader: _Reader, opening: tuple[Token, Token], front: _Pair
) -> list[tuple[str, Span]] | None:
    """The names of the attributes behind `[[`; None, and all put back, if they are none.

    `front` are the two tokens before.
    """
    inside = reader.inside()
    names = None if inside is None else list(_names(inside[:-2]))
    if inside is None or names is None or None in names or _is_subscript(names, front):
        reader.give_back(opening[1], *(inside or ()))
        return None
    if front[1] is not None and front[1].text in _WANTS_OPERAND:
        hint = "attributes stand before statements and declarations, and behind declared names"
        place = opening[0].span.to(opening[1].span)
        raise CompileError("an attribute cannot stand here", place, hint)
    return [name for name in names if name is not None]


def _is_subscript(names: Iterable[tuple[str, Span] | None], front: _Pair) -> bool:
    """Whether `a[[i]]` was meant to be an element: behind a name that is not being declared."""
    first, before = front
    if before is None or all(name is None or name[0] in _KNOWN for name in names):
        return False
    declared = first is not None and first.is_word
    return before.text == "]" or (before.type == "IDENT" and not declared)


def _names(tokens: list[Token]) -> Iterator[tuple[str, Span] | None]:
    """The name of each attribute of a list; None for what is no attribute."""
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
