"""What can be read in a picture: its texts, whether they are cut off, and which cover others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

#: Pixels by which measured boxes of letters may be too large.
SLACK = 1.5


def texts(figure: Any) -> Iterator[Any]:
    """Everything written in a picture that matplotlib draws."""
    if figure.get_suptitle():
        yield figure._suptitle
    for legend in figure.legends:
        yield from legend.get_texts()
    for axes in figure.axes:
        yield from (axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts)
        yield from _at_ticks(axes.xaxis)
        yield from _at_ticks(axes.yaxis)


def _at_ticks(axis: Any) -> Iterator[Any]:
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * max(abs(low), abs(high))
    for place, text in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True):
        if low - slack <= place <= high + slack:
            yield text


def faults(figure: Any) -> list[str]:
    """Texts that leave the picture, and pairs of texts that cover each other."""
    figure.draw_without_rendering()
    whole = figure.bbox
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts(figure) if t.get_text().strip()]
    found = [
        f"{text!r} is cut off"
        for text, box in boxes
        if box.x0 < whole.x0 - SLACK
        or box.y0 < whole.y0 - SLACK
        or box.x1 > whole.x1 + SLACK
        or box.y1 > whole.y1 + SLACK
    ]
    return found + [
        f"{one!r} covers {other!r}"
        for (one, first), (other, second) in combinations(boxes, 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > SLACK
        and min(first.y1, second.y1) - max(first.y0, second.y0) > SLACK
    ]
