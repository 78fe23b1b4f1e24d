"""Reads edge lists as SNAP, KONECT and spreadsheets write them: two vertex numbers to a line."""

from __future__ import annotations

import re

import numpy as np

from gpubfs.graphs.build import count
from gpubfs.graphs.limits import MOST_VERTICES
from gpubfs.graphs.listing import Ids, Listing, Options
from gpubfs.graphs.text import DIGITS, Text, Words

#: Bytes that separate the columns.
BLANKS = b" ,;\t\v\f\r"

NUMBERED = "number the vertices from 0, or let file:PATH,compact renumber them"
NUMBERS = "every line lists two vertex numbers, 0 or more; comments begin with # or %"
COLUMNS = "every line lists two vertex numbers, then as many further columns as the first line"


def read_edge_list(text: Text, options: Options) -> Listing:
    """Read lines of two vertex numbers, and perhaps further columns, which are not looked at.

    Lines that begin with # or % are comments. If no vertex is numbered 0, numbers are taken to
    start at 1, unless `options.base` says otherwise. A comment with ``Nodes: N`` raises the number
    of vertices to N, for vertices at the end that have no edges.
    """
    sources, targets = _columns(text, options)
    promised, edges = _promise(text, "Nodes"), _promise(text, "Edges")
    if not len(sources) and not promised:
        text.fail("the file lists no edges", text.lines, "check the download")
    least = min((int(ends.min()) for ends in (sources, targets) if len(ends)), default=0)
    base = int(least > 0) if options.base is None else options.base
    listed = int(max(sources.max(initial=-1), targets.max(initial=-1))) + 1 - base
    vertices = listed if options.compact else max(listed, promised)
    if base:
        sources, targets = sources - base, targets - base
    notes = _notes(base, vertices - listed, edges, len(sources))
    return Listing(sources, targets, vertices, notes)


def _columns(text: Text, options: Options) -> tuple[Ids, Ids]:
    """The first two columns of all lines that are no comments."""
    columns: tuple[list[Ids], list[Ids]] = [], []
    width = 0
    for chunk in text.words(text.start, 1, BLANKS):
        words = chunk.without_comments(b"#%")
        if len(words):
            width = _check_width(words, width)
            for place, column in enumerate(columns):
                column.append(_ids(words.where(words.place == place), options))
    empty = np.zeros(0, np.int64)
    return np.concatenate([*columns[0], empty]), np.concatenate([*columns[1], empty])


def _check_width(words: Words, width: int) -> int:
    """The number of columns, which the first line sets and every line must have."""
    heads, widths = words.rows()
    width = width or max(2, int(widths[0]))
    wrong = np.flatnonzero(widths != width)
    if len(wrong):
        at = int(wrong[0])
        line = f"begins a line of {count(int(widths[at]), 'column')} instead of {width}"
        heads.fail(at, lambda word: f"{word!r} {line}", COLUMNS)
    return width


def _ids(words: Words, options: Options) -> Ids:
    values = words.integers("vertex number", NUMBERS)
    least = options.base or 0
    most = 10**DIGITS if options.compact else MOST_VERTICES
    words.check(values, least, most, "vertex number", NUMBERED)
    return values


def _promise(text: Text, what: str) -> int:
    """The number that SNAP's comments give after `Nodes:` or `Edges:`, or 0."""
    found = re.search(rb"^[#%%].*\b%s: *([0-9]{1,10})\b" % what.encode(), text.data[:65536], re.M)
    return int(found[1]) if found else 0


def _notes(base: int, added: int, promised: int, found: int) -> tuple[str, ...]:
    notes = []
    if base:
        notes.append("Vertex numbers start at 1 in the file and at 0 here.")
    if added > 0:
        extra = count(added, "vertex", "vertices")
        notes.append(f"{extra} without edges added, as the file's comment says.")
    if promised and promised != found:
        notes.append(
            f"The file's comment promises {count(promised, 'edge')} and it lists {found:,}."
        )
    return tuple(notes)
