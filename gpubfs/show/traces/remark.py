"""What is to be said of a trace, or of one step of it, such as where a run goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Remark:
    """A sentence, and the step that shows it.

    Attributes
    ----------
    text : str
        The sentence.
    at : int or None
        The step; None where it is about the whole.
    lane : int or None
        The lane that it is about, counted in the step's wave: its warp is shown.
    """

    text: str
    at: int | None = None
    lane: int | None = None

    def told(self, here: int) -> str:
        """Return the sentence as step `here` tells it.

        >>> remark = Remark("a lane reads a[3]", 11)
        >>> remark.told(11), remark.told(0), Remark("a race").told(0)
        ('here: a lane reads a[3]', 'step 12: a lane reads a[3]', 'a race')
        """
        if self.at is None:
            return self.text
        return f"here: {self.text}" if self.at == here else f"step {self.at + 1:,}: {self.text}"

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON, with the step's number from 1."""
        return {"text": self.text, "step": None if self.at is None else self.at + 1}
