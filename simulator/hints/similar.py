"""Hints for names that mean nothing: the most similar one that does."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return the hint that names the most similar of `candidates`, empty if none is.

    Examples
    --------
    >>> nearest("fronteir", ["level", "frontier"])
    'did you mean `frontier`?'
    >>> nearest("see", ["sée"])  # letters of other alphabets are named: they may look alike
    'did you mean `sée`, with `é`, latin small letter e with acute?'
    """
    matches = get_close_matches(name, list(candidates), n=1, cutoff=0.6)
    if not matches:
        return ""
    unlike = next((c for c in matches[0] if not c.isascii() and c not in name), "")
    letter = f", with `{unlike}`, {unicodedata.name(unlike, '').lower()}" if unlike else ""
    return f"did you mean `{matches[0]}`{letter}?"


def one_of(what: str, name: str, known: Iterable[str]) -> str:
    """Return the same with the whole list, for a choice among few.

    Examples
    --------
    >>> one_of("profiles", "h20", ["h200", "v100"])
    'did you mean `h200`? profiles: h200, v100'
    """
    names = list(known)
    return f"{nearest(name, names)} {what}: {', '.join(names) or 'none'}".strip()
