"""Heat: how much of a cost a line has, as a mark and a colour that any background bears."""

from __future__ import annotations

#: From which share of the whole on a line is warm, and from which it is hot.
WARM, HOT = 0.05, 0.25

#: What stands in front of a line's number; a mark tells what the colour does.
MARKS = ("", "►", "►►")

#: The same in colours of a terminal, whose background is unknown: its own red and yellow.
STYLES = ("", "yellow", "bold red")

#: On a page a colour that lets the paper through, and a bar at the side, print included.
_PAGE = (
    "",
    "background:rgba(230,159,0,.16);border-left:4px solid #e69f00",
    "background:rgba(213,94,0,.24);border-left:4px solid #d55e00",
)


def heat(share: float) -> int:
    """Return the heat of a share: 0, 1 where it is warm, 2 where it is hot.

    >>> heat(0.01), heat(0.05), heat(0.3)
    (0, 1, 2)
    """
    return (share >= WARM) + (share >= HOT)


def page_style(degree: int) -> str:
    """Return the style of a row of a page, as an attribute.

    >>> page_style(0)
    ''
    """
    return f' style="{_PAGE[degree]}"' if degree else ""
