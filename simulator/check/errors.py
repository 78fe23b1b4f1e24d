"""The errors of a program: all that are found, without those that follow from another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from simulator.ir.unchecked import (
    Definition,
    Enumeration,
    Item,
    StaticAssertion,
    Template,
    Variable,
)
from simulator.source import CompileError, Span

_WORD = re.compile(r"\w+")


@dataclass
class Errors:
    """The errors of the items of a file, and the names that mean nothing because of them.

    What an item says that mentions such a name is not believed: it may follow from the error.
    """

    items: Sequence[Item]
    failed: set[str] = field(default_factory=set)
    _found: list[tuple[int, CompileError]] = field(default_factory=list)

    def add(self, error: CompileError, at: int) -> None:
        """Keep an error of the item `at`, unless it may follow from another or is known."""
        words = set(_WORD.findall(self.items[at].span.text))
        known = any(_same(error, other) for _, other in self._found)
        if not known and not words & self.failed:
            self._found.append((at, error))

    def raise_all(self) -> None:
        """Raise the first error of the text, the others with it.

        Raises
        ------
        CompileError
            if there are errors
        """
        if not self._found:
            return
        ordered = sorted(self._found, key=lambda found: self._place(*found))
        first, *others = (error for _, error in ordered)
        first.others = tuple(others)
        raise first

    def _place(self, at: int, error: CompileError) -> tuple[int, int, int]:
        """Return what orders errors: the item around them, in templates not the one that called."""
        span = error.span
        if span is None:
            return at, 0, 0
        around = [i for i, item in enumerate(self.items) if _within(span, item.span)]
        return (around[0] if around else at), span.line, span.column


def _same(error: CompileError, other: CompileError) -> bool:
    """Whether an error was found before, as those of a template are in each of its instances."""
    one, two = error.span, other.span
    if one is None or two is None:
        return one is two and error.message == other.message
    return one.source is two.source and (one.line, one.column) == (two.line, two.column)


def _within(span: Span, around: Span) -> bool:
    begins = (around.line, around.column) <= (span.line, span.column)
    return around.source is span.source and begins and span.line <= around.end_line


def names_of(item: Item) -> set[str]:
    """Return the names that an item declares."""
    if isinstance(item, Template):
        return names_of(item.item)
    if isinstance(item, Definition):
        return {item.head.name}
    if isinstance(item, Variable):
        return {item.symbol.name}
    if isinstance(item, StaticAssertion):
        return set()
    inner = {one.name for one in item.enumerators} if isinstance(item, Enumeration) else set()
    return {item.name} | inner
