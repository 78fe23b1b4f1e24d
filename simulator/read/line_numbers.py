"""`#line`: the numbers and the file's name that `__LINE__` and `__FILE__` give from there on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from simulator.ir.tokens import Token, whole
from simulator.source import CompileError, Source

_MOST_LINES = 2**31 - 1


@dataclass(frozen=True)
class _Change:
    """From the line behind `after` on, lines are counted from `first`, in the file `name`."""

    after: int
    first: int
    name: str


class LineNumbers:
    """What `#line` has said so far. Messages point to lines as they stand in the text."""

    def __init__(self) -> None:
        self._changes: dict[Source, list[_Change]] = {}

    def change(self, word: Token, rest: list[Token]) -> None:
        """Carry out `#line number "name"`, its macros expanded.

        Raises
        ------
        CompileError
            if it says something else
        """
        number = rest[0].text if rest else ""
        decimal = number.isascii() and number.isdigit() and 0 < int(number) <= _MOST_LINES
        named = len(rest) == 2 and rest[1].type == "STRING"
        if not decimal or not (named or len(rest) == 1):
            hint = 'write `#line 100`, or `#line 100 "file.cu"`'
            raise CompileError("#line needs a number, and perhaps a name", whole(word, rest), hint)
        source = word.span.source
        name = rest[1].text if named else self.file(word)
        at = whole(word, rest).end_line
        self._changes.setdefault(source, []).append(_Change(at, int(number), name))

    def line(self, token: Token) -> int:
        """What `__LINE__` is at a token."""
        change = self._last(token)
        line = token.span.line
        return line if change is None else change.first + line - change.after - 1

    def file(self, token: Token) -> str:
        """What `__FILE__` is at a token, with its quotes."""
        change = self._last(token)
        if change is not None:
            return change.name
        name = token.span.source.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{name}"'

    def _last(self, token: Token) -> _Change | None:
        """The last change before a token."""
        changes = self._changes.get(token.span.source, [])
        before = takewhile(lambda change: change.after < token.span.line, changes)
        return max(before, key=lambda change: change.after, default=None)
