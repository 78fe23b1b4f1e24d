"""What the compiler knows a C variable by."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.compile.lvalues import At, Base, Element
from simulator.compile.values import Value
from simulator.compile.writer import Register
from simulator.ir.types import CType, Struct


@dataclass(frozen=True)
class PointerVariable:
    """A pointer that is set once, to an element of a known array.

    The array, and where the index is kept.
    """

    base: Base
    index: Value | Register
    index_type: CType


@dataclass(frozen=True)
class ReferenceVariable:
    """A reference to memory that differs between lanes.

    `where` keeps the index in the known array `base`, or the address if there is no such array.
    """

    base: Base | None
    element: CType
    where: Register


@dataclass(frozen=True)
class StructureVariable:
    """A variable of structure type: what each member is bound to."""

    type: Struct
    members: dict[str, Binding]


#: What a C variable is bound to.
Binding = (
    Value | Register | Element | Base | At | PointerVariable | ReferenceVariable | StructureVariable
)
