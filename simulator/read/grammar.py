"""The Lark machine behind cuda.lark: text to tokens, tokens to what build.py makes of them."""

from __future__ import annotations

import hashlib
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import resources
from itertools import accumulate
from typing import Any, cast
from unicodedata import normalize

import lark
from lark import Lark
from lark.exceptions import UnexpectedToken
from lark.grammar import Rule
from lark.lexer import BasicLexer, LexerThread

from simulator import cache as disk
from simulator.hints.conditions import behind_specifiers
from simulator.hints.context import Context
from simulator.hints.foreign import MEANT
from simulator.hints.syntax_errors import explain
from simulator.read.build import Builder
from simulator.read.declarators import MissingType
from simulator.source import CompileError, Source, Span, Token

# Where tokens stand, even in texts with lines that end in `\`.


#: A backslash at the end of a line joins it with the next one, even amid a token.
_SPLICE = re.compile(r"\\(?:\r?\n|\Z)")
#: The same, and characters of names by their numbers.
_BACKSLASHED = re.compile(r"\\(?:\r?\n|\Z|[uU])")


def is_unusual(text: str) -> bool:
    """Whether a text has spliced lines, or characters that are not ASCII, even by their number."""
    return not text.isascii() or _BACKSLASHED.search(text) is not None


class Joined:
    r"""A text with its spliced lines joined.

    Attributes
    ----------
    text : str
        What the lexer reads.

    Examples
    --------
    >>> joined = Joined(Source("int val\\\nue;"))
    >>> span = joined.span(4, 9)
    >>> joined.text, span.line, span.column, span.end_line, span.end_column
    ('int value;', 1, 5, 2, 3)
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.text = _SPLICE.sub("", source.text)
        self._cuts: list[int] = []  # where the joined text goes on behind a splice
        self._lost: list[int] = [0]  # how many characters are removed before the next one
        for match in _SPLICE.finditer(source.text):
            self._cuts.append(match.start() - self._lost[-1])
            self._lost.append(self._lost[-1] + len(match[0]))
        lengths = (len(line) + 1 for line in source.text.split("\n"))
        self._starts = [0, *accumulate(lengths)]

    def span(self, first: int, last: int) -> Span:
        """Return the span of the characters from `first` to before `last` of the joined text."""
        begin, end = self._position(first), self._position(last - 1)
        return Span(self._source, *begin, end[0], end[1] + 1)

    def _position(self, at: int) -> tuple[int, int]:
        """Return the line and column of one character."""
        at += self._lost[bisect_right(self._cuts, at)]
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


# The letters of names: which characters C++ has in them, and how they may be written.
#
# Names are made of the letters and digits of any alphabet (Unicode's XID_Start and XID_Continue),
# and are the same if they are in the normal form NFC. C++ also writes a character as `\u00e4`.


_WRITTEN = re.compile(r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|.", re.DOTALL)


def is_plain(text: str) -> bool:
    """Whether a token of the lexer is a name as it stands."""
    return text.isascii() and "\\" not in text


def parts(text: str) -> Iterator[tuple[str, int, int]]:
    r"""Yield the names in what the lexer took for one, and the characters between them.

    Each with its first and last index in `text`.

    Examples
    --------
    >>> list(parts("größe")), list(parts(r"\u00e4b"))
    ([('größe', 0, 5)], [('äb', 0, 7)])
    >>> list(parts("n×3"))
    [('n', 0, 1), ('×', 1, 2), ('3', 2, 3)]
    """
    name, start, end = "", 0, 0
    for match in _WRITTEN.finditer(text):
        character = _character(match[0])
        if _continues(character):
            start = start if name else match.start()
            name, end = name + character, match.end()
            continue
        if name:
            yield normalize("NFC", name), start, end
            name = ""
        yield match[0], match.start(), match.end()
    if name:
        yield normalize("NFC", name), start, end


def _character(written: str) -> str:
    if written[0] != "\\":
        return written
    code = int(written[2:], 16)
    return chr(code) if code < 0x110000 else "\\"


def _continues(character: str) -> bool:
    """Whether a name may have this character behind its first one."""
    return f"_{character}".isidentifier() and character not in MEANT


def escaped(text: str) -> str:
    r"""Return a name in ASCII, as every compiler takes it.

    Examples
    --------
    >>> print(escaped("größe"))
    gr\u00f6\u00dfe
    """
    return "".join(c if c.isascii() else _escape(ord(c)) for c in text)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


STARTS = ["program", "expression", "directive", "name_expression"]

#: C++'s alternative tokens for operators.
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


class _Place(str):
    """Where Lark's tables are, of which Lark is not to say that they depend on it: they move."""

    __slots__ = ()

    def __str__(self) -> str:
        return ""


