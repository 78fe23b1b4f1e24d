"""All panes, in the order in which Tab leads through them."""

from __future__ import annotations

from dataclasses import dataclass

from gpubfs.show.traces.terminal.panes.counters import counters
from gpubfs.show.traces.terminal.panes.graph import graph
from gpubfs.show.traces.terminal.panes.memory import memory
from gpubfs.show.traces.terminal.panes.moment import Draw
from gpubfs.show.traces.terminal.panes.requests import requests
from gpubfs.show.traces.terminal.panes.source import source
from gpubfs.show.traces.terminal.panes.warp import warp


@dataclass(frozen=True)
class Kind:
    """A pane's heading, what draws it, and its share of the lines of a column.

    Attributes
    ----------
    title : str
        What its heading says.
    draw : callable or None
        What draws it; None for the timeline, which is of all steps.
    weight : int
        How many lines it gets of those that are left, compared to others.
    least, most : int
        Lines that it gets before others, and lines that are enough.
    """

    title: str
    draw: Draw | None
    weight: int
    least: int
    most: int = 1000


KINDS = {
    "source": Kind("source", source, 4, 4),
    "warp": Kind("warp", warp, 3, 5),
    "requests": Kind("memory operations", requests, 2, 4, 12),
    "memory": Kind("memory", memory, 4, 6),
    "graph": Kind("graph", graph, 4, 6),
    "counters": Kind("counters", counters, 3, 5, 14),
    "timeline": Kind("timeline", None, 0, 4, 4),
}
