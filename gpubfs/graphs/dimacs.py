"""Reads DIMACS shortest-path files (.gr): arcs with weights, one to a line."""

from __future__ import annotations

import numpy as np

from gpubfs.graphs.build import count
from gpubfs.graphs.limits import MOST_VERTICES
from gpubfs.graphs.listing import Ids, Listing, Options
from gpubfs.graphs.text import Heading, Text, Words

NUMBERS = "vertices are numbered from 1 to the number that the header gives"
PROBLEM = "before the arcs stands one line like: p sp VERTICES ARCS"
ARC = "an arc is written: a SOURCE TARGET WEIGHT"


def read_dimacs(text: Text, _options: Options) -> Listing:
    """Read the lines ``a SOURCE TARGET WEIGHT`` after ``p sp VERTICES ARCS``; ``c`` is a comment.

    Vertices are numbered from 1. Weights are not looked at and may be missing.
    """
    head, vertices, arcs = _problem(text)
    sources: list[Ids] = [np.zeros(0, np.int64)]
    targets: list[Ids] = [np.zeros(0, np.int64)]
    for chunk in text.words(head.following, head.line + 1):
        words = chunk.without_comments(b"c")
        _check_arcs(text, words)
        for place, ends in ((1, sources), (2, targets)):
            chosen = words.where(words.place == place)
            values = chosen.integers("vertex number", NUMBERS)
            chosen.check(values, 1, vertices, "vertex number", NUMBERS)
            ends.append(values - 1)
    found = sum(map(len, sources))
    if found != arcs:
        message = f"line {head.line} promises {count(arcs, 'arc')} and the file has {found}"
        text.fail(message, text.lines, "the file is cut short, or its problem line is wrong")
    return Listing(np.concatenate(sources), np.concatenate(targets), vertices)


def _problem(text: Text) -> tuple[Heading, int, int]:
    """The problem line, and the numbers of vertices and arcs."""
    head = text.heading(0, 1, b"c", "problem line", PROBLEM)
    numbers = head.numbers(2)
    if head.words[:2] != [b"p", b"sp"] or len(numbers) != 2:
        text.fail(f"{head.shown!r} is not a problem line", head.line, PROBLEM)
    vertices, arcs = numbers
    if not 1 <= vertices <= MOST_VERTICES:
        text.fail(f"{vertices} vertices are outside 1 to {MOST_VERTICES}", head.line, PROBLEM)
    return head, vertices, arcs


def _check_arcs(text: Text, words: Words) -> None:
    heads, widths = words.rows()
    single = heads.stop - heads.start == 1
    stray = np.flatnonzero(~single | (heads.first_bytes() != ord("a")))
    if len(stray):
        heads.fail(int(stray[0]), lambda word: f"{word!r} begins no arc and no comment", ARC)
    wrong = np.flatnonzero((widths < 3) | (widths > 4))
    if len(wrong):
        found = count(int(widths[wrong[0]]) - 1, "number")
        text.fail(f"an arc has {found} instead of 3", int(heads.line[wrong[0]]), ARC)
