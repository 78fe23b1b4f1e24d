"""Tokens of CUDA C with their spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from simulator.source import CompileError, Span

MOST_TOKENS = 200_000
NOTHING_HIDDEN: frozenset[str] = frozenset()
#: Keywords that are types, or parts of their names.
TYPE_WORDS = frozenset(
    [
        "void",
        "bool",
        "char",
        "short",
        "int",
        "long",
        "signed",
        "unsigned",
        "float",
        "double",
        "auto",
    ]
)


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
        """Return the same token at another span, made by the macros `hidden`."""
        return Token(self.type, self.text, span, hidden)


def bounded(tokens: Iterable[Token]) -> Iterator[Token]:
    """Pass on tokens as long as they are not too many for one program.

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
    """Return the span of a token with what follows it."""
    return first.span.to(rest[-1].span) if rest else first.span


def behind(span: Span) -> Span:
    """Return the empty span right behind `span`."""
    return Span(span.source, span.end_line, span.end_column, span.end_line, span.end_column)
