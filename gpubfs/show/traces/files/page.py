"""A page of HTML that shows every step of a trace, and the same as a part of a notebook."""

from __future__ import annotations

import html
import re
from importlib import resources
from typing import TYPE_CHECKING

from gpubfs.show.traces.files.styled import seen
from gpubfs.show.traces.files.viewer.document import document

if TYPE_CHECKING:
    from gpubfs.show.traces.steppable import Steppable

#: The parts of the page, in the order in which they need each other.
SCRIPTS = (
    *("decode.js", "track.js", "dom.js", "source.js", "lanes.js", "requests.js", "arrays.js"),
    *("graph.js", "counters.js", "remarks.js", "timeline.js", "find.js", "main.js"),
)
STYLES = ("theme.css", "viewer.css", "panes.css", "forced.css")

#: Pixels of a page in a notebook, which are enough for all panes where these stand in columns.
HIGH = 860

#: What is said in the place of a page where a notebook may show no scripts.
UNTRUSTED = "the steps are shown when this cell has been run, or this notebook is trusted"


def page(show: Steppable, at: int | None = None) -> str:
    """All steps as one page of HTML, which loads nothing else.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    at : int, optional
        The step that it begins with, where its address names none; by default `begin`.

    Returns
    -------
    str
        The page; it works as a file, from a server and inside another page. Where it has an
        address, ``#step=12`` at its end is the step, and ``#level=2`` the first step of a level.
    """
    parts = {
        "title": html.escape(seen(show.title)),
        "style": "".join(map(_part, STYLES)),
        "data": document(show, show.begin if at is None else at),
        "script": "".join(map(_part, SCRIPTS)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _part("viewer.html"))


def notebook(show: Steppable) -> str:
    """Return the page as a part of another one, which it can neither read nor change.

    A script beside it tells the page whether the notebook around it is dark. What stands inside the
    frame is seen where a notebook is not trusted: there Jupyter takes frames and scripts away.

    Parameters
    ----------
    show : Steppable
        What is stepped through.

    Returns
    -------
    str
        HTML elements for a notebook.
    """
    inside = page(show).replace("&", "&amp;").replace("'", "&#39;")
    title = html.escape(seen(show.title))
    size = f"width: 100%; height: {HIGH}px; border: 0"
    head = f'title="{title}" sandbox="allow-scripts" style="{size}"'
    frame = f"<iframe {head} srcdoc='{inside}'>{title}: {UNTRUSTED}</iframe>"
    return f"{frame}<script>{_part('notebook.js')}</script>"


def _part(name: str) -> str:
    folder = resources.files("gpubfs.show.traces.files.viewer").joinpath("assets")
    return folder.joinpath(name).read_text(encoding="utf-8")
