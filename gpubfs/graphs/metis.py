"""Reads METIS (and Chaco) graph files: one line of neighbours for each vertex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpubfs.graphs.build import compress, count, pack
from gpubfs.graphs.limits import MOST_VERTICES
from gpubfs.graphs.listing import Ids, Listing, Options
from gpubfs.graphs.symmetry import unreturned
from gpubfs.graphs.text import Text, Words

NUMBERS = "vertices are numbered from 1 to the number that the header gives"
HEADER = "the first line gives VERTICES EDGES [FORMAT [WEIGHTS PER VERTEX]]"


@dataclass(frozen=True)
class Header:
    """The first line: sizes, words before the neighbours of a vertex, words to a neighbour."""

    vertices: int
    edges: int
    before: int
    stride: int
    begin: int
    line: int


def read_metis(text: Text, options: Options) -> Listing:
    """Read neighbours line by line, skipping the weights that the header's format code announces.

    Lines that begin with % are comments, an empty line is a vertex without neighbours. Every edge
    must be listed by both its vertices, unless `options` say that directions are kept.
    """
    header = _header(text)
    words, vertex = _body(text, header)
    targets = words.integers("vertex number", NUMBERS)
    words.check(targets, 1, header.vertices, "vertex number", NUMBERS)
    if len(targets) != 2 * header.edges:
        message = (
            f"the header promises {count(header.edges, 'edge')}, which is {2 * header.edges} "
            f"neighbours, and the file lists {len(targets)}"
        )
        text.fail(message, header.line, "correct the number of edges, or the format code after it")
    if not options.one_way:
        _check_mutual(words, vertex, targets - 1, header.vertices)
    forward = vertex < targets if not options.one_way else np.ones(len(vertex), bool)
    return Listing(vertex[forward], targets[forward] - 1, header.vertices)


def _header(text: Text) -> Header:
    head = text.heading(0, 1, b"%", "header", HEADER)
    numbers, line = head.numbers(), head.line
    if not 2 <= len(numbers) <= 4:
        text.fail(f"{head.shown!r} is not a METIS header", line, HEADER)
    vertices, edges = numbers[:2]
    if not 1 <= vertices <= MOST_VERTICES:
        text.fail(f"{vertices} vertices are outside 1 to {MOST_VERTICES}", line, HEADER)
    code = head.words[2].decode().zfill(3) if len(numbers) > 2 else "000"
    if len(code) != 3 or set(code) - {"0", "1"}:
        hint = "it has a digit 0 or 1 each for vertex sizes, vertex weights, edge weights"
        text.fail(f"{code!r} is not a METIS format code", line, hint)
    weights = numbers[3] if len(numbers) > 3 else 1
    before = int(code[0]) + int(code[1]) * weights
    return Header(vertices, edges, before, 1 + int(code[2]), head.following, line)


def _body(text: Text, header: Header) -> tuple[Words, Ids]:
    """The words that are neighbours, and the vertex (from 0) that each belongs to."""
    parts: list[Words] = []
    comments: list[Ids] = [np.zeros(0, np.int64)]
    lines: list[Ids] = [np.zeros(0, np.int64)]
    for chunk in text.words(header.begin, header.line + 1):
        words = chunk.without_comments(b"%")
        heads, _ = chunk.rows()
        comments.append(heads.line[heads.first_bytes() == ord("%")])
        lines.append(_check_whole(text, words, header))
        after = words.place - header.before
        parts.append(words.where((after >= 0) & (after % header.stride == 0)))
    skipped = np.concatenate(comments)
    _check_lines(text, header, np.concatenate(lines), skipped)
    words = _joined(text, parts)
    return words, _vertex(words.line, header, skipped)


def _vertex(line: Ids, header: Header, skipped: Ids) -> Ids:
    """The vertex (from 0) whose line this is, comment lines not being counted."""
    return line - header.line - 1 - np.searchsorted(skipped, line)


def _joined(text: Text, parts: list[Words]) -> Words:
    data = np.frombuffer(text.data, np.uint8)
    empty = np.zeros(0, np.int64)
    columns = [
        np.concatenate([*(getattr(part, name) for part in parts), empty])
        for name in ("start", "stop", "line", "place")
    ]
    return Words(text, data, *columns)


def _check_whole(text: Text, words: Words, header: Header) -> Ids:
    """The lines with words, each of which has all its weights."""
    heads, widths = words.rows()
    wrong = (widths < header.before) | ((widths - header.before) % header.stride != 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        found = count(int(widths[at]), "number")
        each = f"{count(header.before, 'weight')} first and {count(header.stride, 'number')}"
        text.fail(
            f"a line of {found} cannot hold the weights that the header announces",
            int(heads.line[at]),
            f"its format code asks for {each} to a neighbour",
        )
    return heads.line


def _check_lines(text: Text, header: Header, lines: Ids, skipped: Ids) -> None:
    """As many vertex lines as vertices; empty lines at the end do not count."""
    beyond = np.flatnonzero(_vertex(lines, header, skipped) >= header.vertices)
    if len(beyond):
        message = f"the line is beyond the {header.vertices} vertices that the header promises"
        text.fail(message, int(lines[beyond[0]]), HEADER)
    present = text.lines - header.line - len(skipped)
    if present < header.vertices:
        text.fail(
            f"the header promises {header.vertices} vertex lines and the file has {present}",
            text.lines,
            "a vertex without neighbours has an empty line",
        )


def _check_mutual(words: Words, vertex: Ids, targets: Ids, vertices: int) -> None:
    """Every neighbour lists the vertex back."""
    keys = pack(vertex, targets)
    keys.sort()
    lonely = unreturned(*compress(keys, vertices))
    if lonely is None:
        return
    source, target = lonely
    at = int(np.flatnonzero((vertex == source) & (targets == target))[0])
    words.fail(
        at,
        lambda word: f"vertex {source + 1} lists {word} and vertex {word} does not list it back",
        "add it there, or read the file with file:PATH,directed",
    )
