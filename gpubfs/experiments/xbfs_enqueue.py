"""Enqueueing by an atomic addition for each vertex, or by a prefix sum and one addition a block.

Gaihre et al., Section 4.1, Observation 1, Figure 5: arrays of 1 to 512 million random statuses are
scanned and what belongs to the frontier is enqueued, once each way. The text gives the averages on
four GPUs; it does not say which share of the entries is in the frontier, so there are several here.

Only the scan of single-scan is launched, compiled with the one and with the other way of
enqueueing. The simulator counts what each costs, but not which of two costs takes longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.drawing import lines, panels
from gpubfs.experiment import reproduces
from gpubfs.experiments.cells import TIME, Cell, counted, listed, mean, notes, percent, pivot, times
from gpubfs.experiments.report import Point, Report, Verdict
from gpubfs.host import Host
from gpubfs.papers import XBFS
from gpubfs.render import Column, Sheet
from gpubfs.technique import find
from gpubfs.verify import VerificationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpubfs.experiments.lab import Lab

METRICS = {
    "sim": counted(
        "atomic_lanes", "hottest_ops", "load_sectors", "shared_requests", "warp_steps", "barriers"
    ),
    "gpu": (TIME,),
}

#: Each way of enqueueing, and its macro in the kernel file.
METHODS = {"atomic": "ENQUEUE_ATOMIC", "prefix-sum": "ENQUEUE_PREFIX_SUM"}
ATOMIC, PREFIX_SUM = METHODS

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
    """A row for each array, a column for each way."""
    if report.machine == "gpu":
        return (_times(report),)
    base = {(p.graph, p.at): p for p in report.points if p.series == ATOMIC}
    cells = [
        (metric.title, _array(p), p.series, metric.against(p, base[p.graph, p.at]))
        for metric in METRICS[report.machine]
        for p in report.points
    ]
    said = notes(report.points, METRICS[report.machine])
    return (pivot(f"ratios to {ATOMIC} on {report.where}", "array", cells, said),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu who is faster and how that goes on, on sim what is exchanged for what."""
    if report.machine == "gpu":
        ratio = mean(ratios(report.points, "seconds").values())
        return faster(ratio, report.device), falling(ratio, report.device)
    names = ("atomic_lanes", "warp_steps", "load_sectors")
    return (exchanged(*(mean(ratios(report.points, name).values()) for name in names)),)


def ratios(points: Sequence[Point], name: str) -> dict[tuple[str, Any], float]:
    """For each array what the prefix sum takes, relative to atomics."""
    values = {(p.series, p.graph, p.at): p.values[name] for p in points}
    arrays = dict.fromkeys((p.graph, p.at) for p in points)
    return {
        array: values[PREFIX_SUM, *array] / values[ATOMIC, *array]
        for array in arrays
        if values[ATOMIC, *array]
    }


def faster(ratio: float, device: str) -> Verdict:
    """Whether atomics are faster than prefix sums, as the paper says of recent GPUs."""
    theirs = listed(f"{times(speedup)} on {name}" for name, speedup in SPEEDUPS.items())
    words = f"on {device} atomics are {times(ratio)} as fast as prefix sums on average"
    return Verdict(ratio > 1, f"{words}; in the paper {theirs}")


def falling(ratio: float, device: str) -> Verdict:
    """Whether the advantage goes on falling from the paper's newest GPU to this one."""
    *_, (newest, least) = SPEEDUPS.items()
    words = f"the paper's speedups fall from GPU to GPU, to {times(least)} on {newest}"
    so = "goes on falling" if ratio < least else "does not go on falling"
    return Verdict(ratio < least, f"{words}; with {times(ratio)} on {device} it {so}")


