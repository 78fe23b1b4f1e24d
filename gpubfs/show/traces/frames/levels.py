"""The part of a frame that shows the graph: its vertices by level, and the edges looked along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from gpubfs.graphs import Graph
from gpubfs.render.sheets import bar
from gpubfs.show.traces.frames.arrays import STATUS
from gpubfs.show.traces.frames.palette import HERE, WEAK, cut, of_level, rule, styled
from gpubfs.show.traces.frames.scene import Scene

if TYPE_CHECKING:
    from numpy.typing import NDArray


def levels(scene: Scene, width: int, height: int) -> list[Text]:
    """Return a heading, the edges that the warp looks along now, and a line a level."""
    graph = scene.graph
    status = None if graph is None else _status(scene, graph)
    if graph is None or status is None or height < 1:
        return []
    edges = _edges(scene, graph)
    visited = int((status >= 0).sum())
    title = f"graph: {visited:,} of {status.size:,} vertices visited"
    result = [rule(title, width, edges)]
    found = range(int(status.max()) + 1)
    if height < 3 or len(found) + 1 > height - 1:
        return [result[0], cut(_in_one_line(scene, status, width), width)][:height]
    longest = max((int((status == level).sum()) for level in found), default=1)
    for level in found:
        members = np.flatnonzero(status == level)
        result.append(cut(_level(scene, level, members, longest, width), width))
    return result[:height]


def _status(scene: Scene, graph: Graph) -> NDArray[np.int32] | None:
    for array in scene.launch.arrays:
        if STATUS in (array.label, array.name):
            values = scene.cursor.contents(array)[0]
            return values[: graph.vertices]
    return None


def _in_one_line(scene: Scene, status: NDArray[np.int32], width: int) -> Text:
    """Levels between bars, with their vertices or, where they are many, how many."""
    line = Text()
    sizes = [int((status == level).sum()) for level in range(int(status.max()) + 1)]
    few = sum(sizes) * (len(str(status.size)) + 1) + 6 * len(sizes) < width
    for level in range(len(sizes)):
        line.append(" │ " if level else "", WEAK)
        line.append(f"{level}: ", HERE if level == scene.position.level else WEAK)
        members = " ".join(map(str, np.flatnonzero(status == level)))
        line.append(members if few else f"{sizes[level]:,}", of_level(level))
    return line


def _level(scene: Scene, level: int, members: NDArray[np.int64], longest: int, width: int) -> Text:
    """One level: its vertices, or a bar as long as they are many."""
    mark = "▶" if level == scene.position.level else " "
    line = styled(f"{mark} level {level:<4}", HERE if mark == "▶" else "")
    listed = " ".join(map(str, members))
    if len(listed) <= width - line.cell_len:
        return line.append(listed, of_level(level))
    line.append(f"{members.size:>7,} ", of_level(level))
    room = max(width - line.cell_len, 1)
    return line.append(bar(members.size / longest, room), of_level(level))


def _edges(scene: Scene, graph: Graph) -> str:
    """Return the edges whose ends the warp loads in this step."""
    arrays = {array.label: array for array in scene.launch.arrays}
    if "neighbours" not in arrays:
        return ""
    found = []
    start, size = arrays["neighbours"].address, arrays["neighbours"].dtype.itemsize
    for access in scene.accesses:
        for address in access.addresses.tolist():
            edge = (address - start) // size
            if access.site.kind == "load" and 0 <= edge < graph.neighbours.size:
                tail = int(np.searchsorted(graph.offsets, edge, "right")) - 1
                found.append(f"{tail}→{graph.neighbours[edge]}")
    more = len(found) - 4
    return "  ".join(found[:4]) + (f"  … {more} more" if more > 0 else "")
