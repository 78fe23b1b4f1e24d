"""The words and signs of a CUDA file, roughly: enough to see where its declarations are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<blank>\s+|\\\r?\n|//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    |(?P<string>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
        |(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.]|'(?=\w))*)
    |(?P<word>[^\W\d]\w*)
    |(?P<directive>\#(?:\\\r?\n|/\*.*?\*/|//[^\n]*|[^\n])*)
    |(?P<sign>::|.)""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True)
class Word:
    """A token: its kind (string, number, word, directive or sign), its text, and where it is."""

    kind: str
    text: str
    start: int
    end: int


def words_of(text: str) -> Iterator[Word]:
    r"""Yield the tokens of a text without blanks and comments, each directive as one.

    Examples
    --------
    >>> [word.text for word in words_of("#if A\nint a; // b")]
    ['#if A', 'int', 'a', ';']
    """
    at, fresh = 0, True
    while match := _TOKEN.match(text, at):
        kind = match.lastgroup if match.lastgroup != "mark" else "string"
        if kind == "directive" and not fresh:  # a `#` amid a line is a sign
            yield Word("sign", "#", at, at + 1)
            at += 1
            continue
        if kind == "blank":
            fresh = fresh or "\n" in match[0]
        else:
            fresh = False
            yield Word(kind or "sign", match[0], at, match.end())
        at = match.end()


_WORD = re.compile(r"[^\W\d]\w*")


def names_in(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(_WORD.findall(text))
