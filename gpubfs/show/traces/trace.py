"""Every step of a search or of launches, how one goes through them, and a picture of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.arguments import is_whole, shown
from gpubfs.errors import UsageError, unknown
from gpubfs.graphs import Graph
from gpubfs.host import Fact
from gpubfs.search.result import Run
from gpubfs.search.technique import Parts
from gpubfs.show.traces.frames.frame import frame
from gpubfs.show.traces.frames.scene import Position, Scene
from gpubfs.show.traces.remark import Remark
from gpubfs.show.traces.showing import Showing
from simulator.ir.events import VALUE
from simulator.observe.trace import Cursor

if TYPE_CHECKING:
    from rich.text import Text

    from simulator.observe.trace import TracedLaunch, TracedStep

# A trace: launches, or a whole run, step by step, as pictures.


#: The variable in which kernels that go from level to level by themselves hold the level, and what
#: kernels that get it as a parameter call it.
DEPTH, DEPTHS = "depth", ("depth", "next_depth")


class LaunchTrace(Showing):
    """Every step of launches, and a picture of each.

    A step is one statement, or the condition of a loop, executed by the lanes that run it together.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What the simulator recorded; each has at least one step.
    title : str
        What is traced, in a line.
    depths : sequence of int, optional
        The level that each launch is to expand, or by default its number: what keys for levels
        lead along.
    graph : Graph, optional
        What is searched.
    parts : mapping of str to Parts
        Arrays that are cut into queues.
    facts : mapping
        What the driver said of each level.
    remarks : sequence of Remark
        What is to be said of it.
    """

    def __init__(
        self,
        launches: Sequence[TracedLaunch],
        title: str,
        depths: Sequence[int] | None = None,
        graph: Graph | None = None,
        parts: Mapping[str, Parts] = MappingProxyType({}),
        facts: Mapping[int, Mapping[str, Fact]] = MappingProxyType({}),
        remarks: Sequence[Remark] = (),
    ) -> None:
        self.remarks = tuple(remarks)
        self.launches = tuple(launches)
        self.depths = tuple(range(len(self.launches)) if depths is None else depths)
        self.graph = graph
        self.parts = parts
        self.facts = facts
        self._title = title
        self._cursors: dict[int, Cursor] = {}
        self._memo: dict[Any, Any] = {}
        self._pinned: int | None = None

    @property
    def title(self) -> str:
        """What is traced, in a line."""
        return self._title

    @property
    def kernel_file(self) -> str:
        """The file of the technique's own kernels, without its ending; empty if there is none."""
        return ""

    @property
    def followed(self) -> int | None:
        """The warp that is followed; None for whichever is at work."""
        return self._pinned

    @property
    def tracks(self) -> list[tuple[LaunchTrace, range]]:
        """The trace alone, with all of its steps."""
        return [(self, range(len(self)))]

    @cached_property
    def _begins(self) -> list[int]:
        """The number of each launch's first step, and behind the last."""
        return [0, *np.cumsum([len(launch.steps) for launch in self.launches]).tolist()]

    @cached_property
    def levels(self) -> list[int]:
        """The level of every step."""
        return [level for n in range(len(self.launches)) for level in self._levels_of(n)]

    def _levels_of(self, number: int) -> Iterator[int]:
        """Yield the host's, or the kernel's own where it goes from level to level by itself."""
        launch, level = self.launches[number], self.depths[number]
        known = self.graph is None or any(name in launch.scalars for name in DEPTHS)
        for step in launch.steps:
            for operand, value in () if known else step.named(VALUE):
                if operand.site.array == DEPTH:
                    level = int(np.max(value))
            yield level

    @cached_property
    def _before(self) -> list[dict[str, int]]:
        """The counters before each launch."""
        found: list[dict[str, int]] = [{}]
        for launch in self.launches:
            last = launch.steps[-1].totals if launch.steps else {}
            found.append({k: found[-1].get(k, 0) + last.get(k, 0) for k in {*found[-1], *last}})
        return found

    def __repr__(self) -> str:
        return f"<trace of {self.title}: {len(self):,} steps of {len(self.launches):,} launches>"

    def __len__(self) -> int:
        return self._begins[-1]

    def as_dict(self) -> dict[str, Any]:
        """Return what is traced, and of every step its location, lanes and counters, for JSON."""
        steps = [self.step_as_dict(at) for at in range(len(self))]
        return {"title": self.title, "steps": steps}

    def step_as_dict(self, at: int) -> dict[str, Any]:
        """Return what JSON has of step `at`."""
        position = self._position(at)
        step = position.launch.steps[position.number]
        return {
            "level": position.level,
            "kernel": position.launch.kernel,
            "file": Path(step.span.source.name).name,
            "line": step.span.line,
            "text": step.span.text,
            "wave": step.wave,
            "lanes": step.lanes.tolist(),
            "totals": {name: count for name, count in step.totals.items() if count},
        }

    @cached_property
    def lines(self) -> list[int]:
        """The line of every step that its frame marks."""
        return [step.focus.line for launch in self.launches for step in launch.steps]

    def step(self, at: int) -> TracedStep:
        """Step number `at`.

        Raises
        ------
        IndexError
            If there is none.
        """
        position = self._position(at)
        return position.launch.steps[position.number]

    def _position(self, at: int) -> Position:
        if not is_whole(at):
            hint = f"give a number from 0 to {len(self) - 1}"
            raise UsageError(f"step {shown(at)} is not a whole number", hint)
        if not 0 <= at < len(self):
            raise IndexError(f"step {at} of {len(self)}")
        number = self._launch(at)
        within = at - self._begins[number]
        return Position(self.launches[number], within, at, self.levels[at])

    def _launch(self, at: int) -> int:
        """Return the number of the launch that a step is of."""
        return bisect_right(self._begins, at) - 1

    def scene(self, at: int) -> Scene:
        """Return what the frame of step `at` shows."""
        position = self._position(at)
        number = self._launch(at)
        if number not in self._cursors:
            self._cursors, self._memo = {number: Cursor(position.launch)}, {}
        cursor = self._cursors[number].at(position.number)
        warp = self._warp(position)
        before = self._before[number]
        facts = self.facts.get(position.level, {})
        parts, remarks = self.parts, self._remarked(at)
        more = facts, remarks, self._memo
        return Scene(position, self.title, self.graph, cursor, warp, before, parts, *more)

    def _remarked(self, at: int) -> tuple[Remark, ...]:
        """Return the remarks if one of them is about a step; if none is about any, at the first."""
        if not self.remarks:
            return ()
        about = {remark.at for remark in self.remarks if remark.at is not None}
        return self.remarks if at in (about or {0}) else ()

    def _warp(self, position: Position) -> int:
        """Return the warp that is followed, or that of a remark, or the first that takes part."""
        step = position.launch.steps[position.number]
        own = [r.lane for r in self.remarks if r.at == position.at and r.lane is not None]
        if self._pinned is None and own:
            return own[0] // position.launch.warp_size
        warps = position.launch.waves[step.wave].warps
        if self._pinned is not None and self._pinned < warps:
            return self._pinned
        return int(step.lanes[0]) // position.launch.warp_size

    def frame(self, at: int, width: int = 80, height: int = 24) -> list[Text]:
        """Return the picture of step `at`: at most `height` lines of at most `width` cells each."""
        return frame(self.scene(at), width, height)

    # Moving.

    def _takes_part(self, at: int) -> bool:
        if self._pinned is None:
            return True
        position = self._position(at)
        part = position.launch.part(position.launch.steps[position.number], self._pinned)
        return bool(part.start < part.stop)

    def _towards(self, at: int, ways: Sequence[int] | range) -> int:
        return next((to for to in ways if self._takes_part(to)), at)

    def onward(self, at: int) -> int:
        """Return the step after `at` in which the followed warp takes part; the last one stays."""
        return self._towards(at, range(at + 1, len(self)))

    def back(self, at: int) -> int:
        """Return the step before `at` in which the followed warp takes part; the first stays."""
        return self._towards(at, range(at - 1, -1, -1))

    def at_line(self, at: int, line: int) -> int | None:
        """Return the next step after `at` at this line, from the beginning after the last.

        None if no step is.
        """
        ways = chain(range(at + 1, len(self)), range(at + 1))
        return next((to for to in ways if self.lines[to] == line), None)

    def next_warp(self) -> str:
        """Follow the next warp from here on, or whichever is at work; says which, in words."""
        return self.follow(0 if self._pinned is None else self._pinned + 1)

    def follow(self, warp: int | None) -> str:
        """Follow a warp, or whichever is at work where there is no such warp; says which."""
        most = max(wave.warps for launch in self.launches for wave in launch.waves)
        self._pinned = warp if warp is not None and warp < most else None
        if self._pinned is None:
            return "following whichever warp is at work"
        return f"following warp {self._pinned}"


