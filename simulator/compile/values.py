"""Values of the generated code, lvalues, and the layouts of structures.

A pointer whose array is known from the source (a kernel's parameter, a shared or local array, and
what is computed from them) becomes a NumPy view and an index, which NumPy bounds-checks for
nothing. Every other pointer is a 64-bit address, checked against the table of allocations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from simulator.compile.dtypes import (
    dtype_code,
    dtype_name,
    held,
    in_memory,
    innermost,
)
from simulator.ir.constants import OPERATORS, rounded_to
from simulator.ir.types import (
    BFLOAT16,
    BOOL,
    FLOAT,
    INT,
    UNION_WORDS,
    Array,
    CType,
    Pointer,
    Scalar,
    Struct,
    size_of,
)
from simulator.lanes.arithmetic import LaneError, divide, remainder, to_integer
from simulator.lanes.rounding import saturated

# What structures are made of: their leaves, and the dtypes of a kernel's structures.


Item = TypeVar("Item")


@dataclass(frozen=True)
class Leaf:
    """A number or pointer at the bottom of a structure.

    `path` leads to it by names and indices, as in `box.corners.3.x`, which `label` writes as C
    does, `.box.corners[3].x`; `accessor` picks it out of an array of structures, `scalar_accessor`
    out of one structure; `offset` counts bytes.
    """

    path: str
    label: str
    type: CType
    offset: int
    accessor: str
    scalar_accessor: str

    @property
    def name(self) -> str:
        """The path as a part of a Python name."""
        return self.path.replace(".", "_")


@lru_cache(maxsize=256)
def leaves(ctype: Struct) -> tuple[Leaf, ...]:
    """List the leaves of a structure in memory order; nested arrays count as one long one."""
    return tuple(_leaves(ctype, Leaf("", "", ctype, 0, "", ""), False))


@lru_cache(maxsize=256)
def units(ctype: Struct) -> tuple[Leaf, ...]:
    """List what moves by one access each: leaves, and structures within that move whole."""
    return tuple(_leaves(ctype, Leaf("", "", ctype, 0, "", ""), True))


@lru_cache(maxsize=256)
def leaves_by_path(ctype: Struct) -> dict[str, Leaf]:
    """Return the leaves of a structure, each under its path."""
    return {leaf.path: leaf for leaf in leaves(ctype)}


@lru_cache(maxsize=256)
def padding(ctype: CType) -> frozenset[int]:
    """Find the bytes of a structure that belong to no member."""
    if not isinstance(ctype, Struct):
        return frozenset()
    used = {at for leaf in leaves(ctype) for at in range(leaf.offset, _end(leaf))}
    return frozenset(range(ctype.size)) - used


def _end(leaf: Leaf) -> int:
    return leaf.offset + size_of(leaf.type)


def _leaves(ctype: Struct, to: Leaf, whole: bool) -> Iterator[Leaf]:
    for part in ctype.storage:
        yield from _leaves_of(part, to, whole)


def _leaves_of(part: tuple[str, CType, int], to: Leaf, whole: bool) -> Iterator[Leaf]:
    """Yield the leaves of one part of a structure."""
    name, inner, at = part
    field, label = f"[{name!r}]", "" if _is_unnamed(name) else f".{name}"
    of, count = innermost(inner)
    for index in range(count):
        array = isinstance(inner, Array)
        leaf = Leaf(
            f"{to.path}{name}" + f".{index}" * array,
            f"{to.label}{label}" + f"[{index}]" * array,
            of,
            to.offset + at + index * size_of(of),
            to.accessor + field + f"[..., {index}]" * array,
            to.scalar_accessor + field + f"[{index}]" * array,
        )
        if isinstance(of, Struct) and not (whole and of.whole):
            yield from _leaves(of, replace(leaf, path=leaf.path + "."), whole)
        else:
            yield leaf


def _is_unnamed(name: str) -> bool:
    """Whether a part of a structure has a name that no program writes."""
    return name.startswith("<") or name == UNION_WORDS


def leaves_of_member(ctype: Struct, name: str) -> tuple[Leaf, ...]:
    """List the leaves of a member, from the start of its structure."""
    member = next(one for one in ctype.fields if one[0] == name)
    return tuple(_leaves_of(member, Leaf("", "", ctype, 0, "", ""), False))


def under(name: str, members: dict[str, Item]) -> dict[str, Item]:
    """Select the leaves of one member, their paths from there."""
    start = name + "."
    return {
        path.removeprefix(start): leaf for path, leaf in members.items() if path.startswith(start)
    }


# Values of the generated code: a piece of Python, its C type, and whether all lanes share it.


@dataclass(frozen=True)
class Value:
    """`code` is a name or stands in brackets; `constant` is the value itself where it is known."""

    code: str
    type: CType
    scalar: bool = False
    constant: bool | int | float | None = None


def constant(value: bool | int | float, ctype: CType) -> Value:
    """Make a known value, wrapped and rounded to `ctype` as C does."""
    dtype = np.dtype(dtype_code(ctype))
    if isinstance(ctype, Scalar) and ctype.is_float:
        number = rounded_to(value, ctype)
        return Value(_literal(in_memory(number, ctype)), ctype, True, number)
    if dtype.kind in "iu" and not isinstance(value, float):
        bits = int(value) & ((1 << (8 * dtype.itemsize)) - 1)
        top = 1 << (8 * dtype.itemsize - 1)
        known: bool | int | float = bits - 2 * top if dtype.kind == "i" and bits >= top else bits
    else:
        known = bool(value) if dtype.kind == "b" else float(value)
    return Value(_literal(known), ctype, True, known)


def _literal(value: bool | int | float) -> str:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "nan" if value != value else "inf" if value > 0 else "(-inf)"
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def typed(value: Value) -> str:
    """Return the code of `value` with its dtype: a Python literal has none of its own."""
    return value.code if value.constant is None else f"{dtype_name(value.type)}({value.code})"


def beside_array(value: Value) -> str:
    """Return the code of `value` where it meets an array of its own type."""
    number = value.constant
    if isinstance(number, bool) or not isinstance(number, int):
        return value.code
    return held(number, dtype_name(value.type))


def known(value: Value) -> Any:
    """Return the NumPy scalar of a constant; a bfloat16's is a float."""
    ctype = FLOAT if value.type == BFLOAT16 else value.type
    return np.dtype(dtype_code(ctype)).type(value.constant)


