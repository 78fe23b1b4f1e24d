"""The picture of a step: its figures, source, lanes, memory, arrays and levels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from gpubfs.graphs import Graph
from gpubfs.render.sheets import bar, figure, short
from gpubfs.show.traces.frames.arrays import MOST, STATUS, arrays, wanted
from gpubfs.show.traces.frames.lanes import lanes
from gpubfs.show.traces.frames.memory import memory
from gpubfs.show.traces.frames.palette import HERE, RULE, WEAK, WRONG, cut, of_level, rule, styled
from gpubfs.show.traces.frames.scene import Scene
from gpubfs.show.traces.remark import Remark

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.observe.trace import TracedArray, TracedLaunch
    from simulator.source import Span

# The first and the last line of a frame: where it is, and what has been counted so far.


def heading(scene: Scene, width: int) -> Text:
    """Return what runs, at which level, in which launch, and what is known of the level."""
    line = Text(" · ").join(headings(scene))
    return cut(line, width)


def headings(scene: Scene) -> list[Text]:
    """Return the parts of the heading."""
    launch = scene.launch
    blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    parts = [styled(scene.title, "bold")]
    if scene.graph is not None:
        parts.append(Text(f"level {scene.position.level}"))
    parts.append(Text(f"{launch.kernel}<<<{blocks}, {threads}>>>"))
    for name, known in scene.facts.items():
        if known is not None:
            parts.append(Text(f"{name} {known if isinstance(known, str) else figure(known)}"))
    return parts


def remarks(said: Sequence[Remark], at: int, width: int, height: int) -> list[Text]:
    """Return what is to be said of step `at`, then of the whole and of others, in `height` lines.

    Parameters
    ----------
    said : sequence of Remark
        What is to be said.
    at : int
        The step.
    width, height : int
        Cells of a line, and the most lines.
    """
    return [row for row, _ in remark_rows(said, at, width, height)]


def remark_rows(
    said: Sequence[Remark], at: int, width: int, height: int
) -> list[tuple[Text, Remark]]:
    """Return the same, each line with the remark that it is of."""
    rows: list[tuple[Text, Remark]] = []
    for remark in sorted(said, key=lambda r: 2 if r.at is None else r.at != at):
        parts = wrap(remark.told(at), max(width - 2, 8))
        lines = [styled("  " if n else "✗ ", WRONG).append(row) for n, row in enumerate(parts)]
        rows += [(line, remark) for line in lines]
    if len(rows) > height:
        rows = [
            *rows[: height - 1],
            *((row.append(" …"), of) for row, of in rows[height - 1 : height]),
        ]
    return rows[:height]


def totals(scene: Scene, width: int) -> Text:
    """Return requests and sectors so far, divergence and the share of lanes at work."""
    found = scene.totals
    parts = [_pair(found, kind) for kind in ("load", "store", "atomic")]
    line = f"Σ {' '.join(parts)} req/sect"
    apart, branches = found.get("divergent_branches", 0), found.get("branches", 0)
    line += f" · divergent {short(apart)}/{short(branches)}"
    steps = found.get("warp_steps", 0) * scene.launch.warp_size
    if steps:
        line += f" · lanes {100 * found.get('thread_steps', 0) / steps:.0f} %"
    if found.get("shared_requests"):
        line += f" · shared {short(found['shared_requests'])} req"
    return cut(Text(line, WEAK), width)


def _pair(found: dict[str, int], kind: str) -> str:
    requests, sectors = (found.get(f"{kind}_{what}", 0) for what in ("requests", "sectors"))
    return f"{kind} {short(requests)}/{short(sectors)}"


# The part of a frame that shows where in the source the warp is.


def source(scene: Scene, width: int, height: int) -> list[Text]:
    """Return a heading and the lines around the current one, which is marked."""
    span = scene.focus
    name = Path(span.source.name).name
    lines = span.source.text.expandtabs(1).splitlines()
    room = height - 1
    marks = 1 if _partly(span, lines) and room > 1 else 0
    shown = max(room - marks, 1)
    first = max(min(span.line - 1 - shown // 2, len(lines) - shown), 0)
    result = [rule(f"{name}", width)]
    for number in range(first + 1, min(first + shown, len(lines)) + 1):
        here = number == span.line
        mark = "▶" if here else " "
        line = styled(f"{mark}{number:4d} ", HERE if here else WEAK)
        line.append(lines[number - 1], HERE if here else "")
        result.append(cut(line, width))
        if here and marks:
            result.append(cut(_underline(span, lines), width))
    return result[:height]


def _end(span: Span, lines: list[str]) -> int:
    """Return the column behind what is executed in its first line."""
    whole = len(lines[span.line - 1].rstrip()) + 1
    return min(span.end_column, whole) if span.end_line == span.line else whole


def _partly(span: Span, lines: list[str]) -> bool:
    """Whether only a part of the line is executed."""
    text = lines[span.line - 1]
    begins = len(text) - len(text.lstrip()) + 1
    code = text.split("//")[0].rstrip(" ;")
    return span.column > begins or _end(span, lines) <= len(code)


def _underline(span: Span, lines: list[str]) -> Text:
    length = max(_end(span, lines) - span.column, 1)
    return styled(" " * (5 + span.column) + "^" + "~" * (length - 1), HERE)


# The part of a frame that shows the graph: its vertices by level, and the edges looked along.


def levels(scene: Scene, width: int, height: int) -> list[Text]:
    """Return a heading, the edges that the warp looks along now, and a line a level."""
    graph = scene.graph
    status = None if graph is None else levels_now(scene, graph)
    if graph is None or status is None or height < 1:
        return []
    edges = _edges(scene, graph)
    visited = int((status >= 0).sum())
    title = f"graph: {visited:,} of {status.size:,} vertices visited"
    result = [rule(title, width, edges)]
    found = range(int(status.max()) + 1)
    if height < 3 or len(found) + 1 > height - 1:
        return [result[0], cut(in_one_line(scene, status, width), width)][:height]
    longest = max((int((status == level).sum()) for level in found), default=1)
    for level in found:
        members = np.flatnonzero(status == level)
        result.append(cut(level_row(scene, level, members, longest, width), width))
    return result[:height]


def status_array(launch: TracedLaunch) -> TracedArray | None:
    """Return the array that holds the level of each vertex."""
    return next((a for a in launch.arrays if STATUS in (a.label, a.name)), None)


def levels_now(scene: Scene, graph: Graph) -> NDArray[np.int32] | None:
    """Return the level of each vertex, -1 of those not visited; None without a status array."""
    array = status_array(scene.launch)
    if array is None:
        return None
    values: NDArray[np.int32] = scene.cursor.contents(array)[0]
    return values[: graph.vertices]


def in_one_line(scene: Scene, status: NDArray[np.int32], width: int) -> Text:
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


def level_row(
    scene: Scene, level: int, members: NDArray[np.int64], longest: int, width: int
) -> Text:
    """One level: its vertices, or a bar as long as they are many."""
    mark = "▶" if level == scene.position.level else " "
    line = styled(f"{mark} level {level:<4}", HERE if mark == "▶" else "")
    listed = " ".join(map(str, members))
    if len(listed) <= width - line.cell_len:
        return line.append(listed, of_level(level))
    line.append(f"{members.size:>7,} ", of_level(level))
    room = max(width - line.cell_len, 1)
    return line.append(bar(members.size / longest, room), of_level(level))


def edges(scene: Scene, graph: Graph) -> list[int]:
    """Return the edges whose ends the warp loads in this step, as elements of `neighbours`."""
    addresses = [access.addresses for access in scene.accesses if access.site.kind == "load"]
    if not addresses:
        return []
    arrays = [array for array in scene.launch.arrays if array.label == "neighbours"]
    if not arrays:
        return []
    every = addresses[0] if len(addresses) == 1 else np.concatenate(addresses)
    found = (every - arrays[-1].address) // arrays[-1].dtype.itemsize
    inside: list[int] = found[(found >= 0) & (found < graph.neighbours.size)].tolist()
    return inside


def ends(scene: Scene, graph: Graph) -> list[tuple[int, int]]:
    """Return the tail and the head of each of these edges."""
    return [
        (int(np.searchsorted(graph.offsets, edge, "right")) - 1, int(graph.neighbours[edge]))
        for edge in edges(scene, graph)
    ]


def _edges(scene: Scene, graph: Graph) -> str:
    """Return the first of these edges with both their ends, and how many more there are."""
    found = [f"{tail}→{head}" for tail, head in ends(scene, graph)]
    more = len(found) - 4
    return "  ".join(found[:4]) + (f"  … {more} more" if more > 0 else "")


# A frame: its parts one below the other, each with as many lines as there are for it.


#: Lines that the source has at least and, where there is room, at most.
FEW, MANY = 4, 24
#: Lines for memory and graph from which on an array may have several.
SPACIOUS = 20
#: Columns from which on memory and graph stand beside the source and the warp.
WIDE = 150


def frame(scene: Scene, width: int, height: int) -> list[Text]:
    """Return the picture of a step in at most `height` lines of at most `width` cells."""
    said = remarks(scene.remarks, scene.position.at, width, height // 4)
    room = max(height - 2 - len(said), 0)
    if width < WIDE:
        below = _data(scene, width, room // 2)
        parts = [*_code(scene, width, room - len(below)), *below]
    else:
        left = width * 11 // 20
        parts = beside(_code(scene, left, room), _data(scene, width - left - 3, room), left)
    rows = [heading(scene, width), *said, *parts[:room], totals(scene, width)][:height]
    return [cut(row, width) for row in rows]  # no lane has room in the narrowest


def _code(scene: Scene, width: int, room: int) -> list[Text]:
    """Return the source, the warp and what it asks of memory."""
    warp = lanes(scene, width, max(min(room - FEW, max(7, room // 4)), 3))
    rest = room - len(warp)
    asked = memory(scene, width, max(rest // 2, min(2 * len(scene.accesses), rest - 3), 2))
    text = source(scene, width, max(min(room - len(warp) - len(asked), MANY), 2))
    return [*text, *warp, *asked]


def _data(scene: Scene, width: int, room: int) -> list[Text]:
    """Return the arrays and the graph."""
    most = MOST if room >= SPACIOUS else 1
    own = arrays(scene, width, max(min(wanted(scene, width, most), room - 2), 3))
    return [*own, *levels(scene, width, max(room - len(own), 2))]


def beside(left: list[Text], right: list[Text], width: int) -> list[Text]:
    """Lines beside others; the left ones have `width` cells."""
    rows = []
    for at in range(max(len(left), len(right))):
        row = left[at].copy() if at < len(left) else Text()
        row.append(" " * (width - row.cell_len)).append(" │ ", RULE)
        rows.append(row.append_text(right[at]) if at < len(right) else row)
    return rows
