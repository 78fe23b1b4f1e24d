"""One verified run of one technique on one graph and one machine, and all that was counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.arguments import function, truth
from gpubfs.catalogue import find
from gpubfs.counters import collect, merged_sites, plain
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.host import OFFSET_TYPES, Host, Launch, Progress
from gpubfs.machines import Machine, open_machine
from gpubfs.option import Value
from gpubfs.plots import Plots
from gpubfs.sanitizing import sanitized
from gpubfs.technique import Technique
from gpubfs.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from rich.console import Console, ConsoleOptions, RenderableType

    from gpubfs.host import Answer
    from simulator.count import Site
    from simulator.sanitizers import Finding


#: Threads of the largest block that CUDA allows.
LARGEST_BLOCK = 1024

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
class Run(Plots):
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
        The simulator's counters per place in the kernel.
    per_launch : tuple of Launch
        Every launch with its level, time and counters.
    verified : bool
        Always true: a run that is wrong raises.
    sanitizers : str
        The simulator's sanitizers that watched it, empty if none did.
    findings : tuple of Finding
        The races that they saw and that do no harm: declared ones, and writes of one same value.
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
        """Everything but the arrays, ready for JSON."""
        graph = ("spec", "vertices", "edges", "directed")
        data: dict[str, Any] = {"technique": self.technique}
        data["graph"] = {name: getattr(self.graph, name) for name in graph}
        data |= {name: getattr(self, name) for name in PLAIN}
        data["sites"] = None if self.sites is None else [_site(site) for site in self.sites]
        data["findings"] = [finding.as_dict() for finding in self.findings]
        blind = {name for name, found in self.counters.items() if found is None}
        data["per_launch"] = [_launch(launch, blind) for launch in self.per_launch]
        cleaned: dict[str, Any] = plain(data)
        return cleaned

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from gpubfs.tables import run_sheets

        for sheet in run_sheets(self):
            yield sheet
            yield ""

    def _repr_html_(self) -> str:
        from gpubfs.tables import run_sheets

        return "".join(sheet.html() for sheet in run_sheets(self))


def run(
    technique: str | Technique,
    graph: Any,
    source: int | None = None,
    machine: str = "sim",
    *,
    device: str | None = None,
    schedule: str | None = None,
    counters: bool | None = None,
    sanitize: str = "",
    progress: Progress | None = None,
    **options: object,
) -> Run:
    """Run a technique on a graph, verify what it found, and say what it cost.

    Parameters
    ----------
    technique : str or Technique
        A name that `techniques` knows, or a technique of your own.
    graph : Graph or whatever `gpubfs.graph` takes
        The graph or its specification.
    source : int, optional
        Where to begin; by default the graph's hub, its vertex of highest degree.
    machine : str
        "sim", the simulator, or "gpu".
    device : str, optional
        The GPU that the simulator pretends to be, h200 by default.
    schedule : str, optional
        In which order the simulator runs warps: lockstep (the default), warp, shuffled:SEED,
        round-robin:SEED or random:SEED.
    counters : bool, optional
        Whether to count. By default the simulator counts; the GPU does not, but times every
        launch. With True a GPU runs a build of the same kernels that counts, with the same results,
        and slower; with False neither counts nor times launches.
    sanitize : str
        Which of the simulator's sanitizers watch the run: "all", or race, init and sync with commas
        between them; none by default. Races that the technique declares do not end it.
    progress : callable, optional
        Called as ``progress(depth, frontier, vertices)`` at each level, with the size of the
        frontier where it is known (else None) and the vertices of the graph.
    **options
        The technique's own options.

    Raises
    ------
    UsageError, GraphError
        If the technique, its options, the machine, the device, the schedule, the graph or the
        source is not there.
    VerificationError
        If the result is not a breadth-first search.
    simulator.Fault
        If the kernel does what it must not, or a sanitizer finds something that is not declared.

    Examples
    --------
    >>> import gpubfs
    >>> found = gpubfs.run("scan-free", "toy", source=0)
    >>> found.levels[:6].tolist()
    [0, 1, 2, 3, 3, 1]
    >>> found.launches == found.depth + 1
    True
    """
    if progress is not None:
        function(progress, "progress")
    on_sim = isinstance(machine, str) and machine == "sim"
    counting = on_sim if counters is None else truth(counters, "counters")
    opened = open_machine(machine, device=device, schedule=schedule, counters=counting)
    search = prepared(
        technique,
        graph,
        source,
        opened,
        options,
        counting or counters is None,
        "" if sanitize is None else sanitize,
    )
    return search.on(opened, progress)


def prepared(
    technique: str | Technique,
    graph: Any,
    source: int | None,
    opened: Machine,
    options: Mapping[str, object],
    record: bool = True,
    sanitize: str = "",
) -> Search:
    """A search of which all has been checked; parameters and errors are those of `run`."""
    chosen = technique if isinstance(technique, Technique) else find(technique)
    chosen.check_machine(opened.name)
    values = chosen.complete(options, opened.warp_size)
    chosen_graph = make_graph(graph)
    start = chosen_graph.hub if source is None else source
    chosen_graph.check_vertex(start, "source")
    chosen.check_graph(chosen_graph)
    return Search(chosen, values, chosen_graph, int(start), record, sanitize)


@dataclass(frozen=True)
class Search:
    """A search whose technique, options, graph and source have been checked."""

    technique: Technique
    options: Mapping[str, Value]
    graph: Graph
    source: int
    record: bool
    sanitize: str

    def on(
        self,
        machine: Machine,
        progress: Progress | None,
        watched: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> Run:
        """Do it on a machine, and verify what it found; `watched` is entered on the machine."""
        sanitizers = sanitized(machine, self.sanitize, self.technique)
        with machine, sanitizers as findings, watched():
            host = self._host(machine, progress)
            graph = host.upload(self.graph)
            answer = self.technique.drive(host, graph, self.source, **self.options)
            seconds, launches = host.finish()
            levels, parents = _arrays(machine, answer)
        verify(self.graph, self.source, levels, parents)
        return Run(
            technique=self.technique.name,
            graph=self.graph,
            source=self.source,
            machine=machine.name,
            device=machine.device,
            schedule=machine.schedule,
            options=self.options,
            levels=levels,
            parents=parents,
            seconds=seconds,
            launches=host.launches,
            counters=collect(host, launches),
            not_counted=machine.not_counted,
            sites=merged_sites(launches),
            per_launch=launches,
            sanitizers=self.sanitize,
            findings=tuple(findings),
        )

    def _host(self, machine: Machine, progress: Progress | None) -> Host:
        defines = _defines(self.graph, machine) | self.technique.defines(self.options)
        cooperative = self.technique.is_cooperative(self.options)
        return Host(
            machine,
            self.technique.path,
            defines,
            cooperative=cooperative,
            record=self.record,
            progress=progress,
            headers=self.technique.headers,
        )


def _defines(graph: Graph, machine: Machine) -> dict[str, str]:
    """What every kernel file is told of the graph and of the machine."""
    return {
        "OFFSET": OFFSET_TYPES[graph.offsets.dtype.name],
        "MOST_WARPS": str(LARGEST_BLOCK // machine.warp_size),
    }


def _arrays(machine: Machine, answer: Answer) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    parents = None if answer.parents is None else machine.asnumpy(answer.parents)
    return machine.asnumpy(answer.levels), parents


def _site(site: Site) -> dict[str, Any]:
    data = site.as_dict()
    return data | {"file": Path(data["file"]).name}


def _launch(launch: Launch, blind: Collection[str]) -> dict[str, Any]:
    names = ("kernel", "depth", "frontier", "grid", "block", "seconds")
    counted = {} if launch.counters is None else plain(launch.counters)
    scalars = {
        key: None if key in blind else part
        for key, part in counted.items()
        if not isinstance(part, dict)
    }
    return {name: getattr(launch, name) for name in names} | {"counters": scalars or None}
