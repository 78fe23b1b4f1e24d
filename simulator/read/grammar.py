"""The Lark machine behind cuda.lark: text to tokens, tokens to what build.py makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from simulator.hints import syntax_errors
from simulator.hints.situation import Situation
from simulator.hints.unknown_types import behind_specifiers
from simulator.ir.tokens import Token
from simulator.read import letters
from simulator.read.build import Builder
from simulator.read.declarators import MissingType
from simulator.read.spliced_lines import Joined, is_unusual
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

    text = resources.files("simulator.read").joinpath("cuda.lark").read_text(encoding="utf-8")
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
    if is_unusual(source.text):
        yield from _lex_carefully(source)
        return
    for raw in _raw(source.text):
        span = Span(source, raw.line or 1, raw.column or 1, raw.end_line or 1, raw.end_column or 1)
        yield _token(raw.type, str(raw), span)


def _raw(text: str) -> Iterator[Any]:
    """What Lark's lexer makes of a text."""
    from lark.lexer import LexerThread

    thread = cast(Any, LexerThread.from_text(_lexer(), text))
    yield from thread.lex(None)


def _lex_carefully(source: Source) -> Iterator[Token]:
    """The tokens of an unusual text."""
    joined = Joined(source)
    for raw in _raw(joined.text):
        text, start = str(raw), raw.start_pos
        if raw.type != "IDENT" or letters.is_plain(text):
            yield _token(raw.type, text, joined.span(start, raw.end_pos))
            continue
        for part, first, last in letters.parts(text):
            yield _token(_kind(part), part, joined.span(start + first, start + last))


def _kind(part: str) -> str:
    """The terminal of a part of a word with characters that are not ASCII."""
    if part.isidentifier():
        return _terminals().get(part, "IDENT")
    return "NUMBER" if part[0].isdigit() and part[0].isascii() else "STRAY"


def _token(terminal: str, text: str, span: Span) -> Token:
    sign = ALTERNATIVES.get(text)
    return Token(terminal, text, span) if sign is None else _sign(sign, span)


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
    except MissingType as error:
        meant = behind_specifiers(Situation(token, seen, (), _next(stream)))
        raise (meant or error) from None


def _next(stream: Iterator[Token]) -> Token | None:
    """The token that follows, None where none does or none can be read."""
    try:
        return next(stream, None)
    except CompileError:
        return None
