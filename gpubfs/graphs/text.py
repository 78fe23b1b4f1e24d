"""A file's text: finds its words in bulk with the line of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.errors import GraphError

Places = NDArray[np.int64]

#: Bytes of text that are scanned at a time, which bounds the memory that scanning needs.
CHUNK = 1 << 23
NEWLINE = 10
DIGITS = 18


@dataclass(frozen=True)
class Heading:
    """A line that announces the others: its words, its number, and where the next line begins."""

    words: list[bytes]
    line: int
    following: int

    @property
    def shown(self) -> str:
        """The beginning of the line, for messages."""
        return b" ".join(self.words)[:60].decode("utf-8", "backslashreplace")

    def numbers(self, first: int = 0) -> list[int]:
        """The words from the `first` on as whole numbers; none at all if one of them is not one."""
        words = self.words[first:]
        if all(word.isdigit() and len(word) <= DIGITS for word in words):
            return [int(word) for word in words]
        return []


@dataclass(frozen=True)
class Text:
    """The text of one file, as `gpubfs.graphs.contents.plain` makes it."""

    path: str
    data: bytes = field(repr=False)

    def __post_init__(self) -> None:
        at = self.data.find(0)
        if at >= 0:
            hint = "plain text is needed in ASCII, UTF-8, or UTF-16 with a byte order mark; "
            hint += "name other kinds by format=NAME"
            self.fail("the text holds a NUL byte", self.data.count(b"\n", 0, at) + 1, hint)

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return self.data.count(b"\n") + (not self.data.endswith(b"\n"))

    def heading(self, begin: int, line: int, comment: bytes, what: str, hint: str) -> Heading:
        """The first line from byte `begin` on that is neither empty nor a comment."""
        while begin < len(self.data):
            content, following = self.line_at(begin)
            words = content.split()
            if words and not words[0].startswith(comment):
                return Heading(words, line, following)
            begin, line = following, line + 1
        raise GraphError(f"the file ends before its {what}", self.path, self.lines, hint)

    def line_at(self, begin: int) -> tuple[bytes, int]:
        """The line that begins at a byte, and where the next one begins."""
        stop = self.data.find(b"\n", begin)
        stop = len(self.data) if stop < 0 else stop
        return self.data[begin:stop], stop + 1

    def fail(self, message: str, line: int, hint: str) -> NoReturn:
        """Raise the error that this text is wrong at a line."""
        raise GraphError(message, self.path, line, hint)

    def words(self, begin: int, line: int, blanks: bytes = b" \t\v\f") -> Iterator[Words]:
        """The words from byte `begin` on, which begins line `line`, in chunks of whole lines."""
        solid = bytes(sign not in blanks + b"\n" for sign in range(256))
        size = len(self.data)
        while begin < size:
            end = self.data.rfind(b"\n", begin, begin + CHUNK) + 1
            end = end or self.line_at(min(begin + CHUNK, size))[1]
            yield _split(self, begin, min(end, size), line, solid)
            line += self.data.count(b"\n", begin, end)
            begin = end


@dataclass(frozen=True)
class Words:
    """Words of a text: where each starts and stops, its line, and its place in that line from 0."""

    text: Text
    data: NDArray[np.uint8]
    start: Places
    stop: Places
    line: Places
    place: Places

    def __len__(self) -> int:
        return len(self.start)

    def where(self, chosen: NDArray[Any]) -> Words:
        """The words that a mask or an index array chooses."""
        parts = (self.start, self.stop, self.line, self.place)
        return Words(self.text, self.data, *(part[chosen] for part in parts))

    def word(self, index: int) -> str:
        """One word, shortened and made printable."""
        raw = self.text.data[self.start[index] : self.stop[index]]
        shown = raw[:40].decode("utf-8", "backslashreplace") + ("…" if len(raw) > 40 else "")
        return "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in shown)

    def first_bytes(self) -> NDArray[np.uint8]:
        """The first byte of every word."""
        return self.data[self.start]

    def without_comments(self, marks: bytes) -> Words:
        """Leave out every line whose first word begins with one of the bytes `marks`."""
        if not len(self):
            return self
        heads = np.flatnonzero(self.place == 0)
        comment = np.isin(self.first_bytes()[heads], np.frombuffer(marks, np.uint8))
        if not comment.any():
            return self
        return self.where(np.repeat(~comment, np.diff(heads, append=len(self))))

    def rows(self) -> tuple[Words, Places]:
        """The first word of every line, and how many words that line has."""
        heads = np.flatnonzero(self.place == 0)
        return self.where(heads), np.diff(heads, append=len(self))

    def integers(self, what: str, hint: str) -> Places:
        """The words as whole numbers; an error names the first that is none as a bad `what`."""
        length = self.stop - self.start
        wrong = length > DIGITS
        values = np.zeros(len(self), np.int64)
        left = np.arange(len(self))
        for power in range(DIGITS):
            left = left[length[left] > power]
            if not len(left):
                break
            digit = self.data[self.stop[left] - (1 + power)] - np.uint8(ord("0"))
            wrong[left] |= digit > 9
            values[left] += digit.astype(np.int64) * 10**power
        if wrong.any():
            self.fail(int(np.argmax(wrong)), lambda word: _complaint(word, what), hint)
        return values

    def check(self, values: Places, low: int, high: int, what: str, hint: str) -> None:
        """Raise an error for the first of `values` (of these words) outside `low` … `high`."""
        outside = (values < low) | (values > high)
        if outside.any():
            message = f"is outside {low} to {high}"
            self.fail(int(np.argmax(outside)), lambda word: f"{what} {word} {message}", hint)

    def fail(self, index: int, message: Callable[[str], str], hint: str) -> NoReturn:
        """Raise the error that word `index` is wrong."""
        self.text.fail(message(self.word(index)), int(self.line[index]), hint)


def _split(text: Text, begin: int, end: int, line: int, solid: bytes) -> Words:
    """The words from byte `begin` to `end`; `solid` has a 1 for every byte that is part of one."""
    data = np.frombuffer(text.data, np.uint8)
    inside = np.zeros(end - begin + 2, bool)
    inside[1:-1] = np.frombuffer(text.data[begin:end].translate(solid), bool)
    change = np.flatnonzero(inside[1:] != inside[:-1])
    start, stop = change[::2], change[1::2]
    lines = np.searchsorted(np.flatnonzero(data[begin:end] == NEWLINE), start)
    head = np.flatnonzero(np.diff(lines, prepend=-1))
    place = np.arange(len(start)) - np.repeat(head, np.diff(head, append=len(start)))
    return Words(text, data, start + begin, stop + begin, lines + line, place)


def _complaint(word: str, what: str) -> str:
    if re.fullmatch(r"-[0-9]+", word):
        return f"{what} {word} is negative"
    if re.fullmatch(r"[0-9…]+", word):
        return f"{what} {word} is too large"
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", word):
        return f"{what} {word} is not a whole number"
    return f"{word!r} stands where a {what} should be"
