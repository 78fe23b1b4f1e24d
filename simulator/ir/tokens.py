"""Tokens of CUDA C with their spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from simulator.source import CompileError, Span

MOST_TOKENS = 200_000
NOTHING_HIDDEN: frozenset[str] = frozenset()
#: Keywords that are types, or parts of their names.
TYPE_WORDS = frozenset("void bool char short int long signed unsigned float double auto".split())


@dataclass(frozen=True, eq=False, slots=True)
class Token:
    """A token: its terminal in the grammar, its text, its span, and the macros that made it."""

    type: str
    text: str
    span: Span
    hidden: frozenset[str] = NOTHING_HIDDEN

    @property
    def is_word(self) -> bool:
        """Whether it is a name or a keyword."""
        return self.text[:1].isidentifier()

    def renamed(self, terminal: str) -> Token:
        """Return the same token as another terminal."""
        return Token(terminal, self.text, self.span, self.hidden)

    def hiding(self, span: Span, hidden: frozenset[str]) -> Token:
        """Return the same token at another location, made by the macros `hidden`."""
        return Token(self.type, self.text, span, hidden)


class TokenStream:
    """Tokens that can be looked at before they are taken, and put back."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = iter(tokens)
        self._back: list[Token] = []  # the next one stands last

    def __iter__(self) -> Iterator[Token]:
        return self

    def __next__(self) -> Token:
        return self._back.pop() if self._back else next(self._tokens)

    def put_back(self, *tokens: Token) -> None:
        """Put tokens back, to be taken in this order."""
        self._back.extend(reversed(tokens))

    def peek(self, distance: int = 0) -> Token | None:
        """Return the token that comes after `distance` others, None where the text ends."""
        while len(self._back) <= distance:
            token = next(self._tokens, None)
            if token is None:
                return None
            self._back.insert(0, token)
        return self._back[-1 - distance]

    def text(self, distance: int = 0) -> str:
        """Return its text, empty where the text ends."""
        token = self.peek(distance)
        return token.text if token is not None else ""


def bounded(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the same tokens, as long as they are not too many for one program.

    Raises
    ------
    CompileError
        at the first one that is too much
    """
    for number, token in enumerate(tokens):
        if number == MOST_TOKENS:
            what = f"a program of more than {MOST_TOKENS:,} words is too long for the simulator"
            raise CompileError(what, token.span, "split it into several modules")
        yield token


def whole(first: Token, rest: list[Token]) -> Span:
    """Return the span of a token and those behind it."""
    return first.span.to(rest[-1].span) if rest else first.span


def behind(span: Span) -> Span:
    """Return the empty span right behind `span`."""
    return Span(span.source, span.end_line, span.end_column, span.end_line, span.end_column)
