"""Declared variables: where they live, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from simulator.ir.types import CType
from simulator.source import Span


class Storage(Enum):
    """Where a variable lives."""

    PARAMETER = "parameter"
    LOCAL = "local"
    SHARED = "shared"
    CONSTANT = "constant"
    DEVICE = "device"
    LITERAL = "literal"  # nowhere: it stands for its value


@dataclass(frozen=True, eq=False)
class Symbol:
    """A declared variable; two symbols are the same only if they are the same object.

    `align` is what `__align__` asks for, 1 without it.
    """

    name: str
    type: CType
    storage: Storage
    span: Span
    const: bool = False
    reference: bool = False
    volatile: bool = False
    align: int = 1

    def __str__(self) -> str:
        """How C declares it as a parameter."""
        front = str(self.type)
        mark = "&" if self.reference else ""
        return f"{front}{'' if front.endswith('*') else ' '}{mark}{self.name}"
