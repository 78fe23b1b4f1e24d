"""Texts, their tokens and spans, and the one way to point at them: file, line and caret."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from unicodedata import combining, east_asian_width

_WINDOW = 100
_CONTEXT = 40


@dataclass(frozen=True, eq=False)
class Source:
    """One piece of CUDA C text and the name to call it by in messages.

    A byte order mark at its start is no part of the text. `library` says that it is the simulator's
    own text of a header, whose lines no message shows.
    """

    text: str
    name: str = "<kernel>"
    library: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text.removeprefix("\ufeff"))

    @cached_property
    def lines(self) -> list[str]:
        """The text line by line; only a line feed ends a line, as the parser counts."""
        return [line.rstrip("\r") for line in self.text.split("\n")]

    def line(self, number: int) -> str:
        """Return a line of the text; empty past the end.

        Parameters
        ----------
        number : int
            Counted from 1.

        Returns
        -------
        str
            Without its line feed.
        """
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


@dataclass(unsafe_hash=True, slots=True)
class Span:
    """A stretch of source text: lines and columns counted from 1, the end exclusive.

    `macro` says which macro made the tokens that stand for it, empty if none did.
    """

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int
    macro: str = field(default="", compare=False)

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        macro = self.macro if self.macro == other.macro else ""
        return Span(self.source, self.line, self.column, other.end_line, other.end_column, macro)

    def starting(self, text: str) -> Span:
        """Return the part that is `text` at the start, the whole where it starts otherwise."""
        line = "" if self.macro else self.source.line(self.line)[self.column - 1 :]
        if not line.startswith(text):
            return self
        return Span(self.source, self.line, self.column, self.line, self.column + len(text))

    def ending(self, text: str) -> Span:
        """Return the part that is `text` at the end, the whole where it ends otherwise."""
        line = "" if self.macro else self.source.line(self.end_line)[: self.end_column - 1]
        if not line.endswith(text):
            return self
        first = self.end_column - len(text)
        return Span(self.source, self.end_line, first, self.end_line, self.end_column)

    @property
    def text(self) -> str:
        """The spanned text, its white space folded into single blanks."""
        lines = self.source.lines[self.line - 1 : self.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: self.end_column - 1]
        lines[0] = lines[0][self.column - 1 :]
        return " ".join(" ".join(lines).split())


#: A message about another location.
Note = tuple[str, Span | None]


def render(severity: str, message: str, span: Span | None, hint: str = "") -> str:
    """Lay out one diagnostic: location, message, source line, caret, remedy.

    Examples
    --------
    >>> span = Span(Source("int x = y;", "k.cu"), 1, 9, 1, 10)
    >>> print(render("error", "y is not declared", span, "declare it first"))
    k.cu:1:9: error: y is not declared
        int x = y;
                ^
      declare it first
    """
    if span is None:
        return "\n".join([f"{severity}: {message}", *_indented(hint)])
    location = f"{span.source.name}:{span.line}:{span.column}"
    head = [f"{location}: {severity}: {message}", *_pointed(span)]
    origin = f"in {span.macro}" if span.macro else ""
    return "\n".join([*head, *_indented(hint), *_indented(origin)])


def of_program(error: CompileError, call: Span) -> CompileError:
    """Return an error in one of the simulator's own texts where the program calls what is in it."""
    if call.source.library or error.span is None or not error.span.source.library:
        return error
    return CompileError(error.message, call, error.hint)


def called_from(span: Span | None, calls: tuple[Span, ...]) -> tuple[Note, ...]:
    """Note the call in the kernel's own file that led to a location in a header.

    Parameters
    ----------
    span : Span, optional
        The location.
    calls : tuple of Span
        The calls that led to it, the outermost, which is the kernel's own, first.
    """
    if span is None or not calls or span.source.name == calls[0].source.name:
        return ()
    own = [call for call in calls if call.source.name == calls[0].source.name]
    return (("called here", own[-1]),)


def _noted(notes: tuple[Note, ...]) -> list[str]:
    return [render("note", message, span) for message, span in notes]


def _indented(text: str) -> list[str]:
    return [f"  {part}" for part in text.splitlines()]


