"""Pictures for first kernels: threads, and the elements of an array that each of them goes to."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import UsageError
from gpubfs.render.style import (
    COLOURS,
    DARK,
    FAINT,
    INK,
    PAPER,
    SMALL,
    TITLE_LINE,
    letters,
    new_figure,
    styled,
    wrapped,
)
from simulator.observe.trace import accesses

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gpubfs.show.traces.trace import LaunchTrace
    from simulator.observe.trace import TracedLaunch

#: Inches across: shown 360 pixels wide, letters are still 10 pixels high.
WIDTH = 4.4
#: Inches of a row of boxes, and between threads and elements where lines join them.
ROW, GAP = 0.34, 0.75
#: The most boxes side by side whose numbers can be read.
MOST_ACROSS = 16
#: What stands in a box of a thread without an element, and in one of an element without a thread.
NOBODY = "–"

Reach = Sequence[Sequence[int]]


def reached(trace: LaunchTrace, array: str) -> list[list[int]]:
    """Return which elements of an array in global memory each thread of a launch went to.

    Parameters
    ----------
    trace : LaunchTrace
        A launch step by step, all of whose blocks run at the same time, as few blocks do.
    array : str
        What the kernel calls the array.

    Returns
    -------
    list of list of int
        For each thread, in their order, the elements in the order of its accesses, each once.
    """
    launch = trace.launches[0]
    if len(launch.waves) != 1:
        raise UsageError(f"{launch.kernel} has more blocks than run at once", "launch fewer")
    found: list[dict[int, None]] = [{} for _ in range(prod(launch.grid) * prod(launch.block))]
    known = {one.name: one for one in launch.arrays}
    if array not in known:
        raise UsageError(f"{launch.kernel} has no array {array!r}", f"it has {', '.join(known)}")
    begin, size = known[array].address, known[array].dtype.itemsize
    for step in launch.steps:
        for warp in launch.warps_of(step).tolist():
            for access in accesses(launch, step, warp):
                if access.site.array == array and not access.shared:
                    threads = _threads(launch, warp * launch.warp_size + access.lanes)
                    elements = (access.addresses - begin) // size
                    for thread, element in zip(threads, elements, strict=True):
                        found[int(thread)][int(element)] = None
    return [list(elements) for elements in found]


def _threads(launch: TracedLaunch, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the threads of lanes, which are counted with each block padded to whole warps."""
    block = prod(launch.block)
    padded = -(-block // launch.warp_size) * launch.warp_size
    return lanes // padded * block + lanes % padded


@styled
def draw_threads(
    reach: Reach,
    elements: int,
    *,
    block: int,
    columns: int | None = None,
    sector: int = 0,
    title: str = "",
    name: str = "elements",
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw threads, and the elements that they go to.

    Without `columns` threads stand above elements, with a line from each to what it goes to. With
    `columns` the elements stand in rows of so many, and in each the numbers of its threads.

    Parameters
    ----------
    reach : sequence of sequence of int
        For each thread its elements, as of `reached`; a thread without any is drawn dashed.
    elements : int
        How many there are.
    block : int
        Threads of a block: each block has a colour, and above stands which threads it has.
    columns : int, optional
        Elements of a row.
    sector : int
        Elements of a sector; those that somebody goes to get a thick frame. 0 for none.
    title : str
        What is shown.
    name : str
        What the elements are, more than one of them.
    labels : sequence of str, optional
        What threads are called, instead of their numbers.

    Returns
    -------
    Figure
        Of matplotlib; the last value of a cell in a notebook.

    Raises
    ------
    UsageError
        If more boxes stand side by side than can be read.

    Examples
    --------
    >>> figure = draw_threads([[0], [1], []], 2, block=4, title="a thread too many")
    >>> [text.get_text() for text in figure.axes[0].texts][:3]
    ['0', '1', '2']
    """
    across = max(elements, len(reach)) if columns is None else columns
    if not 0 < across <= MOST_ACROSS:
        hint = f"draw at most {MOST_ACROSS}, or give columns"
        raise UsageError(f"{across} boxes stand side by side, too many to be read", hint)
    text = wrapped(title, letters(WIDTH - 0.2, SMALL + 1))
    figure = new_figure("")
    figure.suptitle(text, x=0.02, ha="left", fontsize=SMALL + 1, fontweight="bold", color=INK)
    axes = figure.add_subplot()
    called = labels or [str(thread) for thread in range(len(reach))]
    if columns is None:
        rows = _joined(axes, reach, elements, block, called)
    else:
        rows = _in_rows(axes, reach, elements, block, columns, called)
    if sector:
        _sectors(axes, reach, elements, sector, columns)
    _words(axes, name, block, called, columns is None)
    bottom = -rows - (0.75 if sector and columns is None else 0.25)
    axes.set(xlim=(-0.6, across - 0.4), ylim=(bottom, 1.0), xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)
    high = ROW * (1.0 - bottom) + TITLE_LINE * len(text.splitlines()) + 0.25
    figure.set_size_inches(WIDTH, high)
    return figure


def _look(number: int, block: int) -> dict[str, Any]:
    """Return the colours of a thread's box and of its number: those of its block."""
    colour = COLOURS[number // block % len(COLOURS)]
    return {"facecolor": colour, "ink": PAPER if colour in DARK else INK}


def _box(
    axes: Axes, x: float, y: float, words: str, look: dict[str, Any] | None, dashed: bool = False
) -> None:
    from matplotlib.patches import Rectangle

    face = PAPER if look is None else look["facecolor"]
    style: dict[str, Any] = {
        "linestyle": "--" if dashed else "-",
        "edgecolor": INK,
        "linewidth": 0.8,
    }
    axes.add_patch(Rectangle((x - 0.45, y - 0.4), 0.9, 0.8, facecolor=face, zorder=2, **style))
    ink = INK if look is None else look["ink"]
    size = SMALL if len(words) < 4 else SMALL - 1
    axes.text(x, y, words, ha="center", va="center", fontsize=size, color=ink, zorder=3)


def _joined(axes: Axes, reach: Reach, elements: int, block: int, labels: Sequence[str]) -> float:
    """Draw threads above elements, and the lines between; the rows that this takes."""
    below = -1 - GAP / ROW
    touched = {element for own in reach for element in own}
    for thread, own in enumerate(reach):
        look = _look(thread, block)
        for element in own:
            line = {"color": look["facecolor"], "linewidth": 1.3, "zorder": 1}
            axes.plot([thread, element], [-0.4, below + 0.4], **line)
        _box(axes, thread, 0, labels[thread], look if own else None, dashed=not own)
    for element in range(elements):
        _box(axes, element, below, str(element), None, dashed=element not in touched)
    return -below + 0.4


def _in_rows(
    axes: Axes, reach: Reach, elements: int, block: int, columns: int, labels: Sequence[str]
) -> float:
    """Draw elements in rows with the threads that go to them; the rows that this takes."""
    threads: dict[int, list[int]] = {}
    for thread, own in enumerate(reach):
        for element in own:
            threads.setdefault(element, []).append(thread)
    for element in range(elements):
        mine = threads.get(element, [])
        words = ", ".join(labels[thread] for thread in mine) or NOBODY
        place = element % columns, -(element // columns)
        _box(axes, *place, words, _look(mine[0], block) if mine else None, dashed=not mine)
    return -(-elements // columns) - 1 + 0.4


def _sectors(axes: Axes, reach: Reach, elements: int, size: int, columns: int | None) -> None:
    """Frame the sectors that are touched, thickly, and the others thinly."""
    from matplotlib.patches import Rectangle

    touched = {element // size for own in reach for element in own}
    for number in range(-(-elements // size)):
        first, last = number * size, min((number + 1) * size, elements) - 1
        if columns is None:
            x, y = first, -1 - GAP / ROW
        else:
            x, y = first % columns, -(first // columns)
        look: dict[str, Any] = {"facecolor": "none", "zorder": 4}
        look |= {"edgecolor": INK if number in touched else FAINT}
        wide = 2.4 if number in touched else 1.0
        corner = (x - 0.5, y - 0.48)
        axes.add_patch(Rectangle(corner, last - first + 1, 0.96, linewidth=wide, **look))
        if columns is None:
            words = f"sector {number}" + ("" if number in touched else ", untouched")
            at: dict[str, Any] = {"ha": "left", "va": "top", "fontsize": SMALL - 1}
            axes.text(x - 0.45, y - 0.6, words, **at)


def _words(axes: Axes, name: str, block: int, labels: Sequence[str], joined: bool) -> None:
    """Say what the boxes are, and which threads are which block, as far as there is room."""
    words = f"threads, below {name}" if joined else f"threads in their {name}"
    most = letters(WIDTH, SMALL - 2)
    for number, first in enumerate(range(0, len(labels), block)):
        last = min(first + block, len(labels)) - 1
        more = f"; block {number}: {labels[first]} to {labels[last]}"
        if len(words + more) > most:
            words += " …"
            break
        words += more
    where: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": SMALL - 1}
    axes.text(0.0, 0.75, words, transform=axes.get_yaxis_transform(), **where)
