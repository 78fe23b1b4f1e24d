"""Where C's lvalues are: registers, elements of a known array, or any address.

A pointer whose array is known from the source (a kernel's parameter, a shared or local array, and
what is computed from them) becomes a NumPy view and an index, which NumPy bounds-checks for
nothing. Every other pointer is a 64-bit address, checked against the table of allocations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from simulator.compile.layouts import Leaf, innermost, padding
from simulator.compile.provenance import ProvenanceEmitter
from simulator.compile.values import Value, constant, dtype_name, known, typed
from simulator.compile.writer import Register
from simulator.ir.events import ADDRESS, FOUND, SHARED, STORED, VIEW, Operand, Site
from simulator.ir.types import INT, LONG, Array, CType, Pointer, Scalar, size_of
from simulator.lanes.arithmetic import to_integer
from simulator.source import CompileError, Span


@dataclass(frozen=True)
class Base:
    """A known array: `view` names its elements in generated code, `name` is the source's.

    `space` is global, constant, shared or local. A global or constant view is one-dimensional;
    `shift` names what must be added to an index (empty: nothing). Shared and local views have a row
    per block or lane and `length` columns; `offset` is the array's place in its block's shared
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
    """Element `index` of a known array: a place, and as a pointer its address."""

    base: Base
    index: Value
    volatile: bool = False
    read_only: bool = False


@dataclass(frozen=True)
class At:
    """What stands at a byte address."""

    address: Value
    element: CType
    volatile: bool = False
    read_only: bool = False


Place = Register | Element | At