def _pointed(span: Span) -> tuple[str, str]:
    """Return the line of a span's start, long ones cut to a window, and the caret under it."""
    raw = span.source.line(span.line)
    line = raw.expandtabs(4)
    start = len(raw[: span.column - 1].expandtabs(4))
    stop = span.end_column - 1 if span.end_line == span.line else len(raw)
    width = max(1, len(raw[:stop].expandtabs(4)) - start)
    if len(line) > _WINDOW:
        first = max(0, min(start - _CONTEXT, len(line) - _WINDOW))
        line, start = _cut(line, first), start - first
        width = max(1, min(width, _WINDOW - start))
    before, under = _width(line[:start]), max(1, _width(line[start : start + width]))
    return f"    {line}", "    " + " " * before + "^" + "~" * (under - 1)


def _width(text: str) -> int:
    """Count a text's columns on a screen: two for a wide character, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def _cut(line: str, first: int) -> str:
    """Return the window of a line from its character `first` on, `…` for what is cut off."""
    shown = line[first : first + _WINDOW]
    if first > 0:
        shown = "…" + shown[1:]
    return shown[:-1] + "…" if first + _WINDOW < len(line) else shown


@dataclass(frozen=True, eq=False)
class Diagnostic:
    """Something to say about a program that stops nothing: a warning or a note."""

    message: str
    span: Span
    hint: str = ""
    severity: str = "warning"

    def __str__(self) -> str:
        return render(self.severity, self.message, self.span, self.hint)


class SimulatorError(Exception):
    """Any error of the simulator.

    Attributes
    ----------
    message : str
        What is wrong.
    span : Span, optional
        Where, in the CUDA source.
    hint : str
        What to do about it, may be empty.
    notes : tuple of Note
        Messages about other locations that have to do with it.
    """

    severity = "error"

    def __init__(
        self, message: str, span: Span | None = None, hint: str = "", notes: tuple[Note, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.notes = notes

    def __str__(self) -> str:
        own = render(self.severity, self.message, self.span, self.hint)
        return "\n".join([own, *_noted(self.notes)])


#: How many errors of a program are printed.
MOST_SHOWN = 20


class CompileError(SimulatorError):
    """The CUDA source cannot be compiled: syntax, types, or something that is not supported.

    Attributes
    ----------
    others : tuple of CompileError
        Further errors of the same program, in the order of its text; `str` shows them, too.
    """

    others: tuple[CompileError, ...] = ()

    @property
    def errors(self) -> tuple[CompileError, ...]:
        """All errors of the program: this one by itself, and the others."""
        own = CompileError(self.message, self.span, self.hint, self.notes) if self.others else self
        return (own, *self.others)

    def __str__(self) -> str:
        if not self.others:
            return super().__str__()
        more = len(self.errors) - MOST_SHOWN
        last = [f"and {more} more error{'s' * (more > 1)}"] if more > 0 else []
        return "\n".join([*map(str, self.errors[:MOST_SHOWN]), *last])


class LaunchError(SimulatorError):
    """A launch that a GPU would refuse: grid, block, arguments."""


class OutOfMemoryError(SimulatorError):
    """The simulated device has not enough memory left."""


@dataclass(frozen=True)
class FaultAccess:
    """One access to memory that a fault is about.

    Attributes
    ----------
    span : Span
        Where it stands.
    lane : int
        Whose it is, counted as `Fault.lanes` are.
    address : int
        A byte that it reads or writes.
    words : str
        Who does what with it.
    """

    span: Span
    lane: int
    address: int
    words: str


class Fault(SimulatorError):
    """A running kernel did what it must not: where, which thread, which array.

    Attributes
    ----------
    sanitizer : str
        Which of the optional checks has found it: race, init or sync, or nothing.
    endless : bool
        Whether it would not have ended.
    lanes : tuple of int
        The lanes that were at it, counted through the launch with each block padded to whole warps:
        the first is that of the message. Empty where no lane was.
    accesses : tuple of FaultAccess
        What a sanitizer found in the log, the latest first: both sides of a race, or one read.
    """

    severity = "fault"

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        hint: str = "",
        notes: tuple[Note, ...] = (),
        sanitizer: str = "",
    ) -> None:
        super().__init__(message, span, hint, notes)
        self.sanitizer = sanitizer
        self.endless = False
        self.lanes: tuple[int, ...] = ()
        self.accesses: tuple[FaultAccess, ...] = ()


# Tokens of CUDA C.


MOST_TOKENS = 200_000
NOTHING_HIDDEN: frozenset[str] = frozenset()
#: Keywords that are types, or parts of their names.
TYPE_WORDS = frozenset("void bool char short int long signed unsigned float double auto".split())


@dataclass(eq=False, slots=True)
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
