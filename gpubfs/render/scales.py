"""Scales of axes: powers with ticks that can be read, ratios about 1, lines at a value."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from gpubfs.render import style
from gpubfs.render.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scaled(axes: Axes, which: str, scale: str, values: Sequence[float]) -> None:
    """Give an axis a scale, with ticks that can be read.

    Parameters
    ----------
    axes : Axes
        The panel.
    which : str
        The axis: x or y.
    scale : str
        linear; log; ratio, which is log with a line at 1; or symlog, where there is 0, too.
    values : sequence of float
        What is shown along it. If none of them is positive, the scale is linear.
    """
    from matplotlib.ticker import FuncFormatter, NullLocator

    set_scale = axes.set_xscale if which == "x" else axes.set_yscale
    axis = axes.xaxis if which == "x" else axes.yaxis
    if scale == "symlog":
        set_scale("symlog", linthresh=1)
        axis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    seen = [value for value in values if value > 0] + ([1.0] if scale == "ratio" else [])
    if scale not in ("log", "ratio") or not seen:
        return
    set_scale("log")
    low, high = _limits(seen, scale)
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    axis.set_major_locator(ticks_between(low, high))
    axis.set_minor_locator(NullLocator())
    mark = "×" if scale == "ratio" else ""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{mark}{_short(value)}"))
    if scale == "ratio":
        (axes.axvline if which == "x" else axes.axhline)(1, color=INK, linewidth=1)


def _limits(seen: Sequence[float], scale: str) -> tuple[float, float]:
    """Return the ends of an axis of powers: bars that are least are to be seen, too."""
    low, high = min(seen), max(seen)
    room = max((high / low) ** 0.06, 1.02)
    return (low / room, high * room) if scale == "ratio" else (low / room**2, high * room)


def ticks_between(low: float, high: float) -> Any:
    """Return what places ticks: round steps where there is less than a power of ten, 1 included."""
    from matplotlib.ticker import FixedLocator, LogLocator

    decades = log10(high / low)
    if decades >= 0.7:
        subs = (1, 2, 5) if decades < 1.7 else (1, 3) if decades < 3 else (1,)
        return LogLocator(subs=subs, numticks=7)
    rough = (high - low) / 4
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * size for size in (1, 2, 5, 10) if unit * size >= rough)
    first, last = ceil(low / step), floor(high / step)
    return FixedLocator([round(step * number, 12) for number in range(first, last + 1)])


def _short(value: float) -> str:
    """Write what stands at a tick.

    >>> _short(0.25), _short(2_000.0), _short(67_108_864), _short(1e9)
    ('0.25', '2,000', '67.1 M', '1 G')
    """
    for size, unit in ((1e9, " G"), (1e6, " M")):
        if abs(value) >= size:
            return f"{value / size:,.3g}{unit}"
    return f"{value:,g}"


def mark(axes: Axes, which: str, value: float, name: str) -> None:
    """Draw a line at a value of an axis, x or y, and name it in the legend: a paper's figure."""
    look = style.stroke(axes.figure, name) | {"marker": ""}
    (axes.axvline if which == "x" else axes.axhline)(value, label=name, **look)
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    ends = min(low, value / 1.05), max(high, value * 1.05)
    (axes.set_xlim if which == "x" else axes.set_ylim)(*ends)
    if (axes.get_xscale() if which == "x" else axes.get_yscale()) == "log":
        axis = axes.xaxis if which == "x" else axes.yaxis
        axis.set_major_locator(ticks_between(*ends))
    style.put_legend(axes.figure)


def logarithmic(axes: Axes, ticks: Sequence[float]) -> None:
    """Powers of two across, with these ticks as far as there is room."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log", base=2)
    seen = sorted((tick for tick in ticks if tick > 0), reverse=True)
    if not seen:
        return
    most, least = seen[0], seen[-1]
    step = max((most / least) ** (1 / 5), 1.5)
    apart = [most]
    for tick in seen:
        if tick * step <= apart[-1] * 1.001:
            apart.append(tick)
    axes.set_xticks(apart, [_short(tick) for tick in apart])
    axes.xaxis.set_minor_locator(NullLocator())
