"""Where members lie in memory: the Itanium ABI's rules, which GCC and NVRTC follow on Linux."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.ir.types import (
    UCHAR,
    UINT,
    ULLONG,
    USHORT,
    Array,
    Bits,
    CType,
    Scalar,
    Struct,
    align_of,
    bits,
    size_of,
)

#: A member: its name, type and offset.
Placed = tuple[str, CType, int]

_UNSIGNED = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULLONG}


@dataclass
class Layout:
    """A structure whose members are placed one after another; those of a `union` at its start.

    `end` is the first byte behind what is placed, `bit` the first bit behind it; `size` is larger
    where an empty base lies behind. Nothing is put in the padding of what is `plain`. `empty` are
    the places of empty classes, for two of a type have different addresses; `fields` are the bit
    fields with their first bit, `taken` the bytes of other members.
    """

    union: bool = False
    plain: bool = True
    align: int = 1
    end: int = 0
    bit: int = 0
    size: int = 0
    placed: list[Placed] = field(default_factory=list)
    fields: list[tuple[int, Bits, int]] = field(default_factory=list)
    empty: set[tuple[Struct, int]] = field(default_factory=set)
    taken: set[int] = field(default_factory=set)

    def add_base(self, name: str, base: Struct) -> None:
        """Place a base: in front, or behind others; an empty one at the start if it can."""
        if (base, 0) in base.empties:
            self._add_empty(base)
            return
        self._place(name, base, self._free(base), base.size - base.tail)
        if not base.members:  # but bit fields without names
            self.placed.pop()
        self.align = max(self.align, base.align)

    def _add_empty(self, base: Struct) -> None:
        at = 0
        while self._clashes(base, at):
            at = self.end if at < self.end else at + base.align
        self.empty |= _empty_in(base, at)
        self.size = max(self.size, at + base.size)
        self.align = max(self.align, base.align)

    def add(self, name: str, ctype: CType, align: int = 1) -> None:
        """Place a member."""
        at = 0 if self.union else self._free(ctype, align)
        self._place(name, ctype, at, size_of(ctype))
        self.align = max(self.align, align, align_of(ctype))

    def _place(self, name: str, ctype: CType, at: int, used: int) -> None:
        self.placed.append((name, ctype, at))
        self.taken |= set(range(at, at + used))
        self.empty |= _empty_in(ctype, at)
        self.end = max(self.end, at + used)
        self.bit = 8 * self.end
        self.size = max(self.size, self.end)

    def _free(self, ctype: CType, least: int = 1) -> int:
        """Return the next place for a type: aligned, and apart from empty classes of its own."""
        align = max(least, align_of(ctype))
        at = rounded(self.end, align)
        while self._clashes(ctype, at):
            at += align
        return at

    def _clashes(self, ctype: CType, at: int) -> bool:
        return bool(self.empty & _empty_in(ctype, at))

    def add_bits(self, name: str, of: Scalar, width: int) -> None:
        """Place a bit field; one without a name only takes room, or ends a unit where it has 0."""
        unit = 8 * of.size
        at = 0 if self.union else self.bit
        if not width:
            self.bit = rounded(at, unit)
            self.end = max(self.end, self.bit // 8)
            self.size = max(self.size, self.end)
            return
        if at // unit != (at + width - 1) // unit:
            at = rounded(at, unit)
        if name:
            self.fields.append((len(self.placed), bits(of, width), at))
            self.placed.append((name, of, at // 8))
            self.align = max(self.align, of.size)
        self.bit = at + width
        self.end = max(self.end, -(-self.bit // 8))
        self.size = max(self.size, self.end)

    def finish(self, least: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what `Struct.define` takes; `least` is the alignment that the program asks for."""
        align = max(self.align, least)
        size = rounded(max(self.size, 1), align)
        tail = 0 if self.plain else size - max(self.size, 1)
        words = () if self.union else tuple(self._words(size - tail))
        units: dict[str, Placed] = {}
        for at, ctype, first in self.fields:
            name, _, _ = self.placed[at]
            self.placed[at] = self._stored(name, ctype, first, words)
            units |= {one[0]: one for one in (_unit(ctype, first), *_alone(ctype, first))}
        more: dict[str, Any] = {
            "tail": tail,
            "words": words,
            "units": tuple(units.values()),
            "union": self.union,
        }
        more |= {"empties": frozenset(self.empty), "shares_padding": not self.plain}
        return (tuple(self.placed), size, align), more

    def _stored(self, name: str, ctype: Bits, first: int, words: Sequence[Placed]) -> Placed:
        """Return a bit field with what stores it, at its unit of memory."""
        last = first + ctype.width - 1
        own = [w for w in words if 8 * w[2] <= last and first < 8 * (w[2] + size_of(w[1]))]
        unit, _, at = _unit(ctype, first)
        names = tuple(word[0] for word in own)
        bit = first - 8 * own[0][2] if own else 0
        alone = next((one[0] for one in _alone(ctype, first)), "")
        where = {"unit": unit, "shift": first - 8 * at, "alone": alone, "words": names, "bit": bit}
        return name, replace(ctype, **where), at  # type: ignore[arg-type]

    def _words(self, size: int) -> Iterator[Placed]:
        """Yield the words that store bit fields: as large as their types, if they have the room."""
        found: set[tuple[int, int]] = set()
        for _, ctype, first in self.fields:
            last = (first + ctype.width - 1) // 8
            start = first // 8 // ctype.size * ctype.size
            found |= set(self._parts(start, ctype.size, first // 8, last, size))
        largest = [
            (at, count)
            for at, count in found
            if not any(a <= at < a + n and n > count for a, n in found)
        ]
        for at, count in sorted(largest):
            yield f"bits at {at}", _UNSIGNED[count], at

    def _parts(
        self, start: int, count: int, first: int, last: int, size: int
    ) -> Iterator[tuple[int, int]]:
        """Yield the words in `count` bytes that have some of the bytes from `first` to `last`."""
        if start > last or start + count <= first:
            return
        if start + count <= size and not self.taken & set(range(start, start + count)):
            yield start, count
            return
        half = count // 2
        yield from self._parts(start, half, first, last, size)
        yield from self._parts(start + half, half, first, last, size)


def _unit(ctype: Bits, first: int) -> Placed:
    """Return the unit of memory by which a bit field from bit `first` on is read and written."""
    at = first // 8 // ctype.size * ctype.size
    return f"{ctype.size} bytes at {at}", _UNSIGNED[ctype.size], at


def _alone(ctype: Bits, first: int) -> tuple[Placed, ...]:
    """Return the number that a bit field fills by itself, if it does."""
    size, at = ctype.width // 8, first // 8
    if first % 8 or ctype.width % 8 or size not in _UNSIGNED or at % size:
        return ()
    return ((f"{size} bytes at {at}", _UNSIGNED[size], at),)


def _empty_in(ctype: CType, at: int) -> set[tuple[Struct, int]]:
    """Return where classes without members lie in a type that begins at `at`."""
    if isinstance(ctype, Array):
        step, of = size_of(ctype.of), ctype.of
        if not isinstance(of, Struct | Array):
            return set()
        return {found for n in range(ctype.length or 0) for found in _empty_in(of, at + n * step)}
    return (
        {(one, at + place) for one, place in ctype.empties} if isinstance(ctype, Struct) else set()
    )


def rounded(size: int, align: int) -> int:
    """Return the next multiple of an alignment."""
    return -(-size // align) * align
