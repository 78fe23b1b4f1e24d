"""Pictures by matplotlib: their style, bars, and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# How pictures get into files: whole or not at all.


#: What makes a picture.
Draw = Callable[[], "Figure"]

SUFFIXES = (".svg", ".png", ".pdf")

#: Dots per inch of a .png.
DPI = 150


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
ACROSS = 3

MARKERS = "osD^v*P"

Line = Sequence[tuple[float, float | None]]


def panels(figure: Figure, titles: Sequence[str]) -> list[Axes]:
    """One panel for each title, in rows."""
    down = -(-len(titles) // ACROSS)
    across = min(len(titles), ACROSS)
    figure.set_figheight(max(figure.get_figheight(), 3.6 * down))
    grid = figure.subplots(down, across, squeeze=False)
    made: list[Axes] = list(grid.flat)
    for unused in made[len(titles) :]:
        unused.remove()
    for axes, title in zip(made, titles, strict=False):
        axes.set_title(title)
    return made[: len(titles)]


def label(axes: Axes, across: str, up: str, legend: bool = True) -> None:
    """Say what the axes are, with units, and who is who."""
    from matplotlib.ticker import ScalarFormatter, StrMethodFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")


def lines(
    axes: Axes, series: Mapping[str, Line], across: str, up: str, legend: bool = True
) -> None:
    """Lines through points; what was not measured is left out."""
    for number, (name, line) in enumerate(series.items()):
        sound = [(x, y) for x, y in line if y is not None]
        marker = MARKERS[number % len(MARKERS)]
        axes.plot([x for x, _ in sound], [y for _, y in sound], marker=marker, label=name)
    label(axes, across, up, legend)


def bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    across: str,
    up: str,
) -> None:
    """Draw a group of bars for each name, a bar for each series; what is missing says so."""
    width = 0.8 / max(len(series), 1)
    for number, (name, heights) in enumerate(series.items()):
        positions = [
            group + (number - (len(series) - 1) / 2) * width for group in range(len(groups))
        ]
        axes.bar(positions, [height or 0 for height in heights], width, label=name)
        for position, height in zip(positions, heights, strict=True):
            if height is None:
                axes.text(
                    position, 0, " missing", rotation=90, ha="center", va="bottom", fontsize=7
                )
    axes.set_xticks(range(len(groups)), groups, rotation=20 if len(groups) > 2 else 0)
    label(axes, across, up)


def logarithmic(axes: Axes, ticks: Sequence[float]) -> None:
    """Powers of two across, with these ticks as far as there is room, and powers of ten up."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    if not ticks:
        return
    most = max(ticks)
    apart = [tick for tick in ticks if tick == most or 1.5 * tick < most]
    axes.set_xticks(apart, [f"{tick:g}" for tick in apart], fontsize="small")
    axes.xaxis.set_minor_locator(NullLocator())
