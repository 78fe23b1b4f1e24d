"""Where new variables live, in registers or memory, and copies of whole structures."""

from __future__ import annotations

from dataclasses import replace

from simulator.compile.context import Context, Facts
from simulator.compile.dispatch import lvalue, new_register, pointer, write
from simulator.compile.dtypes import dtype_code, dtype_name, innermost, numpy_dtype
from simulator.compile.memory import (
    as_loaded,
    as_stored,
    behind,
    load,
    located,
    location_of,
    note,
    once,
    part_at,
    store,
)
from simulator.compile.values import (
    AtAddress,
    Base,
    Binding,
    BitField,
    Element,
    Leaf,
    Location,
    Lvalue,
    Members,
    PointerVariable,
    ReferenceVariable,
    Register,
    StructureVariable,
    Value,
    constant,
    convert,
    leaves,
    leaves_by_path,
    padding,
    under,
    units,
    zero,
)
from simulator.ir import tree
from simulator.ir.events import SharedArray
from simulator.ir.types import (
    INT,
    LONG,
    SHARED_ALIGNMENT,
    SHARED_UNIT,
    Array,
    CType,
    Pointer,
    Struct,
    align_of,
    size_of,
)
from simulator.source import Span

# Copies of whole structures: between registers, a register a leaf, and memory.
#
# Structures of up to 16 bytes that are aligned to their size, such as CUDA's vector types of two
# and four elements, move whole, by one instruction a warp. Any other structure moves member by
# member.


def load_members(where: Lvalue, span: Span, context: Context) -> Members:
    """Read a whole structure."""
    assert not isinstance(where, Register | BitField)
    outer, context.copying = context.copying, True
    if isinstance(where, StructureVariable):
        found = {
            leaf.path: load(_leaf_of(where, leaf, context), leaf.type, span, context)
            for leaf in leaves(where.type)
        }
    else:
        found = _load_from_memory(where, span, context)
    context.copying = outer
    return found


def store_members(where: Lvalue, values: Members, span: Span, context: Context) -> None:
    """Write a whole structure."""
    assert not isinstance(where, Register | BitField)
    if isinstance(where, StructureVariable):
        for leaf in leaves(where.type):
            store(_leaf_of(where, leaf, context), values[leaf.path], span, context)
    else:
        _store_to_memory(where, values, span, context)


def _leaf_of(variable: StructureVariable, leaf: Leaf, context: Context) -> Location:
    """Where a leaf of a variable is."""
    name, _, rest = leaf.path.partition(".")
    binding = variable.members[name]
    if isinstance(binding, StructureVariable):
        return _leaf_of(binding, leaves_by_path(binding.type)[rest], context)
    if isinstance(binding, Element):  # a union
        assert isinstance(binding.type, Struct)
        return part_at(binding, leaves_by_path(binding.type)[rest], context)
    if isinstance(binding, Base):
        return _leaf_of_array(binding, rest, context)
    return location_of(binding, context)


def _leaf_of_array(base: Base, path: str, context: Context) -> Location:
    """Return a leaf of an array member, which is an array of its own."""
    index, _, rest = path.partition(".")
    element = Element(base, constant(int(index), INT))
    if not isinstance(base.element, Struct):
        return element
    return part_at(element, leaves_by_path(base.element)[rest], context)


def _load_from_memory(where: Element | AtAddress, span: Span, context: Context) -> Members:
    """Read a structure in memory: by one access, or by several."""
    ctype, where = where.type, once(where, context)
    assert isinstance(ctype, Struct)
    if ctype.whole:
        return _unpacked(load(where, ctype, span, context), ctype, where, context)
    found: Members = {}
    for unit in units(ctype):
        value = load(part_at(where, unit, context), unit.type, span, context)
        if isinstance(unit.type, Struct):
            parts = _unpacked(value, unit.type, part_at(where, unit, context), context)
            found |= {f"{unit.path}.{path}": part for path, part in parts.items()}
        else:
            found[unit.path] = value
    return found


