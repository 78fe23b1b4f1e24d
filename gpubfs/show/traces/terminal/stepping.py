"""Where somebody stands in a trace, and what each key does about it; knows of no terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpubfs.show.traces.steppable import Steppable

#: Steps a second of a trace that plays, from the slowest to the fastest.
SPEEDS = (0.5, 1, 2, 5, 10, 20)

#: Why a key did not move.
BEGINNING, END = "no step comes before this one", "no step comes after this one"

#: Keys that mean while a trace plays what they always mean; any other key stops it.
WHILE_PLAYING = ("+", "=", "-", "q")

#: The most digits of a number that is asked for.
DIGITS = 9


@dataclass
class Prompt:
    """A number that is being typed.

    Attributes
    ----------
    text : str
        What is asked for.
    go : callable
        What the number is for.
    digits : str
        What has been typed of it.
    """

    text: str
    go: Callable[[int], None]
    digits: str = ""


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
        The number that is being typed.
    playing, helping, over : bool
        Whether it steps by itself, shows the help page, has been left.
    """

    def __init__(self, show: Steppable, at: int = 0) -> None:
        self.show = show
        self.at = at
        self.message = ""
        self.prompt: Prompt | None = None
        self.playing = self.helping = self.over = False
        self._speed = SPEEDS.index(2)

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
            KEYS.get(key, Stepper._unknown)(self)

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

    def _to_line(self, line: int) -> None:
        to = self.show.at_line(self.at, line)
        if to is None:
            self.message = f"no step is at line {line}"
        else:
            self.at = to

    def _to_step(self, number: int) -> None:
        if 1 <= number <= len(self.show):
            self.at = number - 1
        else:
            self.message = f"there is no step {number}"

    def _type(self, prompt: Prompt, key: str) -> None:
        if key.isascii() and key.isdecimal():
            prompt.digits = (prompt.digits + key)[:DIGITS]
        elif key == "backspace":
            prompt.digits = prompt.digits[:-1]
        elif key == "enter":
            self.prompt = None
            if prompt.digits:
                prompt.go(int(prompt.digits))
        elif key == "escape":
            self.prompt = None

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
    """Keys, what they do, and what the help page says of it."""

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

KEYS = {key: binding.act for binding in BINDINGS for key in binding.keys}
