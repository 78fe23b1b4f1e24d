"""A trace as one page for a browser: a slider, buttons and keys; it needs nothing but itself."""

from __future__ import annotations

import html
import json
import re
from importlib import resources

from gpubfs.show.traces.files.book import ON_DARK, Book
from gpubfs.show.traces.files.paint import DARK, LIGHT, Scheme
from gpubfs.show.traces.files.styled import HEIGHT, WIDTH, seen
from gpubfs.show.traces.steppable import Steppable

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
