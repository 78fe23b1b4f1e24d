"""What came of one verified run of one technique on one graph, and all that was counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.graphs import Graph
from gpubfs.host import Fact, Launch
from gpubfs.render.views import Viewed, show_as
from gpubfs.search.counters import plain
from gpubfs.search.option import Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from simulator.observe.counters import Site
    from simulator.observe.sanitizers import Finding

#: What is said below tables with times of the simulator.
OWN_TIME = "seconds and MTEPS on sim are the simulator's own time, not a GPU's"

#: What JSON has of a run as it is.
PLAIN = (
    "source",
    "machine",
    "device",
    "schedule",
    "options",
    "depth",
    "reached",
    "traversed_edges",
    "verified",
    "seconds",
    "mteps",
    "launches",
    "counters",
    "not_counted",
    "sanitizers",
)


@dataclass(frozen=True, eq=False)
class Run(Viewed):
    """What one run found and what it cost.

    Attributes
    ----------
    technique : str
        The technique's name.
    graph : Graph
        The graph.
    source : int
        Where the search began.
    machine, device : str
        "sim" or "gpu", and the simulated profile or the GPU's name.
    schedule : str or None
        The simulator's schedule.
    options : mapping
        Every option of the technique with its value.
    levels : int32 array of shape (V,)
        Distances from the source, -1 where not reached.
    parents : int32 array of shape (V,) or None
        Predecessors, where the technique computes them.
    seconds : float
        From the first launch until the search was over; building the graph, allocating, compiling
        and verifying do not count. Device time on gpu, wall time on sim.
    launches : int
        Kernels launched by the host.
    counters : mapping
        All counters by name, None where the machine cannot count.
    not_counted : str
        Why it cannot; empty if it can.
    sites : tuple or None
        The simulator's counters per site in the kernel.
    per_launch : tuple of Launch
        Every launch with its level, time and counters.
    verified : bool
        Always true: a run that is wrong raises.
    sanitizers : str
        The simulator's sanitizers that watched it, empty if none did.
    findings : tuple of Finding
        The races that they saw and that do no harm: declared ones, and writes of one same value.
    observers : mapping
        What the observers that were asked for report, by their names.
    facts : mapping
        What the driver said of each level, by the level; empty where it said nothing.
    initialising : float
        Seconds before the first launch, from when the graph was in device memory: what arrays are
        allocated and filled.
    """

    technique: str
    graph: Graph
    source: int
    machine: str
    device: str
    schedule: str | None
    options: Mapping[str, Value]
    levels: NDArray[np.int32] = field(repr=False)
    parents: NDArray[np.int32] | None = field(repr=False)
    seconds: float
    launches: int
    counters: Mapping[str, Any] = field(repr=False)
    not_counted: str
    sites: tuple[Site, ...] | None = field(repr=False)
    per_launch: tuple[Launch, ...] = field(repr=False)
    verified: bool = True
    sanitizers: str = ""
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    observers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    facts: Mapping[int, Mapping[str, Fact]] = field(default_factory=dict, repr=False)
    initialising: float = field(default=0.0, repr=False)

    @property
    def depth(self) -> int:
        """The largest distance from the source."""
        return int(self.levels.max())

    @property
    def reached(self) -> int:
        """Vertices that the source reaches, itself included."""
        return int(np.count_nonzero(self.levels >= 0))

    @property
    def traversed_edges(self) -> int:
        """Edges of the reached part, each undirected edge once, as Graph500 counts them."""
        entries = int(self.graph.degrees[self.levels >= 0].sum(dtype=np.int64))
        return entries if self.graph.directed else entries // 2

    @property
    def mteps(self) -> float:
        """Millions of traversed edges per second: on sim, of the simulator's own time."""
        return self.traversed_edges / self.seconds / 1e6 if self.seconds else 0.0

    def __repr__(self) -> str:
        return f"<{self.summary}; its tables show in Jupyter and by rich.print>"

    @property
    def summary(self) -> str:
        """What ran where and what came out, in one line."""
        where = f"{self.technique} on {self.graph.label} from {self.source}"
        found = f"depth {self.depth}, {'' if self.verified else 'not '}verified"
        return f"{where}, machine {self.machine} ({self.device}): {found}"

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the arrays, ready for JSON.

        Returns
        -------
        dict
            What `gpubfs run --json` prints.
        """
        graph = ("spec", "vertices", "edges", "directed")
        data: dict[str, Any] = {"technique": self.technique}
        data["graph"] = {name: getattr(self.graph, name) for name in graph}
        data |= {name: getattr(self, name) for name in PLAIN}
        data["sites"] = None if self.sites is None else [site_as_dict(site) for site in self.sites]
        data["findings"] = [finding.as_dict() for finding in self.findings]
        uncounted = {name for name, found in self.counters.items() if found is None}
        data["per_launch"] = [_launch(launch, uncounted) for launch in self.per_launch]
        if self.observers:
            data["observers"] = self.observers
        if self.facts:
            data["facts"] = [{"level": depth, **known} for depth, known in self.facts.items()]
        cleaned: dict[str, Any] = plain(data)
        return cleaned

    def trace(self, levels: range | None = None) -> Any:
        """Trace the same search on the simulator, step by step; a slider over frames in notebooks.

        Parameters
        ----------
        levels : range, optional
            Record only the launches that expand these levels.

        Returns
        -------
        Trace
            What `gpubfs.trace` gives.

        Raises
        ------
        UsageError
            If it takes more steps than a trace can hold.
        """
        return show_as(self, "trace", levels)

    def plot_work(self) -> Figure:
        """Draw how memory operations are spread over threads, warps and blocks.

        Returns
        -------
        Figure
            Of matplotlib, which a notebook shows.

        Raises
        ------
        UsageError
            If the run was not counted.
        """
        figure: Figure = show_as(self, "plot_work")
        return figure

    def plot_levels(self) -> Figure:
        """Draw what each level costs: the frontier, and sectors moved or, uncounted, time.

        Returns
        -------
        Figure
            Of matplotlib, which a notebook shows.
        """
        figure: Figure = show_as(self, "plot_levels")
        return figure

    def plot_contention(self) -> Figure:
        """Draw the atomics of each level: all, those on the busiest address, those that failed.

        Returns
        -------
        Figure
            Of matplotlib, which a notebook shows.

        Raises
        ------
        UsageError
            If the run was not counted.
        """
        figure: Figure = show_as(self, "plot_contention")
        return figure

    def plot_lines(self) -> Figure:
        """Draw the lines of the kernel whose accesses move most sectors.

        Returns
        -------
        Figure
            Of matplotlib, which a notebook shows.

        Raises
        ------
        UsageError
            If the run was not counted.
        """
        figure: Figure = show_as(self, "plot_lines")
        return figure


def site_as_dict(site: Site) -> dict[str, Any]:
    """Return what was counted at a place, ready for JSON; its file by its name alone."""
    data = site.as_dict()
    return data | {"file": Path(data["file"]).name}


def _launch(launch: Launch, uncounted: Collection[str]) -> dict[str, Any]:
    names = ("kernel", "depth", "frontier", "grid", "block", "seconds")
    counted = {} if launch.counters is None else plain(launch.counters)
    scalars = {
        key: None if key in uncounted else part
        for key, part in counted.items()
        if not isinstance(part, dict)
    }
    return {name: getattr(launch, name) for name in names} | {"counters": scalars or None}
