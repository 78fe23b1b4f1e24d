"""The pane of the source: its syntax in colours, the executed part marked, and what lines cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from gpubfs.render.sheets import short
from gpubfs.show.traces.frames.palette import HERE, TOUCHED, WEAK, styled
from gpubfs.show.traces.terminal.panes.flow import flow
from gpubfs.show.traces.terminal.panes.moment import Content, Moment, clickable
from gpubfs.show.traces.terminal.panes.syntax import coloured

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.course import Course
    from simulator.source import Source, Span

#: Heights of a line's heat, from the least on.
BARS = "▁▂▃▄▅▆▇█"
#: Cells of a pane from which on heat has its number beside it.
NUMBERED = 50
#: Blanks before what is continued.
CONTINUED = 4


def source(moment: Moment, width: int, height: int) -> Content:
    """Return the whole file, a line that is too long in several."""
    span = moment.scene.focus
    heat = Heat(moment.subject.course, span.source)
    lines: list[Text] = []
    focus = range(0)
    for number, code in enumerate(coloured(span.source), 1):
        rows = _rows(number, code, span, heat, width)
        rows[0].stylize(clickable("line", moment.track, number))
        if number == span.line:
            focus = range(len(lines), len(lines) + len(rows))
        lines += rows
    return Content(lines, Path(span.source.name).name, focus)


def _rows(number: int, code: Text, span: Span, heat: Heat, width: int) -> list[Text]:
    here = span.line <= number <= span.end_line
    gutter = styled("▶" if number == span.line else " ", HERE)
    gutter.append(f"{number:4d} ", HERE if here else WEAK)
    gutter.append_text(heat.mark(number, width >= NUMBERED))
    if here:
        begin, end = executed(code.plain, number, span)
        lit = Text(code.plain[begin:end], TOUCHED)
        code = Text().join([code[:begin], lit, code[end:]])
    room = max(width - gutter.cell_len, 8)
    first, *rest = _between_words(code, room)
    rows = [gutter.append_text(first)]
    blank = " " * (width - room)
    return rows + [Text(blank).append_text(row) for row in rest]


def _between_words(code: Text, width: int) -> list[Text]:
    """Return code in lines that end between words, those behind the first further to the right."""
    if code.cell_len <= width:
        return [code]
    begin = len(code.plain) - len(code.plain.lstrip())
    if begin > width // 3:  # what is far to the right in its file begins further to the left
        code = code.divide([begin - width // 3])[1]
        begin = width // 3
    if code.cell_len <= width:
        return [code]
    indent, rest = code.divide([begin])
    first = flow([indent, *rest.split(" ", include_separator=True)], width)[0]
    ends = len(first.plain.rstrip())
    ends += len(code.plain[ends:]) - len(code.plain[ends:].lstrip())
    by = min(begin + CONTINUED, width // 2)
    lines = flow(code.divide([ends])[1].split(" ", include_separator=True), width - by)
    return [first, *(Text(" " * by).append_text(line) for line in lines)]


def executed(text: str, number: int, span: Span) -> tuple[int, int]:
    """Return where what is executed begins and ends in one of its lines, counted from 0."""
    begin = span.column - 1 if number == span.line else len(text) - len(text.lstrip())
    end = span.end_column - 1 if number == span.end_line else len(text.rstrip())
    return begin, min(end, len(text.rstrip()))


class Heat:
    """What lines of a source have cost in the whole trace, as far as that is known.

    Parameters
    ----------
    course : Course
        What is known of all steps.
    source : Source
        The source.
    """

    def __init__(self, course: Course, source: Source) -> None:
        self.course = course
        self.source = source
        self.most = max(1, *course.sectors.values()) if course.sectors else 1
        own = [place[1] for place in course.ran if place[0] == source]
        self.width = max((len(self._figure(line)) for line in own), default=0)

    def mark(self, line: int, numbered: bool) -> Text:
        """Return a bar, as high as the line has moved many sectors, and how many it has moved.

        Of a line without any there stands instead how often it ran.
        """
        moved = self.course.sectors[self.source, line]
        bar = BARS[min(len(BARS) * moved // (self.most + 1), len(BARS) - 1)] if moved else " "
        text = styled(bar, "red")
        if numbered:
            text.append(f"{self._figure(line):>{self.width}}", "red" if moved else WEAK)
        return text.append(" ")

    def _figure(self, line: int) -> str:
        moved, ran = self.course.sectors[self.source, line], self.course.ran[self.source, line]
        return short(moved) if moved else f"{short(ran)}×" if ran else ""
