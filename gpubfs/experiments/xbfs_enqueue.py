"""Enqueueing by an atomic addition for each vertex, or at places that a prefix sum gives.

Gaihre et al., Section 4.1, Observation 1, Figure 5: arrays of 1 to 512 million random statuses are
scanned and what belongs to the frontier is enqueued, once each way. The text gives the averages on
four GPUs. It does not say which share of the entries is in the frontier, so there are several here,
and what is said is said of each share: a mean over them would be of no array.

The paper's counterpart "relies on prefix sum to figure out the offset for each frontier", as the
work that it cites does. That is `two-pass` here: a scan counts, a prefix sum over the whole device
gives places, a second scan writes, and nothing is atomic; the kernels are double-scan's. `hybrid`
is between the two: a prefix sum over each block, whose last thread reserves by one atomic addition.
`atomic` and `hybrid` are the scan of single-scan, compiled with either way of enqueueing.

The simulator counts what each costs, but not which of two costs takes longer. Times are sums of the
launches' own: three of two-pass, one of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.experiments import settings
from gpubfs.experiments.cells import (
    TIME,
    Cell,
    counted,
    listed,
    mean,
    notes,
    percent,
    pivot,
    ranged,
    times,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.level_costs import TwoScans
from gpubfs.host import Host, Launch
from gpubfs.machines import Machine
from gpubfs.render.drawing import lines, panels
from gpubfs.render.scales import logarithmic, mark
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.catalogue import find
from gpubfs.search.papers import XBFS
from gpubfs.search.verify import VerificationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


METRICS = {
    "sim": counted(
        *("atomic_lanes", "atomic_sectors", "hottest_ops", "load_sectors", "shared_requests"),
        *("warp_steps", "barriers"),
    ),
    "gpu": (TIME,),
}

#: The ways that are single-scan's, and their macros in its kernel file.
MACROS = {"atomic": "ENQUEUE_ATOMIC", "hybrid": "ENQUEUE_PREFIX_SUM"}
ATOMIC, HYBRID = MACROS
TWO_PASS = "two-pass"
METHODS = (ATOMIC, TWO_PASS, HYBRID)

#: What comes in only with launches: of several, the most counts.
MOST = ("hottest_ops",)

#: Powers of two: 1 to 512 million entries are 20 to 29.
SIZES = {"sim": (12, 14, 16), "gpu": (20, 23, 26, 29)}
SHARES = (0.01, 0.1, 0.5)
BLOCK = 256
SEED = 5

#: How many times as fast atomics are, on GPUs from the oldest to the newest.
SPEEDUPS = {"K80": 5.2, "P6000": 4.1, "Titan Xp": 2.5, "V100": 1.7}

#: Values of the status array.
DEPTH, NOT_VISITED = 1, -1

PAPER = Sheet(
    "the paper's speedups of atomics over prefix sums, on average",
    tuple(Column(name, figures=True) for name in SPEEDUPS),
    (tuple(map(str, SPEEDUPS.values())),),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each array, a column for each way."""
    if report.machine == "gpu":
        return (_times(report),)
    base = {(p.graph, p.at): p for p in report.points if p.series == ATOMIC}
    cells = [
        (metric.title, _array(p), p.series, metric.against(p, base[p.graph, p.at]))
        for metric in METRICS[report.machine]
        for p in report.points
    ]
    footnotes = notes(report.points, METRICS[report.machine])
    return (pivot(f"ratios to {ATOMIC} on {report.where}", "array", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu who is faster at each share, and how that goes on; on sim what is exchanged."""
    if report.machine == "gpu":
        two, hybrid = (by_share(report.points, TIME.name, name) for name in (TWO_PASS, HYBRID))
        return faster(two, hybrid, report.device), falling(two, report.device)
    names = ("atomic_sectors", "warp_steps", "load_sectors")
    return (exchanged({name: by_share(report.points, name) for name in names}),)


def ratios(
    points: Sequence[Point], name: str, method: str = TWO_PASS
) -> dict[tuple[str, Any], float]:
    """For each array what a method takes, relative to atomics."""
    values = {(p.series, p.graph, p.at): p.values[name] for p in points}
    arrays = dict.fromkeys((p.graph, p.at) for p in points)
    return {
        array: values[method, *array] / values[ATOMIC, *array]
        for array in arrays
        if values[ATOMIC, *array]
    }


def by_share(points: Sequence[Point], name: str, method: str = TWO_PASS) -> dict[float, float]:
    """For each share in the frontier what a method takes, relative to atomics, on average."""
    found: dict[float, list[float]] = {}
    for (_, share), ratio in ratios(points, name, method).items():
        found.setdefault(share, []).append(ratio)
    return {share: mean(own) if min(own) > 0 else 0.0 for share, own in found.items()}


def faster(two: Mapping[float, float], hybrid: Mapping[float, float], device: str) -> Verdict:
    """Whether atomics are faster than prefix sums, as the paper says of recent GPUs.

    Parameters
    ----------
    two, hybrid : mapping
        For each share how many times as fast atomics are as two-pass, and as hybrid.
    device : str
        Where.
    """
    theirs = listed(f"{times(speedup)} on {name}" for name, speedup in SPEEDUPS.items())
    text = (
        f"on {device} atomics are {_shared(two)} as fast as two scans with a prefix sum between; "
        f"in the paper {theirs}, over arrays whose shares it does not say"
    )
    other = (
        f"they are {_shared(hybrid)} as fast as hybrid, a prefix sum and one atomic a block, which "
        "is between the two"
    )
    won = {ratio > 1 for ratio in two.values()}
    return Verdict(won.pop() if len(won) == 1 else None, f"{text}; {other}")


def falling(two: Mapping[float, float], device: str) -> Verdict:
    """Whether the advantage is less than on the paper's newest GPU, at whatever share."""
    *_, (newest, least) = SPEEDUPS.items()
    text = f"the paper's speedups fall from GPU to GPU, to {times(least)} on {newest}"
    below = {ratio < least for ratio in two.values()}
    if len(below) > 1:
        so = "it depends on the share whether it is below that"
        return Verdict(None, f"{text}; on {device} ({_shared(two)}) {so}")
    lower = below.pop()
    so = "it is below that at every share" if lower else "it is not below that at any share"
    return Verdict(lower, f"{text}; on {device} ({_shared(two)}) {so}")


def exchanged(costs: Mapping[str, Mapping[float, float]]) -> Verdict:
    """Return what two-pass costs and saves; which weighs more, counters cannot say.

    Parameters
    ----------
    costs : mapping
        For atomic_sectors, warp_steps and load_sectors what two-pass takes at each share, relative
        to atomics.
    """
    atomics, steps, sectors = (
        ranged(costs[name].values()) for name in ("atomic_sectors", "warp_steps", "load_sectors")
    )
    some = any(costs["atomic_sectors"].values())
    visits = f"{atomics} the visits of atomics to memory" if some else "no atomics"
    text = (
        f"two scans with a prefix sum between make {visits}, "
        f"execute {steps} the statements and load {sectors} the sectors"
    )
    every = [ratio for own in costs.values() for ratio in own.values()]
    if min(every) >= 1:
        return Verdict(True, f"{text}: atomics cost less of all that is counted")
    if max(every) <= 1:
        return Verdict(False, f"{text}: atomics cost more of all that is counted")
    return Verdict(
        None, f"the simulator cannot tell times: {text}; which weighs more is not counted"
    )


def _shared(found: Mapping[float, float]) -> str:
    return listed(
        f"{times(ratio)} with {percent(share)} in the frontier" for share, ratio in found.items()
    )


def draw(report: Report, figure: Figure) -> None:
    """On gpu how many times as fast atomics are, on sim how many of them there are."""
    if report.machine == "gpu":
        _draw_speedups(report, figure)
        return
    sizes = list(dict.fromkeys(point.graph for point in report.points))
    titles = [f"{size} entries" for size in sizes]
    for axes, size in zip(panels(figure, titles), sizes, strict=True):
        series = {
            name: [
                (100 * (p.at or 0), p.values["atomic_lanes"])
                for p in report.points
                if (p.graph, p.series) == (size, name)
            ]
            for name in METHODS
        }
        up = "atomic operations"
        lines(axes, series, "share in the frontier, %", up, scale="log")


@reproduces(
    "xbfs-enqueue",
    paper=XBFS,
    figure="4.1, Figure 5",
    question="Is a frontier enqueued faster by atomics or by prefix sums?",
    graphs={},
    sheet=PAPER,
    published={"speedup of atomics": SPEEDUPS},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
    device="p6000",
    settings={"sizes": settings.numbers(0, 30), "shares": settings.shares(zero=True)},
)
def xbfs_enqueue(
    lab: Lab, *, sizes: Sequence[int] | None = None, shares: Sequence[float] = SHARES
) -> Iterator[Point]:
    """Each way on arrays of 2 to the power of each size, with each share in the frontier."""
    for size in sizes or SIZES[lab.machine]:
        draws = np.random.default_rng(SEED).integers(0, 1 << 16, 1 << size, np.uint16)
        for share in shares:
            lab.tell(f"2^{size} entries, {percent(share)} in the frontier")
            status = np.where(draws < share * (1 << 16), np.int32(DEPTH), np.int32(NOT_VISITED))
            yield from _each(lab, size, share, status)


def check(status: NDArray[np.int32], queue: NDArray[np.int32], method: str) -> None:
    """Raise VerificationError unless the queue holds each vertex of the frontier once."""
    queued = np.zeros(len(status), bool)
    queued[queue] = True
    wrong = queued != (status == DEPTH)
    if wrong.any():
        vertex = int(wrong.argmax())
        fault = "is in the queue and not in" if queued[vertex] else "is not in the queue, but in"
        raise VerificationError(vertex, f"{fault} the frontier, enqueued by {method}")
    if len(queue) != np.count_nonzero(queued):
        vertices, often = np.unique(queue, return_counts=True)
        twice = int(vertices[often.argmax()])
        raise VerificationError(twice, f"is in the queue more than once, enqueued by {method}")


def _each(lab: Lab, size: int, share: float, status: NDArray[np.int32]) -> Iterator[Point]:
    with lab.open() as machine:
        level = machine.asarray(status)
        room = int(np.count_nonzero(status == DEPTH))
        for method in METHODS:
            # One place more than is needed, so that there is an array even for an empty frontier.
            values = _enqueued(lab, machine, level, status, room + 1, method)
            found = {"entries": len(status), "frontier": room}
            yield Point(f"2^{size}", method, share, values | found)


def _enqueued(
    lab: Lab, machine: Machine, level: Any, status: NDArray[np.int32], room: int, method: str
) -> dict[str, float]:
    """Return what one way of enqueueing takes: seconds or counters of a level's launches."""
    enqueue = _in_two_passes if method == TWO_PASS else _in_one
    host, queue, size = enqueue(lab, machine, level, len(status), room, method)
    _, launches = host.finish()
    check(status, host.read(queue[: host.read_int(size)]), method)
    each = len(launches) // lab.repetitions
    repetitions = [launches[first : first + each] for first in range(0, len(launches), each)]
    if lab.timed:
        return {
            TIME.name: lab.steady(
                [sum(one.seconds or 0.0 for one in repetition) for repetition in repetitions]
            )
        }
    return {metric.name: _over(metric.name, repetitions[0]) for metric in METRICS["sim"]}


def _in_one(
    lab: Lab, machine: Machine, level: Any, vertices: int, room: int, method: str
) -> tuple[Host, Any, Any]:
    """Repeat the scan of single-scan: its host, the queue, and how many are in it."""
    host = Host(machine, find("single-scan").path, {"ENQUEUE": MACROS[method], "OFFSET": "int"})
    queue, tail = host.empty("next", room), host.full("next_size", 1, 0)
    for _ in range(lab.repetitions):
        host.write(tail, 0)
        args = (level, vertices, queue, tail, DEPTH)
        host.launch("single_scan_enqueue", host.blocks(vertices, BLOCK), BLOCK, args)
    return host, queue, tail


def _in_two_passes(
    lab: Lab, machine: Machine, level: Any, vertices: int, room: int, method: str
) -> tuple[Host, Any, Any]:
    """Return the scans of double-scan, and the prefix sum between them."""
    host = Host(machine, find("double-scan").path, {"OFFSET": "int"})
    queue, scans = host.empty("next", room), TwoScans(host, "double_scan", vertices)
    for _ in range(lab.repetitions):
        scans.launch(level, DEPTH, queue)
    return host, queue, scans.size


def _over(name: str, launches: Sequence[Launch]) -> int:
    """Return a counter over the launches of one repetition."""
    each = [int(getattr(launch.counters, name)) for launch in launches]
    return max(each) if name in MOST else sum(each)


def _times(report: Report) -> Sheet:
    cells: list[Cell] = [
        (f"{percent(p.at or 0)} in the frontier", p.graph, p.series, TIME.text(p))
        for p in report.points
    ]
    cells += [
        (f"{percent(share)} in the frontier", size, f"to {method}", times(ratio))
        for method in (TWO_PASS, HYBRID)
        for (size, share), ratio in ratios(report.points, TIME.name, method).items()
    ]
    title = f"milliseconds, and speedups of {ATOMIC}, on {report.where}"
    return pivot(
        title,
        "entries",
        cells,
        ["milliseconds: medians of the launches alone, of which two-pass has three"],
    )


def _draw_speedups(report: Report, figure: Figure) -> None:
    axes = figure.subplots()
    found = ratios(report.points, TIME.name)
    entries = {p.graph: p.values["entries"] for p in report.points}
    series = {
        f"{percent(share)} in the frontier": [
            (entries[size], ratio) for (size, its), ratio in found.items() if its == share
        ]
        for share in dict.fromkeys(share for _, share in found)
    }
    up = "speedup of atomics over two-pass"
    lines(axes, series, "entries of the status array", up, scale="ratio")
    logarithmic(axes, sorted(entries.values()))
    for name, speedup in SPEEDUPS.items():
        mark(axes, "y", speedup, f"{name}, in the paper")


def _array(point: Point) -> str:
    return f"{point.graph}, {percent(point.at or 0)}"
