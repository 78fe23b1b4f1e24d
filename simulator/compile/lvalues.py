"""Where C's lvalues are, and what variables are bound to.

A pointer whose array is known from the source (a kernel's parameter, a shared or local array, and
what is computed from them) becomes a NumPy view and an index, which NumPy bounds-checks for
nothing. Every other pointer is a 64-bit address, checked against the table of allocations.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.compile.values import Value
from simulator.compile.writer import Register
from simulator.ir.types import CType, Pointer, Struct, size_of


@dataclass(frozen=True)
class Base:
    """A known array: `view` names its elements in generated code, `name` is the source's.

    `space` is global, constant, shared or local. A global or constant view is one-dimensional;
    `shift` names what must be added to an index (empty: nothing). Shared and local views have a row
    per block or lane and `length` columns; `offset` is where the array is in its block's shared
    memory. Where the elements are a member of a structure, `stride` counts the bytes from one
    structure to the next. `number` counts the kernel's shared arrays from 1.
    """

    space: str
    name: str
    view: str
    element: CType
    address: str
    shift: str = ""
    length: int | None = None
    offset: int = 0
    stride: int = 0
    number: int = 0

    @property
    def flat(self) -> bool:
        """Whether its view is one-dimensional: one array for all lanes."""
        return self.space in ("global", "constant")

    @property
    def step(self) -> int:
        """Bytes from one index to the next."""
        return self.stride or size_of(self.element)


@dataclass(frozen=True)
class Element:
    """Element `index` of a known array: an lvalue, and as a pointer its address."""

    base: Base
    index: Value
    volatile: bool = False
    read_only: bool = False

    @property
    def type(self) -> CType:
        """What stands there."""
        return self.base.element


@dataclass(frozen=True)
class At:
    """A `type` at a byte address."""

    address: Value
    type: CType
    volatile: bool = False
    read_only: bool = False


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
    members: dict[str, Register | Base | StructureVariable]


#: Where a number, a pointer or a structure in memory is.
Location = Register | Element | At
Lvalue = Location | StructureVariable

#: What a C variable is bound to.
Binding = Value | Lvalue | Base | PointerVariable | ReferenceVariable

#: The values of a structure's leaves, by their paths.
Members = dict[str, Value]


def pointee(ctype: CType) -> CType:
    """What a pointer points to."""
    assert isinstance(ctype, Pointer)
    return ctype.to
