"""The pictures of the README and the lessons, and the code that draws each anew.

`PICTURES` says for every file how its content is made, from the kernels as they are. The command
`gpubfs pictures` draws them all, and a test compares those that ship with what it draws.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

from gpubfs.show.traces import Pair, Trace, trace
from gpubfs.show.traces.files.animation import animation
from gpubfs.show.traces.files.picture import svg

FOLDER = Path(__file__).parent


def contention() -> str:
    """Scan-free on kron:8: the lanes of a warp wait for each other at the tail of the queue."""
    found = trace("scan-free", "kron:8", levels=range(1, 2))
    busiest = max(range(len(found)), key=lambda at: _waiting(found, at))
    return svg(found, busiest, 100, 34)


def coalescing() -> str:
    """Strided-scan beside double-scan on kron:8: the same elements, many sectors and few."""
    graph, level = "kron:8", range(2, 3)
    pair = Pair(
        trace("strided-scan", graph, levels=level), trace("double-scan", graph, levels=level)
    )
    loading = next(at for at in range(len(pair)) if _loading(pair, at) == 2)
    return svg(pair, loading, 160, 34)


def search() -> str:
    """Scan-free on a small grid: what a warp of eight lanes asks of memory in one level."""
    found = trace("scan-free", "grid:5x4", 0, device="toy8", block=8, levels=range(2, 3))
    steps = [at for at in range(len(found)) if found.scene(at).accesses]
    return animation(found, steps, width=100, height=30)


#: Files of this folder, and how their content is made.
PICTURES: dict[str, Callable[[], str]] = {
    "search.svg": search,
    "contention.svg": contention,
    "coalescing.svg": coalescing,
}


def draw() -> list[Path]:
    """Draw all pictures; the files."""
    made = []
    for name, picture in PICTURES.items():
        path = FOLDER / name
        path.write_text(picture(), encoding="utf-8", newline="\n")
        made.append(path)
    return made


def texts(svg: str) -> list[str]:
    """Return the text of a picture, by which it is told whether it is of today.

    Examples
    --------
    >>> texts('<svg><text x="1">a &lt; b</text><text>c</text></svg>')
    ['a < b', 'c']
    """
    return [html.unescape(found) for found in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def stale() -> list[str]:
    """Return the names of the pictures that do not show what would be drawn now."""
    return [
        name
        for name, picture in PICTURES.items()
        if not (FOLDER / name).exists()
        or texts((FOLDER / name).read_text(encoding="utf-8")) != texts(picture())
    ]


def _loading(pair: Pair, at: int) -> int:
    """How many of both load statuses in a step."""
    return sum(line.plain.count("load level") for line in pair.frame(at, 160, 34))


def _waiting(found: Trace, at: int) -> int:
    """Return the most lanes that one address of an atomic serves one after another in a step."""
    scene = found.scene(at)
    asked = [access for access in scene.accesses if access.site.kind == "atomic"]
    return max((len(lanes) for access in asked for _, lanes in access.groups()), default=0)
