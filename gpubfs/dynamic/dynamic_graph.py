"""The interface of all structures: a graph in device memory that batches of updates change."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gpubfs.arguments import shown
from gpubfs.dynamic.batch import MODES, Batch, of_graph
from gpubfs.dynamic.operation import COUNTED, Effect, Operation, exhausted
from gpubfs.dynamic.structure import Structure
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph, GraphError
from gpubfs.graphs.build import compress, unreturned
from gpubfs.host import DeviceArray, Host
from gpubfs.machines import Machine
from gpubfs.search.option import Value

if TYPE_CHECKING:
    from simulator.observe.sanitizers import Finding


#: Errors by which an operation that has launched nothing leaves the graph as it was.
REFUSALS = UsageError, GraphError

#: What a structure says once its context has ended.
ENDED = (
    "the context of the structure has ended, and its memory was given back",
    "use it within the with statement that opened it",
)

#: What it says once an operation was cut short.
INTERRUPTED = "ended in the middle: what is in the structure's memory is not known"


@dataclass(frozen=True)
class Memory:
    """What the device memory of a structure holds.

    Attributes
    ----------
    bytes : mapping of str to int
        Bytes by region.
    blocks_used, blocks_free : int or None
        Blocks or pages that hold edges, and that could be taken; None where there are none.
    """

    bytes: Mapping[str, int]
    blocks_used: int | None = None
    blocks_free: int | None = None


@dataclass(frozen=True)
class Stats:
    """What a structure holds, and what all operations on it cost so far.

    Attributes
    ----------
    memory : Memory
        Its device memory.
    bytes_peak : int
        The most that was allocated at one time.
    launches, host_reads, host_writes, allocations : int
        Launches from the host; how often it waited for the device, copied values to it, and
        allocated memory on it.
    applied, unchanged, refused : int
        Updates by their effect.
    facts : mapping of str to int
        What else the structure counts, added up over its operations.
    """

    memory: Memory
    bytes_peak: int
    launches: int
    host_reads: int
    host_writes: int
    allocations: int
    applied: int
    unchanged: int
    refused: int
    facts: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return vars(self) | {"memory": dict(vars(self.memory)), "facts": dict(self.facts)}


class DynamicGraph(ABC):
    """A graph that changes, in device memory.

    Structures derive from it and have the methods that it leaves open; `gpubfs.dynamic.graph` makes
    them.

    Parameters
    ----------
    host : Host
        On a machine that has been entered, with the structure's kernels.
    options : mapping
        A value for each option of the structure.

    Attributes
    ----------
    structure : Structure
        How the class is described.
    vertices : int
        The vertices of the graph.
    operations : list of Operation
        All that was done so far.
    findings : list of Finding
        Races that sanitizers saw so far and let pass.
    observers : mapping
        What observers report, by their names, once the context has ended.
    """

    structure: ClassVar[Structure]

    #: Whether an edge that a batch holds twice is inserted once, whatever the order of threads.
    finds_twins: ClassVar[bool] = True

    #: What to do where memory is exhausted.
    remedy = "give more memory, or smaller batches"

    def __init__(self, host: Host, options: Mapping[str, Value]) -> None:
        self.host = host
        self.options = options
        self.vertices = 0
        self.operations: list[Operation] = []
        self.findings: list[Finding] = []
        self.observers: Mapping[str, Any] = {}
        self._undirected = False

    @property
    def machine(self) -> Machine:
        """Where it is."""
        return self.host.machine

    @property
    def mode(self) -> str:
        """What an edge has besides its destination: a name of `MODES`."""
        return str(self.options.get("mode", "simple"))

    # What users call.

    def from_csr(
        self, graph: Graph, attributes: Mapping[str, ArrayLike] | None = None
    ) -> Operation:
        """Put a graph into the structure, which holds none yet.

        Parameters
        ----------
        graph : Graph
            With E stored edges.
        attributes : mapping of str to array_like of int, shape (E,), optional
            What its edges have besides their ends, as far as the mode has it.

        Returns
        -------
        Operation
            What it cost.

        Raises
        ------
        UsageError
            If it holds a graph already, the attributes do not fit, or memory does not suffice.
        """
        if self.operations:
            hint = "open another one with gpubfs.dynamic.graph"
            raise UsageError("the structure holds a graph already", hint)
        edges = of_graph(graph, attributes)
        edges.check(graph.vertices, self.mode)
        self.vertices = graph.vertices
        self._undirected = not graph.directed
        return self.measured("from_csr", graph.edges, lambda: self._build(graph, edges))

    def insert_edges(self, batch: Batch) -> Operation:
        """Insert edges; those that are there already, or twice in the batch, change nothing.

        Parameters
        ----------
        batch : Batch
            The edges.

        Returns
        -------
        Operation
            How many were new, and what it cost.

        Raises
        ------
        GraphError, UsageError
            If the batch does not fit the graph or the mode, or there is no memory for the batch
            itself: nothing has changed.
        ExhaustedError
            If memory did not suffice for all: the message says how many took effect.
        """
        _check_kind(batch)
        batch.check(self.vertices, self.mode)
        return self.measured("insert_edges", len(batch), lambda: self._insert(batch))

    def delete_edges(self, batch: Batch) -> Operation:
        """Delete edges; those that are not there, or twice in the batch, change nothing.

        Parameters
        ----------
        batch : Batch
            The edges; attributes do not count.

        Returns
        -------
        Operation
            How many were there, and what it cost.

        Raises
        ------
        GraphError, UsageError
            If the batch does not fit the graph, or there is no memory for it: nothing has changed.
            Some structures call that an ExhaustedError, which is a UsageError, too.
        """
        _check_kind(batch)
        batch.check(self.vertices)
        return self.measured("delete_edges", len(batch), lambda: self._delete(batch))

    def edges(self) -> Batch:
        """Return all edges by source and target, with the attributes that the mode has."""
        return self._edges().sorted()

    def to_csr(self) -> Graph:
        """Return the graph as it is now.

        Returns
        -------
        Graph
            It is undirected if the first one was, and all edges have their reverses.
        """
        edges = self.edges()
        offsets, neighbours = compress(edges.keys, self.vertices)
        directed = not self._undirected or bool(unreturned(offsets, neighbours))
        return Graph(offsets, neighbours, self.structure.name, directed)

    def stats(self) -> Stats:
        """Return what the structure holds, and what was done to it."""
        self.host.check_open()
        done = self.operations
        effects = [operation.effect for operation in done]
        names = dict.fromkeys(name for effect in effects for name in effect.facts)
        return Stats(
            memory=self._memory(),
            bytes_peak=self.host.bytes_peak,
            **{name: sum(getattr(operation, name) for operation in done) for name in COUNTED},
            applied=sum(effect.applied for effect in effects),
            unchanged=sum(effect.unchanged for effect in effects),
            refused=sum(effect.refused for effect in effects),
            facts={name: sum(effect.facts.get(name, 0) for effect in effects) for name in names},
        )

    @abstractmethod
    def check(self) -> None:
        """Look through the whole structure on the host.

        Raises
        ------
        StructureError
            If something is not as it must be; it names the vertex.
        """

    @property
    @abstractmethod
    def arrays(self) -> Mapping[str, DeviceArray]:
        """The device arrays by name, for kernels that go through the graph."""

    # What structures have.

    @abstractmethod
    def _build(self, graph: Graph, edges: Batch) -> Effect:
        """Put a graph into device memory; `edges` are its edges in the order of CSR."""

    @abstractmethod
    def _insert(self, batch: Batch) -> Effect:
        """Insert a batch that has been checked."""

    @abstractmethod
    def _delete(self, batch: Batch) -> Effect:
        """Delete a batch that has been checked."""

    @abstractmethod
    def _edges(self) -> Batch:
        """Return all edges with the attributes of the mode, in any order."""

    @abstractmethod
    def _memory(self) -> Memory:
        """Return what device memory holds."""

    def measured(
        self, name: str, updates: int, do: Callable[[], Effect], changes: bool = True
    ) -> Operation:
        """Do something to the graph, and note what it did and cost.

        Parameters
        ----------
        name : str
            The method that users call.
        updates : int
            How many updates there are.
        do : callable
            Does it.
        changes : bool
            Whether it changes the graph.

        Returns
        -------
        Operation
            Also the last of `operations`.

        Raises
        ------
        ExhaustedError
            If some updates were refused.

        Notes
        -----
        A change that ends in the middle, by Ctrl-C or a fault of a kernel, leaves memory in a state
        that nobody knows: from then on the structure refuses everything.
        """
        host, started = self.host, time.perf_counter()
        host.machine.check_current()
        before = {one: getattr(host, one) for one in COUNTED}
        host.lap()
        try:
            effect = do()
            seconds, per_launch = host.lap()
            elapsed = time.perf_counter() - started
            counts = {one: getattr(host, one) - had for one, had in before.items()}
            operation = Operation(
                *(name, updates, effect),
                **counts,
                seconds=seconds,
                elapsed=elapsed,
                per_launch=per_launch,
            )
            self.operations.append(operation)
        except BaseException as error:
            intact = isinstance(error, REFUSALS) and host.launches == before["launches"]
            if changes and not intact:
                host.close(f"{name} {INTERRUPTED}", "open the structure anew")
            raise
        if effect.refused:
            raise exhausted(operation, self.remedy)
        return operation


def _check_kind(batch: object) -> None:
    if not isinstance(batch, Batch):
        hint = "give gpubfs.dynamic.Batch(sources, targets); no update took effect"
        raise UsageError(f"{shown(batch)} is no batch", hint)


def empty_batch(mode: str) -> Batch:
    """Return no edges, with the attributes of a mode."""
    none = np.empty(0, np.int32)
    return Batch(none, none, dict.fromkeys(MODES[mode], none))
