"""Addresses of lvalues, loads and stores, and what is logged of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from simulator.compile.bit_fields import bits_inserted, bits_of_words, fitted
from simulator.compile.compiled import Origin
from simulator.compile.context import Context
from simulator.compile.dispatch import lane_table, log, preempt, read, site, write
from simulator.compile.dtypes import dtype_name, held, innermost
from simulator.compile.values import (
    AtAddress,
    Base,
    Binding,
    BitField,
    Element,
    Leaf,
    Location,
    PointerVariable,
    ReferenceVariable,
    Register,
    Value,
    convert,
    padding,
    typed,
    zero,
)
from simulator.ir.events import ADDRESS, FOUND, SHARED, STORED, VALUE, VIEW, EventSite
from simulator.ir.pointer_tags import MASK, MOST, SHIFT
from simulator.ir.types import LONG, Array, CType, Pointer, size_of
from simulator.source import Span

# Addresses of lvalues, and pointer arithmetic.
#
# Pointers to shared arrays remember which array they were made from. Where the source tells the
# array of a pointer, NumPy checks the index for nothing. A pointer that is chosen, stored or handed
# on is an address, in which the number of its array travels as a tag (`execute.wave`). Kernels
# that make no such address pay nothing for it.


def tagged_address(address: str, number: int, context: Context) -> str:
    """Return the code of an address in the shared array `number`, with its tag."""
    if not 0 < number <= MOST:
        return address
    context.kernel.tagged = True
    return f"({address} + {number << SHIFT})"


def untagged(value: Value, context: Context) -> Value:
    """Return an address as the program sees it."""
    if not context.kernel.may_tag or not isinstance(value.type, Pointer) or value.code == "i8(0)":
        return value
    value = context.keep("address", value)
    return _if_tagged("plain", f"{value.code} & {MASK}", value, context)


def saved_tag(address: str, value: Value, context: Context) -> Value:
    """Return a pointer as memory holds it; its tag is stored aside for later loads."""
    call = f"gang.save_tag({address}, {typed(value)})"
    return _if_tagged("plain", call, value, context)


def restored_tag(address: str, value: Value, context: Context) -> Value:
    """Return a pointer that was loaded, with the tag that it had when it was stored."""
    return _if_tagged("tagged", f"gang.restore_tag({address}, {value.code})", value, context)


def checked_tag(address: Value, size: int, site: EventSite, context: Context) -> Value:
    """Check that an access goes to the array of its tag, and return the plain address."""
    if context.kernel.may_tag:
        context.kernel.constants["shared_arrays"] = context.kernel.plan.shared
    call = f"gang.check_tag(shared_arrays, {context.lanes}, {address.code}, {size}, {site.kind!r})"
    return _if_tagged("plain", call, address, context, site)


def _if_tagged(
    hint: str, code: str, value: Value, context: Context, site: EventSite | None = None
) -> Value:
    """`code` in kernels of which some address has a tag, else `value`."""
    kernel = context.kernel
    if not kernel.may_tag:
        return value
    name = context.fresh(hint)
    origin = Origin(context.span, context.lanes, site) if context.span else None
    context.writer.put(lambda: [f"{name} = {code if kernel.tagged else value.code}"], origin)
    return Value(name, value.type, value.scalar)


Where = TypeVar("Where", Location, Element | AtAddress)


def location_of(binding: Binding, context: Context) -> Location:
    """Where a variable is that is bound to memory or to a register."""
    if isinstance(binding, Base):
        return Element(binding, zero())
    if isinstance(binding, ReferenceVariable):
        where = read(binding.where, LONG, context)
        return Element(binding.base, where) if binding.base else AtAddress(where, binding.element)
    assert isinstance(binding, Register | Element | AtAddress)
    return binding


def bound(variable: PointerVariable, context: Context) -> Element:
    """Return what a pointer variable points to."""
    index = variable.index
    if isinstance(index, Register):
        index = read(index, variable.index_type, context)
    return Element(variable.base, index)


def once(where: Where, context: Context) -> Where:
    """Name the index or address, so that using it twice evaluates it once."""
    if isinstance(where, Element):
        return replace(where, index=context.keep("at", where.index))
    if isinstance(where, AtAddress):
        return replace(where, address=context.keep("address", where.address))
    if isinstance(where, BitField):
        return _bits_once(where, context)
    return where


def _bits_once(where: BitField, context: Context) -> BitField:
    alone = once(where.alone, context) if where.alone is not None else None
    words = tuple(w if isinstance(w, Register) else once(w, context) for w in where.words)
    return replace(where, words=words, alone=alone)


def step(pointer: Element | AtAddress, index: Value, sign: str = "+") -> Element | AtAddress:
    """`pointer + index` or `pointer - index`."""
    wide = convert(index, LONG)
    if isinstance(pointer, Element):
        if sign == "+" and pointer.index.constant == 0:
            return Element(pointer.base, index)
        left = convert(pointer.index, LONG)
        code = f"({typed(left)} {sign} {wide.code})"
        return Element(pointer.base, Value(code, LONG, left.scalar and wide.scalar))
    start = pointer.address
    size = size_of(pointer.type)
    each = str(size) if wide.scalar else held(size, "i8")
    code = f"({typed(start)} {sign} {typed(wide)} * {each})"
    return AtAddress(Value(code, start.type, start.scalar and wide.scalar), pointer.type)


def address(
    pointer: Element | AtAddress, ctype: CType, context: Context, tagged: bool = True
) -> Value:
    """Return the byte address of an lvalue, as a value of pointer type `ctype`.

    One in shared memory is `tagged` with its array, unless the program sees the number itself.
    """
    if isinstance(pointer, AtAddress):
        return replace(pointer.address, type=ctype)
    base, wide = pointer.base, convert(pointer.index, LONG)
    start = base.address
    if not base.flat:
        start = f"({base.address} + {row(base, context)} * {base.view}.strides[0])"
    if tagged:
        start = tagged_address(start, base.number, context)
    each = str(base.step) if wide.scalar else held(base.step, "i8")
    return Value(f"({start} + {typed(wide)} * {each})", ctype, base.flat and wide.scalar)


def plain_address(pointer: Element | AtAddress, ctype: CType, context: Context) -> Value:
    """Return the byte address of an lvalue as the program sees it."""
    if isinstance(pointer, Element):
        return address(pointer, ctype, context, tagged=False)
    return untagged(address(pointer, ctype, context), context)


def row(base: Base, context: Context) -> str:
    """Return the rows of shared or local memory that belong to the active lanes."""
    if base.space == "local":
        return context.lanes
    return read(lane_table("slot_of", context), LONG, context).code


def located(where: Element, context: Context) -> AtAddress:
    """Return a known element by its address."""
    return AtAddress(address(where, LONG, context), where.type, where.volatile)


def member(
    where: Element | AtAddress,
    name: str,
    ctype: CType,
    at: int,
    context: Context,
    label: str | None = None,
) -> Element | AtAddress:
    """Return a member of the structure at `where`; of an array, its first innermost element.

    `label` is what messages call it in place of `.name`.
    """
    if label is None:
        label = "" if name.startswith("<") else f".{name}"
    element, count = innermost(ctype)
    if isinstance(where, AtAddress):
        return behind(where, at, element)
    if not isinstance(ctype, Array):
        return _part(where, f"[{name!r}]", label, element, at, context)
    base, index = where.base, where.index.constant
    if base.length is None or index is None or not 0 <= index < base.length:
        return behind(located(where, context), at, element)
    accessor = f"[{name!r}][{index}]" if base.flat else f"[{name!r}][:, {index}]"
    one = "" if base.length == 1 else f"[{index}]"
    part = _part(where, accessor, f"{one}{label}", element, at + int(index) * base.step, context)
    row_base = replace(part.base, length=count, stride=size_of(element))
    return Element(row_base, zero(), where.volatile)


def part_at(where: Element | AtAddress, leaf: Leaf, context: Context) -> Element | AtAddress:
    """Return a leaf of the structure at `where`."""
    if isinstance(where, AtAddress):
        return behind(where, leaf.offset, leaf.type)
    return _part(where, leaf.accessor, leaf.label, leaf.type, leaf.offset, context)


def behind(where: AtAddress, at: int, ctype: CType) -> AtAddress:
    """Return what stands `at` bytes behind the start of `where`."""
    start = where.address
    code = f"({typed(start)} + {at})"
    return AtAddress(Value(code, start.type, start.scalar), ctype, where.volatile)


def _part(
    where: Element, accessor: str, label: str, ctype: CType, at: int, context: Context
) -> Element:
    """Return the part of each structure in a known array that is `at` bytes in."""
    base = where.base
    own = label.startswith(".__")  # of the simulator's own texts, whose members programs do not see
    part = replace(
        base,
        name=base.name if own else base.name + label,
        element=ctype,
        address=f"({base.address} + {at})",
        offset=base.offset + at if base.offset >= 0 else base.offset - at,
        stride=base.step,
    )
    part = replace(part, view=_alias(base, part, accessor, at, context))
    return Element(part, where.index, where.volatile)


def _alias(base: Base, part: Base, accessor: str, at: int, context: Context) -> str:
    """Name a view of what `accessor` picks out of the structures in `base`."""
    kernel, key = context.kernel, (base.view, accessor)
    if key in kernel.aliases:
        return kernel.aliases[key]
    view = kernel.aliases[key] = context.fresh(base.view.rsplit("_", 1)[0])
    line = f"{view} = {base.view}{accessor}"
    if base.space == "local" and context.stack is not None:
        context.stack.append((line, ""))
        return view
    kernel.prologue.append(line)
    if base.space == "shared":
        flat = f"flat({part.address}, {dtype_name(part.element)})"
        kernel.prologue.append(f"flat_{view} = {flat}")
    if base.view in kernel.bases:
        number, offset = kernel.bases[base.view]
        kernel.bases[view] = (number, offset + at)
    return view


# Loads and stores, and what is logged of them.


def load(where: Location, ctype: CType, span: Span, context: Context, **facts: Any) -> Value:
    """Read an lvalue for the active lanes; `facts` are those of the site beyond its place."""
    if isinstance(where, Register):
        return read(where, ctype, context)
    if isinstance(where, BitField):
        words = _words(where, where.width, span, context)
        found = bits_of_words(words, where.bit, where.width, where.type)
        return context.keep(where.label, found)
    at, start = access("load", where, span, context, **facts)
    if isinstance(where, AtAddress):
        result = Value(context.fresh("loaded"), ctype)
        code = f"load({context.lanes}, {start.code}, {dtype_name(where.type)})"
    else:
        base = where.base
        result = Value(context.fresh(base.name), ctype, start.scalar and base.flat)
        fetched = f"fetch({base.view}, {start.code})"
        code = fetched if result.scalar else f"{base.view}[{subscript(base, start, context)}]"
    context.put(f"{result.code} = {code}", at, start.code)
    log_found(at, result, context)
    return as_loaded(where, result, context)


def store(where: Location, value: Value, span: Span, context: Context, **facts: str) -> None:
    """Write an lvalue for the active lanes.

    Of lanes with the same address the highest wins, or any where builds are shuffled. What goes to
    constant memory by a pointer is found out at the address.
    """
    if isinstance(where, Register):
        write(where, note(where.label, value, context), context)
        return
    if isinstance(where, BitField):
        _store_bits(where, value, span, context)
        return
    if isinstance(where, Element) and where.base.space == "constant":
        where = located(where, context)
    at, start = access("store", where, span, context, **facts)
    value = as_stored(where, log_stored(at, value, context), context)
    if isinstance(where, AtAddress):
        line = f"store({context.lanes}, {start.code}, {value.code}, {dtype_name(where.type)})"
    else:
        line = _assignment(where.base, start, value, context)
    context.put(line, at, start.code)


def _words(where: BitField, width: int, span: Span, context: Context) -> list[Value]:
    """Read the words that have a bit field, of which so many bits are needed: others are any."""
    found, start = [], 0
    for word, ctype in zip(where.words, where.word_types, strict=True):
        first, last = where.bit // 8 - start, (where.bit + width - 1) // 8 - start
        every = range(size_of(ctype))
        unneeded = frozenset(at for at in every if not (width and first <= at <= last))
        found.append(load(word, ctype, span, context, padding=unneeded))
        start += size_of(ctype)
    return found


def _store_bits(where: BitField, value: Value, span: Span, context: Context) -> None:
    """Write a bit field: all of a number, or words that are read and written again."""
    value = context.keep("value", value)
    if where.alone is not None:
        assert where.alone_type is not None
        store(where.alone, convert(value, where.alone_type), span, context)
        return
    outer, context.copying = context.copying, True
    words = _words(where, 0, span, context)
    context.copying = outer
    note(where.label, fitted(where, value), context)
    for word, new in zip(
        where.words, bits_inserted(words, where.bit, where.width, value, context), strict=True
    ):
        if isinstance(word, Register):
            write(word, new, context)
        else:
            store(word, new, span, context)


def _assignment(base: Base, index: Value, value: Value, context: Context) -> str:
    """Return the line that stores to a known array."""
    where = subscript(base, index, context)
    if context.build.shuffled and not value.scalar:
        return f"store_any(gang.lane_random, {base.view}, {where}, {value.code})"
    one = index.scalar and base.flat and not value.scalar
    return f"{base.view}[{where}] = {value.code}{'[-1]' if one else ''}"


def subscript(base: Base, index: Value, context: Context) -> str:
    """Return the subscript that picks each active lane's element out of the view."""
    at = f"inside({index.code})" if index.scalar else index.code
    return at if base.flat else f"({row(base, context)}, {at})"


