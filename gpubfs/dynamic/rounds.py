"""Rounds of updates as the papers measure them: the same batch inserted, then deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gpubfs.arguments import function, whole
from gpubfs.dynamic.batch import FAVOURED, Batch, check_drawn, skewed
from gpubfs.dynamic.dynamic_graph import DynamicGraph, Stats
from gpubfs.dynamic.opening import opened
from gpubfs.dynamic.operation import ExhaustedError, Operation
from gpubfs.dynamic.structure import Structure
from gpubfs.errors import UsageError, unknown
from gpubfs.graphs import Graph, GraphError
from gpubfs.graphs import graph as make_graph
from gpubfs.render.views import Viewed
from gpubfs.search.counters import merged_sites
from gpubfs.search.option import Value
from gpubfs.search.result import site_as_dict

if TYPE_CHECKING:
    from simulator.observe.counters import Site
    from simulator.observe.sanitizers import Finding

#: How the edges of a batch are drawn.
DISTRIBUTIONS = ("uniform", "skewed")

#: Called with the operations that are done, and those that there will be.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Rounds(Viewed):
    """What came of rounds of updates: operations, and what the structure holds at the end.

    Attributes
    ----------
    structure : str
        The structure's name.
    graph : Graph
        The graph that it began with.
    machine, device : str
        "sim" or "gpu", and the simulated profile or the GPU's name.
    schedule : str or None
        The simulator's schedule.
    options : mapping
        Every option of the structure with its value.
    distribution : str
        How the edges of batches were drawn.
    operations : tuple of Operation
        The initialisation, and for each round an insertion and a deletion.
    stats : Stats
        At the end.
    not_counted : str
        Why nothing was counted; empty if it was.
    kernel : str
        The name of the kernel file.
    sanitizers : str
        Those that watched; empty if none did.
    findings : tuple of Finding
        Races that they saw and that do no harm.
    observers : mapping
        What the observers that were asked for report, by their names.
    """

    structure: str
    graph: Graph
    machine: str
    device: str
    schedule: str | None
    options: Mapping[str, Value]
    distribution: str
    operations: tuple[Operation, ...] = field(repr=False)
    stats: Stats = field(repr=False)
    not_counted: str = field(repr=False)
    kernel: str = field(repr=False)
    sanitizers: str = ""
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    observers: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def sites(self) -> tuple[Site, ...]:
        """The counters per place in the source; none where nothing was counted."""
        launches = (launch for one in self.operations for launch in one.per_launch)
        return merged_sites(launches) or ()

    def named(self, name: str) -> tuple[Operation, ...]:
        """Return the operations of one method, such as "insert_edges"."""
        return tuple(operation for operation in self.operations if operation.name == name)

    def as_dict(self) -> dict[str, Any]:
        """Return everything but single launches, ready for JSON."""
        plain = ("structure", "machine", "device", "schedule", "distribution", "not_counted")
        return {name: getattr(self, name) for name in plain} | {
            "graph": {
                "spec": self.graph.spec,
                "vertices": self.graph.vertices,
                "edges": self.graph.edges,
            },
            "options": dict(self.options),
            "operations": [operation.as_dict() for operation in self.operations],
            "stats": self.stats.as_dict(),
            "sites": [site_as_dict(site) for site in self.sites],
            "sanitizers": self.sanitizers,
            "findings": [finding.as_dict() for finding in self.findings],
            "observers": dict(self.observers),
        }


def draw(
    graph: Graph,
    updates: int,
    distribution: str = "uniform",
    seed: int = 0,
    favoured: float | None = None,
) -> Batch:
    """Draw a batch for a graph.

    Parameters
    ----------
    graph : Graph
        Whose vertices the edges join.
    updates : int
        How many edges.
    distribution : str
        Of `DISTRIBUTIONS`.
    seed : int
        Of the generator.
    favoured : float, optional
        With "skewed", the share of vertices at which edges begin, 0.001 unless given.

    Raises
    ------
    UsageError, GraphError
        If there is no such distribution, `favoured` changes nothing or is no share, or the graph
        has only one vertex.
    """
    share = _share(distribution, favoured)
    if graph.vertices < 2:
        message = "an edge of a batch joins two different vertices, and the graph has one"
        raise GraphError(message, hint="take a larger graph")
    return skewed(graph.vertices, updates, seed, favoured=share)


def _share(distribution: str, favoured: float | None) -> float:
    """Return the share of vertices at which edges begin."""
    if distribution not in DISTRIBUTIONS:
        raise unknown("distribution", distribution, DISTRIBUTIONS)
    if distribution == "skewed":
        return FAVOURED if favoured is None else favoured
    if favoured is not None:
        what = f"favoured={favoured} changes nothing with distribution=uniform"
        raise UsageError(what, "leave it out, or take distribution=skewed")
    return 1.0


def rounds(
    structure: str | Structure,
    csr: Any,
    machine: str = "sim",
    *,
    batch: int = 1000,
    rounds: int = 1,
    distribution: str = "uniform",
    favoured: float | None = None,
    seed: int = 0,
    progress: Progress = lambda done, of: None,
    watched: Callable[[], AbstractContextManager[object]] = nullcontext,
    sanitize: str = "",
    options: Mapping[str, object] = MappingProxyType({}),
    device: str | None = None,
    schedule: str | None = None,
    counters: bool | None = None,
    observe: str | Iterable[str] = (),
) -> Rounds:
    """Put a graph into a structure, and in each round insert a batch and delete its edges.

    Edges of a batch that the graph had before are deleted, too. After each operation the whole
    structure is checked, outside all times.

    Parameters
    ----------
    structure : str or Structure
        As of `gpubfs.dynamic.graph`, like `csr`, `machine` and what else is not named here.
    csr : Graph or whatever `gpubfs.graph` takes
        The graph to begin with.
    machine : str
        "sim" or "gpu".
    batch : int
        Updates of a batch.
    rounds : int
        How many rounds; each has a batch of its own.
    distribution : str
        "uniform" or "skewed".
    favoured : float, optional
        With "skewed", the share of vertices at which edges begin, 0.001 unless given.
    seed : int
        Of the first batch; each further one has the next.
    progress : callable
        Called with the operations that are done and those that there will be.
    watched : callable
        Makes the context in which the updates are done, on the machine.
    sanitize : str
        As of `gpubfs.dynamic.graph`.
    options : mapping
        The structure's own options.
    device, schedule, counters, observe
        As of `gpubfs.dynamic.graph`.

    Returns
    -------
    Rounds
        What was done and what it cost.

    Raises
    ------
    UsageError, GraphError
        If something of that does not exist, or memory is exhausted.
    StructureError
        If the structure is not as it must be.

    Examples
    --------
    >>> done = rounds("aimgraph", "grid:8x8", batch=50, rounds=2)
    >>> [(one.name, one.launches) for one in done.operations[1:3]]
    [('insert_edges', 1), ('delete_edges', 1)]
    """
    number = whole(rounds, "rounds", 0)
    function(progress, "progress")
    function(watched, "watched")
    check_drawn(whole(batch, "batch", 0), _share(distribution, favoured), seed)
    first = make_graph(csr)
    drawn = (draw(first, batch, distribution, seed + at, favoured) for at in range(number))
    progress(0, 1 + 2 * number)
    with opened(
        structure,
        first,
        machine,
        options,
        device=device,
        schedule=schedule,
        counters=counters,
        sanitize=sanitize,
        observe=observe,
    ) as changing:
        changing.check()
        with watched():
            for done, _ in enumerate(_updates(changing, drawn), 1):
                progress(done, 1 + 2 * number)
        return _result(changing, first, distribution, sanitize)


def _updates(changing: DynamicGraph, batches: Iterator[Batch]) -> Iterator[None]:
    """Insert and delete each batch; a step after each operation."""
    yield
    for batch in batches:
        for update in (changing.insert_edges, changing.delete_edges):
            try:
                update(batch)
            except ExhaustedError:
                changing.check()
                raise
            changing.check()
            yield


def _result(changing: DynamicGraph, first: Graph, distribution: str, sanitize: str) -> Rounds:
    machine = changing.machine
    return Rounds(
        structure=changing.structure.name,
        graph=first,
        machine=machine.name,
        device=machine.device,
        schedule=machine.schedule,
        options=changing.options,
        distribution=distribution,
        operations=tuple(changing.operations),
        stats=changing.stats(),
        not_counted=machine.not_counted,
        kernel=changing.structure.kernel,
        sanitizers=sanitize,
        findings=tuple(changing.findings),
        observers=changing.observers,
    )