@cache
def machine() -> Lark:
    """Return the parser, built on first use; Lark keeps its tables in a file, if there is a place.

    A file that another has just begun to write, or that is broken, is as good as none.
    """
    text = resources.files("simulator.read").joinpath("cuda.lark").read_text(encoding="utf-8")
    with disk.file(f"grammar-{_digest(text)}.tables") as file:
        made = Lark(
            text,
            cache=False if file is None else _Place(file),
            parser="lalr",
            lexer="basic",
            start=STARTS,
            keep_all_tokens=True,
            maybe_placeholders=True,
            transformer=Builder(),
        )
    with suppress(AttributeError, KeyError):  # of another Lark: it works as well, only slower
        _share(cast(Any, made).parser.parser.parser)
    return made


def _share(engine: Any) -> None:
    """Let the parser's tables have the very names and rules that are looked up in them.

    Where there are copies, as in tables from a file, Lark compares them in Python each time.
    """
    states = engine.parse_table.states
    for number, actions in states.items():
        states[number] = {sys.intern(str(name)): action for name, action in actions.items()}
    actions = (action for state in states.values() for action in state.values())
    rules = [rule for _, rule in actions if isinstance(rule, Rule)]
    for rule in rules:
        rule.origin.name = sys.intern(str(rule.origin.name))
    engine.callbacks = {rule: engine.callbacks[rule] for rule in rules}


def _digest(text: str) -> str:
    """Return what tells the tables of one grammar, Lark and Python from those of others."""
    made = f"{text}\0{lark.__version__}\0{sys.version}\0{STARTS}"
    return hashlib.blake2b(made.encode(), digest_size=8).hexdigest()


@cache
def _lexer() -> BasicLexer:
    return BasicLexer(machine().lexer_conf)


def lex(source: Source) -> Iterator[Token]:
    """Yield the tokens of one piece of text, line ends and preprocessor signs among them."""
    if is_unusual(source.text):
        yield from _lex_carefully(source)
        return
    for raw in _raw(source.text):
        span = Span(source, raw.line or 1, raw.column or 1, raw.end_line or 1, raw.end_column or 1)
        yield _token(raw.type, str(raw), span)


def _raw(text: str) -> Iterator[Any]:
    """Return what Lark's lexer makes of a text."""
    thread = cast(Any, LexerThread.from_text(_lexer(), text))
    return cast(Iterator[Any], thread.lex(None))


def _lex_carefully(source: Source) -> Iterator[Token]:
    """Yield the tokens of an unusual text."""
    joined = Joined(source)
    for raw in _raw(joined.text):
        text, start = str(raw), raw.start_pos
        if raw.type != "IDENT" or is_plain(text):
            yield _token(raw.type, text, joined.span(start, raw.end_pos))
            continue
        for part, first, last in parts(text):
            yield _token(_kind(part), part, joined.span(start + first, start + last))


def _kind(part: str) -> str:
    """Return the terminal of a part of a token with characters that are not ASCII."""
    if part.isidentifier():
        return _terminals().get(part, "IDENT")
    return "NUMBER" if part[0].isdigit() and part[0].isascii() else "STRAY"


def _token(terminal: str, text: str, span: Span) -> Token:
    sign = ALTERNATIVES.get(text)
    return Token(terminal, text, span) if sign is None else _sign(sign, span)


def _sign(text: str, span: Span) -> Token:
    """Return an operator that the source writes as a keyword."""
    return Token(_terminals()[text], text, span)


@cache
def _terminals() -> dict[str, str]:
    """Return the name that the grammar's machine gives each sign."""
    return {str(terminal.pattern.value): terminal.name for terminal in machine().terminals}


def parse(tokens: Iterable[Token], end: Span, start: str = "program") -> Any:
    """Return what the builder makes of `tokens`; `end` is where the text ends, for messages."""
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
        raise explain(Context(token, seen, parser.accepts(), _next(stream, end))) from None
    except MissingType as error:
        meant = behind_specifiers(Context(token, seen, (), _next(stream, end)))
        raise (meant or error) from None


def _next(stream: Iterator[Token], end: Span) -> Token:
    """Return the token that follows, an empty one where none does or none can be read."""
    nothing = Token("", "", end)
    try:
        return next(stream, nothing)
    except CompileError:
        return nothing
