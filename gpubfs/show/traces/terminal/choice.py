"""Which pane somebody has chosen, how far it is scrolled, and which lane is described."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Choice:
    """What keys change about panes.

    Attributes
    ----------
    panes : tuple of str
        All panes; none where pictures are shown instead.
    sheets : list of list of str
        The panes that are seen at the same time, as the terminal's size has it.
    chosen : str
        The pane that is chosen.
    alone : bool
        Whether it is shown alone.
    scrolled : dict of str to int
        How many lines panes have been scrolled away from what they show by themselves.
    lane : int
        The lane that is described.
    """

    panes: tuple[str, ...] = ()
    sheets: list[list[str]] = field(default_factory=list)
    chosen: str = ""
    alone: bool = False
    scrolled: dict[str, int] = field(default_factory=dict)
    lane: int = 0

    def offer(self, panes: Iterable[str]) -> None:
        """Say which panes there are."""
        self.panes = tuple(panes)
        if self.chosen not in self.panes:
            self.chosen = self.panes[0] if self.panes else ""

    @property
    def sheet(self) -> list[str]:
        """The panes that are seen now."""
        if self.alone:
            return [self.chosen]
        return next((own for own in self.sheets if self.chosen in own), list(self.panes))

    def turn(self, by: int) -> None:
        """Choose the next pane, or where not all are seen at once the first of the next sheet."""
        if self.alone or len(self.sheets) < 2:
            at = self.panes.index(self.chosen) + by
            self.chosen = self.panes[at % len(self.panes)]
        else:
            at = self.sheets.index(self.sheet) + by
            self.chosen = self.sheets[at % len(self.sheets)][0]

    def scroll(self, by: int) -> None:
        """Scroll the chosen pane by some lines."""
        self.scrolled[self.chosen] = self.scrolled.get(self.chosen, 0) + by
