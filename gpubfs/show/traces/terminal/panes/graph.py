"""The pane of the graph: its vertices drawn with their levels, and what the warp looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from gpubfs.show.traces.frames.accessed import AccessedArrays
from gpubfs.show.traces.frames.arrays import MARKS
from gpubfs.show.traces.frames.frame import (
    ends,
    in_one_line,
    level_row,
    levels_now,
    status_array,
)
from gpubfs.show.traces.frames.palette import CHANGED, TOUCHED, UNVISITED, WEAK, of_level, styled
from gpubfs.show.traces.terminal.panes.canvas import Canvas
from gpubfs.show.traces.terminal.panes.flow import flow, words
from gpubfs.show.traces.terminal.panes.moment import Content, Moment
from gpubfs.show.traces.terminal.panes.placing import Labels, placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.graphs import Graph
    from gpubfs.show.traces.frames.scene import Scene

#: The most vertices that are drawn, and the least lines for a drawing.
MOST, LEAST = 48, 4
#: What an edge is drawn in that the warp looks along, and what stands for a vertex not visited.
ALONG, NOWHERE = "•", "·"
#: Lines from which on levels have one each below the drawing.
ROOMY = 16


def graph(moment: Moment, width: int, height: int) -> Content:
    """Return the drawing, the edges that the warp looks along, and the levels."""
    scene, searched = moment.scene, moment.scene.graph
    status = None if searched is None else levels_now(scene, searched)
    if searched is None or status is None:
        return Content([], "this kernel is given no status array")
    below = [*_edges(scene, searched, width), *_levels(scene, status, width, height)]
    drawn = _drawing(moment, searched, status, width, height - len(below))
    if not drawn:
        below = [*_edges(scene, searched, width), *_levels(scene, status, width, 2 * ROOMY)]
    visited = int((status >= 0).sum())
    note = f"{visited:,} of {status.size:,} vertices visited"
    return Content([*drawn, *below], note)


def _edges(scene: Scene, searched: Graph, width: int) -> list[Text]:
    """Return the edges that the warp looks along, or how many they are; always a line."""
    found = ends(scene, searched)
    if not found:
        return [styled("no edge is looked along", WEAK)]
    parts = [styled("looked along:  ", WEAK)]
    parts += [styled(f"{tail}→{head}  ", "bold") for tail, head in found]
    lines = flow(parts, width, 2)
    many = f"{len(found)} edges are looked along"
    return lines if len(lines) < 3 else words(styled(many, "bold"), width)


def _levels(scene: Scene, status: NDArray[np.int32], width: int, height: int) -> list[Text]:
    """Return a line for each level, or one for all."""
    count = int(status.max(initial=-1)) + 1
    if height < ROOMY or count > height // 3:
        return flow(in_one_line(scene, status, width).split("│", include_separator=True), width)
    members = [np.flatnonzero(status == level) for level in range(count)]
    longest = max((each.size for each in members), default=1)
    return [
        level_row(scene, level, members[level], max(longest, 1), width) for level in range(count)
    ]


def looked_at(scene: Scene) -> dict[int, bool]:
    """Return the vertices to whose level the warp's lanes go, and whether they write it."""
    status, found = status_array(scene.launch), dict[int, bool]()
    for access in scene.accesses if status is not None else ():
        arrays = AccessedArrays(scene, access)
        for address in access.addresses.tolist():
            extent = arrays.found[address]
            if status is not None and extent.start == status.address:
                vertex = (address - extent.start) // extent.size
                found[vertex] = found.get(vertex, False) or access.site.kind != "load"
    return found


def label(scene: Scene, vertex: int, level: int, looked: dict[int, bool]) -> str:
    """Return a vertex's number and its level; brackets around those of the frontier.

    Before it stands what the warp does to its level, as before elements of arrays.
    """
    mark = MARKS[looked[vertex]] if vertex in looked else ""
    text = f"{vertex}:{level if level >= 0 else NOWHERE}"
    return mark + (f"[{text}]" if level == scene.position.level else text)


def _drawing(
    moment: Moment, searched: Graph, status: NDArray[np.int32], width: int, height: int
) -> list[Text]:
    """Return the drawing, or nothing if the vertices have no room."""
    places = moment.subject.places
    if places is None or len(places) > MOST or height < LEAST:
        return []
    # Labels keep room for their largest form, so that vertices stay where they are.
    sizes = [
        len(str(vertex)) + len(str(max(len(places) - 1, 1))) + 4 for vertex in range(len(places))
    ]
    labels = placed(places, sizes, width, height)
    if labels is None:
        return []
    canvas = Canvas(width, height)
    _lines(canvas, labels, moment.scene, searched)
    looked = looked_at(moment.scene)
    for vertex, level in enumerate(status.tolist()):
        text = label(moment.scene, vertex, level, looked)
        style = of_level(level) if level >= 0 else UNVISITED
        if vertex in looked:
            style = f"{style} {CHANGED if looked[vertex] else TOUCHED}".replace(UNVISITED, "")
        elif level == moment.scene.position.level:
            style += " bold"
        canvas.write(labels.around(vertex, len(text)), text, style)
    return canvas.lines()


def _lines(canvas: Canvas, labels: Labels, scene: Scene, searched: Graph) -> None:
    """Draw the edges, and over them those that the warp looks along."""
    tails = np.repeat(np.arange(searched.vertices), np.diff(searched.offsets))
    for tail, head in zip(tails.tolist(), searched.neighbours.tolist(), strict=True):
        if tail != head:
            canvas.line(labels.middles[tail], labels.middles[head], WEAK)
    for tail, head in ends(scene, searched):
        canvas.line(labels.middles[tail], labels.middles[head], "bold", ALONG)
