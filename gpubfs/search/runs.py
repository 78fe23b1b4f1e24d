"""Run a technique on a graph and a machine: check what is asked, do it, verify it, count it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.arguments import (
    defined_at,
    function,
    is_kind,
    is_outside,
    running,
    shown,
    text,
    truth,
)
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.host import OFFSET_TYPES, DeviceGraph, Host, Progress, SearchResult
from gpubfs.machines import Machine, open_machine
from gpubfs.search import observing
from gpubfs.search.catalogue import find
from gpubfs.search.counters import collect, merged_sites
from gpubfs.search.option import Value
from gpubfs.search.result import Run
from gpubfs.search.technique import Technique
from gpubfs.search.verify import verify

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.observe.sanitizers import Finding

# Runs under the simulator's sanitizers: a technique's races on purpose, and what else is found.


WANTED = 'give "all", or names such as "race,init"'


@contextmanager
def sanitized(machine: Machine, names: str, benign: Mapping[str, str]) -> Iterator[list[Finding]]:
    """Switch sanitizers on for what is done on `machine`, which is entered already.

    Parameters
    ----------
    machine : Machine
        The simulator.
    names : str
        Sanitizers with commas between them, such as "race,init", or "all"; "" for none.
    benign : mapping of str to str
        The arrays that may see races, and why.

    Yields
    ------
    list of Finding
        Grows by the races that are declared or harmless.

    Raises
    ------
    UsageError
        If there is no such sanitizer, or the machine has none.
    """
    if not text(names, "sanitize", WANTED):
        yield []
        return
    if machine.name != "sim":
        raise UsageError(
            f"the machine {machine.name} has no sanitizers",
            "use the machine sim; for CUDA programs there is NVIDIA's compute-sanitizer",
        )
    import simulator

    wanted = [name.strip() for name in names.split(",")]
    with ExitStack() as stack:
        try:
            report = stack.enter_context(simulator.sanitize(*wanted, allow=benign))
        except simulator.SimulatorError as error:
            raise UsageError(error.message, error.hint) from None
        yield report.findings


#: Threads of the largest block that CUDA allows.
LARGEST_BLOCK = 1024


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
    observe: str | Iterable[str] = (),
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
    observe : str or iterable of str
        Observers that watch the run on the simulator; `Run.observers` has what they report.
    progress : callable, optional
        Called as ``progress(depth, frontier, vertices)`` at each level, with the size of the
        frontier where it is known (else None) and the vertices of the graph.
    **options
        The technique's own options.

    Returns
    -------
    Run
        What was found and counted; in a notebook it shows itself as tables.

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
        observe,
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
    observe: str | Iterable[str] = (),
) -> Search:
    """Return a search of which all has been checked; parameters and errors are those of `run`."""
    chosen = technique if isinstance(technique, Technique) else find(technique)
    chosen.check_machine(opened.name)
    values = chosen.complete(options, opened.warp_size)
    observers = observing.chosen(observe, opened)
    chosen_graph = make_graph(graph)
    start = chosen_graph.hub if source is None else source
    chosen_graph.check_vertex(start, "source")
    chosen.check_graph(chosen_graph)
    return Search(chosen, values, chosen_graph, int(start), record, sanitize, observers)


@dataclass(frozen=True)
class Search:
    """A search whose technique, options, graph and source have been checked."""

    technique: Technique
    options: Mapping[str, Value]
    graph: Graph
    source: int
    record: bool
    sanitize: str
    observe: tuple[str, ...] = ()

    def on(
        self,
        machine: Machine,
        progress: Progress | None,
        watched: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> Run:
        """Do it on a machine, and verify what it found; `watched` is entered on the machine."""
        sanitizers = sanitized(machine, self.sanitize, self.technique.benign)
        reports = observing.observed(self.observe)
        with machine, sanitizers as findings, reports as observers, watched():
            found = self.within(machine, progress)
        verify(self.graph, self.source, found.levels, found.parents)
        return replace(found, findings=tuple(findings), observers=observers)

    def within(self, machine: Machine, progress: Progress | None) -> Run:
        """Do it on a machine that has been entered; what was found is not verified yet."""
        options = self.technique.settled(self.options, self.graph, machine)
        host = self._host(machine, options, progress)
        return self._driven(machine, options, host, self.placed(host))

    def from_each(
        self, machine: Machine, sources: Iterable[int], rehearsed: bool = False
    ) -> Iterator[Run]:
        """Search from each source in turn while the graph stays in device memory.

        Parameters
        ----------
        machine : Machine
            The machine, which nobody has entered.
        sources : iterable of int
            Vertices, in place of the search's own.
        rehearsed : bool
            Whether each search is done twice, and the second one told of: while the host verifies
            a result, a GPU's clocks go down.

        Yields
        ------
        Run
            Each verified, when it is done. Their counters of memory leave out the graph, but for
            the first.
        """
        with machine:
            options = self.technique.settled(self.options, self.graph, machine)
            graph: DeviceGraph | None = None
            for source in sources:
                search = replace(self, source=source)
                for _ in range(2 if rehearsed else 1):
                    host = search._host(machine, options, None)
                    graph = search.placed(host) if graph is None else host.adopt(graph)
                    found = search._driven(machine, options, host, graph)
                verify(self.graph, source, found.levels, found.parents)
                yield found

    def _driven(
        self, machine: Machine, options: Mapping[str, Value], host: Host, graph: DeviceGraph
    ) -> Run:
        """Search a graph that is in device memory."""
        with running(f"the technique {self.technique.name}", self.technique.drive):
            answer = self.technique.drive(host, graph, self.start, **options)
            seconds, launches = host.finish()
        _check_result(self.technique, answer, graph.vertices)
        levels, parents = _arrays(machine, answer)
        return Run(
            technique=self.technique.name,
            graph=self.graph,
            source=self.source,
            machine=machine.name,
            device=machine.device,
            schedule=machine.schedule,
            options=options,
            levels=levels,
            parents=parents,
            seconds=seconds,
            initialising=host.initialising,
            launches=host.launches,
            counters=collect(host, launches),
            not_counted=machine.not_counted,
            sites=merged_sites(launches),
            per_launch=launches,
            sanitizers=self.sanitize,
            facts=host.facts,
        )

    @property
    def start(self) -> int:
        """What the source is called on the device."""
        return self.source

    def placed(self, host: Host) -> DeviceGraph:
        """Put the graph into device memory."""
        return host.upload(self.graph)

    def macros(self, machine: Machine) -> dict[str, str]:
        """Return the macros that tell kernels how the graph is stored."""
        return common_macros(self.graph, machine)

    def _host(
        self, machine: Machine, options: Mapping[str, Value], progress: Progress | None
    ) -> Host:
        defines = self.macros(machine) | self.technique.defines(options)
        with running(f"the technique {self.technique.name}", self.technique.drive):
            cooperative = self.technique.is_cooperative(options)
        return Host(
            machine,
            self.technique.path,
            defines,
            cooperative=cooperative,
            record=self.record,
            progress=progress,
            headers=self.technique.headers,
        )


def common_macros(graph: Graph, machine: Machine) -> dict[str, str]:
    """Return the macros that tell every kernel file of the graph and of the machine."""
    return {
        "OFFSET": OFFSET_TYPES[graph.offsets.dtype.name],
        "MOST_WARPS": str(LARGEST_BLOCK // machine.warp_size),
    }


def _check_result(technique: Technique, result: Any, vertices: int) -> None:
    """Raise UsageError unless a driver of an extension returns what its searches are read from."""
    if not is_outside(technique.drive):
        return
    driver = f"{defined_at(technique.drive)}: the driver of {technique.name}"
    if not is_kind(result, SearchResult):
        hint = "return a gpubfs.host.SearchResult of the arrays levels and parents"
        raise UsageError(f"{driver} returns {shown(result)}", hint)
    for name, array in vars(result).items():
        if array is None and name == "parents":
            continue
        shape, dtype = (str(getattr(array, key, "")) for key in ("shape", "dtype"))
        if (shape, dtype) != (f"({vertices},)", "int32"):
            what = f"{dtype} array of shape {shape}" if shape else shown(array)
            hint = f"give device arrays with one int32 for each of the {vertices} vertices"
            raise UsageError(f"{driver} returns {name} that are no such array: {what}", hint)


def _arrays(
    machine: Machine, answer: SearchResult
) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    parents = None if answer.parents is None else machine.asnumpy(answer.parents)
    return machine.asnumpy(answer.levels), parents
