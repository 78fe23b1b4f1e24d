"""Where the parser stopped: the token it found, those before, and what it could have taken."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from simulator.read.declarators import TYPE_WORDS
from simulator.read.tokens import Token
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
    """Where the parser stopped: the token it found, those before, and what it could have taken."""

    found: Token
    seen: Sequence[Token]
    accepts: Collection[str]

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
        stack: list[Token] = []
        for token in self.seen:
            if token.text in CLOSING:
                stack.append(token)
            elif token.text in CLOSING.values() and stack:
                stack.pop()
        return stack[-1] if stack else None

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
