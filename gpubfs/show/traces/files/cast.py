"""A film as the recording of a terminal: asciicast, version 2, which is lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.color import ColorSystem

from gpubfs.show.traces.files.styled import runs, seen

if TYPE_CHECKING:
    from rich.text import Text

#: What a terminal is told first: no cursor, and no new line by itself behind the last column.
BEGIN = "\x1b[?25l\x1b[?7l"

#: What clears the screen.
CLEAR = "\x1b[0m\x1b[2J"


def cast(
    title: str, frames: Iterable[Sequence[Text]], fps: float, width: int, height: int
) -> Iterator[str]:
    """Yield the lines of a recording: its header, then what is printed, and when.

    Parameters
    ----------
    title : str
        What is shown.
    frames : iterable of sequences of Text
        The screens, one after another; each fills at most the size.
    fps : float
        Frames a second.
    width, height : int
        Columns and lines of the terminal.

    Yields
    ------
    str
        JSON with a line's end behind it.
    """
    head = {"version": 2, "width": width, "height": height, "title": seen(title)}
    yield _line(head | {"env": {"TERM": "xterm-256color"}})
    yield _line([0.0, "o", BEGIN])
    shown = 0
    for frame in frames:
        yield _line([round(shown / fps, 6), "o", screen(frame)])
        shown += 1
    yield _line([round(shown / fps, 6), "o", ""])  # the last one is shown as long as the others


def screen(frame: Sequence[Text]) -> str:
    """Return what shows a frame on a terminal, whatever was there."""
    rows = (f"\x1b[{row};1H{_coloured(line)}" for row, line in enumerate(frame, 1))
    return CLEAR + "".join(rows)


def _coloured(line: Text) -> str:
    """Return a line with the terminal's own colours."""
    return "".join(
        run.style.render(run.text, color_system=ColorSystem.TRUECOLOR) for run in runs(line)
    )


def _line(data: object) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
