"""Reads MatrixMarket coordinate files: every stored entry of a square matrix is an edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from gpubfs.graphs.build import count
from gpubfs.graphs.limits import MOST_VERTICES
from gpubfs.graphs.listing import Ids, Listing, Options
from gpubfs.graphs.text import Text, Words

NUMBERS = "vertices are numbered from 1 to the number that the header gives"
BANNER = "%%MatrixMarket matrix coordinate pattern symmetric"

#: What the words of the banner may be; the fields with the columns of an entry.
FIELDS = {"pattern": 2, "real": 3, "double": 3, "integer": 3, "complex": 4}
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


@dataclass(frozen=True)
class Sizes:
    """The size line, and the byte and line at which the entries begin."""

    vertices: int
    entries: int
    begin: int
    line: int


def read_matrix_market(text: Text, options: Options) -> Listing:
    """Read the entries of a coordinate matrix; their values are not looked at, zeros are edges too.

    A symmetric, skew-symmetric or Hermitian file lists one triangle and stands for both. A general
    file lists what there is; like every input it is made undirected unless `options` say otherwise.
    """
    width, symmetric = _banner(text)
    sizes = _sizes(text)
    rows, columns = _entries(text, sizes, width)
    if symmetric and options.one_way:
        off = rows != columns
        rows, columns = (
            np.concatenate([rows, columns[off]]),
            np.concatenate([columns, rows[off]]),
        )
    return Listing(rows, columns, sizes.vertices)


def _banner(text: Text) -> tuple[int, bool]:
    """Columns of an entry, and whether one triangle stands for both."""
    first, _ = text.line_at(0)
    words = first.decode("utf-8", "replace").split()
    if not words or words[0].lower() != "%%matrixmarket":
        text.fail("the MatrixMarket banner is missing", 1, f"the first line must be like {BANNER}")
    if len(words) != 5:
        text.fail(f"the banner has {count(len(words), 'word')} instead of 5", 1, f"like {BANNER}")
    matrix, layout, form, symmetry = (word.lower() for word in words[1:])
    if layout == "array":
        text.fail("the matrix is dense (array)", 1, "save it in coordinate format")
    allowed = (("matrix",), ("coordinate",), tuple(FIELDS), SYMMETRIES)
    for word, known in zip((matrix, layout, form, symmetry), allowed, strict=True):
        if word not in known:
            text.fail(f"the banner says {word!r}", 1, f"known there: {', '.join(known)}")
    return FIELDS[form], symmetry != "general"


def _sizes(text: Text) -> Sizes:
    """Read as far as the size line."""
    hint = "it gives the numbers of rows, columns and entries"
    head = text.heading(text.line_at(0)[1], 2, b"%", "size line", hint)
    numbers = head.numbers()
    if len(numbers) != 3:
        text.fail(f"the size line {head.shown!r} is not three whole numbers", head.line, hint)
    rows, columns, entries = numbers
    if rows != columns:
        text.fail(f"the matrix is {rows} by {columns}", head.line, "an adjacency matrix is square")
    if not 1 <= rows <= MOST_VERTICES:
        message = f"the matrix has {count(rows, 'row')}, which must be from 1 to {MOST_VERTICES:,}"
        text.fail(message, head.line, "each row is a vertex, and vertex numbers are 32-bit")
    return Sizes(rows, entries, head.following, head.line + 1)


def _entries(text: Text, sizes: Sizes, width: int) -> tuple[Ids, Ids]:
    """Rows and columns of the entries, from 0."""
    found: tuple[list[Ids], list[Ids]] = [], []
    total = 0
    for chunk in text.words(sizes.begin, sizes.line):
        words = chunk.without_comments(b"%")
        heads, widths = words.rows()
        _check_width(heads, widths, width)
        if total + len(heads) > sizes.entries:
            _too_many(heads, sizes.entries - total, sizes.entries)
        total += len(heads)
        for place, ends in enumerate(found):
            chosen = words.where(words.place == place)
            values = chosen.integers("vertex number", NUMBERS)
            chosen.check(values, 1, sizes.vertices, "vertex number", NUMBERS)
            ends.append(values - 1)
    if total < sizes.entries:
        promised = count(sizes.entries, "entry", "entries")
        message = f"the size line promises {promised} and the file ends after {total:,}"
        text.fail(message, text.lines, "the file is cut short, or its size line is wrong")
    empty = np.zeros(0, np.int64)
    return np.concatenate([*found[0], empty]), np.concatenate([*found[1], empty])


def _check_width(heads: Words, widths: Ids, width: int) -> None:
    wrong = np.flatnonzero(widths != width)
    if len(wrong):
        at = int(wrong[0])
        found = count(int(widths[at]), "column")
        hint = f"row, column and {width - 2} for the value" if width > 2 else "row and column only"
        heads.fail(at, lambda word: f"{word!r} begins an entry of {found} instead of {width}", hint)


def _too_many(heads: Words, index: int, entries: int) -> NoReturn:
    heads.fail(
        index,
        lambda word: f"{word!r} begins an entry beyond the {entries} that the size line promises",
        "correct the size line, or remove what follows",
    )
