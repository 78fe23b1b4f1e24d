"""Panes as Textual widgets, each where the terminal's size has it."""

from __future__ import annotations

from rich.console import Group
from textual import events
from textual.app import ComposeResult
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from gpubfs.show.traces.terminal.arrangement import BETWEEN, TIMELINE
from gpubfs.show.traces.terminal.gallery import Panes
from gpubfs.show.traces.terminal.panes.timeline import step_at

#: Seconds between looks at more of a long trace.
PAUSE = 0.05


class Sought(Message):
    """Somebody has pointed at a step.

    Attributes
    ----------
    at : int
        The step.
    """

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at


class Seekable(Widget):
    """What is as wide as the trace is long: a click leads to a step, and so does a drag."""

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to the step of a cell, and follow the mouse until its button is released."""
        self.capture_mouse()
        self._go(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go to the step below the mouse while its button is held."""
        if self.app.mouse_captured is self:
            self._go(event)

    def on_mouse_up(self) -> None:
        """Let go."""
        self.release_mouse()

    def _go(self, event: events.MouseEvent) -> None:
        width = self.size.width - self.left
        cell = min(max(event.x - self.left, 0), width - 1)
        self.post_message(Sought(step_at(cell, width, self.steps)))

    @property
    def left(self) -> int:
        """Cells at its left that are no steps."""
        return 0

    @property
    def steps(self) -> int:
        """How many steps there are."""
        raise NotImplementedError


class Flow(Layout):
    """Puts panes where the arrangement has them; a pane that is not seen has no place."""

    name = "flow"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Return the regions of the panes that are seen, in a size."""
        assert isinstance(parent, Board)
        regions = {
            (place.pane, place.track): Region(place.x, place.y, place.width, place.height)
            for place in parent.panes.arranged(size.width, size.height)
        }
        return [
            WidgetPlacement(regions[child.key], NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if isinstance(child, PaneView) and child.key in regions
        ]


class Board(Widget):
    """All panes of a trace, or of two beside each other.

    Parameters
    ----------
    panes : Panes
        Where they are, and what they show.
    """

    DEFAULT_CSS = "Board { height: 1fr; }"

    def __init__(self, panes: Panes) -> None:
        super().__init__()
        self.panes = panes
        self._flow = Flow()
        self._learning: Timer | None = None

    @property
    def layout(self) -> Layout:
        """What puts panes into their places."""
        return self._flow

    def compose(self) -> ComposeResult:
        """Yield all panes of each trace."""
        for pane, track in self.panes.names:
            yield (TimelineView if pane == TIMELINE else PaneView)(self.panes, pane, track)

    def on_mount(self) -> None:
        """Begin to learn more of a long trace."""
        if not self.panes.learn():
            self._learning = self.set_interval(PAUSE, self._learn)

    def _learn(self) -> None:
        """Learn more of a long trace, and show it, until all is known."""
        if self.panes.learn() and self._learning is not None:
            self._learning.stop()
        self.show_state()

    def show_state(self) -> None:
        """Draw all panes anew, which may be others than before."""
        self.panes.forget()
        for child in self.children:
            child.refresh(layout=True)


class PaneView(Widget):
    """One pane of one trace.

    Parameters
    ----------
    panes : Panes
        What knows its lines.
    pane : str
        Which pane.
    track : int
        Which trace.
    """

    def __init__(self, panes: Panes, pane: str, track: int) -> None:
        super().__init__(classes=f"-{pane}")
        self.auto_links = False  # what can be clicked keeps its colours
        self.panes = panes
        self.key = pane, track

    def render(self) -> Group:
        """Return its lines, or else leave with what went wrong."""
        try:
            return Group(*self.panes.lines(*self.key))
        except Exception as error:
            self.app.exit(error)
            return Group()


class TimelineView(PaneView, Seekable):
    """The timeline, in which a click leads to a step."""

    @property
    def left(self) -> int:
        """Cells at its left that are no steps."""
        place = self.panes.place(*self.key)
        return BETWEEN if place is not None and place.edge else 0

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.panes.stepper.show)
