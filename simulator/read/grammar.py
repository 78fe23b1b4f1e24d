"""The Lark machine behind cuda.lark: text to tokens, tokens to what build.py makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from simulator.read import syntax_errors
from simulator.read.build import Builder
from simulator.read.tokens import Token
from simulator.source import CompileError, Source, Span

if TYPE_CHECKING:
    from lark import Lark
    from lark.lexer import BasicLexer

STARTS = ["program", "expression", "directive", "name_expression"]

#: C++'s words for operators.
ALTERNATIVES = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "xor": "^",
    "bitand": "&",
    "bitor": "|",
    "compl": "~",
    "and_eq": "&=",
    "or_eq": "|=",
    "xor_eq": "^=",
    "not_eq": "!=",
}


@cache
def machine() -> Lark:
    """The parser, built on first use."""
    from lark import Lark

    text = resources.files("simulator").joinpath("cuda.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer="basic",
        start=STARTS,
        keep_all_tokens=True,
        maybe_placeholders=True,
        transformer=Builder(),
    )


@cache
def _lexer() -> BasicLexer:
    from lark.lexer import BasicLexer

    return BasicLexer(machine().lexer_conf)


def lex(source: Source) -> Iterator[Token]:
    """The tokens of one piece of text, line ends and preprocessor signs among them."""
    from lark.lexer import LexerThread

    thread = cast(Any, LexerThread.from_text(_lexer(), source.text))
    for raw in thread.lex(None):
        span = Span(source, raw.line or 1, raw.column or 1, raw.end_line or 1, raw.end_column or 1)
        sign = ALTERNATIVES.get(str(raw))
        yield Token(raw.type, str(raw), span) if sign is None else _sign(sign, span)


def _sign(text: str, span: Span) -> Token:
    """An operator that the source writes as a word."""
    return Token(_terminals()[text], text, span)


@cache
def _terminals() -> dict[str, str]:
    """The name that the grammar's machine gives each sign."""
    return {str(terminal.pattern.value): terminal.name for terminal in machine().terminals}


def parse(tokens: Iterable[Token], end: Span, start: str = "program") -> Any:
    """What the builder makes of `tokens`; `end` is where the text ends, for messages.

    Raises
    ------
    CompileError
        if the tokens do not follow the grammar
    """
    from lark.exceptions import UnexpectedToken

    parser = cast(Any, machine().parse_interactive(start=start))
    seen: list[Token] = []
    stream = iter(tokens)
    token = end_token = Token("$END", "", end)
    try:
        for token in stream:
            parser.feed_token(token)
            seen.append(token)
        token = end_token
        return parser.feed_token(token)
    except UnexpectedToken:
        raise syntax_errors.explain(token, seen, parser.accepts(), _next(stream)) from None


def _next(stream: Iterator[Token]) -> Token | None:
    """The token that follows, None where none does or none can be read."""
    try:
        return next(stream, None)
    except CompileError:
        return None
