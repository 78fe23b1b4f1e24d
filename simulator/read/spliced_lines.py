r"""Where the words of the lexer stand, even in texts with lines that end in `\`."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from simulator.source import Source, Span

#: A backslash at the end of a line joins it with the next one, even amid a word.
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
    >>> place = joined.span(4, 9)
    >>> joined.text, place.line, place.column, place.end_line, place.end_column
    ('int value;', 1, 5, 2, 3)
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.text = _SPLICE.sub("", source.text)
        self._cuts: list[int] = []  # where the joined text goes on behind a splice
        self._lost: list[int] = [0]  # how many characters are gone before the next one
        for match in _SPLICE.finditer(source.text):
            self._cuts.append(match.start() - self._lost[-1])
            self._lost.append(self._lost[-1] + len(match[0]))
        lengths = (len(line) + 1 for line in source.text.split("\n"))
        self._starts = [0, *accumulate(lengths)]

    def span(self, first: int, last: int) -> Span:
        """The place of the characters from `first` to before `last` of the joined text."""
        begin, end = self._place(first), self._place(last - 1)
        return Span(self._source, *begin, end[0], end[1] + 1)

    def _place(self, at: int) -> tuple[int, int]:
        """The line and column of one character."""
        at += self._lost[bisect_right(self._cuts, at)]
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1