def zero() -> Value:
    """Index 0."""
    return constant(0, INT)


def nothing(ctype: CType) -> Value:
    """Make what stands for a value that is never read: of void calls, of structures."""
    return Value("None", ctype, True)


def negated(test: Value) -> Value:
    """Where `test` does not hold."""
    return Value(f"(~{test.code})", BOOL, test.scalar)


def convert(value: Value, ctype: CType) -> Value:
    """`value` as a `ctype`, by C's rules."""
    if value.constant is not None and isinstance(ctype, Scalar):
        return _convert_constant(value, value.constant, ctype)
    if BFLOAT16 in (value.type, ctype) and value.type != ctype:
        return _convert_bfloat16(value, ctype)
    source, target = dtype_name(value.type), dtype_name(ctype)
    if source == target:
        return Value(value.code, ctype, value.scalar, value.constant)
    if target == "b1":
        nothing_set = "0" if value.scalar else held(0, source)
        code = f"({value.code} != {nothing_set})"
    elif source[0] == "f" and target[0] in "iu":
        function = "saturated" if source == "f2" else "to_integer"
        code = f"{function}({value.code}, {target})"
    elif source[0] in "iu" and target[0] in "iu" and source[1] == target[1]:
        code = f"{typed(value)}.view({target})"
    else:
        code = f"{typed(value)}.astype({target})"
    return Value(code, ctype, value.scalar)


def _convert_bfloat16(value: Value, ctype: CType) -> Value:
    """Return a bfloat16 as a `ctype`, by way of float; or any number as a bfloat16."""
    if ctype == BFLOAT16:
        return Value(f"to_bfloat16({typed(value)})", ctype, value.scalar)
    wide = widened(value)
    if isinstance(ctype, Scalar) and ctype.is_integer and ctype != BOOL:
        return Value(f"saturated({wide.code}, {dtype_name(ctype)})", ctype, value.scalar)
    return convert(wide, ctype)


def widened(value: Value) -> Value:
    """Return a number as generated code computes with it: a bfloat16 as a float."""
    if value.type != BFLOAT16:
        return value
    if value.constant is not None:
        return constant(value.constant, FLOAT)
    return Value(f"from_bfloat16({value.code})", FLOAT, value.scalar)


def _convert_constant(value: Value, number: bool | int | float, ctype: Scalar) -> Value:
    if isinstance(number, float) and ctype.is_integer and not ctype.is_bool:
        narrow = isinstance(value.type, Scalar) and value.type.is_narrow
        with np.errstate(all="ignore"):
            function = saturated if narrow else to_integer
            whole = function(known(value), np.dtype(ctype.code).type)
        return constant(whole.item(), ctype)
    return constant(number, ctype)


def folded(op: str, left: Value, right: Value, ctype: CType) -> Value | None:
    """Fold an operator of constants; None where executing it would be a fault."""
    a, b = known(left), known(right)
    try:
        with np.errstate(all="ignore"):
            if op in ("/", "%"):
                if a.dtype.kind == "f":
                    return constant((a / b).item(), ctype)
                return constant((divide if op == "/" else remainder)(a, b).item(), ctype)
            if op in ("<<", ">>"):
                b = b.astype(a.dtype)
            result = OPERATORS[op](a, b)
    except LaneError:
        return None
    return constant(result.item(), ctype)


# Where C's lvalues are, and what variables are bound to.


@dataclass(eq=False)
class Register:
    """A C variable as an array with one element a lane; `gathered` once some code reads that array.

    `table` marks read-only arrays that the launch provides; `label` is the variable's name in C.
    A `uniform` one is no array but a number: all lanes that can read it have the same.
    """

    name: str
    code: str
    gathered: bool = False
    table: bool = False
    label: str = ""
    uniform: bool = False


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
class AtAddress:
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
    members: dict[str, Register | Base | StructureVariable | Element]


@dataclass(frozen=True)
class BitField:
    """A bit field: `width` bits, from bit `bit` of the first of the `words` on.

    `alone` is the number in memory that it fills by itself, if it does.
    """

    type: Scalar
    words: tuple[Register | Element | AtAddress, ...]
    word_types: tuple[CType, ...]
    bit: int
    width: int
    label: str = ""
    alone: Element | AtAddress | None = None
    alone_type: CType | None = None


#: Where a number, a pointer or a structure in memory is.
Location = Register | Element | AtAddress | BitField
Lvalue = Location | StructureVariable

#: What a C variable is bound to.
Binding = Value | Lvalue | Base | PointerVariable | ReferenceVariable

#: The values of a structure's leaves, by their paths.
Members = dict[str, Value]


def pointee(ctype: CType) -> CType:
    """Return what a pointer points to."""
    assert isinstance(ctype, Pointer)
    return ctype.to
