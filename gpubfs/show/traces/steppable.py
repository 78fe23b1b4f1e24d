"""What a terminal, a page and a notebook step through: one trace, or two side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from gpubfs.graphs import Graph
    from gpubfs.show.traces.frames.scene import Scene
    from gpubfs.show.traces.remark import Remark
    from simulator.observe.trace import TracedLaunch


class Traced(Protocol):
    """One trace, of whose steps a page keeps what their frames show."""

    @property
    def title(self) -> str:
        """What is traced, in one line."""

    @property
    def graph(self) -> Graph | None:
        """What is searched; None where launches of any kernels are shown."""

    @property
    def kernel_file(self) -> str:
        """The file of the technique's own kernels, without its ending; empty if there is none."""

    @property
    def launches(self) -> Sequence[TracedLaunch]:
        """The launches whose steps these are."""

    @property
    def followed(self) -> int | None:
        """The warp that is followed; None for whichever is at work."""

    @property
    def remarks(self) -> Sequence[Remark]:
        """What is to be said of it, such as where it goes wrong."""

    def __len__(self) -> int:
        """How many steps there are; at least one."""

    def scene(self, at: int) -> Scene:
        """Return what the frame of step `at` shows."""


class Steppable(Protocol):
    """Steps, numbered from 0, each of which has a picture."""

    @property
    def title(self) -> str:
        """What is traced, in one line."""

    @property
    def levels(self) -> Sequence[int]:
        """The level of every step, ascending."""

    @property
    def tracks(self) -> Sequence[tuple[Traced, Sequence[int]]]:
        """The traces beside each other, each with the step of it at every step.

        None where there are pictures alone.
        """

    @property
    def begin(self) -> int:
        """The step that is shown first, unless another one is asked for."""

    @property
    def beginning(self) -> str:
        """Why it begins there, in words; empty where that needs none."""

    @property
    def first_printed(self) -> int:
        """The step with which printing begins, unless another one is asked for."""

    def __len__(self) -> int:
        """How many steps there are; at least one."""

    def frame(self, at: int, width: int, height: int) -> list[Text]:
        """Return the picture of step `at`: at most `height` lines of at most `width` cells each."""

    def onward(self, at: int) -> int:
        """Return the step after `at`; the last one stays."""

    def back(self, at: int) -> int:
        """Return the step before `at`; the first one stays."""

    def next_level(self, at: int) -> int:
        """Return the first step of the next level; the last step where there is none."""

    def previous_level(self, at: int) -> int:
        """Return the first step of this level, or of the level before if `at` is it."""

    def at_line(self, at: int, line: int) -> int | None:
        """Return the next step after `at` at this line, from the beginning after the last.

        None if no step is.
        """

    def next_warp(self) -> str:
        """Follow the next warp from here on, or whichever is at work; says which, in words."""

    def follow(self, warp: int | None) -> str:
        """Follow a warp, or whichever is at work where there is no such warp; says which."""

    def differences(self) -> dict[str, int | None]:
        """Return in which respects two traces differ, and where first; nothing for one trace."""


def opening(show: Steppable, at: int, rest: str) -> str:
    """Return what is said where a view opens: why there, and how to get to the `rest`.

    Parameters
    ----------
    show : Steppable
        What is shown.
    at : int
        The step that is shown first.
    rest : str
        How to get to the steps before.
    """
    if at != show.begin or not show.beginning:
        return ""
    return f"{show.beginning}; {rest}" if at else show.beginning
