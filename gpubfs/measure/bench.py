"""How long runs take: medians over repeats, simulated speed, peak memory."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.labels import labels
from gpubfs.render.sheets import Column, Sheet, speed
from gpubfs.search.catalogue import techniques
from gpubfs.search.option import parse
from gpubfs.search.queues import QueueOverflowError
from gpubfs.search.result import OWN_TIME
from gpubfs.search.runs import run

#: Graphs of three shapes: a power law, evenly random, and of large diameter.
GRAPHS = ("kron:12", "er:12", "grid:64x64")


@dataclass(frozen=True)
class Timing:
    """The times of one technique on one graph.

    Attributes
    ----------
    technique, graph, machine : str
        What ran where; the technique with the options given to it.
    repeats : int
        How often.
    seconds, slowest, total_seconds : float
        Median and maximum of the search alone; median of the whole run, which also compiles, copies
        and verifies. All three are 0 where the search did not come to its end.
    mteps : float
        Millions of traversed edges a second, at the median.
    problem : str
        Why it did not: which queue overflowed.
    peak_mib : float
        The most memory this process has had so far, in MiB.
    """

    technique: str
    graph: str
    machine: str
    repeats: int
    seconds: float
    slowest: float
    total_seconds: float
    mteps: float
    peak_mib: float
    problem: str = ""


def bench(
    graphs: Iterable[Any] = GRAPHS,
    names: Sequence[str] = (),
    machine: str = "sim",
    repeats: int = 3,
    tell: Callable[[str], None] = lambda words: None,
) -> Iterator[Timing]:
    """Time techniques on graphs.

    Parameters
    ----------
    graphs : iterable of Graph or specifications
        The graphs.
    names : sequence of str
        The techniques, with options where wanted, such as ``scan-free:width=32``; all if empty.
    machine : str
        "sim" or "gpu". The first run on a GPU pays for compiling, so one more is made and dropped.
    repeats : int
        How often each is run.
    tell : callable
        Called with words on what comes next.

    Yields
    ------
    Timing
        One for each technique and graph.
    """
    for spec in graphs:
        graph = make_graph(spec)
        for name in names or techniques():
            tell(f"{name} on {graph.spec}")
            yield measure(name, graph, machine, repeats)


def measure(spec: str, graph: Graph, machine: str, repeats: int) -> Timing:
    """Run one technique on one graph `repeats` times."""
    name, options = parse(spec)
    totals, runs = [], []
    try:
        if machine == "gpu":
            run(name, graph, machine=machine, **options)
        for _ in range(repeats):
            start = time.perf_counter()
            runs.append(run(name, graph, machine=machine, counters=machine == "sim", **options))
            totals.append(time.perf_counter() - start)
    except QueueOverflowError as error:
        peak = peak_memory() / (1 << 20)
        return Timing(spec, graph.spec, machine, repeats, 0, 0, 0, 0, peak, error.message)
    seconds = statistics.median(done.seconds for done in runs)
    return Timing(
        spec,
        graph.spec,
        machine,
        repeats,
        seconds,
        max(done.seconds for done in runs),
        statistics.median(totals),
        runs[0].traversed_edges / seconds / 1e6 if seconds else 0.0,
        peak_memory() / (1 << 20),
    )


def peak_memory() -> int:
    """Return the most bytes that this process has had; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def sheet(timings: Sequence[Timing]) -> Sheet:
    """Return the timings as a table."""
    shown = labels(t.graph for t in timings)
    columns = (
        Column("graph"),
        Column("technique"),
        *(
            Column(title, figures=True)
            for title in ("seconds", "slowest", "whole run", "MTEPS", "MiB")
        ),
    )
    rows = tuple(
        (
            shown[t.graph],
            t.technique,
            *(_times(t) if not t.problem else ("overflow", "", "", "")),
            f"{t.peak_mib:,.0f}",
        )
        for t in timings
    )
    first = timings[0]
    title = f"machine {first.machine}, medians of {first.repeats}"
    problems = (f"{t.technique} on {shown[t.graph]}: {t.problem}" for t in timings if t.problem)
    own = (OWN_TIME,) if first.machine == "sim" else ()
    notes = (*own, "MiB: the process's peak so far", *problems)
    return Sheet(title, columns, rows, notes, keys=2)


def _times(timing: Timing) -> tuple[str, str, str, str]:
    seconds = (timing.seconds, timing.slowest, timing.total_seconds)
    first, second, third = (f"{value:.5f}" for value in seconds)
    return first, second, third, speed(timing.mteps)


def as_dict(timings: Sequence[Timing]) -> dict[str, Any]:
    """Return the timings, ready for JSON."""
    return {"timings": [asdict(timing) for timing in timings]}
