"""One text out of a source and all that it includes, without macros, and where each word was."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.ir.matrices import MATRIX_HEADER
from simulator.read.grammar import escaped
from simulator.read.preprocess import Preprocessor
from simulator.source import Source, Span, Token

#: Headers whose words are not known to NVRTC without them.
NEEDED = (
    *("cooperative_groups", "cuda/", "cuda_awbarrier", "cuda_pipeline", "curand_kernel.h"),
    *("cuda_fp16.h", "cuda_bf16.h", MATRIX_HEADER),
)

#: What begins a line of its own, whatever stands before.
_PRAGMA = "UNROLL"
#: What may hold any character; names are written in ASCII, as NVRTC takes them.
_QUOTED = ("STRING", "CHARACTER")
#: What stands for constants that NVRTC takes as no number.
_UNWRITABLE = {"1e999F": "INFINITY", "1e999": "((double)INFINITY)"}


@dataclass(frozen=True)
class Flat:
    """A text without includes and macros.

    Attributes
    ----------
    source : Source
        The text.
    starts, spans
        Where each word begins in it, in characters, and where it was.
    """

    source: Source
    starts: tuple[int, ...]
    spans: tuple[Span, ...]

    def origin(self, span: Span) -> Span:
        """Where a stretch of the text was."""
        first, last = (
            self.offset(span.line, span.column),
            self.offset(span.end_line, span.end_column),
        )
        begin = bisect.bisect_right(self.starts, first) - 1
        end = bisect.bisect_left(self.starts, last) - 1
        return self.spans[begin].to(self.spans[max(begin, end)])

    def offset(self, line: int, column: int) -> int:
        """Return the number of the character in a line and column, counted from 1."""
        return self._lines[line - 1] + column - 1

    @property
    def _lines(self) -> list[int]:
        found: list[int] | None = self.__dict__.get("_line_starts")
        if found is None:
            found = [0]
            for line in self.source.text.split("\n"):
                found.append(found[-1] + len(line) + 1)
            object.__setattr__(self, "_line_starts", found)
        return found


def flatten(source: Source, defines: Mapping[str, str], headers: Mapping[str, str]) -> Flat:
    r"""Carry out all directives of a source; headers that NVRTC needs are included at the start.

    What the simulator has of these in texts of its own is left out.

    Examples
    --------
    >>> text = "#define N 4\n__device__ int four() { return N; }"
    >>> flat = flatten(Source(text), {}, {})
    >>> flat.source.text
    '__device__ int four ( ) { return 4 ; }\n'
    """
    preprocessor = Preprocessor(defines, headers)
    tokens = list(preprocessor.tokens(source))
    writer = _Writer()
    for header in sorted(preprocessor.included):
        if header.startswith(NEEDED):
            writer.line(f"#include <{header}>")
    for token in tokens:
        source = token.span.source
        if not (source.library and source.name[1:].startswith(NEEDED)):
            writer.word(token)
    return Flat(Source(writer.end(), source.name), tuple(writer.starts), tuple(writer.spans))


class _Writer:
    """Puts words one behind another, on lines as they were."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.spans: list[Span] = []
        self._parts: list[str] = []
        self._length = 0
        self._place: tuple[int, int] | None = None

    def line(self, text: str) -> None:
        """Write a line of its own."""
        self._put(f"{text}\n")
        self._place = None

    def word(self, token: Token) -> None:
        """One token; a pragma gets a line."""
        place = id(token.span.source), token.span.line
        if self._place is not None:
            self._put(" " if place == self._place and token.type != _PRAGMA else "\n")
        self.starts.append(self._length)
        self.spans.append(token.span)
        if token.type == _PRAGMA:
            self.line(f"#pragma unroll {token.text}".rstrip())
        else:
            text = _UNWRITABLE.get(token.text, token.text)
            self._put(text if token.type in _QUOTED else escaped(text))
            self._place = place

    def end(self) -> str:
        """Return the text."""
        return "".join(self._parts) + ("\n" if self._place is not None else "")

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
