"""Pictures of runs: how even the work is, what levels cost, where threads meet, which lines pay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpubfs.errors import UsageError
from gpubfs.host import Launch
from gpubfs.render.drawing import label, panels
from gpubfs.render.scales import scaled
from gpubfs.render.style import (
    DASHES,
    INK,
    SMALL,
    TEXT,
    WIDTH,
    fill,
    letters,
    new_figure,
    styled,
    wrapped,
)
from gpubfs.render.views import view
from gpubfs.search.counters import total
from gpubfs.search.result import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.observe.counters import Counters, Site, Work

#: Inches of a line of source and its place.
LINE = 0.36

#: How many lines of source are shown, those that cost most.
MOST_LINES = 12


@view(Run)
@styled
def plot_work(run: Run) -> Figure:
    """How memory operations are spread over threads, warps and blocks."""
    counted = _counted(run)
    figure = new_figure(f"memory operations: {_title(run)}")
    spreads = {"thread": counted.work, "warp": counted.work_per_warp}
    spreads["block"] = counted.work_per_block
    for axes, (who, work) in zip(
        panels(figure, list(spreads), across=1), spreads.items(), strict=True
    ):
        _spread(axes, who, work)
    return figure


@view(Run)
@styled
def plot_levels(run: Run) -> Figure:
    """Draw what each level costs: the frontier, and sectors moved or, uncounted, time."""
    levels = _by_level(run)
    counted = all(launch.counters for launch in run.per_launch)
    figure = new_figure(f"level by level: {_title(run)}")
    left, right = panels(figure, ["frontier", "cost"], across=1)
    _columns(left, levels, {"": _frontier}, "vertices of the frontier")
    if counted:
        parts = ("load", "store", "atomic")
        series = {f"{part}s": _summed(f"{part}_sectors") for part in parts}
        _columns(right, levels, series, "sectors of 32 bytes moved")
    else:
        _columns(right, levels, {"": _microseconds}, _time_title(run))
    return figure


@view(Run)
@styled
def plot_contention(run: Run) -> Figure:
    """Atomics of each level: all of them, those on the busiest address, those that failed."""
    counted = _counted(run)
    figure = new_figure(f"global atomics: {_title(run)}")
    axes = figure.subplots()
    series = {"all": _summed("atomic_lanes"), "failed swaps": _summed("cas_failed")}
    if run.counters["hottest_ops"] is not None:
        series["busiest address"] = _most("hottest_ops")
        where = f"busiest: {counted.hottest_address}" if counted.hottest_address else ""
        axes.set_title(wrapped(where, letters(WIDTH - 1, TEXT)))
    _columns(axes, _by_level(run), series, "atomic operations of lanes", stacked=False)
    return figure


@view(Run)
@styled
def plot_lines(run: Run) -> Figure:
    """Draw the lines of the kernel whose accesses move most sectors."""
    _counted(run)
    found: dict[tuple[str, int], dict[str, int]] = {}
    texts: dict[tuple[str, int], str] = {}
    for site in run.sites or ():
        if site.sectors:
            line = Path(site.span.source.name).name, site.line
            kinds = found.setdefault(line, {})
            kinds[site.kind] = kinds.get(site.kind, 0) + site.sectors
            texts[line] = _source_line(site)
    chosen = sorted(found, key=lambda line: -sum(found[line].values()))[:MOST_LINES]
    figure = new_figure(f"sectors: {_title(run)}", 0.9 + LINE * max(len(chosen), 1))
    axes = figure.subplots()
    before = [0] * len(chosen)
    for kind in ("load", "store", "atomic"):
        widths = [found[line].get(kind, 0) for line in chosen]
        if any(widths):
            look = fill(figure, f"{kind}s")
            axes.barh(range(len(chosen)), widths, 0.6, left=before, label=f"{kind}s", **look)
        before = [b + w for b, w in zip(before, widths, strict=True)]
    names = _names(chosen, texts)
    axes.set_yticks(range(len(chosen)), names, fontsize=SMALL - 1, family="monospace")
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    label(axes, "sectors of 32 bytes moved", "line of source")
    axes.grid(False, axis="y")
    return figure


def _names(chosen: list[tuple[str, int]], texts: dict[tuple[str, int], str]) -> list[str]:
    """Return places with what stands there, of one width, so that all begin below each other."""
    pairs = [(f"{name}:{line}", _short(texts[name, line])) for name, line in chosen]
    width = max((len(text) for pair in pairs for text in pair), default=0)
    return [f"{place:<{width}}\n{text:<{width}}" for place, text in pairs]


def _title(run: Run) -> str:
    return f"{run.technique} on {run.graph.label} from {run.source}"


def _counted(run: Run) -> Counters:
    counted = total(launch.counters for launch in run.per_launch)
    if counted is None:
        why = run.not_counted or "the run was made without counters"
        raise UsageError(f"there is nothing to draw: {why}", "run it with counters=True")
    return counted


def _spread(axes: Axes, who: str, work: Work) -> None:
    import numpy as np

    most = max(work.maximum, 1)
    edges = np.linspace(0, most, min(most, 40) + 1)
    look = fill(axes.figure, "")
    counts, _, _ = axes.hist(work.values, bins=list(edges), weights=work.counts, **look)
    scaled(axes, "y", "log", [max(float(np.max(counts)), 5.0), 0.5])
    axes.set_ylim(bottom=0.5)  # one alone is seen, too
    axes.axvline(work.mean, color=INK, linestyle=DASHES[1], label="mean")
    spread = f"the most {work.maximum:,}, {work.imbalance:.1f} times the mean, {work.mean:,.1f}"
    axes.set_title(wrapped(f"{who}s: {spread}", letters(WIDTH - 1, TEXT)))
    label(axes, f"memory operations of a {who}", f"{who}s")


def _by_level(run: Run) -> dict[int, list[Launch]]:
    levels: dict[int, list[Launch]] = {}
    for launch in run.per_launch:
        levels.setdefault(launch.depth, []).append(launch)
    return levels


def _columns(
    axes: Axes,
    levels: dict[int, list[Launch]],
    series: Mapping[str, Callable[[Iterable[Launch]], float | None]],
    up: str,
    stacked: bool = True,
) -> None:
    """Draw a column for each level; what is not known is left out, and said."""
    from matplotlib.ticker import MaxNLocator

    depths = list(levels)
    before = [0.0] * len(depths)
    width = 0.8 if stacked else 0.8 / len(series)
    for number, (name, cost) in enumerate(series.items()):
        known = [cost(launches) for launches in levels.values()]
        heights = [height or 0.0 for height in known]
        shift = 0.0 if stacked else (number - (len(series) - 1) / 2) * width
        positions = [depth + shift for depth in depths]
        look = fill(axes.figure, name)
        bottom = before if stacked else 0
        axes.bar(positions, heights, width, bottom=bottom, label=name or None, **look)
        if stacked:
            before = [b + h for b, h in zip(before, heights, strict=True)]
        if None in known:
            axes.text(0.5, 0.5, "not known", transform=axes.transAxes, ha="center")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    label(axes, "level", up)


def _frontier(launches: Iterable[Launch]) -> float | None:
    sizes = [launch.frontier for launch in launches if launch.frontier is not None]
    return max(sizes) if sizes else None


def _time_title(run: Run) -> str:
    return "simulator's own time, microseconds" if run.machine == "sim" else "microseconds"


def _microseconds(launches: Iterable[Launch]) -> float | None:
    times = [launch.seconds for launch in launches]
    return sum(1e6 * (time or 0.0) for time in times) if None not in times else None


def _summed(name: str) -> Callable[[Iterable[Launch]], float]:
    return lambda launches: sum(_of(launch, name) for launch in launches)


def _most(name: str) -> Callable[[Iterable[Launch]], float]:
    return lambda launches: max(_of(launch, name) for launch in launches)


def _of(launch: Launch, name: str) -> float:
    found: Any = getattr(launch.counters, name)
    return float(found or 0)


def _source_line(site: Site) -> str:
    return site.span.source.text.splitlines()[site.line - 1].strip()


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
