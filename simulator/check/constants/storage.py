"""What a constant evaluation keeps: values, where they are, and the frames of functions.

A number is a number of Python's; a structure or an array is a list of its parts, of which those of
a union are set one at a time; a pointer is a place in such a list.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from simulator.ir import tree
from simulator.ir.types import BOOL, Array, Bits, CType, Scalar, Struct
from simulator.source import Span


class NotConstant(Exception):
    """An evaluation stops: `message` says why, `span` where, `inside` whether in a function."""

    def __init__(self, message: str, span: Span, inside: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.inside = inside


class _Unset:
    """The value of a variable that has none yet."""


UNSET = _Unset()


class UnionParts(list[Any]):
    """The members of a union: all but one are unset."""


@dataclass(frozen=True, eq=False)
class Place:
    """One part of a structure or array, or a variable by itself: what a pointer leads to.

    `bits` is the type of a bit field, which keeps what fits into it.
    """

    parts: list[Any]
    at: int = 0
    bits: Bits | None = None

    def moved(self, by: int) -> Place:
        """Return the place `by` elements further."""
        return Place(self.parts, self.at + by)

    def is_same(self, other: object) -> bool:
        """Whether another pointer leads to the same place."""
        return isinstance(other, Place) and other.parts is self.parts and other.at == self.at

    def load(self, span: Span) -> Any:
        """Return what is there."""
        self._check(span)
        found = self.parts[self.at]
        if found is UNSET:
            raise NotConstant(f"`{span.text}` has no value yet", span)
        return copied(found)

    def part(self, span: Span) -> list[Any]:
        """Return the parts of the structure or array that is there."""
        self._check(span)
        found: list[Any] = self.parts[self.at]
        return found

    def store(self, value: Any, span: Span) -> None:
        """Put a value there."""
        self._check(span)
        if isinstance(self.parts, UnionParts):
            self.parts[:] = [UNSET] * len(self.parts)
        self.parts[self.at] = value if self.bits is None else fitted(value, self.bits)

    def _check(self, span: Span) -> None:
        if not 0 <= self.at < len(self.parts):
            what = f"`{span.text}` is outside of an array of {len(self.parts)} elements"
            raise NotConstant(what, span)


def copied(value: Any) -> Any:
    """Return a value of its own."""
    return type(value)(map(copied, value)) if isinstance(value, list) else value


def fitted(value: Any, ctype: Bits) -> Any:
    """Return what a bit field keeps of a number."""
    if ctype.of == BOOL:
        return value
    kept = int(value) & (1 << ctype.width) - 1
    return kept - (1 << ctype.width) if ctype.of.is_signed and kept >> ctype.width - 1 else kept


def structure_of(ctype: Struct, values: Mapping[str, Any]) -> list[Any]:
    """Return a structure or union with these values of members; the others are unset."""
    parts = [values.get(name, UNSET) for name, _, _ in ctype.members]
    for at, (_, inner, _) in enumerate(ctype.members):
        if isinstance(inner, Bits) and parts[at] is not UNSET:
            parts[at] = fitted(parts[at], inner)
    return UnionParts(parts) if ctype.union else parts


def unset(ctype: CType) -> Any:
    """Return a value of a type nothing of which is set."""
    if isinstance(ctype, Array):
        return [unset(ctype.of) for _ in range(ctype.length or 0)]
    if isinstance(ctype, Struct):
        members = [] if ctype.union else ctype.members
        return structure_of(ctype, {name: unset(inner) for name, inner, _ in members})
    return UNSET


def array_of(ctype: CType, values: list[Any]) -> Any:
    """Return an array of its innermost elements, in their order; those left out are zero."""
    if not isinstance(ctype, Array):
        return values.pop(0) if values else _zero(ctype)
    return [array_of(ctype.of, values) for _ in range(ctype.length or 0)]


def _zero(ctype: CType) -> Any:
    if isinstance(ctype, Struct):
        members = ctype.members[: 1 if ctype.union else None]
        return structure_of(ctype, {name: _zero(inner) for name, inner, _ in members})
    if isinstance(ctype, Array):
        return array_of(ctype, [])
    return 0.0 if isinstance(ctype, Scalar) and ctype.is_float else 0


def is_set(value: Any) -> bool:
    """Whether a value is set in all of its parts, of a union in one."""
    if isinstance(value, UnionParts):
        return any(map(is_set, value))
    return all(map(is_set, value)) if isinstance(value, list) else value is not UNSET


def as_tree(found: Any, ctype: CType, span: Span) -> tree.Expression:
    """Return a value as a checked tree has it."""
    if not isinstance(found, list):
        return tree.Literal(found, span=span, type=ctype)
    if isinstance(ctype, Array):
        parts = tuple(as_tree(part, ctype.of, span) for part in found)
        return tree.Aggregate(parts, span=span, type=ctype)
    assert isinstance(ctype, Struct)
    pairs = zip(ctype.members, found, strict=True)
    named = [(member, part) for member, part in pairs if not ctype.union or is_set(part)]
    parts = tuple(as_tree(part, inner, span) for (_, inner, _), part in named)
    chosen = named[0][0][0] if ctype.union and named else ""
    return tree.Aggregate(parts, chosen, span=span, type=ctype)


@dataclass
class Frame:
    """The variables of a function that is being evaluated; a lambda sees those around it."""

    variables: dict[tree.Symbol, Place] = field(default_factory=dict)
    around: Frame | None = None

    def place(self, symbol: tree.Symbol) -> Place | None:
        """Return where a variable is, None if it is none of the evaluation's own."""
        frame: Frame | None = self
        while frame is not None:
            if symbol in frame.variables:
                return frame.variables[symbol]
            frame = frame.around
        return None


@dataclass
class Evaluation:
    """One evaluation: the constants that are known, and how much it may still do."""

    constants: Mapping[tree.Symbol, tree.Literal]
    objects: Mapping[tree.Symbol, Any]
    steps: int
    calls: int = 0
    frame: Frame = field(default_factory=Frame)


#: How deep the calls of Python's functions may be: some for each call of the program's.
MOST_FRAMES = 40_000


@contextmanager
def deep() -> Iterator[None]:
    """Let Python's calls be nested as deeply as those of C need, which are counted elsewhere."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, MOST_FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
