"""How long runs take: medians over repeats, speeds, peak memory, and on a GPU how levels ran.

A technique that fails has a row that says why; those of the others are measured all the same.
"""

from __future__ import annotations

import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import groupby, zip_longest
from typing import Any

from gpubfs.arguments import described
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.build import count
from gpubfs.graphs.labels import labels
from gpubfs.machines import open_machine
from gpubfs.machines.gpu import GpuMachine
from gpubfs.measure.roofline import WHAT_MUST_MOVE, bytes_to_move
from gpubfs.measure.teps import Teps, random_sources
from gpubfs.render.sheets import Column, Sheet, percentage, speed
from gpubfs.search.catalogue import techniques
from gpubfs.search.option import parse
from gpubfs.search.queues import QueueOverflowError
from gpubfs.search.result import OWN_TIME, Run
from gpubfs.search.runs import prepared, run
from gpubfs.search.verify import VerificationError

#: Graphs of three shapes: a power law, evenly random, and of large diameter.
GRAPHS = ("kron:12", "er:12", "grid:64x64")

#: What is said below tables with times of a GPU.
DEVICE_TIME = (
    "times on gpu lie between two CUDA events, one before the first launch and one after the "
    "search: launches, and what the host reads, writes and allocates between them; without "
    "compiling, copying the graph, what is allocated before the first launch, and verifying; each "
    "timed search follows one from the same source that is not timed"
)

#: What is said of the column with what comes before a search.
BEFORE = "before: milliseconds in which arrays are allocated and filled before the first launch"


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
        which also compiles, copies and verifies, on gpu the mean. All three are 0 where there is a
        problem.
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
    initialising : float
        On gpu, the median of the seconds before the first launch.
    levels : int
        On gpu, the levels of a search, at the median.
    roofline : float
        On gpu, the bytes that a search must move over its seconds, as a share of the bandwidth.
    bandwidth : float
        On gpu, the bytes a second that copies read and write there.
    ways : str
        How levels were expanded, if the technique says so.
    teps : Teps or None
        Of searches from random sources.
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
    initialising: float = 0.0
    levels: int = 0
    roofline: float = 0.0
    bandwidth: float = 0.0
    ways: str = ""
    teps: Teps | None = None

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
    sources: int = 0,
) -> Iterator[Timing]:
    """Time techniques on graphs.

    Parameters
    ----------
    graphs : iterable of Graph or specifications
        The graphs.
    names : sequence of str
        The techniques, with options where wanted, such as ``scan-free:width=32``; all if empty.
    machine : str
        "sim" or "gpu". Each run's result is verified.
    repeats : int
        How often each is run.
    tell : callable
        Called with words on what comes next.
    sources : int
        On gpu, from how many random sources to search once instead; 0 for the hub.

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
            yield measure(name, graph, machine, repeats, sources)


def measure(spec: str, graph: Graph, machine: str, repeats: int, sources: int = 0) -> Timing:
    """Run one technique on one graph `repeats` times, or say what was in the way."""
    try:
        if machine == "gpu":
            starts = random_sources(graph, sources) if sources else (graph.hub,) * repeats
            return timed_searches(spec, graph, machine, starts, bool(sources), _bandwidth())
        return _measured(spec, graph, machine, repeats)
    except QueueOverflowError as error:
        problem, failure = error.message, None
    except Exception as error:
        traceback.clear_frames(error.__traceback__)  # whose arrays would stay on the device
        problem, failure = _words(error), error
    peak, times = peak_memory() / (1 << 20), sources or repeats
    return Timing(spec, graph.spec, machine, times, 0, 0, 0, 0, peak, problem, error=failure)


def _measured(spec: str, graph: Graph, machine: str, repeats: int) -> Timing:
    name, options = parse(spec)
    totals, runs = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        runs.append(run(name, graph, machine=machine, **options))
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


def timed_searches(
    spec: str,
    graph: Graph,
    machine: str,
    starts: Sequence[int],
    random: bool = False,
    bandwidth: float = 0.0,
) -> Timing:
    """Time searches while the graph stays in device memory, each after one that is not timed.

    Parameters
    ----------
    spec : str
        The technique, with options where wanted.
    graph : Graph
        The graph.
    machine : str
        "gpu", or "sim" to try it.
    starts : sequence of int
        The sources.
    random : bool
        Whether these are random ones, of which speeds are told in Graph500's form.
    bandwidth : float
        Bytes a second that the machine copies, if known.

    Returns
    -------
    Timing
        Medians; how levels were expanded is told of the first search.
    """
    name, options = parse(spec)
    opened = open_machine(machine, counters=False)
    search = prepared(name, graph, starts[0], opened, options, record=False)
    began = time.perf_counter()
    facts = ""
    told = []  # of each search, but not its levels, which take memory
    for done in search.from_each(opened, starts, rehearsed=True):
        facts = facts or ways(done)
        rate = bytes_to_move(done) / done.seconds if done.seconds else 0.0
        share = rate / bandwidth if bandwidth else 0.0
        told.append((done.seconds, done.traversed_edges, done.initialising, done.depth + 1, share))
    total = time.perf_counter() - began
    seconds, edges, before, levels, shares = zip(*told, strict=True)
    speeds = [e / s if s else 0.0 for e, s in zip(edges, seconds, strict=True)]
    return Timing(
        spec,
        graph.spec,
        machine,
        len(starts),
        statistics.median(seconds),
        max(seconds),
        total / len(starts),
        statistics.median(speeds) / 1e6,
        peak_memory() / (1 << 20),
        device=opened.device,
        initialising=statistics.median(before),
        levels=int(statistics.median(levels)),
        roofline=statistics.median(shares),
        bandwidth=bandwidth,
        ways=facts,
        teps=Teps.of(speeds) if random else None,
    )


def ways(done: Run) -> str:
    """Return how the levels of a search were expanded, those that follow each other together.

    Examples
    --------
    >>> import gpubfs
    >>> ways(gpubfs.run("best", "path:40", 0))
    'byte map ×40'
    """
    told = (str(facts["way"]) for _, facts in sorted(done.facts.items()) if "way" in facts)
    groups = ((way, len(list(same))) for way, same in groupby(told))
    return ", ".join(f"{way} ×{times}" if times > 1 else way for way, times in groups)


@cache
def _bandwidth() -> float:
    """Return what the GPU's copies reach, measured once."""
    with GpuMachine(None, None, False) as gpu:
        return gpu.bandwidth()


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
    first = timings[0]
    titles, cells = _columns(timings)
    columns = (*map(Column, ("graph", "technique")), *titles)
    rows = tuple((shown[t.graph], t.technique, *_cells(t, cells)) for t in timings)
    searches = f"{first.repeats} random sources" if _from_many(timings) else first.repeats
    title = f"machine {first.machine}, medians of {searches}"
    notes = (*_notes(timings), *_problems(timings), *filter(None, [missing]))
    return Sheet(title, columns, rows, notes, keys=2)