def access(
    kind: str, where: Element | AtAddress, span: Span, context: Context, **facts: Any
) -> tuple[EventSite, Value]:
    """Log an access to memory: its site, and the index or the address that it goes to."""
    facts |= {"volatile": where.volatile, "read_only": where.read_only}
    facts = {"size": size_of(where.type), "padding": padding(where.type)} | facts
    facts["past_l1"] = kind == "load" and facts["size"] == context.past_l1
    if isinstance(where, Element):
        return _access_known(kind, where, span, context, facts)
    start = context.keep("address", where.address)
    at = site(kind, span, context, "generic", **facts)
    preempt(context)
    start = checked_tag(start, at.size, at, context)
    check_in_flight(start, at, context)
    log(ADDRESS, at, start.code, context)
    return at, start


def _access_known(
    kind: str, where: Element, span: Span, context: Context, facts: dict[str, Any]
) -> tuple[EventSite, Value]:
    """Log an access to a known array."""
    base = where.base
    facts |= {"array": base.name, "view": base.view, "offset": base.offset, "stride": base.step}
    at = site(kind, span, context, base.space, **facts)
    index = _index64(where.index, at, base.shift, context)
    if base.space == "local":
        if context.build.locals and not (context.unneeded or context.copying):
            start = context.keep("address", address(Element(base, index), LONG, context))
            log(ADDRESS, at, start.code, context)
    elif base.space != "constant":  # which nothing writes while a kernel runs
        preempt(context)
        if base.space == "shared" and context.kernel.may_copy:
            check_in_flight(address(Element(base, index), LONG, context, False), at, context)
        log(VIEW if base.space == "global" else SHARED, at, index.code, context)
    return at, index


