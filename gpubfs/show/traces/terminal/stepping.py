"""Where somebody stands in a trace, and what each key does about it; knows of no terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpubfs.show.traces.steppable import Steppable
from gpubfs.show.traces.terminal.choice import Choice
from gpubfs.show.traces.terminal.finding import Finder, differences_in_words
from gpubfs.show.traces.terminal.prompt import Prompt

#: Steps a second of a trace that plays, from the slowest to the fastest.
SPEEDS = (0.5, 1, 2, 5, 10, 20)

#: Why a key did not move.
BEGINNING, END = "no step comes before this one", "no step comes after this one"

#: Keys that mean while a trace plays what they always mean; any other key stops it.
WHILE_PLAYING = ("+", "=", "-", "q")

#: Lines that a key scrolls.
SCROLLED = 3


class Stepper:
    """The state of somebody who steps through a trace; `press` takes keys, `tick` passes time.

    Attributes
    ----------
    show : Steppable
        What is stepped through.
    at : int
        The step, from 0.
    message : str
        What there is to say about the last key.
    prompt : Prompt or None
        What is being typed.
    choice : Choice
        Which pane is chosen.
    playing, helping, over : bool
        Whether it steps by itself, shows the help page, has been left.
    """

    def __init__(self, show: Steppable, at: int = 0, message: str = "") -> None:
        self.show = show
        self.at = at
        self.message = message
        self.choice = Choice()
        self.prompt: Prompt | None = None
        self.playing = self.helping = self.over = False
        self._speed = SPEEDS.index(2)
        self._query = ""

    @property
    def speed(self) -> float:
        """Steps a second."""
        return SPEEDS[self._speed]

    @property
    def delay(self) -> float | None:
        """Seconds until the next tick is due; None if none is."""
        return 1 / self.speed if self.playing else None

    def press(self, key: str) -> None:
        """Do what a key stands for at the moment."""
        self.message = ""
        if key in ("ctrl+c", "ctrl+d"):
            self.over = True
        elif self.helping:
            self.helping = False
        elif self.prompt:
            self._type(self.prompt, key)
        elif self.playing and key not in WHILE_PLAYING:
            self.playing = False
        else:
            known = KEYS | OF_PANES if self.choice.panes else KEYS
            known.get(key, Stepper._unknown)(self)

    def tick(self) -> None:
        """Play one step; the last one ends it."""
        if self.playing:
            self.onward()
            self.play()

    def onward(self) -> None:
        """Go to the next step."""
        self._go(self.show.onward(self.at), END)

    def back(self) -> None:
        """Go to the step before."""
        self._go(self.show.back(self.at), BEGINNING)

    def next_level(self) -> None:
        """Go to the next level."""
        self._go(self.show.next_level(self.at), END)

    def previous_level(self) -> None:
        """Go to the beginning of this level, or of the level before."""
        self._go(self.show.previous_level(self.at), BEGINNING)

    def first(self) -> None:
        """Go to the first step."""
        self._go(0, BEGINNING)

    def last(self) -> None:
        """Go to the last step."""
        self._go(len(self.show) - 1, END)

    def go_to(self, at: int) -> None:
        """Go to a step that has been pointed at, whatever else is going on."""
        self.message, self.prompt = "", None
        self.playing = self.helping = False
        self.at = at

    def _go(self, to: int, otherwise: str) -> None:
        """Go to a step; say why not if that is this one."""
        if to == self.at:
            self.message = otherwise
        self.at = to

    def ask_line(self) -> None:
        """Ask for a line of the source to go to."""
        self.prompt = Prompt("next step at line", self._to_line)

    def ask_step(self) -> None:
        """Ask for the number of a step to go to."""
        self.prompt = Prompt("step number", self._to_step)

    def _to_line(self, typed: str) -> None:
        line = int(typed)
        to = self.show.at_line(self.at, line)
        if to is None:
            self.message = f"no step is at line {line}"
        else:
            self.at = to

    def _to_step(self, typed: str) -> None:
        number = int(typed)
        if 1 <= number <= len(self.show):
            self.at = number - 1
        else:
            self.message = f"there is no step {number}"

    def _type(self, prompt: Prompt, key: str) -> None:
        if key == "enter":
            self.prompt = None
            if prompt.typed:
                prompt.go(prompt.typed)
        elif key == "escape":
            self.prompt = None
        else:
            prompt.type(key)

    def next_warp(self) -> None:
        """Follow the next warp."""
        self.message = self.show.next_warp()

    def play(self) -> None:
        """Step by itself from here on, if there is a step to come."""
        self.playing = self.show.onward(self.at) != self.at
        self.message = "" if self.playing else END

    def faster(self) -> None:
        """Play faster."""
        self._pace(self._speed + 1)

    def slower(self) -> None:
        """Play slower."""
        self._pace(self._speed - 1)

    def _pace(self, speed: int) -> None:
        self._speed = min(max(speed, 0), len(SPEEDS) - 1)
        self.message = f"{self.speed:g} steps a second"

    # Panes, which pictures have not.

    def ask_text(self) -> None:
        """Ask for what to find."""
        self.prompt = Prompt("find text or line", self._find, words=True)

    def _find(self, typed: str, way: int = 1) -> None:
        self._query = typed
        found = Finder(self.show).find(typed, self.at, way)
        self.message = found.message
        if found.warp is not None:
            self.message = self.show.follow(found.warp)
        if found.to is not None:
            self.at = found.to

    def find_next(self) -> None:
        """Go to the next step that is what was asked for."""
        self._find(self._query)

    def find_previous(self) -> None:
        """Go to the step before that is what was asked for."""
        self._find(self._query, -1)

    def point_at(self, line: int, track: int) -> None:
        """Go to the next step at a line of the source that is seen of a trace."""
        traced, steps = self.show.tracks[track]
        source = traced.scene(steps[self.at]).focus.source
        found = Finder(self.show).line(self.at, line, source=source)
        self.go_to(self.at if found.to is None else found.to)
        self.message = found.message

    def next_pane(self) -> None:
        """Choose the next pane."""
        self.choice.turn(1)

    def previous_pane(self) -> None:
        """Choose the pane before."""
        self.choice.turn(-1)

    def pane_alone(self) -> None:
        """Show the chosen pane alone, or all again."""
        self.choice.alone = not self.choice.alone

    def scroll_down(self) -> None:
        """Scroll the chosen pane down."""
        self.choice.scroll(SCROLLED)

    def scroll_up(self) -> None:
        """Scroll the chosen pane up."""
        self.choice.scroll(-SCROLLED)

    def next_lane(self) -> None:
        """Describe the next lane."""
        self.choice.lane += 1

    def previous_lane(self) -> None:
        """Describe the lane before."""
        self.choice.lane = max(self.choice.lane - 1, 0)

    def differ(self) -> None:
        """Go to the first step at which two traces differ, and say where else they do."""
        found = self.show.differences()
        self.message = differences_in_words(list(found.items())) or "there is one trace"
        steps = [at for at in found.values() if at is not None]
        self.at = min(steps, default=self.at)

    def help(self) -> None:
        """Show the help page."""
        self.helping = True

    def quit(self) -> None:
        """Leave."""
        self.over = True

    def _unknown(self) -> None:
        self.message = "? lists the keys"


@dataclass(frozen=True)
class Binding:
    """Keys, what they do, and what the help page says of it.

    Where it says nothing, the keys stand beside those before.
    """

    keys: tuple[str, ...]
    act: Callable[[Stepper], None]
    text: str


BINDINGS = (
    Binding(("right", "n", " ", "enter"), Stepper.onward, "next step"),
    Binding(("left", "b", "backspace"), Stepper.back, "step back"),
    Binding(("down", "N", "pagedown"), Stepper.next_level, "next level"),
    Binding(("up", "B", "pageup"), Stepper.previous_level, "previous level"),
    Binding(("home", "g"), Stepper.first, "first step"),
    Binding(("end", "G"), Stepper.last, "last step"),
    Binding(("j", ":"), Stepper.ask_line, "next step at a line"),
    Binding(("#",), Stepper.ask_step, "step by its number"),
    Binding(("w",), Stepper.next_warp, "follow another warp"),
    Binding(("p",), Stepper.play, "play; any key stops"),
    Binding(("+", "="), Stepper.faster, "play faster"),
    Binding(("-",), Stepper.slower, "play slower"),
    Binding(("?", "h"), Stepper.help, "this page"),
    Binding(("q", "ctrl+c", "ctrl+d"), Stepper.quit, "quit"),
)

#: Keys that do something where there are panes.
PANE_BINDINGS = (
    Binding(("tab",), Stepper.next_pane, "other panes"),
    Binding(("shift+tab",), Stepper.previous_pane, ""),
    Binding(("f",), Stepper.pane_alone, "chosen pane alone"),
    Binding((">",), Stepper.scroll_down, "scroll chosen pane"),
    Binding(("<",), Stepper.scroll_up, ""),
    Binding(("]",), Stepper.next_lane, "describe a lane"),
    Binding(("[",), Stepper.previous_lane, ""),
    Binding(("/",), Stepper.ask_text, "find text or a line"),
    Binding(("m",), Stepper.find_next, "find again, back"),
    Binding(("M",), Stepper.find_previous, ""),
    Binding(("d",), Stepper.differ, "where two differ"),
)

KEYS = {key: binding.act for binding in BINDINGS for key in binding.keys}
OF_PANES = {key: binding.act for binding in PANE_BINDINGS for key in binding.keys}
