"""Text in lines that use the width there is: parts one behind the other, broken where needed."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text


def flow(parts: Iterable[Text], width: int, indent: int = 0) -> list[Text]:
    """Return the parts in lines of at most `width` cells; what is longer than a line is broken.

    >>> [line.plain for line in flow(map(Text, ["one ", "two ", "three"]), 8)]
    ['one two ', 'three']
    """
    lines, line = [], Text()
    for part in parts:
        if line.plain.strip() and line.cell_len + len(part.plain.rstrip()) > width:
            lines.append(line)
            line = Text(" " * min(indent, width // 2))
        line.append_text(part)
    return [piece for whole in [*lines, line] for piece in broken(whole, width)]


def words(text: Text, width: int, indent: int = 0) -> list[Text]:
    """Return the text in lines that end between words.

    >>> [line.plain for line in words(Text("as many as fit"), 8, 1)]
    ['as many ', ' as fit']
    """
    return flow(text.split(" ", include_separator=True), width, indent)


def broken(line: Text, width: int) -> list[Text]:
    """Return a line in pieces of at most `width` cells; blanks at its end need no room."""
    pieces, width = [], max(width, 1)
    while len(line.plain.rstrip()) > width:
        piece, line = line.divide([width])
        pieces.append(piece)
    line.truncate(width)
    return [*pieces, line]