def check_in_flight(start: Value, at: EventSite, context: Context) -> None:
    """Check, for the race checker, that no asynchronous copy may be writing there."""
    if context.kernel.may_copy and context.build.values:
        name = at.array or "shared memory"
        codes = f"{context.lanes}, {typed(start)}, {at.size}, {at.kind!r}, {name!r}"
        context.put(f"gang.check_in_flight({codes})", at)


def _index64(index: Value, at: EventSite, shift: str, context: Context) -> Value:
    """Convert an index to what NumPy takes.

    Negative ones become too large or raise, so that none wraps around.
    """
    if dtype_name(index.type) == "u8":
        index = convert(index, LONG)
    known = index.constant
    if index.scalar:
        code = str(int(known)) if known is not None else f"int({index.code})"
        return context.keep(
            "at", Value(f"({code} + {shift})" if shift else f"({code})", LONG, True)
        )
    dtype, name = dtype_name(index.type), context.fresh("at")
    if shift or dtype == "i8":
        code = index.code if dtype == "i8" else f"{index.code}.astype(i8)"
        context.put(f"{name} = {code}{' + ' + shift if shift else ''}")
        context.put(f"nonnegative({name})", at, name)
    elif dtype[0] == "i":
        code = index.code if dtype == "i4" else f"{index.code}.astype(i4)"
        context.put(f"{name} = {code}.view(u4).astype(i8)")
    else:
        context.put(f"{name} = {index.code}.astype(i8)")
    return Value(name, LONG)


