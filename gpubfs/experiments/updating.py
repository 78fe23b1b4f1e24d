"""What experiments on graphs that change share: graphs, batches, and what operations take.

The protocol of Winter et al., Section V: after the initialisation a batch of random edges is added
and then removed again, ten times; all of this is repeated ten times, and times are means of 10
initialisations and of 100 insertions and deletions. Here there are fewer: `ROUNDS` batches after
each of `repeats` initialisations on gpu, which is 3 unless more are asked for; `rounds=10` and
`repeats=10` are the paper's. On sim there is one initialisation, since counters are the same every
time. On gpu a batch before those that are measured warms up; every batch is another one.

Removing the edges of a batch does not give back the graph that there was: edges of it that are in
the batch, too, are removed with them, so that the graph loses a few edges in each round.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpubfs.dynamic.batch import Batch, uniform
from gpubfs.dynamic.dynamic_graph import DynamicGraph
from gpubfs.dynamic.opening import placed
from gpubfs.dynamic.operation import Operation
from gpubfs.dynamic.structure import find
from gpubfs.errors import UsageError
from gpubfs.experiments.cells import Metric
from gpubfs.experiments.checked import MOST
from gpubfs.experiments.experiment import Point
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.settings import number, numbers
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph

AIMGRAPH, CUSTINGER = "aimgraph", "custinger"
STRUCTURES = AIMGRAPH, CUSTINGER

#: The graphs of the paper's Table I, and how many vertices their stand-ins have on each machine: a
#: thousandth of the paper's on sim, and as many on gpu, both as far as they are not too many.
STAND_INS = (
    ("Luxembourg", 115, 115_000),
    ("coAuthorsDBLP", 299, 299_000),
    ("ldoor", 952, 200_000),
    ("audikw1", 943, 200_000),
    ("Germany", 2000, 1_000_000),
    ("nlpkt160", 1000, 300_000),
)
TABLE_1 = {
    "sim": tuple(f"standin:{name},{few}" for name, few, _ in STAND_INS),
    "gpu": (*(f"standin:{name},{many}" for name, _, many in STAND_INS), "kron:20"),
}

#: Updates of a batch: the paper's, and a thousandth of them.
BATCHES = {"sim": (100, 1000), "gpu": (100_000, 1_000_000)}

#: The most updates of a batch.
MOST_UPDATES = 2**31 - 1

#: After an initialisation, how many batches are inserted, and each deleted; and the paper's, which
#: also has as many initialisations.
ROUNDS = {"sim": 2, "gpu": 3}
PAPER_ROUNDS = 10

#: The checks of settings by which batches and rounds can be chosen.
SETTINGS = {"updates": numbers(1, MOST_UPDATES), "rounds": number(1, MOST)}

#: Regions of memory that hold nothing of the graph.
NO_GRAPH = ("free", "temporaries", "alignment")

#: From this average degree on, the paper's updates are done by warps.
LARGE = 50

#: A graph by which all kernels of a structure are loaded before anything is timed.
WARM_UP = make_graph("path:64")
#: More edges of one vertex than there is room for.
FAN = Batch(np.zeros(62, np.int32), np.arange(2, 64, dtype=np.int32))

#: What the host does.
HOST = (
    Metric("launches", "launches", "from the host"),
    Metric("allocations", "allocations", "of device memory by the host, each by itself"),
    Metric("host_writes", "copies to the device", "of values of the host"),
    Metric("host_reads", "reads", "of values on the device, for which the host waits"),
)
#: What the device does.
DEVICE = (
    Metric("sectors", "sectors", "32-byte pieces that loads, stores and atomics access"),
    Metric("warp_steps", "warp_steps"),
)
LOCKS = Metric("lock_attempts", "lock attempts", "of aimgraph: exchanges on locks of vertices")
MOVED = Metric("moved", "moved", "of custinger: vertices whose edges went to larger memory")
TIME = Metric("seconds", "milliseconds", "of whole calls, on the host's clock", 1e3, 3, faster=True)
ON_DEVICE = Metric(
    "device_seconds", "milliseconds on the device", "from first launch to last read", 1e3, 3, True
)
RATE = Metric("rate", "million updates/s", "by the same time", 1e-6, 1)
INSIDE = Metric("device_rate", "of them on the device", "from first launch to last read", 1e-6, 1)


@contextmanager
def opened(
    lab: Lab, name: str, graph: Graph, *, counters: bool = True, **options: object
) -> Iterator[DynamicGraph]:
    """Open a structure for a graph that is not in it yet.

    On gpu its kernels are compiled and loaded before, by another graph on the same host.

    Parameters
    ----------
    lab : Lab
        Where.
    name : str
        The structure.
    graph : Graph
        What will be put in.
    counters : bool
        Whether sim is to count.
    **options
        The structure's.
    """
    given = ", ".join(f"{key}={chosen}" for key, chosen in options.items())
    lab.tell(f"{name} with {graph.spec}{given and ', '}{given}")
    chosen = find(name)
    with lab.open(counters=counters) as machine:
        values = chosen.settled(chosen.complete(options, machine.warp_size), graph, machine)
        made = placed(chosen, graph, machine, values, record=not lab.timed)
        if lab.timed:
            made.from_csr(WARM_UP)
            made.insert_edges(FAN)
            made.delete_edges(FAN)
            made = chosen.make(made.host, values)
        yield made


def cost(operation: Operation) -> dict[str, float]:
    """Return what an operation took, by the names of metrics.

    Parameters
    ----------
    operation : Operation
        Any.
    """
    names = "launches", "allocations", "host_writes", "host_reads"
    found: dict[str, float] = {name: getattr(operation, name) for name in names}
    found |= operation.effect.facts
    found |= {"applied": operation.effect.applied, "updates": operation.updates}
    found |= {"seconds": operation.elapsed, "device_seconds": operation.seconds}
    counted = operation.counters
    if counted is not None:
        kinds = "load_sectors", "store_sectors", "atomic_sectors"
        found |= {"sectors": sum(counted[kind] for kind in kinds)}
        found |= {"warp_steps": counted["warp_steps"]}
    return found


def held(made: DynamicGraph) -> int:
    """Return the bytes of device memory that hold the graph.

    Parameters
    ----------
    made : DynamicGraph
        With a graph in it.
    """
    regions = made.stats().memory.bytes
    return sum(size for name, size in regions.items() if name not in NO_GRAPH)


def average(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each value, and the rates of updates that follow from mean times.

    Parameters
    ----------
    costs : sequence of mapping
        What several operations of one kind took, at least one.

    Examples
    --------
    >>> one = {"updates": 10, "seconds": 1.0, "device_seconds": 0.5}
    >>> average([one, one | {"seconds": 4.0}])["rate"]
    4.0
    """
    found = {name: _mean([one[name] for one in costs]) for name in costs[0]}
    for rate, time in (("rate", "seconds"), ("device_rate", "device_seconds")):
        found[rate] = found["updates"] / found[time] if found[time] else 0.0
    return found


