"""Hints for names that do not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], what: str) -> str:
    """A sentence with the name most like `word`, if any is like it, and all names.

    Examples
    --------
    >>> nearest("h20", ["h200", "v100"], "Profiles")
    "Did you mean 'h200'? Profiles: h200, v100."
    """
    names = list(known)
    close = difflib.get_close_matches(word, names, 1)
    guess = f"Did you mean {close[0]!r}? " if close else ""
    return f"{guess}{what}: {', '.join(names)}."
