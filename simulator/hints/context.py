"""Where the parser stopped, and how a mistake is recognised by the tokens around."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import Template
from typing import NamedTuple

from simulator.source import TYPE_WORDS, CompileError, Span, Token, behind

CLOSING = {"(": ")", "[": "]", "{": "}"}
SHAPES = {
    "if": "`if (condition)`",
    "while": "`while (condition)`",
    "for": "`for (int i = 0; i < n; i++)`",
    "switch": "`switch (value)`",
}
HEADS = tuple(SHAPES)
STATEMENT_KEYWORDS = frozenset([*HEADS, *"else do case default return break continue".split()])
SPECIFIERS = frozenset(
    """const volatile static extern inline constexpr register typedef __restrict__ __global__
    __device__ __host__ __shared__ __forceinline__ __noinline__ __launch_bounds__
    __cluster_dims__""".split()
)
_ENDS = (";", "{", "}")


@dataclass(frozen=True)
class Context:
    """Where the parser stopped.

    Tokens that are not there are empty ones, so that conditions need not ask whether they are.

    Attributes
    ----------
    found, after : Token
        The token that cannot stand there, and the one behind it.
    seen : sequence of Token
        All tokens before.
    accepts : collection of str
        The terminals that the parser could have taken.
    """

    found: Token
    seen: Sequence[Token]
    accepts: Collection[str]
    after: Token

    def token(self, index: int | None) -> Token:
        """Return the token at an index of `seen`, an empty one outside."""
        there = index is not None and 0 <= index < len(self.seen)
        return self.seen[index] if there and index is not None else self._nothing

    @cached_property
    def _nothing(self) -> Token:
        return Token("", "", self.found.span)

    @cached_property
    def before(self) -> Token:
        """The token before."""
        return self.back(1)

    def back(self, count: int) -> Token:
        """Return the token that stands `count` before the one found."""
        return self.token(len(self.seen) - count)

    @cached_property
    def shape(self) -> str:
        """The tokens around the error, three before `@` and two from there on, by their kinds."""
        around = (*self.seen[-3:], Token("", "@", self.found.span), self.found, self.after)
        return " ".join(map(self._kind, around))

    def _kind(self, token: Token) -> str:
        """`type` or the terminal of what a program calls as it likes, the text of other tokens."""
        kinds = {"IDENT": "name", "NUMBER": "number", "STRING": "string", "CHARACTER": "character"}
        kinds["UNROLL"] = "UNROLL"
        return "type" if self.is_type(token) else kinds.get(token.type, token.text)

    @property
    def at_end(self) -> bool:
        """Whether the text ends here."""
        return self.found.type == "$END"

    @cached_property
    def _open(self) -> list[int]:
        """The indices of all brackets that are still open, the innermost last."""
        return _open_brackets(self.seen)

    @property
    def open_at(self) -> int | None:
        """The index of the innermost bracket that is still open."""
        return self._open[-1] if self._open else None

    @property
    def open(self) -> Token:
        """The innermost bracket that is still open."""
        return self.token(self.open_at)

    @property
    def opened(self) -> str:
        """Where it was opened, for hints."""
        if self.open.span.macro:
            return f"the `{self.open.text}` comes from {self.open.span.macro}"
        return f"the `{self.open.text}` is in line {self.open.span.line}"

    @property
    def head(self) -> Token:
        """The token before the innermost open parenthesis, such as `if`."""
        index = self.open_at
        return self.token(index - 1 if index and self.open.text == "(" else None)

    @property
    def inside(self) -> Sequence[Token]:
        """The tokens behind the innermost open bracket."""
        return self.seen[(self.open_at or 0) + 1 :]

    @property
    def open_brace(self) -> Token:
        """The innermost `{` that is still open."""
        indices = (index for index in reversed(self._open) if self.seen[index].text == "{")
        return self.token(next(indices, None))

    def opening_of(self, index: int) -> int | None:
        """Return the index of the bracket that the closing one at `index` closes."""
        stack = _open_brackets(self.seen[:index])
        return stack[-1] if stack else None

    @property
    def closed_at(self) -> int | None:
        """The index of the parenthesis that ends right before, if one does."""
        return self.opening_of(len(self.seen) - 1) if self.before.text == ")" else None

    @property
    def called(self) -> Token:
        """The token before the parentheses that are open here, or that end here."""
        index = self.closed_at if self.before.text == ")" else self.open_at
        return self.token(index - 1 if index and self.seen[index].text == "(" else None)

    @property
    def unclosed(self) -> Token | None:
        """The open `{` that lacks its `}`, by the indentation of those that are closed."""
        for opening, first, closing in _blocks(self.seen):
            if closing is None or _leftwards(first, closing) > 0:
                return opening
        return None

    @property
    def unopened(self) -> Token | None:
        """The first `}` that is indented deeper than what it closes: its own `{` may be missing."""
        for _, first, closing in _blocks(self.seen):
            if closing is not None and _leftwards(first, closing) < 0:
                return closing
        return None

    @property
    def statement(self) -> Sequence[Token]:
        """The tokens of the statement or declaration that stops here."""
        start = len(self.seen)
        while start and self.seen[start - 1].text not in _ENDS:
            start -= 1
        return self.seen[start:]

    @property
    def in_parameters(self) -> bool:
        """Whether the parameters of a function are being declared."""
        index = self.open_at or 0
        if index < 2 or self.open_brace.text or self.head.type != "IDENT":
            return False
        front = self.seen[index - 2]
        return self.is_type(front) or front.text == "*"

    @property
    def gap(self) -> Span:
        """The empty span right behind the token before."""
        return behind(self.before.span)

    @property
    def on_new_line(self) -> bool:
        """Whether a line begins here."""
        return bool(self.seen) and self.found.span.line > self.before.span.end_line

    @property
    def starts_declaration(self) -> bool:
        """Whether the token found can begin a declaration."""
        return self.is_type(self.found) or self.found.text in SPECIFIERS

    def is_type(self, token: Token) -> bool:
        """Whether `token` names a type, or a part of one."""
        return token.type == "TYPE_NAME" or token.text in TYPE_WORDS

    def begins(self, word: Token) -> bool:
        """Whether `word` stands where a statement or a declaration begins."""
        index = next((i for i, token in enumerate(self.seen) if token is word), len(self.seen))
        before = self.seen[index - 1].text if index else ";"
        return before in (*_ENDS, ")", "else", "do", '"C"')

    def is_first(self, word: Token) -> bool:
        """Whether a word stands in the program for the first time, and is not being declared."""
        uses = [index for index, token in enumerate(self.seen) if token.text == word.text]
        before = self.token(uses[0] - 1 if uses else None)
        declared = self.is_type(before) or before.text in ("*", "&")
        return len(uses) + (word is self.found) == 1 and not declared

    def is_declared(self, word: Token) -> bool:
        """Whether a name is used before as that of a variable, as far as tokens tell."""
        uses = (index for index, token in enumerate(self.seen) if token.text == word.text)
        fronts = (self.token(index - 1) for index in uses)
        return any(self.is_type(front) or front.text in ("*", "&", ",") for front in fronts)


def _open_brackets(tokens: Sequence[Token]) -> list[int]:
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.text in CLOSING:
            stack.append(index)
        elif token.text in CLOSING.values() and stack:
            stack.pop()
    return stack


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


def _leftwards(first: Token, closing: Token) -> int:
    """How much less a `}` is indented than its block's first token, 0 amid a line."""
    line = closing.span.source.line(closing.span.line)[: closing.span.column - 1]
    return 0 if line.strip() else indentation(first) - indentation(closing)