#: Titles of columns, and what they say of a timing.
Cells = Mapping[str, Callable[[Timing], str]]

ON_SIM: Cells = {
    "seconds": lambda timing: f"{timing.seconds:.5f}",
    "slowest": lambda timing: f"{timing.slowest:.5f}",
    "whole run": lambda timing: f"{timing.total_seconds:.5f}",
    "MTEPS": lambda timing: speed(timing.mteps),
    "MiB": lambda timing: f"{timing.peak_mib:,.0f}",
}

ON_GPU: Cells = {
    "ms": lambda timing: f"{1e3 * timing.seconds:,.3f}",
    "slowest": lambda timing: f"{1e3 * timing.slowest:,.3f}",
    "before": lambda timing: f"{1e3 * timing.initialising:,.3f}",
    "MTEPS": lambda timing: speed(timing.mteps),
    "roofline": lambda timing: percentage(timing.roofline),
    "µs/level": lambda timing: f"{1e6 * timing.seconds / max(timing.levels, 1):,.2f}",
    "levels": lambda timing: timing.ways or f"{timing.levels:,}",
}

FROM_MANY: Cells = {
    "sources": lambda timing: str(timing.repeats),
    "ms": lambda timing: f"{1e3 * timing.seconds:,.3f}",
    "min MTEPS": lambda timing: _mega(timing, "min_TEPS"),
    "median": lambda timing: _mega(timing, "median_TEPS"),
    "max": lambda timing: _mega(timing, "max_TEPS"),
    "harmonic mean": lambda timing: _mega(timing, "harmonic_mean_TEPS"),
    "±": lambda timing: _mega(timing, "harmonic_stddev_TEPS"),
}


def _from_many(timings: Sequence[Timing]) -> bool:
    """Return whether searches began at random sources."""
    return any(timing.teps for timing in timings)


def _mega(timing: Timing, name: str) -> str:
    return speed(getattr(timing.teps, name) / 1e6)


def _columns(timings: Sequence[Timing]) -> tuple[tuple[Column, ...], Cells]:
    """Return the columns behind a row's keys, and what is in them."""
    cells = ON_SIM if timings[0].machine == "sim" else ON_GPU
    if _from_many(timings):
        cells = FROM_MANY
    return tuple(Column(title, figures=title != "levels") for title in cells), cells


def _cells(timing: Timing, cells: Cells) -> tuple[str, ...]:
    if timing.outcome:
        return timing.outcome, *[""] * (len(cells) - 1)
    return tuple(cell(timing) for cell in cells.values())


def _notes(timings: Sequence[Timing]) -> Iterator[str]:
    """Say what was timed, and what the columns mean."""
    yield _what_is_timed(timings)
    if timings[0].machine == "sim":
        yield "MiB: the process's peak so far"
        return
    if _from_many(timings):
        yield (
            "MTEPS: millions of edges of what was reached, undirected ones once, over seconds; "
            "statistics as Graph500 has them, ± is the standard error of the harmonic mean"
        )
        return
    yield BEFORE
    if rates := [timing.bandwidth for timing in timings if timing.bandwidth]:
        yield f"{WHAT_MUST_MOVE}; these move {rates[0] / 1e12:.2f} TB/s"


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
    sources = "random sources" if _from_many(timings) else "the hub, the vertex of highest degree"
    made = (
        f"Medians of {searches} from {sources}, "
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


def as_dict(timings: Sequence[Timing], missing: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Return the timings, and which techniques are missing on which graphs, ready for JSON."""
    plain = [asdict(replace(timing, error=None)) for timing in timings]
    for timing in plain:
        del timing["error"]
    absent = [{"technique": technique, "graph": graph} for technique, graph in missing]
    return {"timings": plain, "missing": absent}