class PlaceEmitter(ProvenanceEmitter, ABC):
    """Loads, stores and addresses.

    `copying` says that a whole structure is read: some of it may never have been written.
    """

    copying = False

    def refuse(self, message: str, span: Span, hint: str = "") -> NoReturn:
        """Stop compiling, with the place."""
        raise CompileError(message, span, hint)

    def load(self, place: Place, ctype: CType, span: Span) -> Value:
        """Read a place for the active lanes."""
        if isinstance(place, Register):
            return self.read(place, ctype)
        if isinstance(place, At):
            return self._load_address(place, ctype, span)
        base = place.base
        site = self.known_site("load", base, span, place.volatile, read_only=place.read_only)
        index = self.index64(place.index, site, base.shift)
        self._log_index(base, site, index)
        result = Value(self.writer.fresh(base.name), ctype, index.scalar and base.flat)
        self.put(f"{result.code} = {self._subscript(base, index, load=True)}", site, index.code)
        self.found(site, result)
        return self.recalled_from(place, result)

    def store(self, place: Place, value: Value, span: Span) -> None:
        """Write a place for the active lanes.

        Of lanes with the same address the highest wins, or any where builds are shuffled. What
        goes to constant memory by a pointer is found out at the address.
        """
        if isinstance(place, Element) and place.base.space == "constant":
            place = self.located(place)
        if isinstance(place, Register):
            self.write(place, self.note(place.label, value))
        elif isinstance(place, At):
            site, address = self._access_address("store", place, span)
            value = self.kept_for(place, self._log_stored(site, value))
            kind = dtype_name(place.element)
            line = f"store({self.region.lanes}, {address.code}, {value.code}, {kind})"
            self.put(line, site, address.code)
        else:
            site = self.known_site("store", place.base, span, place.volatile)
            index = self.index64(place.index, site, place.base.shift)
            self._log_index(place.base, site, index)
            value = self.kept_for(place, self._log_stored(site, value))
            if self.build.shuffled and not value.scalar:
                to = f"{place.base.view}, {self._at(place.base, index)}"
                line = f"store_any(launch.lane_dice, {to}, {value.code})"
            else:
                one = index.scalar and place.base.flat and not value.scalar
                target = self._subscript(place.base, index, load=False)
                line = f"{target} = {value.code}{'[-1]' if one else ''}"
            self.put(line, site, index.code)

    def _subscript(self, base: Base, index: Value, load: bool) -> str:
        if index.scalar and load and base.flat:
            return f"fetch({base.view}, {index.code})"
        return f"{base.view}[{self._at(base, index)}]"

    def _at(self, base: Base, index: Value) -> str:
        """What picks the element of each active lane out of the view."""
        at = f"inside({index.code})" if index.scalar else index.code
        if base.flat:
            return at
        row = self.slot() if base.space == "shared" else self.region.lanes
        return f"({row}, {at})"

    def _log_index(self, base: Base, site: Site, index: Value) -> None:
        if base.space == "local":
            if self.build.locals and not (self.unneeded or self.copying):
                address = self.keep("address", self.address(Element(base, index), LONG))
                self.log(Operand(ADDRESS, site), address.code)
            return
        if base.space == "constant":  # which nobody writes while a kernel runs
            return
        self.pause()
        if base.space == "global":
            self.log(Operand(VIEW, site, base.view), index.code)
        else:
            self.log(Operand(SHARED, site), index.code)

    def _log_stored(self, site: Site, value: Value) -> Value:
        """Log what a store writes, for the race checker and traces."""
        if site.space == "local":
            return self.note(site.array, value)
        if not (self.build.values or self.build.steps):
            return value
        value = self.keep("stored", value)
        self.log(Operand(STORED, site), typed(self.unmarked(value)))
        return value

    def found(self, site: Site, value: Value) -> None:
        """Log what a load or an atomic found in memory, for traces."""
        if self.build.steps and site.space not in ("local", "constant"):
            self.log(Operand(FOUND, site), typed(self.unmarked(value)))

    def known_site(
        self, kind: str, base: Base, span: Span, volatile: bool = False, **facts: Any
    ) -> Site:
        """A site that accesses a known array."""
        return self.site(
            kind,
            span,
            base.space,
            size=size_of(base.element),
            array=base.name,
            view=base.view,
            offset=base.offset,
            stride=base.step,
            volatile=volatile,
            padding=padding(base.element),
            **facts,
        )

    def _load_address(self, place: At, ctype: CType, span: Span) -> Value:
        site, address = self._access_address("load", place, span)
        result = Value(self.writer.fresh("loaded"), ctype)
        call = f"load({self.region.lanes}, {address.code}, {dtype_name(place.element)})"
        self.put(f"{result.code} = {call}", site, address.code)
        self.found(site, result)
        return self.recalled_from(place, result)

    def kept_for(self, place: Element | At, value: Value) -> Value:
        """What goes to a place: of a pointer, the plain address."""
        if not isinstance(value.type, Pointer):
            return value
        return self.kept(typed(self.address(place, LONG, marked=False)), value)

    def recalled_from(self, place: Element | At, value: Value) -> Value:
        """What was found at a place: a pointer with the mark that it was stored with."""
        if not isinstance(value.type, Pointer):
            return value
        return self.recalled(typed(self.address(place, LONG, marked=False)), value)

    def _access_address(self, kind: str, place: At, span: Span) -> tuple[Site, Value]:
        address = self.keep("address", place.address)
        size = size_of(place.element)
        facts: dict[str, Any] = {"volatile": place.volatile, "read_only": place.read_only}
        facts["padding"] = padding(place.element)
        site = self.site(kind, span, "generic", size=size, **facts)
        self.pause()
        address = self.owned(address, size, site)
        self.log(Operand(ADDRESS, site), address.code)
        return site, address

    def slot(self) -> str:
        """The active lanes' places of their block in shared memory."""
        return self.read(self.lane_table("slot_of"), LONG).code

    @abstractmethod
    def lane_table(self, name: str) -> Register:
        """A read-only array of the launch with one element a lane, as a register."""

    def index64(self, index: Value, site: Site, shift: str = "") -> Value:
        """An index as NumPy wants it.

        Negative ones become too large or raise, so that none wraps around.
        """
        if dtype_name(index.type) == "u8":
            index = self.convert(index, LONG)
        known = index.constant
        if index.scalar:
            code = str(int(known)) if known is not None else f"int({index.code})"
            return self.keep(
                "at", Value(f"({code} + {shift})" if shift else f"({code})", LONG, True)
            )
        dtype, name = dtype_name(index.type), self.writer.fresh("at")
        if shift or dtype == "i8":
            code = index.code if dtype == "i8" else f"{index.code}.astype(i8)"
            self.put(f"{name} = {code}{' + ' + shift if shift else ''}")
            self.put(f"nonnegative({name})", site, name)
        elif dtype[0] == "i":
            code = index.code if dtype == "i4" else f"{index.code}.astype(i4)"
            self.put(f"{name} = {code}.view(u4).astype(i8)")
        else:
            self.put(f"{name} = {index.code}.astype(i8)")
        return Value(name, LONG)

    # Pointers.

    def step(self, pointer: Element | At, index: Value, sign: str = "+") -> Element | At:
        """`pointer + index` or `pointer - index`."""
        if isinstance(pointer, Element):
            if sign == "+" and pointer.index.constant == 0:
                return Element(pointer.base, index)
            left, right = self.convert(pointer.index, LONG), self.convert(index, LONG)
            return Element(
                pointer.base,
                Value(f"({typed(left)} {sign} {right.code})", LONG, left.scalar and right.scalar),
            )
        wide = self.convert(index, LONG)
        size = size_of(pointer.element)
        code = f"({typed(pointer.address)} {sign} {typed(wide)} * {size})"
        scalar = pointer.address.scalar and wide.scalar
        return At(Value(code, pointer.address.type, scalar), pointer.element)

    def address(self, pointer: Element | At, ctype: CType, marked: bool = True) -> Value:
        """The byte address of a place, as a value of pointer type `ctype`.

        One in shared memory is `marked` with its array, unless the program sees the number itself.
        """
        if isinstance(pointer, At):
            return Value(
                pointer.address.code, ctype, pointer.address.scalar, pointer.address.constant
            )
        base, wide = pointer.base, self.convert(pointer.index, LONG)
        size = base.step
        start, scalar = base.address, wide.scalar
        if not base.flat:
            row = self.slot() if base.space == "shared" else self.region.lanes
            start, scalar = f"({base.address} + {row} * {base.view}.strides[0])", False
        if marked:
            start = self.mark(start, base.number)
        return Value(f"({start} + {typed(wide)} * {size})", ctype, scalar)

    def located(self, place: Element) -> At:
        """The same place by its address."""
        return At(self.address(place, LONG), place.base.element, place.volatile)

    def member(self, place: Element | At, name: str, ctype: CType, at: int) -> Element | At:
        """A member of the structure at `place`; of an array, its first innermost element."""
        element, count = innermost(ctype)
        if isinstance(place, At):
            return self._behind(place, at, element)
        if not isinstance(ctype, Array):
            return self._part(place, f"[{name!r}]", f".{name}", element, at)
        base, index = place.base, place.index.constant
        if base.length is None or index is None or not 0 <= index < base.length:
            return self._behind(self.located(place), at, element)
        row = f"[{name!r}][{index}]" if base.flat else f"[{name!r}][:, {index}]"
        one = "" if base.length == 1 else f"[{index}]"
        part = self._part(place, row, f"{one}.{name}", element, at + int(index) * base.step)
        row_base = replace(part.base, length=count, stride=size_of(element))
        return Element(row_base, zero(), place.volatile)

    def leaf(self, place: Element | At, leaf: Leaf) -> Element | At:
        """A leaf of the structure at `place`."""
        if isinstance(place, At):
            return self._behind(place, leaf.offset, leaf.type)
        return self._part(place, leaf.accessor, leaf.label, leaf.type, leaf.offset)

    def _behind(self, place: At, at: int, ctype: CType) -> At:
        """What stands `at` bytes behind the start of `place`."""
        start = place.address
        code = f"({typed(start)} + {at})"
        return At(Value(code, start.type, start.scalar), ctype, place.volatile)

    def _part(self, place: Element, accessor: str, label: str, ctype: CType, at: int) -> Element:
        """What `accessor` picks out of the structures in a known array, `at` bytes in each."""
        base = place.base
        address = f"({base.address} + {at})"
        part = replace(
            base,
            name=base.name + label,
            view="",
            element=ctype,
            address=address,
            offset=base.offset + at if base.offset >= 0 else base.offset - at,
            stride=base.step,
        )
        part = replace(part, view=self.alias(base, part, accessor, at))
        return Element(part, place.index, place.volatile)

    @abstractmethod
    def alias(self, base: Base, part: Base, accessor: str, at: int) -> str:
        """A view of what `accessor` picks out of the structures in `base`, `at` bytes in each."""

    def convert(self, value: Value, ctype: CType) -> Value:
        """`value` as a `ctype`, by C's rules."""
        source, target = dtype_name(value.type), dtype_name(ctype)
        if value.constant is not None and isinstance(ctype, Scalar):
            return self._convert_constant(value, ctype)
        if source == target:
            return Value(value.code, ctype, value.scalar, value.constant)
        code = value.code
        if target == "b1":
            return Value(f"({code} != 0)", ctype, value.scalar)
        if source[0] == "f" and target[0] in "iu":
            return Value(f"to_integer({code}, {target})", ctype, value.scalar)
        if source[0] in "iu" and target[0] in "iu" and source[1] == target[1]:
            return Value(f"{typed(value)}.view({target})", ctype, value.scalar)
        return Value(f"{typed(value)}.astype({target})", ctype, value.scalar)

    def _convert_constant(self, value: Value, ctype: Scalar) -> Value:
        assert value.constant is not None
        if isinstance(value.constant, float) and ctype.is_integer and not ctype.is_bool:
            with np.errstate(all="ignore"):
                whole = to_integer(known(value), np.dtype(ctype.code).type)
            return constant(whole.item(), ctype)
        return constant(value.constant, ctype)


def zero() -> Value:
    """Index 0."""
    return constant(0, INT)


def pointee(ctype: CType) -> CType:
    """What a pointer points to."""
    assert isinstance(ctype, Pointer)
    return ctype.to
