"""Reads edge lists as SNAP, KONECT and spreadsheets write them: two vertex numbers to a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NoReturn

import numpy as np

from gpubfs.graphs.build import count
from gpubfs.graphs.header import Header, header_of
from gpubfs.graphs.limits import MOST_VERTICES
from gpubfs.graphs.listing import Ids, Listing, Options
from gpubfs.graphs.text import DIGITS, Text, Words

#: Bytes that separate the columns.
BLANKS = b" ,;\t\v\f"

#: A whole number in a comment, perhaps with commas between thousands.
NUMBER = rb"(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,10})(?!\w|[.,][0-9])"

NUMBERED = "number the vertices from 0, or let file:PATH,compact renumber them"
NUMBERS = "every line lists two vertex numbers, 0 or more; comments begin with # or %"
COLUMNS = "every line lists two vertex numbers, then as many further columns as the first line"


def read_edge_list(text: Text, options: Options) -> Listing:
    """Read lines of two vertex numbers, and perhaps further columns, which are not looked at.

    Lines that begin with # or % are comments. If no vertex is numbered 0, numbers are taken to
    start at 1, unless `options.base` says otherwise. A comment with ``Nodes: N``, or a first line
    that is a header, raises the number of vertices to N, for vertices at the end without edges.
    """
    promised, edges = _promise(text, "Nodes"), _promise(text, "Edges")
    width = Width(options)
    sources, targets = _columns(text, options, width)
    header = header_of(sources, targets, options, edges) if width.first == 2 else Header()
    width.settle(header)
    sources, targets = sources[header.present :], targets[header.present :]
    promised = max(promised, header.vertices)
    if not len(sources) and not promised:
        text.fail("the file lists no edges", text.lines, "check the download")
    least = min((int(ends.min()) for ends in (sources, targets) if len(ends)), default=0)
    base = int(least > 0) if options.base is None else options.base
    listed = int(max(sources.max(initial=-1), targets.max(initial=-1))) + 1 - base
    vertices = listed if options.compact else max(listed, promised)
    if base:
        sources, targets = sources - base, targets - base
    where = "first line" if header.present and promised == header.vertices else "comment"
    notes = _notes(base, vertices - listed, where, edges, len(sources))
    return Listing(sources, targets, vertices, (*header.notes, *notes))


def _columns(text: Text, options: Options, width: Width) -> tuple[Ids, Ids]:
    """The first two columns of all lines that are no comments."""
    columns: tuple[list[Ids], list[Ids]] = [], []
    for chunk in text.words(0, 1, BLANKS):
        words = chunk.without_comments(b"#%")
        if len(words):
            width.check(*words.rows())
            for place, column in enumerate(columns):
                column.append(_ids(words.where(words.place == place), options))
    empty = np.zeros(0, np.int64)
    return np.concatenate([*columns[0], empty]), np.concatenate([*columns[1], empty])


class Width:
    """The number of columns: the first line sets it for all, or is a header of two columns."""

    def __init__(self, options: Options) -> None:
        self.first = 0
        self._others = 0
        self._wanted = 2 if options.header else 0
        self._odd: Callable[[], NoReturn] | None = None

    def check(self, heads: Words, widths: Ids) -> None:
        """Raise an error for the first of these lines that has another number of columns."""
        begin = 0
        if not self.first:
            self.first, begin = int(widths[0]), 1
            if self.first < 2 or self._wanted not in (0, self.first):
                _refuse(heads, 0, self.first, 2)
        if len(widths) > begin and not self._others:
            self._others = int(widths[begin])
            if self._others != self.first:
                self._odd = partial(
                    _refuse, heads.where(np.array([begin])), 0, self._others, self.first
                )
                if self.first != 2 or self._others < 2:
                    self._odd()
        wrong = np.flatnonzero(widths[begin:] != self._others) + begin
        if len(wrong) and self._odd:
            self._odd()
        if len(wrong):
            _refuse(heads, int(wrong[0]), int(widths[wrong[0]]), self._others)

    def settle(self, header: Header) -> None:
        """Refuse lines that have other columns than the first, unless that one is a header."""
        if self._odd and not header.present:
            self._odd()


def _refuse(heads: Words, at: int, found: int, width: int) -> NoReturn:
    line = f"begins a line of {count(found, 'column')} instead of {width}"
    heads.fail(at, lambda word: f"{word!r} {line}", COLUMNS)


def _ids(words: Words, options: Options) -> Ids:
    values = words.integers("vertex number", NUMBERS)
    least = options.base or 0
    most = 10**DIGITS if options.compact else MOST_VERTICES
    words.check(values, least, most, "vertex number", NUMBERED)
    return values


def _promise(text: Text, what: str) -> int:
    """The number that SNAP's comments give after `Nodes:` or `Edges:`, or 0."""
    pattern = rb"^[#%%].*\b%s: *(%s)" % (what.encode(), NUMBER)
    found = re.search(pattern, text.data[:65536], re.M)
    return int(found[1].replace(b",", b"")) if found else 0


def _notes(base: int, added: int, where: str, promised: int, found: int) -> tuple[str, ...]:
    notes = []
    if base:
        notes.append("Vertex numbers start at 1 in the file and at 0 here.")
    if added > 0:
        extra = count(added, "vertex", "vertices")
        notes.append(f"{extra} without edges added, as the file's {where} says.")
    if promised and promised != found:
        notes.append(
            f"The file's comment promises {count(promised, 'edge')} and it lists {found:,}."
        )
    return tuple(notes)
