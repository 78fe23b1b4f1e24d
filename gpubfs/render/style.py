"""The style of pictures by matplotlib: paper, colours and marks, titles, sizes and legends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

#: Inches across: narrow, so that text stands out where a picture is shown small.
WIDTH = 6.4

#: Dots per inch of pixels.
DPI = 150

#: Points of letters: of a title, of labels and of what is written at ticks.
TITLE, TEXT, SMALL = 11, 10, 9

#: The picture brings its own paper; where a notebook is dark, `Picture` turns all of it.
INK, PAPER, FAINT = "#1b1f24", "#ffffff", "#d0d4d9"

#: Colours that people with any kind of colour vision tell apart, after Okabe and Ito; yellow is
#: left out, which does not show on white paper.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#4d5359")

#: Those on which hatches are white, as they are too dark for ink.
DARK = ("#0072b2", "#4d5359")

#: What tells series apart without colours: there is another number of each than of colours.
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "|||", "oo", "++")
MARKERS = "osD^vP*X"
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))

#: What matplotlib is told; everything else is as it comes, whatever the user has set.
SETTINGS: dict[str, Any] = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": TEXT,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": TEXT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "font.size": TEXT,
    "hatch.linewidth": 0.5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "savefig.dpi": DPI,
}


@contextmanager
def own_style() -> Iterator[None]:
    """Let matplotlib draw in this style, and in the user's own again afterwards."""
    import matplotlib.style

    with matplotlib.style.context(["default", SETTINGS]):
        yield


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Let a function draw in this style."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
        with own_style():
            return draw(*args, **kwargs)

    return drawn


# Sizes: a picture is as high as what is in it needs.


#: Inches of a line of a title, and of one of the legend.
TITLE_LINE, LEGEND_LINE = 0.2, 0.2


@dataclass
class Layout:
    """What is known of a picture: its series, in the order of their first use, and its heights."""

    series: dict[str, int] = field(default_factory=dict)
    body: float = 0.0
    title: float = 0.0
    legend: float = 0.0


_LAYOUTS: WeakKeyDictionary[Any, Layout] = WeakKeyDictionary()


def layout_of(figure: Any) -> Layout:
    """Return what is known of a picture."""
    if figure not in _LAYOUTS:
        _LAYOUTS[figure] = Layout(body=figure.get_figheight())
    return _LAYOUTS[figure]


def new_figure(title: str, height: float = 3.6) -> Figure:
    """Return an empty picture with a title.

    Parameters
    ----------
    title : str
        What is shown; it is wrapped where it is long.
    height : float
        The least inches below the title.

    Returns
    -------
    Figure
        Of matplotlib; in a style of its own if this is called within `own_style`.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from gpubfs.render.picture import Picture

    layout = ConstrainedLayoutEngine(h_pad=0.08, w_pad=0.08)
    figure = Picture(figsize=(WIDTH, height), layout=layout, facecolor=PAPER)
    text = wrapped(title, letters(WIDTH - 0.2, TITLE))
    figure.suptitle(text, x=0.02, ha="left", fontsize=TITLE, fontweight="bold", color=INK)
    _LAYOUTS[figure] = Layout(title=0.1 + TITLE_LINE * len(text.splitlines()))
    need(figure, height)
    return figure


def need(figure: Any, inches: float) -> None:
    """Make a picture so high that there are that many inches between its title and its legend."""
    layout = layout_of(figure)
    layout.body = max(layout.body, inches)
    figure.set_figheight(layout.body + layout.title + layout.legend)


def letters(inches: float, points: float) -> int:
    """Return how many letters of a size surely fit side by side.

    >>> letters(6.4, 10)
    70
    """
    return int(inches * 72 / (0.65 * points))


def wrapped(text: str, most: int) -> str:
    r"""Break text into lines of at most so many characters, behind blanks, commas or hyphens.

    Examples
    --------
    >>> wrapped("rmat:14,16,seed=3 by warps", 12)
    'rmat:14,16,\nseed=3 by\nwarps'
    >>> wrapped("a" * 5, 3)
    'aaa\naa'
    """
    lines = [""]
    for piece in re.findall(r"[^\s,:/_-]*[,:/_-]?\s*", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > most:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        while len(piece.rstrip()) > most:
            lines[-1:] = [piece[:most], ""]
            piece = piece[most:]
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


# Series: one colour, hatch, marker and line for one name, everywhere in a picture.


def number_of(figure: Any, name: str) -> int:
    """Return the number of a series in a picture: that of its name, in order of first use."""
    series = layout_of(figure).series
    return series.setdefault(name, len(series))


def fill(figure: Any, name: str) -> dict[str, Any]:
    """Return what the bars of a series look like, for matplotlib."""
    number = number_of(figure, name)
    colour = COLOURS[number % len(COLOURS)]
    return {
        "facecolor": colour,
        "hatch": HATCHES[number % len(HATCHES)],
        "edgecolor": PAPER if colour in DARK else INK,
        "linewidth": 0.5,
    }


def stroke(figure: Any, name: str) -> dict[str, Any]:
    """Return what the line of a series looks like, for matplotlib."""
    number = number_of(figure, name)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": DASHES[number % len(DASHES)],
        "markeredgecolor": INK,
        "markeredgewidth": 0.5,
    }


def put_legend(figure: Any) -> None:
    """Say below all panels of a picture which series is which, each once."""
    from matplotlib.legend_handler import HandlerTuple

    found: dict[str, list[Any]] = {}
    for axes in figure.axes:
        kinds: dict[str, dict[type, Any]] = {}
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            kinds.setdefault(name, {})[type(handle)] = handle
        for name, handles in kinds.items():
            known = found.setdefault(name, [])
            known += [h for kind, h in handles.items() if kind not in map(type, known)]
    for old in [*figure.legends]:
        old.remove()
    if not found:
        return
    names = [wrapped(name, letters(WIDTH - 1.2, SMALL)) for name in found]
    longest = max(len(line) for name in names for line in name.splitlines())
    columns = min(len(names), max(1, letters(WIDTH - 0.2, SMALL) // (longest + 7)), 4)
    figure.legend(
        [tuple(handles) for handles in found.values()],
        names,
        loc="outside lower left",
        ncols=columns,
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.3)},
        handlelength=2.4,
        fontsize=SMALL,
        frameon=False,
    )
    rows = -(-len(names) // columns)
    high = max(len(name.splitlines()) for name in names)
    layout_of(figure).legend = 0.15 + LEGEND_LINE * rows * high
    need(figure, 0)
