"""Pieces of random C programs: typed text, variables, functions, and who may use what."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.reference.types import Type

COMMA, ASSIGN, CHOICE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, LESS, SHIFT, SUM = range(12)
PRODUCT, UNARY, POSTFIX, PRIMARY = range(12, 16)


@dataclass(frozen=True)
class Typed:
    """A piece of C, its type, and how tightly its outermost operator binds."""

    text: str
    type: Type
    binds: int = PRIMARY


@dataclass(frozen=True)
class Variable:
    """Something to read or write.

    A plain variable, one that the pointer `q_…` points to, an array of 4, or an element of a shared
    or global array.
    """

    name: str
    type: Type
    kind: str = "plain"


@dataclass(frozen=True)
class Helper:
    """A device function of the program; a `by_reference` one changes its first argument."""

    name: str
    result: Type
    parameters: tuple[Type, ...]
    by_reference: bool = False


@dataclass(frozen=True)
class Pool:
    """The variables that an expression may read, and those of them that it may change."""

    read: tuple[Variable, ...] = ()
    write: frozenset[Variable] = frozenset()

    def writable(self, *kinds: str) -> list[Variable]:
        return [v for v in self.read if v in self.write and (not kinds or v.kind in kinds)]

    def frozen(self) -> Pool:
        return Pool(self.read)

    def split(self, rng: random.Random) -> tuple[Pool, Pool]:
        """Two pools for operands in no fixed order: what one may change the other may not see."""
        left = frozenset(v for v in self.writable() if rng.random() < 0.5)
        right = self.write - left
        return (
            Pool(tuple(v for v in self.read if v not in right), left),
            Pool(tuple(v for v in self.read if v not in left), right),
        )
