"""The part of a frame that shows where in the source the warp is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from gpubfs.show.traces.frames.palette import HERE, WEAK, cut, rule, styled
from gpubfs.show.traces.frames.scene import Scene

if TYPE_CHECKING:
    from simulator.source import Span


def source(scene: Scene, width: int, height: int) -> list[Text]:
    """Return a heading and the lines around the current one, which is marked."""
    span = scene.focus
    name = Path(span.source.name).name
    lines = span.source.text.expandtabs(1).splitlines()
    room = height - 1
    marks = 1 if _partly(span, lines) and room > 1 else 0
    shown = max(room - marks, 1)
    first = max(min(span.line - 1 - shown // 2, len(lines) - shown), 0)
    result = [rule(f"{name}", width)]
    for number in range(first + 1, min(first + shown, len(lines)) + 1):
        here = number == span.line
        mark = "▶" if here else " "
        line = styled(f"{mark}{number:4d} ", HERE if here else WEAK)
        line.append(lines[number - 1], HERE if here else "")
        result.append(cut(line, width))
        if here and marks:
            result.append(cut(_underline(span, lines), width))
    return result[:height]


def _end(span: Span, lines: list[str]) -> int:
    """Return the column behind what is executed in its first line."""
    whole = len(lines[span.line - 1].rstrip()) + 1
    return min(span.end_column, whole) if span.end_line == span.line else whole


def _partly(span: Span, lines: list[str]) -> bool:
    """Whether only a part of the line is executed."""
    text = lines[span.line - 1]
    begins = len(text) - len(text.lstrip()) + 1
    code = text.split("//")[0].rstrip(" ;")
    return span.column > begins or _end(span, lines) <= len(code)


def _underline(span: Span, lines: list[str]) -> Text:
    length = max(_end(span, lines) - span.column, 1)
    return styled(" " * (5 + span.column) + "^" + "~" * (length - 1), HERE)