def as_stored(where: Element | AtAddress, value: Value, context: Context) -> Value:
    """Return what is stored in an lvalue: of a pointer, the plain address."""
    if not isinstance(value.type, Pointer):
        return value
    return saved_tag(typed(address(where, LONG, context, tagged=False)), value, context)


def as_loaded(where: Element | AtAddress, value: Value, context: Context) -> Value:
    """Return what was loaded from an lvalue: a pointer with the tag that it was stored with."""
    if not isinstance(value.type, Pointer):
        return value
    return restored_tag(typed(address(where, LONG, context, tagged=False)), value, context)


def note(name: str, value: Value, context: Context) -> Value:
    """Log what a variable is set to, for traces."""
    if not context.build.steps or context.span is None or context.library is not None:
        return value
    value = context.keep(name, value)
    shown = untagged(value, context)
    log(VALUE, site("value", context.span, context, array=name), typed(shown), context)
    return value


def log_stored(at: EventSite, value: Value, context: Context) -> Value:
    """Log what a store writes, for the race checker and traces."""
    if at.space == "local":
        return note(at.array, value, context)
    if not (context.build.values or context.build.steps):
        return value
    value = context.keep("stored", value)
    log(STORED, at, typed(untagged(value, context)), context)
    return value


def log_found(at: EventSite, value: Value, context: Context) -> None:
    """Log what a load or an atomic found in memory, for traces."""
    if context.build.steps and at.space not in ("local", "constant"):
        log(FOUND, at, typed(untagged(value, context)), context)
