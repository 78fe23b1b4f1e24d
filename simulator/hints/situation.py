"""Where the parser stopped: the token it found, those before, and what it could have taken."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from simulator.ir.tokens import TYPE_WORDS, Token
from simulator.source import Span

CLOSING = {"(": ")", "[": "]", "{": "}"}
STATEMENT_WORDS = frozenset(
    "if else for while do switch case default return break continue".split()
)
SPECIFIERS = frozenset(
    [
        "const",
        "volatile",
        "static",
        "extern",
        "inline",
        "constexpr",
        "register",
        "typedef",
        "__restrict__",
        "__global__",
        "__device__",
        "__host__",
        "__shared__",
        "__forceinline__",
        "__noinline__",
        "__launch_bounds__",
    ]
)


@dataclass(frozen=True)
class Situation:
    """Where the parser stopped: the token it found, those before, and what it could have taken.

    `after` is the token behind the one found, None where there is none.
    """

    found: Token
    seen: Sequence[Token]
    accepts: Collection[str]
    after: Token | None = None

    @property
    def before(self) -> Token | None:
        """The token before."""
        return self.seen[-1] if self.seen else None

    @property
    def at_end(self) -> bool:
        """Whether the text ends here."""
        return self.found.type == "$END"

    @property
    def open(self) -> Token | None:
        """The innermost bracket that is still open."""
        place = self.open_at
        return None if place is None else self.seen[place]

    @property
    def open_at(self) -> int | None:
        """The place in `seen` of the innermost bracket that is still open."""
        return self._stack[-1] if self._stack else None

    @cached_property
    def _stack(self) -> list[int]:
        """The places of all brackets that are still open, the innermost last."""
        stack: list[int] = []
        for place, token in enumerate(self.seen):
            if token.text in CLOSING:
                stack.append(place)
            elif token.text in CLOSING.values() and stack:
                stack.pop()
        return stack

    def opening_of(self, place: int) -> int | None:
        """The place of the bracket that the closing one at `place` closes."""
        stack: list[int] = []
        for at, token in enumerate(self.seen[:place]):
            if token.text in CLOSING:
                stack.append(at)
            elif token.text in CLOSING.values() and stack:
                stack.pop()
        return stack[-1] if stack else None

    @property
    def closed_at(self) -> int | None:
        """The place of the bracket that the token before closes."""
        return self.opening_of(len(self.seen) - 1)

    @property
    def open_round(self) -> bool:
        """Whether the innermost open bracket is a parenthesis."""
        return self.open is not None and self.open.text == "("

    @property
    def open_brace(self) -> Token | None:
        """The innermost `{` that is still open."""
        places = (place for place in reversed(self._stack) if self.seen[place].text == "{")
        place = next(places, None)
        return None if place is None else self.seen[place]

    @property
    def unclosed(self) -> Token | None:
        """The open `{` that lacks its `}`, by the indentation of those that are closed."""
        for opening, first, closing in _blocks(self.seen):
            if closing is None or (_starts_line(closing) and _indent(closing) < _indent(first)):
                return opening
        return None

    @property
    def unopened(self) -> Token | None:
        """The first `}` that is indented deeper than what it closes: its own `{` may be missing."""
        for _, first, closing in _blocks(self.seen):
            if closing is not None and _starts_line(closing) and _indent(closing) > _indent(first):
                return closing
        return None

    @property
    def statement(self) -> Sequence[Token]:
        """The tokens of the statement or declaration that stops here."""
        start = len(self.seen)
        while start and self.seen[start - 1].text not in (";", "{", "}"):
            start -= 1
        return self.seen[start:]

    @property
    def in_parameters(self) -> bool:
        """Whether the parameters of a function are being declared."""
        place = self.open_at or 0
        if place < 2 or self.open_brace is not None or self.seen[place].text != "(":
            return False
        front = self.seen[place - 2]
        return self.seen[place - 1].type == "IDENT" and (self.is_type(front) or front.text == "*")

    @property
    def gap(self) -> Span:
        """The place right behind the token before."""
        span = (self.before or self.found).span
        return Span(span.source, span.end_line, span.end_column, span.end_line, span.end_column)

    @property
    def on_new_line(self) -> bool:
        """Whether a line begins here."""
        return self.before is not None and self.found.span.line > self.before.span.end_line

    @property
    def starts_declaration(self) -> bool:
        """Whether the token found can begin a declaration."""
        return self.is_type(self.found) or self.found.text in SPECIFIERS

    def is_type(self, token: Token) -> bool:
        """Whether `token` names a type, or a part of one."""
        return token.type == "TYPE_NAME" or token.text in TYPE_WORDS


def _blocks(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token, Token | None]]:
    """Each `{`, the first token of what it belongs to, and its `}`, in the order of the `}`.

    The innermost one that is not closed comes last, with None.
    """
    stack: list[tuple[Token, Token]] = []
    first: Token | None = None
    round_ones = 0
    for token in tokens:
        first = first or token
        round_ones += (token.text == "(") - (token.text == ")")
        if token.text == "{":
            stack.append((token, first))
        elif token.text == "}" and stack:
            yield *stack.pop(), token
        if token.text in ("{", "}") or (token.text == ";" and round_ones <= 0):
            first, round_ones = None, 0
    if stack:
        yield *stack[-1], None


def _starts_line(token: Token) -> bool:
    """Whether nothing stands before a token on its line."""
    return not token.span.source.line(token.span.line)[: token.span.column - 1].strip()


def _indent(token: Token) -> int:
    line = token.span.source.line(token.span.line)
    return len(line) - len(line.lstrip())
