"""A page that stands by itself: one style for all pages on a class, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

STYLE = Path(__file__).with_name("page.css")


def document(title: str, heading: str, body: Iterable[str]) -> str:
    """Return a page in HTML, without scripts, which loads nothing.

    Parameters
    ----------
    title : str
        What the browser's window is called.
    heading : str
        What the page begins with.
    body : iterable of str
        Its parts in HTML; empty ones are left out.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>"
        f"<style>\n{STYLE.read_text('utf-8')}</style></head>\n"
        f"<body><main><h1>{escape(heading)}</h1>\n"
        + "\n".join(filter(None, body))
        + "\n</main></body></html>\n"
    )


def figures(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the numbers that one wants first, each with what it is below it."""
    cells = "".join(
        f"<div><dt>{escape(what)}</dt><dd>{escape(number)}</dd></div>" for number, what in pairs
    )
    return f'<dl class="figures">{cells}</dl>'
