"""What may stand among the words in front of a declared name, beside words."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.ir import tree
from simulator.ir.types import CType
from simulator.source import Span


@dataclass(frozen=True)
class Alignment:
    """`__align__(bytes)` or `alignas(bytes)`."""

    span: Span
    bytes: tree.Expression


@dataclass(frozen=True)
class Tag:
    """`struct name` or `enum name` as a type, and what it defines on the way, if anything."""

    span: Span
    base: CType
    defines: tuple[tree.Statement, ...] = ()
    word: str = ""
