"""Colours for the source: lines of CUDA C, each piece in the style of what it is."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from simulator.source import Source

WORDS = frozenset(
    "if else for while do switch case default break continue return goto sizeof struct enum union "
    "typedef static const volatile extern inline template typename using namespace class public "
    "private operator true false nullptr".split()
)
TYPES = frozenset(
    "void bool char short int long signed unsigned float double auto int8_t int16_t int32_t "
    "int64_t uint8_t uint16_t uint32_t uint64_t size_t offset_t vertex_t dim3".split()
)
STYLES = {
    "comment": "dim italic",
    "macro": "yellow",
    "string": "yellow",
    "number": "cyan",
    "word": "bold",
    "type": "green",
    "cuda": "magenta",
}

_CUDA = re.compile(r"__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic\w+")
_PIECE = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<macro>^[ \t]*\#[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)
    | (?P<number>\b\d[\w.]*)
    | (?P<name>[A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@lru_cache(maxsize=32)
def coloured(source: Source) -> tuple[Text, ...]:
    """Return the lines of a source; a tabulator is as wide as one character."""
    text = Text("\n".join(source.lines).expandtabs(1))
    for piece in _PIECE.finditer(text.plain):
        kind = kind_of(piece)
        if kind:
            text.stylize(STYLES[kind], *piece.span())
    return tuple(text.split("\n", allow_blank=True))


def kind_of(piece: re.Match[str]) -> str:
    """Return the name of a piece's style; empty for names that mean nothing here."""
    if piece.lastgroup != "name":
        return str(piece.lastgroup)
    word = piece[0]
    if word in WORDS:
        return "word"
    if word in TYPES:
        return "type"
    return "cuda" if _CUDA.fullmatch(word) else ""
