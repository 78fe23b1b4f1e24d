"""One step of one trace as panes see it, and what a pane is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from gpubfs.show.traces.files.viewer.drawing import drawing
from gpubfs.show.traces.frames.course import Course

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.scene import Scene
    from gpubfs.show.traces.steppable import Traced


class Subject:
    """A trace, and what stays the same at all of its steps.

    Parameters
    ----------
    traced : Traced
        The trace.

    Attributes
    ----------
    course : Course
        What is known of all steps.
    places : list or None
        Where the graph's vertices stand in its drawing; None for no graph, or a large one.
    """

    def __init__(self, traced: Traced) -> None:
        self.traced = traced
        self.course = Course(traced.launches)
        self.places = None if traced.graph is None else drawing(traced.graph)


@dataclass(frozen=True)
class Moment:
    """A step of a trace.

    Attributes
    ----------
    subject : Subject
        The trace.
    scene : Scene
        What is known of the step.
    lane : int
        The lane of the warp that is described.
    track : int
        Which of the traces beside each other it is.
    """

    subject: Subject
    scene: Scene
    lane: int = 0
    track: int = 0


@dataclass(frozen=True)
class Content:
    """What a pane shows.

    Attributes
    ----------
    lines : list of Text
        All lines, which may be more than have room.
    note : str
        What its heading says besides its name.
    focus : range
        The lines that are to be seen before others.
    """

    lines: list[Text]
    note: str = ""
    focus: range = field(default=range(0))


#: Makes the content for so many cells in a line, and lines that are seen at once.
Draw = Callable[[Moment, int, int], Content]


def clickable(action: str, *arguments: object) -> Style:
    """Return a style whose text does something in the application when it is clicked."""
    given = ", ".join(map(repr, arguments))
    return Style.from_meta({"@click": f"app.{action}({given})"})
