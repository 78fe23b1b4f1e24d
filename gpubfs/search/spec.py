"""A technique and its options as users write them: ``scan-free:block=64``, ``block=64``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpubfs.errors import UsageError


def parse(spec: str, pairs: Iterable[str] = ()) -> tuple[str, dict[str, Any]]:
    """Parse a technique's name and its options, given with it or as ``name=value`` texts.

    Raises
    ------
    UsageError
        If an option is empty, has no equals sign, or is given twice.

    Examples
    --------
    >>> parse("block-prefix-sum:block=64", ["edges-per-thread=8"])
    ('block-prefix-sum', {'block': '64', 'edges_per_thread': '8'})
    """
    name, colon, text = spec.partition(":")
    if colon and not text.strip():
        hint = f"write {name}:name=value, such as {name}:block=128, or {name} alone"
        raise UsageError(f'"{spec}" has a colon, but no option after it', hint)
    return name, options([*(text.split(",") if colon else ()), *pairs])


def options(pairs: Iterable[str]) -> dict[str, Any]:
    """Options from ``name=value`` texts.

    Raises
    ------
    UsageError
        If a text has no equals sign, or an option is there twice.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        written, equals, given = pair.partition("=")
        name = written.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f'"{pair}" is not an option', "write name=value, such as block=128")
        if name in found:
            both = f"{found[name]} and {given.strip()}"
            raise UsageError(f"the option {name} is given twice: {both}", "give it once")
        found[name] = given.strip()
    return found