def exchanged(atomics: float, steps: float, sectors: float) -> Verdict:
    """What a prefix sum costs and saves; whether that pays, counters cannot say."""
    words = (
        f"a prefix sum makes {times(atomics)} the atomics, executes {times(steps)} the statements "
        f"and loads {times(sectors)} the sectors"
    )
    if atomics < 1 < steps:
        return Verdict(None, f"{words}: which of the two weighs more, only times tell")
    return Verdict(atomics >= 1, f"{words}: nothing is exchanged, and the paper's question is idle")


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
        lines(axes, series, "share in the frontier, %", "atomic operations")
        axes.set_yscale("log")


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
)
def xbfs_enqueue(
    lab: Lab, *, sizes: Sequence[int] = (), shares: Sequence[float] = SHARES
) -> Iterator[Point]:
    """Both ways on arrays of 2 to the power of each size, with each share in the frontier."""
    for size in sizes or SIZES[lab.machine]:
        draws = np.random.default_rng(SEED).integers(0, 1 << 16, 1 << size, np.uint16)
        for share in shares:
            lab.tell(f"2^{size} entries, {percent(share)} in the frontier")
            status = np.where(draws < share * (1 << 16), np.int32(DEPTH), np.int32(NOT_VISITED))
            yield from _both(lab, size, share, status)


def check(status: NDArray[np.int32], queue: NDArray[np.int32], method: str) -> None:
    """Raise VerificationError unless the queue holds each vertex of the frontier once."""
    queued = np.zeros(len(status), bool)
    queued[queue] = True
    wrong = queued != (status == DEPTH)
    if wrong.any():
        vertex = int(wrong.argmax())
        fault = "is in the queue and not in" if queued[vertex] else "is not in the queue, but in"
        raise VerificationError(vertex, f"{fault} the frontier, with enqueue={method}")
    if len(queue) != np.count_nonzero(queued):
        vertices, often = np.unique(queue, return_counts=True)
        twice = int(vertices[often.argmax()])
        raise VerificationError(twice, f"is in the queue more than once, with enqueue={method}")


def _both(lab: Lab, size: int, share: float, status: NDArray[np.int32]) -> Iterator[Point]:
    with lab.open() as machine:
        level = machine.asarray(status)
        room = int(np.count_nonzero(status == DEPTH))
        for method, macro in METHODS.items():
            defines = {"ENQUEUE": macro, "OFFSET": "int"}
            host = Host(machine, find("single-scan").path, defines)
            values = _enqueued(lab, host, level, status, room, method)
            found = {"entries": len(status), "frontier": room}
            yield Point(f"2^{size}", method, share, values | found)


def _enqueued(
    lab: Lab, host: Host, level: Any, status: NDArray[np.int32], room: int, method: str
) -> dict[str, float]:
    """The scan's seconds or counters."""
    # One place more than is needed, so that there is an array even for an empty frontier.
    queue, tail = host.empty("next", room + 1), host.full("next_size", 1, 0)
    for _ in range(lab.turns):
        host.write(tail, 0)
        args = (level, len(status), queue, tail, DEPTH)
        host.launch("single_scan_enqueue", host.blocks(len(status), BLOCK), BLOCK, args)
    _, launches = host.finish()
    check(status, host.read(queue[: host.read_int(tail)]), method)
    if lab.timed:
        return {"seconds": lab.steady([launch.seconds or 0.0 for launch in launches])}
    return {metric.name: getattr(launches[0].counters, metric.name) for metric in METRICS["sim"]}


def _times(report: Report) -> Sheet:
    cells: list[Cell] = [
        (f"{percent(p.at or 0)} in the frontier", p.graph, p.series, TIME.text(p))
        for p in report.points
    ]
    cells += [
        (f"{percent(share)} in the frontier", size, "speedup", times(ratio))
        for (size, share), ratio in ratios(report.points, "seconds").items()
    ]
    title = f"milliseconds, and speedup of {ATOMIC}, on {report.where}"
    return pivot(title, "entries", cells, ["milliseconds: medians of the scan alone"])


def _draw_speedups(report: Report, figure: Figure) -> None:
    axes = figure.subplots()
    found = ratios(report.points, "seconds")
    entries = {p.graph: p.values["entries"] for p in report.points}
    series = {
        f"{percent(share)} in the frontier": [
            (entries[size], ratio) for (size, its), ratio in found.items() if its == share
        ]
        for share in dict.fromkeys(share for _, share in found)
    }
    for name, speedup in SPEEDUPS.items():
        axes.axhline(speedup, color="grey", linestyle="--", linewidth=0.8)
        axes.text(1, speedup, f" {name}", transform=axes.get_yaxis_transform(), va="center")
    axes.axhline(1, color="black", linewidth=0.8)
    lines(axes, series, "entries of the status array", "speedup of atomics over prefix sums")
    axes.set_xscale("log", base=2)


def _array(point: Point) -> str:
    return f"{point.graph}, {percent(point.at or 0)}"