class Trace(LaunchTrace):
    """Every step of a run, and a picture of each.

    Parameters
    ----------
    run : Run
        The run: verified, and counted as if it had not been traced.
    launches : sequence of TracedLaunch
        What the simulator recorded.
    depths : sequence of int
        The level that each launch was to expand.
    parts : mapping of str to Parts
        The technique's arrays that are cut into queues.
    """

    def __init__(
        self,
        run: Run,
        launches: Sequence[TracedLaunch],
        depths: Sequence[int],
        parts: Mapping[str, Parts] = MappingProxyType({}),
    ) -> None:
        title = f"{run.technique} on {run.graph.label} from {run.source}"
        super().__init__(launches, title, depths, run.graph, parts, run.facts)
        self.run = run

    @property
    def kernel_file(self) -> str:
        """The file of the technique's own kernels, without its ending."""
        return self.run.technique.replace("-", "_")

    def only(self, *kernels: str) -> Trace:
        """Return the launches of some kernels alone.

        Parameters
        ----------
        *kernels : str
            Their names.

        Returns
        -------
        Trace
            Their steps, and the levels that they had.

        Raises
        ------
        UsageError
            If no launch is of one of them.

        Examples
        --------
        >>> import gpubfs
        >>> whole = gpubfs.trace("single-scan", "toy", source=0, device="toy2", block=2, width=1)
        >>> scans = whole.only("single_scan_enqueue")
        >>> {launch.kernel for launch in scans.launches}, len(scans) < len(whole)
        ({'single_scan_enqueue'}, True)
        """
        pairs = list(zip(self.launches, self.depths, strict=True))
        named = {kernel for kernel in kernels if isinstance(kernel, str)}
        kept = [(launch, depth) for launch, depth in pairs if launch.kernel in named]
        if not kept:
            known = dict.fromkeys(launch.kernel for launch, _ in pairs)
            raise unknown("kernel in this trace", ", ".join(map(str, kernels)), known)
        launches, depths = zip(*kept, strict=True)
        return Trace(self.run, launches, depths, self.parts)

    def as_dict(self) -> dict[str, Any]:
        """Return what is traced, and of every step its location, lanes and counters, for JSON.

        Returns
        -------
        dict
            What `gpubfs trace --json` prints.
        """
        kept = ("technique", "graph", "source", "device", "schedule", "options", "verified")
        data = self.run.as_dict()
        known = {name: data[name] for name in (*kept, "facts") if name in data}
        return known | {"steps": super().as_dict()["steps"]}
