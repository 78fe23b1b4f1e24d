"""Something that is being typed: a number, or text to find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: The most digits of a number, and letters of a text, that are asked for.
DIGITS, LETTERS = 9, 60


@dataclass
class Prompt:
    """Something that is being typed.

    Attributes
    ----------
    text : str
        What is asked for.
    go : callable
        What it is for.
    words : bool
        Whether it may be text, and not a number alone.
    typed : str
        What has been typed of it.
    """

    text: str
    go: Callable[[str], None]
    words: bool = False
    typed: str = ""

    def type(self, key: str) -> None:
        """Add a character, or take one away."""
        if key == "backspace":
            self.typed = self.typed[:-1]
        elif len(key) == 1 and (self.words or (key.isascii() and key.isdecimal())):
            self.typed = (self.typed + key)[: LETTERS if self.words else DIGITS]
