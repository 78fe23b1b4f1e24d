"""A page of HTML that shows every step of a trace, with a slider."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from gpubfs.show.traces.files.picture import DARK, LIGHT, Scheme, painted
from gpubfs.show.traces.files.styled import HEIGHT, WIDTH, runs, seen
from gpubfs.show.traces.steppable import Steppable

if TYPE_CHECKING:
    from rich.style import Style
    from rich.text import Text

# Frames as tables: every line and every style is kept once, however many frames show it.


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


# A trace as one page for a browser: a slider, buttons and keys; it needs nothing but itself.


#: Pixels of a line in a frame, and of everything above the frame and around it.
LINE, AROUND = 16.1, 150


def page(show: Steppable, width: int = WIDTH, height: int = HEIGHT) -> str:
    """All steps as one page of HTML, which loads nothing else.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    width, height : int
        Characters of a line and lines of a frame.

    Returns
    -------
    str
        The page; it works as a file, from a server and inside another page. Where it has an
        address, ``#step=12`` at its end is the step.
    """
    book = Book(show, width, height)
    parts = {
        "title": html.escape(seen(show.title)),
        "style": _variables(width, book.rows()) + _part("page.css") + book.rules(),
        "last": str(len(show) - 1),
        "data": _embedded({**book.tables(), "moves": _moves(show)}),
        "script": _part("page.js"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _part("page.html"))


def notebook(show: Steppable, width: int = WIDTH, height: int = HEIGHT) -> str:
    """Return the page as a part of another one, which it can neither read nor change.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    width, height : int
        Characters of a line and lines of a frame.

    Returns
    -------
    str
        An HTML element for a notebook, high enough for a whole frame.
    """
    inside = page(show, width, height).replace("&", "&amp;").replace("'", "&#39;")
    title = html.escape(seen(show.title))
    size = f"width: 100%; height: {height * LINE + AROUND:.0f}px; border: 0"
    head = f'title="{title}" sandbox="allow-scripts" style="{size}"'
    return f"<iframe {head} srcdoc='{inside}'></iframe>"


def _variables(columns: int, rows: int) -> str:
    def colours(scheme: Scheme) -> str:
        return f"--ink: {scheme.ink.hex}; --paper: {scheme.paper.hex};"

    return (
        f":root {{ {colours(LIGHT)} --columns: {columns}; --rows: {rows}; }}\n"
        f"{ON_DARK} {{ :root {{ {colours(DARK)} }} }}\n"
    )


def _moves(show: Steppable) -> dict[str, list[int]]:
    """Where each step leads, by the names that page.js gives to the ways."""
    ways = {
        "back": show.back,
        "next": show.onward,
        "previousLevel": show.previous_level,
        "nextLevel": show.next_level,
    }
    return {name: [way(at) for at in range(len(show))] for name, way in ways.items()}


def _embedded(data: object) -> str:
    """Return data as JSON in which no element of HTML begins or ends."""
    compact = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return compact.replace("<", "\\u003c")


def _part(name: str) -> str:
    return resources.files("gpubfs.show.traces.files").joinpath(name).read_text(encoding="utf-8")
