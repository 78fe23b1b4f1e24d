"""Pictures by matplotlib: panels, bars and lines, and the files that they get into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import floor, isnan, log10, nan
from pathlib import Path
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError
from gpubfs.render import style
from gpubfs.render.scales import scaled, ticks_between
from gpubfs.render.style import DPI, SMALL, TEXT, letters, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# How pictures get into files: whole or not at all.


#: What makes a picture.
Draw = Callable[[], "Figure"]

SUFFIXES = (".svg", ".png", ".pdf")


@contextmanager
def kept(path: Path | None) -> Iterator[Callable[[Draw], None]]:
    """Yield a function that writes a picture; without a path it does nothing.

    The path is tried before anything is measured. The picture is written beside it under another
    name, and gets its own when it is whole: who interrupts gets no half a picture, and keeps the
    one that was there.

    Raises
    ------
    UsageError
        If no picture can be written there.
    """
    if path is None:
        yield lambda draw: None
        return
    if path.suffix.lower() not in SUFFIXES:
        given = path.suffix or "no suffix"
        raise UsageError(
            f"the picture {path} has {given}, which says no format that can be written",
            f"give a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
        )
    goal = path.resolve()
    part = goal.with_name(f".{goal.stem}.{os.getpid()}.part")
    try:
        _try(path, goal, part)
        yield lambda draw: _write(draw, part, goal)
    finally:
        with suppress(OSError):
            part.unlink()


def _try(path: Path, goal: Path, part: Path) -> None:
    if goal.is_dir():
        raise UsageError(f"the picture {path} is a folder", "give the name of a file")
    try:
        if goal.exists():
            goal.open("ab").close()
        part.open("wb").close()
    except OSError as error:
        raise UsageError(
            f"the picture {path} cannot be written: {error.strerror or error}",
            "give a name in a folder that exists and that you may write to",
        ) from None


def _write(draw: Draw, part: Path, goal: Path) -> None:
    kind = goal.suffix.lower().removeprefix(".")
    draw().savefig(part, format=kind, dpi=DPI)
    part.replace(goal)


# What pictures are made of: panels, lines and bars with labelled axes.


#: Panels beside each other.
ACROSS = 2

#: Inches of a panel of lines, of a bar, between the bars of one name and the next's, and of what
#: stands around the bars: ticks, a label and a title.
PANEL, BAR, GAP, AROUND = 2.7, 0.15, 0.14, 0.8

#: Letters of a line at the ticks of bars.
AT_TICKS = 20

#: Markers of a line, beyond which only some of its points have one.
MOST_MARKERS = 16

Line = Sequence[tuple[float, float | None]]


def panels(figure: Figure, titles: Sequence[str], across: int = ACROSS) -> list[Axes]:
    """One panel for each title, in rows."""
    across = min(len(titles), across)
    down = -(-len(titles) // across)
    style.need(figure, PANEL * down)
    grid = figure.subplots(down, across, squeeze=False)
    made: list[Axes] = list(grid.flat)
    for unused in made[len(titles) :]:
        unused.remove()
    most = letters(style.WIDTH / across - 0.9, TEXT)
    for axes, title in zip(made, titles, strict=False):
        axes.set_title(wrapped(title, most), fontsize=TEXT, loc="left")
    return made[: len(titles)]


def label(axes: Axes, across: str, up: str, legend: bool = True) -> None:
    """Say what the axes are, with units, and below the picture who is who."""
    from matplotlib.ticker import ScalarFormatter, StrMethodFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    rows, columns = _panels_of(axes)
    wide = style.WIDTH / columns - 1.4
    high = style.layout_of(axes.figure).body / rows - 0.8
    axes.set_xlabel(wrapped(across, letters(wide, TEXT)))
    axes.set_ylabel(wrapped(up, max(letters(high, TEXT), 12)))
    axes.grid(True)
    axes.set_axisbelow(True)
    if legend and axes.get_legend_handles_labels()[0]:
        style.put_legend(axes.figure)


def _panels_of(axes: Axes) -> tuple[int, int]:
    """Return how many rows and columns of panels there are."""
    place = axes.get_subplotspec()
    return (1, 1) if place is None else place.get_gridspec().get_geometry()


def lines(
    axes: Axes,
    series: Mapping[str, Line],
    across: str,
    up: str,
    legend: bool = True,
    scale: str = "linear",
) -> None:
    """Lines through points; what was not measured is left out.

    Parameters
    ----------
    axes : Axes
        Where to.
    series : mapping
        Points by the names of series.
    across, up : str
        What the axes are, with units.
    legend : bool
        Whether the legend has these series.
    scale : str
        That of the values: linear, log, ratio or symlog.
    """
    for name, line in series.items():
        powers = scale in ("log", "ratio")
        sound = [(x, nan if powers and y <= 0 else y) for x, y in line if y is not None]
        look = style.stroke(axes.figure, name)
        often = max(1, len(sound) // MOST_MARKERS)
        at, values = [x for x, _ in sound], [y for _, y in sound]
        unseen = powers and bool(values) and all(map(isnan, values))
        label_of = f"{name} (0 everywhere)" if unseen else name
        axes.plot(at, values, label=label_of, markevery=often, **look)
    scaled(axes, "y", scale, [y for line in series.values() for _, y in line if y is not None])
    label(axes, across, up, legend)


def bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    across: str,
    up: str,
    scale: str = "linear",
) -> None:
    """Draw a group of bars for each name, from left to right; what is missing says so.

    Parameters
    ----------
    axes : Axes
        Where to.
    groups : sequence of str
        The names of the groups, from the top to the bottom.
    series : mapping
        For each series its value in each group.
    across, up : str
        What the groups are, and what the values, with units.
    scale : str
        That of the values: linear, log, ratio or symlog. Bars of ratios begin at 1.
    """
    thick = BAR / (len(series) * BAR + GAP)
    values = [height for heights in series.values() for height in heights if height is not None]
    scaled(axes, "x", scale, values)
    begin = _begin(axes, scale, values)
    for number, (name, heights) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * thick
        places = [group + shift for group in range(len(groups))]
        widths = [0.0 if h is None or _unseen(axes, h) else h - begin for h in heights]
        look = style.fill(axes.figure, name)
        axes.barh(places, widths, thick, left=begin, label=name, **look)
        for place, height in zip(places, heights, strict=True):
            if height is None or _unseen(axes, height):
                words = " missing" if height is None else f" {height:g}"
                axes.text(begin, place, words, ha="left", va="center", fontsize=SMALL - 2)
    axes.set_yticks(range(len(groups)), [wrapped(name, AT_TICKS) for name in groups])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    rows, _ = _panels_of(axes)
    lowest = max((wrapped(name, AT_TICKS).count("\n") + 1 for name in groups), default=1) * 0.17
    inches = max(len(series) * BAR + GAP, lowest) * len(groups)
    style.need(axes.figure, rows * (max(inches, 0.6) + AROUND))
    label(axes, up, across)
    axes.grid(False, axis="y")


def _begin(axes: Axes, scale: str, values: Sequence[float]) -> float:
    """Return where bars begin: at 1 if they are ratios, at a power of ten on an axis of powers."""
    if scale == "ratio":
        return 1.0
    if axes.get_xscale() != "log":
        return 0.0
    begin = 10.0 ** floor(log10(min(value for value in values if value > 0) / 1.5))
    axes.set_xlim(left=begin)
    axes.xaxis.set_major_locator(ticks_between(begin, axes.get_xlim()[1]))
    return float(begin)


def _unseen(axes: Axes, value: float) -> bool:
    """Whether a value has no place on the axis: nothing has none where powers are."""
    return bool(axes.get_xscale() == "log" and value <= 0)