def _store_to_memory(
    where: Element | AtAddress, values: Members, span: Span, context: Context
) -> None:
    """Write a structure in memory: by one access, or by several."""
    ctype, where = where.type, once(where, context)
    assert isinstance(ctype, Struct)
    if ctype.whole:
        store(where, _packed_for(where, values, ctype, context), span, context)
        return
    for unit in units(ctype):
        part = part_at(where, unit, context)
        if isinstance(unit.type, Struct):
            value = _packed_for(part, under(unit.path, values), unit.type, context)
        else:
            value = values[unit.path]
        store(part, value, span, context)


def _unpacked(whole: Value, ctype: Struct, where: Element | AtAddress, context: Context) -> Members:
    """Split a structure that was loaded by one access into its leaves."""
    found = {}
    for leaf in leaves(ctype):
        code = whole.code + (leaf.scalar_accessor if whole.scalar else leaf.accessor)
        value = context.keep(leaf.name, Value(code, leaf.type, whole.scalar))
        found[leaf.path] = as_loaded(_by_address(where, leaf, context), value, context)
    return found


def _packed_for(
    where: Element | AtAddress, values: Members, ctype: Struct, context: Context
) -> Value:
    """Pack leaves into structures, one a lane, as memory holds them."""
    parts = {
        leaf.path: as_stored(_by_address(where, leaf, context), values[leaf.path], context)
        for leaf in leaves(ctype)
    }
    return packed(parts, ctype, context)


def _by_address(where: Element | AtAddress, leaf: Leaf, context: Context) -> AtAddress:
    """Return a leaf of what is in memory, by its address."""
    start = where if isinstance(where, AtAddress) else located(where, context)
    return behind(start, leaf.offset, leaf.type)


def packed(values: Members, ctype: Struct, context: Context) -> Value:
    """Pack leaves into structures, one a lane."""
    name = context.fresh("packed")
    made = "zeros" if padding(ctype) else "empty"  # what no member sets is the same always
    context.put(f"{name} = np.{made}({context.lanes}.size, {dtype_name(ctype)})")
    for leaf in leaves(ctype):
        context.put(f"{name}{leaf.accessor} = {values[leaf.path].code}")
    return Value(name, ctype)


def variable(
    symbol: tree.Symbol, value: Value | None, facts: Facts | None, context: Context
) -> Binding:
    """Make a variable: in memory if its address is taken, else in a register."""
    watched = facts is None or symbol not in facts.shuffled
    unset = value is None and context.build.locals and watched  # is it read before it is set?
    if unset or (facts is not None and symbol in facts.addressed):
        base = local_array(symbol.name, symbol.type, context)
        if value is not None:
            store(Element(base, zero()), value, symbol.span, context)
        return base
    register = new_register(symbol.name, dtype_code(symbol.type), context)
    if value is not None:
        write(register, note(symbol.name, value, context), context)
    return register


def uniform_variable(symbol: tree.Symbol, value: Value, context: Context) -> Register:
    """Make a variable that is the same for all lanes that can read it, set to its first value."""
    register = new_register(symbol.name, dtype_code(symbol.type), context, uniform=True)
    write(register, note(symbol.name, value, context), context)
    return register


def structure_variable(
    symbol: tree.Symbol, values: Members | None, facts: Facts, span: Span, context: Context
) -> Binding:
    """Make a variable of structure type."""
    ctype = symbol.type
    assert isinstance(ctype, Struct)
    if symbol not in facts.addressed:
        return in_registers(symbol.name, ctype, values, context)
    base = local_array(symbol.name, ctype, context)
    if values is not None:
        store_members(Element(base, zero()), values, span, context)
    return base


def in_registers(
    name: str, ctype: Struct, values: Members | None, context: Context
) -> StructureVariable | Element:
    """Make a structure of a register a leaf; arrays and unions in it are arrays of their own."""
    if ctype.union:
        return _union(name, ctype, values, context)
    members: dict[str, Register | Base | StructureVariable | Element] = {}
    for member, inner, _ in ctype.storage:
        label = name if member.startswith("<") else f"{name}.{member}"
        if isinstance(inner, Struct):
            members[member] = in_registers(label, inner, None, context)
        elif isinstance(inner, Array):
            members[member] = local_array(label, inner, context)
        else:
            members[member] = new_register(label, dtype_code(inner), context)
    made = StructureVariable(ctype, members)
    if values is not None and context.span is not None:
        store_members(made, values, context.span, context)
    return made