def _mean(values: Sequence[float]) -> float:
    """Return the mean, as a whole number where it is one of whole numbers."""
    whole = all(isinstance(value, int) for value in values) and sum(values) % len(values) == 0
    return int(sum(values)) // len(values) if whole else statistics.fmean(values)


def updatable(lab: Lab) -> tuple[Graph, ...]:
    """Return the lab's graphs.

    Parameters
    ----------
    lab : Lab
        Where updates are measured.

    Raises
    ------
    UsageError
        If a graph has no two vertices, between which edges could be inserted.
    """
    for graph in lab.graphs:
        if graph.vertices < 2:
            raise UsageError(
                f"no edge can be inserted in {graph.label}, which has {graph.vertices} vertex",
                "give a graph with at least two vertices",
            )
    return lab.graphs


def batches(graph: Graph, updates: int, rounds: int, first: int = 0) -> Iterator[Batch]:
    """Draw uniform batches, the same ones for each structure.

    Parameters
    ----------
    graph : Graph
        Whose vertices the edges join.
    updates : int
        Edges of a batch.
    rounds : int
        How many batches.
    first : int
        The number of the first; batches of other numbers are others.
    """
    for seed in range(first, first + rounds):
        yield uniform(graph.vertices, updates, seed)


def in_turn(made: DynamicGraph, drawn: Iterator[Batch]) -> dict[str, list[dict[str, float]]]:
    """Insert each batch, then delete its edges; return what insertions took, and deletions.

    Edges that were in the graph before the batch are deleted, too.

    Parameters
    ----------
    made : DynamicGraph
        With a graph in it.
    drawn : iterator of Batch
        Updates.
    """
    found: dict[str, list[dict[str, float]]] = {"insert": [], "delete": []}
    for batch in drawn:
        found["insert"].append(cost(made.insert_edges(batch)))
        found["delete"].append(cost(made.delete_edges(batch)))
    return found


def initialisations(lab: Lab) -> int:
    """Return how often a graph is put in anew: counters are the same every time, times are not."""
    return lab.repeats if lab.timed else 1


def updated(
    lab: Lab, which: str, updates: Sequence[int] | None, rounds: int | None
) -> Iterator[Point]:
    """Yield what batches of each size take on average: "insert" or "delete" as `which` says.

    Parameters
    ----------
    lab : Lab
        Where, and the graphs.
    which : str
        What to yield of each round.
    updates : sequence of int or None
        Sizes of batches; the machine's own if None.
    rounds : int or None
        How many batches of each after an initialisation; the machine's own if None.
    """
    each = rounds or ROUNDS[lab.machine]
    for graph in updatable(lab):
        for size in updates or BATCHES[lab.machine]:
            for name in STRUCTURES:
                found = _costs(lab, name, graph, size, each)[which]
                shape = {"degree": graph.edges / graph.vertices, "most": most(found)}
                taken = {"rounds": each, "initialisations": initialisations(lab)}
                yield Point(graph.spec, name, size, average(found) | shape | taken)


def _costs(
    lab: Lab, name: str, graph: Graph, size: int, rounds: int
) -> dict[str, list[dict[str, float]]]:
    """Return what insertions take and deletions, all rounds after all initialisations."""
    found: dict[str, list[dict[str, float]]] = {"insert": [], "delete": []}
    drawn = rounds + lab.timed  # of batches after an initialisation the first warms up
    for turn in range(initialisations(lab)):
        with opened(lab, name, graph) as made:
            made.from_csr(graph)
            costs = in_turn(made, batches(graph, size, drawn, turn * drawn))
        for which, own in costs.items():
            found[which] += own[-rounds:]
    return found


def most(found: Sequence[Mapping[str, float]]) -> float:
    """Return the most launches of one operation."""
    return max(one["launches"] for one in found)


def values_of(points: Sequence[Point], series: str, name: str) -> dict[tuple[str, Any], float]:
    """Return one value of one structure, for each graph and place, as far as it was measured."""
    own = (point for point in points if point.series == series)
    found = {(point.graph, point.at): point.values.get(name) for point in own}
    return {where: value for where, value in found.items() if value is not None}
