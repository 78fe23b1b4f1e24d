"""Frames as tables: every line and every style is kept once, however many frames show it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from gpubfs.show.traces.files.paint import DARK, LIGHT, Scheme, painted
from gpubfs.show.traces.files.styled import runs
from gpubfs.show.traces.steppable import Steppable

if TYPE_CHECKING:
    from rich.style import Style
    from rich.text import Text


T = TypeVar("T")

#: Printers have light paper.
ON_DARK = "@media screen and (prefers-color-scheme: dark)"


class Numbers(dict[T, int]):
    """Numbers of things, from 0 in the order in which they are first asked for.

    >>> numbers = Numbers()
    >>> numbers["a"], numbers["b"], numbers["a"]
    (0, 1, 0)
    """

    def __missing__(self, thing: T) -> int:
        self[thing] = len(self)
        return self[thing]


class Book:
    """The frames of a trace, as the tables that page.js reads, and their styles.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    width, height : int
        Characters of a line and lines of a frame.
    """

    def __init__(self, show: Steppable, width: int, height: int) -> None:
        self._styles: Numbers[Style] = Numbers()
        self._classes: Numbers[str] = Numbers()
        self._lines: Numbers[tuple[int | str, ...]] = Numbers()
        self._known_kinds: dict[tuple[Style, int], int] = {}
        self._known_lines: dict[tuple[Any, ...], int] = {}
        self._frames = [
            [self._line(line) for line in show.frame(at, width, height)] for at in range(len(show))
        ]

    def rows(self) -> int:
        """How many lines the longest frame has."""
        return max(map(len, self._frames), default=0)

    def tables(self) -> dict[str, list[Any]]:
        """Classes as HTML names them; lines as class, text, class, text…; frames as lines."""
        return {
            "classes": list(self._classes),
            "lines": list(self._lines),
            "frames": self._frames,
        }

    def rules(self) -> str:
        """Return what the classes look like, in CSS, on light paper and on dark."""
        return f"{self._rules(LIGHT)}{ON_DARK} {{\n{self._rules(DARK)}}}\n"

    def _rules(self, scheme: Scheme) -> str:
        return "".join(
            f".style-{number} {{ {declarations(style, scheme)} }}\n"
            for style, number in self._styles.items()
        )

    def _line(self, line: Text) -> int:
        key = line.plain, line.style, *line.spans
        if key not in self._known_lines:
            self._known_lines[key] = self._lines[tuple(chain.from_iterable(self._pairs(line)))]
        return self._known_lines[key]

    def _pairs(self, line: Text) -> Iterator[tuple[int, str]]:
        for text, style, cells in runs(line):
            if (style, cells) not in self._known_kinds:
                self._known_kinds[style, cells] = self._classes[self._kind(style, cells)]
            yield self._known_kinds[style, cells], text

    def _kind(self, style: Style, cells: int) -> str:
        """Return the classes of a run, as HTML names them."""
        kinds = {
            f"style-{self._styles[style]}" if style else "": True,
            "marked": painted(style, LIGHT)[1],
            f"cells-{cells}": cells,
        }
        return " ".join(kind for kind, holds in kinds.items() if kind and holds)


def declarations(style: Style, scheme: Scheme) -> str:
    """Return a style in CSS.

    >>> from rich.style import Style
    >>> declarations(Style.parse("bold red"), LIGHT)
    'color: #800000; font-weight: bold'
    """
    front, behind = painted(style, scheme)
    below, through = style.underline, style.strike
    wanted = {
        f"color: {front.hex}": True,
        f"background: {behind.hex if behind else 'none'}": behind,
        "font-weight: bold": style.bold,
        "font-style: italic": style.italic,
        "text-decoration-line: underline": below,
        "text-decoration-line: line-through": through,
        "text-decoration-line: underline line-through": below and through,
    }
    return "; ".join(declaration for declaration, holds in wanted.items() if holds)
