"""How long runs take: medians over repeats, simulated speed, peak memory.

A technique that fails has a row that says why; those of the others are measured all the same.
"""

from __future__ import annotations

import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from typing import Any

from gpubfs.arguments import described
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.build import count
from gpubfs.graphs.labels import labels
from gpubfs.render.sheets import Column, Sheet, speed
from gpubfs.search.catalogue import techniques
from gpubfs.search.option import parse
from gpubfs.search.queues import QueueOverflowError
from gpubfs.search.result import OWN_TIME
from gpubfs.search.runs import run
from gpubfs.search.verify import VerificationError

#: Graphs of three shapes: a power law, evenly random, and of large diameter.
GRAPHS = ("kron:12", "er:12", "grid:64x64")

#: What is said below tables with times of a GPU.
DEVICE_TIME = (
    "seconds on gpu lie between two CUDA events, one before the first launch and one after the "
    "search: launches, and what the host reads, writes and allocates between them; without "
    "compiling, copying the graph, what is allocated before the first launch, and verifying"
)


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
        Median and maximum of the search alone, on gpu by CUDA events; median of the whole run,
        which also compiles, copies and verifies. All three are 0 where there is a problem.
    mteps : float
        Millions of traversed edges a second, at the median.
    peak_mib : float
        The most memory this process has had so far, in MiB.
    problem : str
        Why there is no time: which queue overflowed, or what failed.
    device : str
        The GPU, or the simulated profile; empty where there is a problem.
    error : Exception or None
        What failed; an overflow is none.
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
    device: str = ""
    error: Exception | None = field(default=None, repr=False, compare=False)

    @property
    def outcome(self) -> str:
        """What tables say in the place of a time; empty where there is one."""
        if not self.problem:
            return ""
        if self.error is None:
            return "overflow"
        return "wrong" if isinstance(self.error, VerificationError) else "failed"


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
        Each run's result is verified.
    repeats : int
        How often each is run.
    tell : callable
        Called with words on what comes next.

    Yields
    ------
    Timing
        One for each technique and graph, when it has been measured or has failed.

    Raises
    ------
    GraphError
        If a graph cannot be made.
    """
    for spec in graphs:
        graph = make_graph(spec)
        for name in names or techniques():
            tell(f"{name} on {graph.spec}")
            yield measure(name, graph, machine, repeats)


def measure(spec: str, graph: Graph, machine: str, repeats: int) -> Timing:
    """Run one technique on one graph `repeats` times, or say what was in the way."""
    try:
        return _measured(spec, graph, machine, repeats)
    except QueueOverflowError as error:
        problem, failure = error.message, None
    except Exception as error:
        traceback.clear_frames(error.__traceback__)  # whose arrays would stay on the device
        problem, failure = _words(error), error
    peak = peak_memory() / (1 << 20)
    return Timing(spec, graph.spec, machine, repeats, 0, 0, 0, 0, peak, problem, error=failure)


def _measured(spec: str, graph: Graph, machine: str, repeats: int) -> Timing:
    name, options = parse(spec)
    totals, runs = [], []
    if machine == "gpu":
        run(name, graph, machine=machine, counters=False, **options)
    for _ in range(repeats):
        start = time.perf_counter()
        runs.append(run(name, graph, machine=machine, counters=machine == "sim", **options))
        totals.append(time.perf_counter() - start)
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
        device=runs[0].device,
    )


def _words(error: Exception) -> str:
    """Return what failed, in one line."""
    if isinstance(error, VerificationError):
        return f"the result is wrong: {error}"
    return str(getattr(error, "message", "")) or described(error)


def peak_memory() -> int:
    """Return the most bytes that this process has had; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def sheet(timings: Sequence[Timing], missing: str = "") -> Sheet:
    """Return the timings as a table.

    Parameters
    ----------
    timings : sequence of Timing
        At least one.
    missing : str
        A sentence on those that are not among them.
    """
    shown = labels(t.graph for t in timings)
    columns = (
        Column("graph"),
        Column("technique"),
        *(
            Column(title, figures=True)
            for title in ("seconds", "slowest", "whole run", "MTEPS", "MiB")
        ),
    )
    rows = tuple((shown[t.graph], t.technique, *_times(t), f"{t.peak_mib:,.0f}") for t in timings)
    first = timings[0]
    title = f"machine {first.machine}, medians of {first.repeats}"
    memory = "MiB: the process's peak so far"
    notes = (_what_is_timed(timings), memory, *_problems(timings), *filter(None, [missing]))
    return Sheet(title, columns, rows, notes, keys=2)


def page(timings: Sequence[Timing], names: int, command: str, missing: str = "") -> str:
    """Return milliseconds as a table in Markdown: a row for each technique, a column a graph.

    Parameters
    ----------
    timings : sequence of Timing
        Graph by graph, as `bench` yields them; at least one.
    names : int
        How many techniques each graph was to have.
    command : str
        What made them.
    missing : str
        A sentence on those that are not among them.
    """
    shown = labels(t.graph for t in timings)
    graphs = [timings[start : start + names] for start in range(0, len(timings), names)]
    columns = [Column(f"{shown[own[0].graph]}, ms", figures=True) for own in graphs]
    rows = tuple(
        (f"`{first.technique}`", *map(_milliseconds, (first, *others)))
        for first, *others in zip_longest(*graphs)
    )
    where = next((t.device for t in timings if t.device), timings[0].machine)
    searches = count(timings[0].repeats, "search", "searches")
    made = (
        f"Medians of {searches} from the hub, the vertex of highest degree, "
        f"machine {timings[0].machine} ({where}); {_verified(timings)}. Made by `{command}`."
    )
    notes = (made, _what_is_timed(timings), *_problems(timings), *filter(None, [missing]))
    return Sheet("", (Column("technique"), *columns), rows, notes).markdown() + "\n"


def _verified(timings: Sequence[Timing]) -> str:
    failed = any(timing.problem for timing in timings)
    return f"each result {'that has a time ' if failed else ''}was verified"


def _what_is_timed(timings: Sequence[Timing]) -> str:
    return OWN_TIME if timings[0].machine == "sim" else DEVICE_TIME


def _problems(timings: Sequence[Timing]) -> Iterator[str]:
    shown = labels(t.graph for t in timings)
    return (f"{t.technique} on {shown[t.graph]}: {t.problem}" for t in timings if t.problem)


def _milliseconds(timing: Timing | None) -> str:
    if timing is None:
        return ""
    return timing.outcome or f"{1e3 * timing.seconds:,.2f}"


def _times(timing: Timing) -> tuple[str, str, str, str]:
    if timing.outcome:
        return timing.outcome, "", "", ""
    seconds = (timing.seconds, timing.slowest, timing.total_seconds)
    first, second, third = (f"{value:.5f}" for value in seconds)
    return first, second, third, speed(timing.mteps)


def as_dict(timings: Sequence[Timing], missing: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Return the timings, and which techniques are missing on which graphs, ready for JSON."""
    plain = [asdict(replace(timing, error=None)) for timing in timings]
    for timing in plain:
        del timing["error"]
    absent = [{"technique": technique, "graph": graph} for technique, graph in missing]
    return {"timings": plain, "missing": absent}
