"""Everything that a page knows of a trace: tables of texts and sources, and packed columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.show.traces.files.styled import seen
from gpubfs.show.traces.files.viewer.cells import Cells, Codes
from gpubfs.show.traces.files.viewer.columns import Numbers, Table, Whole, packed
from gpubfs.show.traces.files.viewer.drawing import MOST_DRAWN, drawing
from gpubfs.show.traces.files.viewer.facts import Facts, warps_shown
from gpubfs.show.traces.frames.course import contention
from gpubfs.show.traces.frames.frame import heading, status_array
from gpubfs.show.traces.frames.lanes import shown, warps
from gpubfs.show.traces.steppable import opening

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.scene import Scene
    from gpubfs.show.traces.remark import Remark
    from gpubfs.show.traces.steppable import Steppable, Traced
    from simulator.observe.trace import TracedLaunch, TracedStep
    from simulator.source import Source, Span

#: How many views a page has about; of longer traces it keeps the first warps of each step.
MOST_VIEWS = 250_000
#: How many warps of a step it keeps at most.
MOST_WARPS = 32
#: Wider than any heading.
WIDE = 10_000


def document(show: Steppable, at: int = 0) -> str:
    """Return all that a page knows of what is stepped through, from a step on, packed."""
    tables: dict[str, Any] = {"title": seen(show.title), "steps": len(show), "begin": at}
    tables["note"] = seen(opening(show, at, "Home leads to the first step"))
    tables["tracks"] = []
    columns: dict[str, Whole] = {"levels": np.asarray(show.levels, np.int64)}
    for number, (traced, steps) in enumerate(show.tracks):
        book = Book(traced)
        tables["tracks"].append(book.tables())
        own = {**book.columns(), "steps": np.asarray(steps, np.int64)}
        columns |= {f"{number}.{name}": values for name, values in own.items()}
    return packed(tables, columns)


def _place(warp: int, shown_warps: list[int]) -> int:
    """Return where a warp stands among those that are shown; of another one, the first."""
    return shown_warps.index(warp) if warp in shown_warps else 0


def _kept(traced: Traced) -> int | None:
    """Return how many warps of each step are kept of a trace with too many; None for all."""
    sizes = [_warps(launch, step) for launch in traced.launches for step in launch.steps]
    most = min(MOST_WARPS, max(1, MOST_VIEWS // len(sizes)))
    return most if sum(sizes) > MOST_VIEWS or max(sizes) > MOST_WARPS else None


def _warps(launch: TracedLaunch, step: TracedStep) -> int:
    """Return how many warps take part in a step."""
    whole = step.lanes // launch.warp_size
    return 1 + int(np.count_nonzero(whole[1:] != whole[:-1]))


class Book:
    """Every step of one trace, as tables and columns.

    Parameters
    ----------
    traced : Traced
        The trace.
    """

    def __init__(self, traced: Traced) -> None:
        self.traced = traced
        self.codes = Codes()
        self.cells = Cells(self.codes)
        self.kept = _kept(traced)
        self.facts = Facts(self.codes, self.cells)
        self.steps = Table()
        self._sources: Numbers[Source] = Numbers()
        self._spans: Numbers[tuple[Any, ...]] = Numbers()
        self._headings: dict[tuple[int, int], int] = {}
        self._launches: list[dict[str, Any]] = []
        self._totals: list[Mapping[str, int]] = []
        self._shapes: Whole = np.empty(0, np.int64)
        self._shape_log: list[tuple[int, int]] = []
        for at in range(len(traced)):
            self._step(traced.scene(at))

    def _step(self, scene: Scene) -> None:
        found, step = 0, scene.step
        if not scene.position.number:
            self._launches.append(self._begin(scene))
            found += self.cells.begin(scene.launch)
        found += self.cells.enter(scene.launch, step.wave)
        self._totals.append(scene.totals)
        every = warps_shown(scene, self.kept)
        views = self.facts.views_of(scene, every)
        self.steps.add(
            level=scene.position.level,
            focus=self._span(scene.focus),
            statement=self._span(step.span),
            heading=self._heading(scene),
            views=views,
            first=_place(scene.warp, every),
            contention=contention(scene.launch, step, self.facts.asked()),
            found=found,
            written=self.cells.step(scene.launch, step, scene.cursor),
            shapes=self._shape_changes(scene),
        )

    def _heading(self, scene: Scene) -> int:
        """Return the number of a step's heading, which is that of its level in its launch."""
        key = len(self._launches), scene.position.level
        if key not in self._headings:
            self._headings[key] = self.codes.texts[heading(scene, WIDE).plain]
        return self._headings[key]

    def _begin(self, scene: Scene) -> dict[str, Any]:
        launch = scene.launch
        status = None if scene.graph is None else status_array(launch)
        return {
            "begin": scene.position.at,
            "kernel": launch.kernel,
            "warpSize": launch.warp_size,
            "scalars": [[name, shown(value)] for name, value in launch.scalars.items()],
            "status": None if status is None else status.name,
        }

    def _span(self, span: Span) -> int:
        place = (span.line, span.column, span.end_line, span.end_column)
        return self._spans[self._sources[span.source], *place]

    def _shape_changes(self, scene: Scene) -> int:
        """Note which warps do something else than before; returns how many."""
        now = warps(scene)
        before, size = self._shapes, max(now.size, self._shapes.size)
        if now.size != before.size:
            now, before = (np.pad(s, (0, size - s.size)) for s in (now, before))
        changed = np.flatnonzero(now != before)
        self._shape_log += [(int(warp), int(now[warp])) for warp in changed]
        self._shapes = now
        return int(changed.size)

    def tables(self) -> dict[str, Any]:
        """Return texts, sources, launches, strips and the graph, for JSON."""
        graph = self.traced.graph
        return {
            "title": seen(self.traced.title),
            "texts": [seen(text) for text in self.codes.texts],
            "sources": [
                {"name": seen(Path(source.name).name), "lines": [seen(x) for x in source.lines]}
                for source in self._sources
            ],
            "spans": [list(span) for span in self._spans],
            "launches": self._launches,
            "counters": self.counters,
            "strips": [list(strip) for strip in self.facts.strips],
            "extents": [list(extent) for extent in self.facts.extents],
            "regions": [[r.start, r.size, int(r.codes.size)] for r in self.cells.regions],
            "followed": self.traced.followed,
            "remarks": [self._remark(remark) for remark in self.traced.remarks],
            "kept": self.kept,
            "graph": None
            if graph is None
            else {
                "vertices": graph.vertices,
                "edges": int(graph.neighbours.size),
                "places": drawing(graph),
                "mostDrawn": MOST_DRAWN,
            },
        }

    def _remark(self, remark: Remark) -> list[Any]:
        """Return what a remark says, of which step, and of which lane of its warp."""
        size, lane = self.traced.launches[0].warp_size, remark.lane
        return [seen(remark.text), remark.at, None if lane is None else lane % size]

    @cached_property
    def counters(self) -> list[str]:
        """The names of all counters that are not 0 throughout."""
        names: dict[str, None] = {}
        for totals in self._totals:
            for name, count in totals.items():
                if count and name not in names:
                    names[name] = None
        return list(names)

    def columns(self) -> dict[str, Whole]:
        """Return all columns by their names."""
        facts, graph = self.facts, self.traced.graph
        parts: dict[str, dict[str, Whole]] = {
            "step": self.steps.columns(),
            "view": facts.views.columns(),
            "computed": facts.computed.columns(),
            "access": facts.accesses.columns(),
            "idle": facts.idle.columns(),
            "list": facts.lists.columns(),
            "write": self.cells.columns(),
            "total": {
                name: np.array([totals.get(name, 0) for totals in self._totals])
                for name in self.counters
            },
            "shape": {
                name: np.array([pair[at] for pair in self._shape_log], np.int64)
                for at, name in enumerate(("warp", "state"))
            },
        }
        if graph is not None and graph.vertices <= MOST_DRAWN:
            parts["graph"] = {
                name: np.asarray(values, np.int64)
                for name, values in (("offsets", graph.offsets), ("neighbours", graph.neighbours))
            }
        return {
            f"{part}.{name}": np.asarray(values, np.int64)
            for part, columns in parts.items()
            for name, values in columns.items()
        }