def _union(name: str, ctype: Struct, values: Members | None, context: Context) -> Element:
    """Make a union: its bytes in memory of the thread's own, which all members are views of."""
    made = Element(local_array(name, ctype, context), zero())
    if values is not None and context.span is not None:
        store_members(made, values, context.span, context)
    return made


def local_array(name: str, ctype: CType, context: Context) -> Base:
    """Make an array in every thread's own memory."""
    element, count = innermost(ctype)
    view = context.fresh("L_" + name)
    wanted = f"{count}, {dtype_name(element)}"
    if context.stack is None:
        context.kernel.prologue.append(f"{view}, address_{view} = local({wanted})")
    else:
        made = f"{view}, address_{view} = gang.calls.local({wanted})"
        context.stack.append((made, f"gang.calls.leave({wanted})"))
    return Base("local", name, view, element, f"address_{view}", "", count)


def shared_variable(symbol: tree.Symbol, context: Context) -> Base:
    """Make a shared variable: one for a block, however often its function is inlined."""
    shared = context.kernel.shared
    if symbol not in shared:
        shared[symbol] = _shared(symbol, context)
    return shared[symbol]


def _shared(symbol: tree.Symbol, context: Context) -> Base:
    kernel, (element, count) = context.kernel, innermost(symbol.type)
    view = context.fresh("S_" + symbol.name)
    if symbol.align > SHARED_UNIT:
        kernel.shared_align = SHARED_ALIGNMENT
    length: int | None = count
    if isinstance(symbol.type, Array) and symbol.type.length is None:  # dynamic shared memory
        offset, length = -1, None
        if symbol.align > SHARED_UNIT:
            kernel.dynamic_align = max(kernel.dynamic_align, symbol.align)
    else:
        align = max(symbol.align, align_of(element))
        offset = -(-kernel.shared_bytes // align) * align
        kernel.shared_bytes = offset + count * size_of(element)
    arguments = f"{offset}, {length}, {dtype_name(element)}"
    kernel.prologue.append(f"{view}, flat_{view}, address_{view} = shared({arguments})")
    array = SharedArray(symbol.name, numpy_dtype(element), length, offset)
    if array not in context.kernel.plan.shared:  # a dynamic one may be declared several times
        context.kernel.plan.shared.append(array)
    number = context.kernel.plan.shared.index(array) + 1
    position = (f"address_{view}", "", length, offset)
    return Base("shared", symbol.name, view, element, *position, number=number)


def reference(node: tree.Expression, context: Context) -> Binding:
    """Bind a reference to an lvalue."""
    where = _row(node, context) if isinstance(node.type, Array) else lvalue(node, context)
    if isinstance(where, StructureVariable):
        return where
    if isinstance(where, Element) and not where.index.scalar:
        register = new_register(where.base.name, "i8", context)
        write(register, convert(where.index, LONG), context)
        return ReferenceVariable(where.base, node.type, register)
    if isinstance(where, AtAddress) and not where.address.scalar:
        register = new_register("address", "i8", context)
        write(register, where.address, context)
        return ReferenceVariable(None, node.type, register)
    return once(where, context)


def _row(node: tree.Expression, context: Context) -> Element | AtAddress:
    """Return where an array begins, as the place of its first innermost element."""
    first = tree.Decay(node, span=node.span, type=Pointer(innermost(node.type)[0]))
    return pointer(first, context)


def pointer_variable(
    symbol: tree.Symbol, pointer: Element | AtAddress, context: Context
) -> Binding:
    """Bind a pointer variable that is set once, to `pointer`."""
    if isinstance(pointer, AtAddress):
        value = replace(pointer.address, type=symbol.type)
        if value.scalar:
            return context.keep(symbol.name, value)
        return variable(symbol, value, None, context)
    if pointer.index.scalar:
        index = context.keep(symbol.name, pointer.index)
        return PointerVariable(pointer.base, index, index.type)
    register = new_register(symbol.name, "i8", context)
    write(register, convert(pointer.index, LONG), context)
    return PointerVariable(pointer.base, register, LONG)
