"""Open a structure on a machine: check what is asked, put the graph in, give all back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from numpy.typing import ArrayLike

from gpubfs.arguments import is_kind, shown, truth
from gpubfs.dynamic.dynamic_graph import ENDED, DynamicGraph
from gpubfs.dynamic.structure import FOLDER, Structure, find
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.host import Host
from gpubfs.kernels import KERNELS
from gpubfs.machines import Machine, open_machine
from gpubfs.search import observing
from gpubfs.search.option import Value
from gpubfs.search.runs import common_macros, sanitized


def graph(
    structure: str | Structure,
    csr: Any,
    machine: str = "sim",
    *,
    device: str | None = None,
    schedule: str | None = None,
    counters: bool | None = None,
    sanitize: str = "",
    observe: str | Iterable[str] = (),
    attributes: Mapping[str, ArrayLike] | None = None,
    **options: object,
) -> AbstractContextManager[DynamicGraph]:
    """Put a graph into a structure on a machine, for as long as the context lasts.

    Parameters
    ----------
    structure : str or Structure
        A name that `structures` knows, or a structure of your own.
    csr : Graph or whatever `gpubfs.graph` takes
        The graph to begin with, or its specification.
    machine : str
        "sim", the simulator, or "gpu".
    device, schedule : str, optional
        The GPU that the simulator pretends to be, and in which order it runs warps.
    counters : bool, optional
        As of `gpubfs.run`.
    sanitize : str
        Which of the simulator's sanitizers watch: "all", or names with commas between them.
    observe : str or iterable of str
        Observers that watch on the simulator; `DynamicGraph.observers` has what they report, once
        the context has ended.
    attributes : mapping of str to array_like of int, shape (E,), optional
        What the edges have besides their ends, in the order of CSR.
    **options
        The structure's own options.

    Returns
    -------
    context manager
        Whose value is a `DynamicGraph` with the graph in it. What is wrong shows when it is
        entered. Of several on the simulator the last one entered can be used, until it is left.

    Raises
    ------
    UsageError, GraphError
        If the structure, its options, the machine or the graph is not there.
    simulator.Fault
        If a kernel does what it must not, or a sanitizer finds something that is not declared.

    Examples
    --------
    >>> from gpubfs.dynamic import Batch, graph
    >>> with graph("aimgraph", "toy") as changing:
    ...     done = changing.insert_edges(Batch([0, 0, 0], [9, 9, 8]))
    ...     done.effect.applied, done.effect.unchanged, done.launches
    (2, 1, 1)
    """
    return opened(
        structure,
        csr,
        machine,
        options,
        device=device,
        schedule=schedule,
        counters=counters,
        sanitize=sanitize,
        observe=observe,
        attributes=attributes,
    )


@contextmanager
def opened(
    structure: str | Structure,
    csr: Any,
    machine: str,
    options: Mapping[str, object],
    *,
    device: str | None = None,
    schedule: str | None = None,
    counters: bool | None = None,
    sanitize: str = "",
    observe: str | Iterable[str] = (),
    attributes: Mapping[str, ArrayLike] | None = None,
) -> Iterator[DynamicGraph]:
    """Do what `graph` does, with the structure's options as a mapping, whatever their names."""
    on_sim = isinstance(machine, str) and machine == "sim"
    counting = on_sim if counters is None else truth(counters, "counters")
    where = open_machine(machine, device=device, schedule=schedule, counters=counting)
    chosen = structure if isinstance(structure, Structure) else find(structure)
    chosen.check_machine(where.name)
    if not is_kind(options, Mapping):
        hint = 'give a dictionary, such as {"mode": "weighted"}'
        raise UsageError(f"options={shown(options)} is no mapping", hint)
    values = chosen.complete(options, where.warp_size)
    observers = observing.chosen(observe, where)
    first = make_graph(csr)
    settled = chosen.settled(values, first, where)
    sanitizers = sanitized(where, sanitize, chosen.benign)
    with where, sanitizers as findings, observing.observed(observers) as reports:
        made = placed(chosen, first, where, settled, counting or counters is None)
        made.findings, made.observers = findings, reports
        made.from_csr(first, attributes)
        try:
            yield made
        finally:
            made.host.close(*ENDED)


def placed(
    structure: Structure,
    csr: Graph,
    machine: Machine,
    options: Mapping[str, Value],
    record: bool = True,
) -> DynamicGraph:
    """Return a structure on a machine that has been entered; it holds no graph yet.

    Parameters
    ----------
    structure : Structure
        Which one.
    csr : Graph
        The graph that will be put in.
    machine : Machine
        Where.
    options : mapping
        A value for each option, none of them "auto".
    record : bool
        Whether to time every launch by itself.
    """
    macros = common_macros(csr, machine) | structure.defines(options)
    folders = FOLDER, KERNELS
    host = Host(machine, structure.path, macros, record=record, headers=folders)
    made: DynamicGraph = structure.make(host, options)
    return made