def indentation(token: Token) -> int:
    """How many blanks a token's line begins with."""
    line = token.span.source.line(token.span.line)
    return len(line) - len(line.lstrip())


# What must hold beside a pattern of tokens.


def in_for(s: Context) -> bool:
    """Whether the innermost parentheses are those of a `for`."""
    return s.head.text == "for"


def outside(s: Context) -> bool:
    """Whether no bracket is open."""
    return not s.open.text


def from_macro(s: Context) -> bool:
    """Whether a macro's `=` stands here, or its `;` in brackets."""
    amid = s.found.text == "=" or s.open.text not in ("", "{")
    return bool(s.found.span.macro) and amid


def missing_semicolon(s: Context) -> bool:
    """Whether the next statement begins here."""
    begins = s.found.text == "}" or s.found.text in STATEMENT_KEYWORDS or s.starts_declaration
    return bool(s.seen) and (s.on_new_line or s.at_end or begins)


#: What a condition finds: nothing, what the message points at, perhaps with a text for it, or an
#: error that is complete.
Found = Token | Span | tuple[Token | Span, str] | CompileError | None


class Mistake(NamedTuple):
    """One row: a text with the mistake, how it is recognised, and what is said of it.

    Attributes
    ----------
    example : str
        Statements, or a whole program.
    tokens : str or function
        A pattern of the tokens before the error, `@`, and those from there on, as `Context.shape`
        has them; or a function that says what the message points at.
    message, hint : str
        Templates: `$it` is what the message points at, `$that` what a function found beside it,
        `$found` and `$before` are the tokens around the error, `$opened` says where its bracket
        begins, `$head` how the statement of the token before begins.
    also : function, optional
        What must hold, too.
    accepts : str
        The terminals that the parser could have taken, with `!` before those that it could not.
    at : str
        What the message points at: the token found, the one before, or the gap between them.
    """

    example: str
    tokens: str | Callable[[Context], Found]
    message: str = ""
    hint: str = ""
    also: Callable[[Context], bool] = lambda s: True
    accepts: str = ""
    at: str = "found"

    def error(self, s: Context) -> CompileError | None:
        """Return the error, if this is the mistake."""
        found = self._match(s) if isinstance(self.tokens, str) else self.tokens(s)
        if found is None or isinstance(found, CompileError):
            return found
        target, that = found if isinstance(found, tuple) else (found, "")
        span = target if isinstance(target, Span) else target.span
        words = {"it": target.text, "that": that, "found": s.found.text, "before": s.before.text}
        words |= {"opened": s.opened, "head": SHAPES.get(s.before.text, "")}
        message, hint = (Template(text).substitute(words) for text in (self.message, self.hint))
        return CompileError(message, span, hint)

    def _match(self, s: Context) -> Token | Span | None:
        """Return what the message points at, if the pattern matches."""
        names = self.accepts.split()
        if any((name.strip("!") in s.accepts) == name.startswith("!") for name in names):
            return None
        if re.search(rf"(?<!\S){self.tokens}(?!\S)", s.shape) is None or not self.also(s):
            return None
        return s.gap if self.at == "gap" else s.before if self.at == "before" else s.found
