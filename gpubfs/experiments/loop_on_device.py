"""The main loop on the device against the one on the host, for three expansions of a level.

Tödling et al., Section V: a kernel of one thread that manages the iterations spares the copy which
tells the host whether a level found vertices, and makes a naive search a few percent to twice as
fast, on several devices. They cite Zhang et al., who lost up to 44 % with a loop on the device, and
say that it is unclear why. Theirs could wait for a kernel that it launched; since CUDA 12 nobody
can, and each level is a tail launch.

The naive version is status-array, a search with a queue block-prefix-sum, and both are expanded by
the same kernels from the host and from the device. Beside them stand the four forms of one search
by lanes that share a vertex: host-loop, device-loop, persistent, whose grid has a block for each
multiprocessor here, and hierarchical-kernels.

The simulator cannot tell times. It tells who launches, who reads, and who waits at which barrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpubfs.experiments.cells import (
    CLOSE,
    TIME,
    by_graph,
    compared,
    counted,
    listed,
    notes,
    percent,
    pivot,
    quotients,
    times,
    untold,
)
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.toedling import FRONTIER, GRAPHS, NAIVE, start
from gpubfs.graphs.build import count
from gpubfs.render.drawing import bars
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import TOEDLING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HOST, DEVICE = "host-loop", "device-loop"
PERSISTENT, HIERARCHY = "persistent", "hierarchical-kernels"

#: The loop on the device by the technique whose kernel it launches.
ON_DEVICE = {name: f"{name} on the device" for name in (NAIVE, FRONTIER)} | {HOST: DEVICE}

#: One search, in four forms.
FORMS = (HOST, DEVICE, PERSISTENT, HIERARCHY)

METRICS = {
    "sim": counted("launches", "device_launches", "host_reads", "grid_syncs", "barriers"),
    "gpu": (TIME,),
}

#: How many times as fast the paper's naive search becomes at most, and what Zhang's loses at most.
GAIN, LOSS = 2.0, 0.44

PAPER = Sheet(
    "the papers' loops on the device",
    (Column("who"), Column("what it gains", text=True)),
    (
        ("Tödling et al., naive", f"a few percent to {GAIN:g} times as fast"),
        ("Zhang et al.", f"a slowdown of up to {LOSS * 100:.0f} %"),
    ),
    ("every search begins at vertex 0",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph, a column for each search."""
    points, metrics = report.points, METRICS[report.machine]
    cells = compared(points, metrics, lambda p: p.series == HOST, lambda p: p.series)
    what = "speedups over" if report.machine == "gpu" else "ratios to"
    footnotes = [
        *notes(points, metrics),
        "searches begin at vertex 0, or the first with neighbours",
    ]
    return (pivot(f"{what} {HOST} on {report.where}", "graph", cells, footnotes),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """On gpu what each loop gains; on sim what it spares and what it takes instead."""
    points = report.points
    levels = {p.graph: p.values["depth"] + 1 for p in points if p.series == HOST}
    if report.machine == "gpu":
        seconds = {name: by_graph(points, name, "seconds") for name in (*ON_DEVICE, *FORMS)}
        seconds |= {name: by_graph(points, name, "seconds") for name in ON_DEVICE.values()}
        gains = {name: quotients(seconds[name], seconds[ON_DEVICE[name]]) for name in ON_DEVICE}
        forms = {name: seconds[name] for name in FORMS}
        return gained(gains[NAIVE]), lost(gains), fastest(forms, levels)
    control = {
        name: {metric.name: by_graph(points, name, metric.name) for metric in METRICS["sim"]}
        for name in (*ON_DEVICE, *ON_DEVICE.values(), PERSISTENT, HIERARCHY)
    }
    return spared(control, levels), instead(control, levels)


def gained(speedups: Mapping[str, float]) -> Verdict:
    """Whether the naive search is faster with the loop on the device, at most twice as fast.

    Parameters
    ----------
    speedups : mapping
        For each graph how many times as fast the loop on the device is.
    """
    detail = listed(f"{times(speedup)} on {graph}" for graph, speedup in speedups.items())
    text = (
        f"{NAIVE} is {detail} as fast with its loop on the device; in Tödling et al. a few percent "
        f"to {times(GAIN)}"
    )
    faster = [speedup for speedup in speedups.values() if speedup > 1]
    if len(faster) < len(speedups):
        return Verdict(None if faster else False, text)
    return Verdict(max(faster) <= GAIN * (1 + CLOSE), text)


def lost(speedups: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Whether a loop on the device loses somewhere, and no more than Zhang's did.

    Parameters
    ----------
    speedups : mapping
        For each technique, for each graph, how many times as fast the loop on the device is.
    """
    slowdowns = {
        f"{name} on {graph}": 1 / speedup - 1
        for name, each in speedups.items()
        for graph, speedup in each.items()
    }
    worst = max(slowdowns, key=lambda which: slowdowns[which])
    slower = [which for which, slowdown in slowdowns.items() if slowdown > 0]
    text = (
        f"with its loop on the device the search takes longer in {len(slower)} of {len(slowdowns)} "
        f"cases, most in {worst}: {percent(slowdowns[worst])}; in Zhang et al. up to "
        f"{percent(LOSS)}"
    )
    return Verdict(bool(slower) and slowdowns[worst] <= LOSS * (1 + CLOSE), text)


def fastest(seconds: Mapping[str, Mapping[str, float]], levels: Mapping[str, int]) -> Verdict:
    """Return which form of one search is the fastest; no paper compares all four.

    Parameters
    ----------
    seconds : mapping
        For each form the time on each graph.
    levels : mapping
        How many levels each search has.
    """
    by_name = {
        graph: {name: each[graph] for name, each in seconds.items() if graph in each}
        for graph in levels
    }
    best = {graph: min(each, key=lambda name: each[name]) for graph, each in by_name.items()}
    detail = listed(
        f"{name} on {graph} ({count(levels[graph], 'level')}, "
        f"{times(by_name[graph][HOST] / by_name[graph][name])} as fast as {HOST})"
        for graph, name in best.items()
    )
    return untold(f"of four forms of one search the fastest is {detail}; no paper compares them")


def spared(
    control: Mapping[str, Mapping[str, Mapping[str, Any]]], levels: Mapping[str, int]
) -> Verdict:
    """Whether the loop on the device spares the read of every level, and every launch but one.

    Parameters
    ----------
    control : mapping
        For each search, for each counter, what each graph takes.
    levels : mapping
        How many levels each search has.
    """
    right = all(
        control[name]["host_reads"][graph] >= n
        and control[there]["host_reads"][graph] == 0
        and control[there]["launches"][graph] == 1
        for name, there in ON_DEVICE.items()
        for graph, n in levels.items()
    )

    def reads(graph: str, names: Iterable[str]) -> int:
        return max(int(control[name]["host_reads"][graph]) for name in names)

    detail = listed(
        f"{reads(graph, ON_DEVICE):,} in {count(n, 'level')} of {graph} become "
        f"{reads(graph, ON_DEVICE.values()):,}"
        for graph, n in levels.items()
    )
    return Verdict(
        right,
        f"the loop on the device spares the host the read of each level: {detail}; in Tödling et "
        "al. that is what it is for",
    )


def instead(
    control: Mapping[str, Mapping[str, Mapping[str, Any]]], levels: Mapping[str, int]
) -> Verdict:
    """Return what each form takes in the place of reads; counters cannot say what that costs."""

    def per_level(name: str, counter: str) -> str:
        found = [control[name][counter][graph] / n for graph, n in levels.items()]
        return " to ".join(dict.fromkeys((f"{min(found):.2f}", f"{max(found):.2f}")))

    words = (
        f"the simulator cannot tell times: for each level {DEVICE} takes "
        f"{per_level(DEVICE, 'device_launches')} launches by kernels, {PERSISTENT} "
        f"{per_level(PERSISTENT, 'grid_syncs')} barriers of the grid, {HIERARCHY} "
        f"{per_level(HIERARCHY, 'launches')} launches and {per_level(HIERARCHY, 'host_reads')} "
        f"reads; in the papers the loop on the device is from {times(1 / (1 + LOSS))} to "
        f"{times(GAIN)} as fast"
    )
    return untold(words)


def draw(report: Report, figure: Figure) -> None:
    """Bars: speedups over host-loop, or launches and reads of the host for each level."""
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    series = list(dict.fromkeys(point.series for point in report.points))
    found = {(point.graph, point.series): point for point in report.points}
    axes = figure.subplots()
    if report.machine == "gpu":
        heights = {
            name: [TIME.ratio(found[graph, name], found[graph, HOST]) for graph in graphs]
            for name in series
        }
        bars(axes, graphs, heights, "graph", f"speedup over {HOST}", scale="ratio")
    else:
        heights = {name: [_waits(found[graph, name]) for graph in graphs] for name in series}
        up = "launches and reads of the host a level"
        bars(axes, graphs, heights, "graph", up, scale="log")


def _waits(point: Point) -> float:
    of_host = point.values["launches"] + point.values["host_reads"]
    return float(of_host / (point.values["depth"] + 1))


@reproduces(
    "loop-on-device",
    paper=TOEDLING,
    figure="V, main loop (and Zhang et al. as they cite them)",
    question="Who goes from level to level: host, kernels that launch, or a grid that stays?",
    graphs=GRAPHS,
    sheet=PAPER,
    published={"naive, at most": GAIN, "Zhang et al., slowdown": LOSS},
    tables=tables,
    verdicts=verdicts,
    draw=draw,
)
def loop_on_device(lab: Lab) -> Iterator[Point]:
    """Each expansion from the host and from the device, and the two forms that stay."""
    names = [metric.name for metric in METRICS[lab.machine]]
    blocks = {PERSISTENT: {"blocks": lab.multiprocessors}}
    for graph in lab.graphs:
        for technique, on_device in ON_DEVICE.items():
            yield lab.point(technique, graph, names, source=start(graph))
            found = lab.point(DEVICE, graph, names, source=start(graph), expansion=technique)
            yield replace(found, series=on_device)
        for technique in (PERSISTENT, HIERARCHY):
            options = blocks.get(technique, {})
            yield lab.point(technique, graph, names, source=start(graph), **options)
