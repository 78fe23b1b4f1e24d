"""Functions of matrices that a warp holds together.

The numbers of a fragment are a local array of every lane, `x`, which moves as a whole. In builds
that log what happens to variables it moves number by number, as if the program did so.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.builtins import lowerings
from simulator.builtins.matrices import held_type
from simulator.compile.context import Context
from simulator.compile.dispatch import log, lvalue, pointer, preempt, site, value
from simulator.compile.dtypes import dtype_name
from simulator.compile.expressions import plain_value
from simulator.compile.memory import (
    access,
    address,
    check_in_flight,
    checked_tag,
    load,
    log_found,
    log_stored,
    member,
    once,
    step,
    store,
    subscript,
)
from simulator.compile.values import (
    AtAddress,
    Base,
    Element,
    StructureVariable,
    Value,
    constant,
    nothing,
    typed,
    zero,
)
from simulator.ir import tree
from simulator.ir.events import ADDRESS, PRODUCT
from simulator.ir.matrices import LAYOUTS, Fragment, fragment_of
from simulator.ir.types import (
    BFLOAT162,
    HALF2,
    INT,
    LONG,
    SHARED_ALIGNMENT,
    VECTORS,
    Array,
    CType,
    Struct,
)
from simulator.lanes.matrices import Product, Transfer, transfer
from simulator.source import CompileError

#: Vectors that hold several numbers, as an access moves them; what else is moved are words.
_VECTORS: dict[tuple[str, int], CType] = {
    ("__half", 2): HALF2,
    ("__nv_bfloat16", 2): BFLOAT162,
    ("signed char", 4): VECTORS["char4"],
    ("unsigned char", 4): VECTORS["uchar4"],
    **{(name, 2): VECTORS[f"{name}2"] for name in ("float", "int", "double")},
}
_WORDS = VECTORS["uint4"]


def fill(how: lowerings.MatrixFill, node: tree.Call, context: Context) -> Value:
    """`fill_fragment(c, 0.0f)`."""
    target, given = node.arguments
    number = context.broadcast(context.keep("x", plain_value(given, context)))
    _set(target, f"{number.code}[:, None]", context)
    return nothing(node.type)


def load_matrix(how: lowerings.MatrixLoad, node: tree.Call, context: Context) -> Value:
    """`load_matrix_sync(a, p, ldm)`."""
    target, source, ldm, *layout = node.arguments
    order = _order(layout[0], context) if layout else _fragment(target).layout
    moving = _Moving(node, source, ldm, target, order, context)
    numbers = context.fresh("numbers")
    moving.put(f"{numbers} = gang.load_matrix({moving.operands})")
    moving.log(numbers)
    _set(target, numbers, context)
    return nothing(node.type)


def store_matrix(how: lowerings.MatrixStore, node: tree.Call, context: Context) -> Value:
    """`store_matrix_sync(p, c, ldm, mem_row_major)`."""
    target, source, ldm, layout = node.arguments
    numbers = _numbers(source, context)
    moving = _Moving(node, target, ldm, source, _order(layout, context), context)
    moving.put(f"gang.store_matrix({moving.operands}, {numbers})")
    moving.log(numbers)
    return nothing(node.type)


def multiply(how: lowerings.MatrixProduct, node: tree.Call, context: Context) -> Value:
    """`mma_sync(d, a, b, c)`."""
    d, *given = node.arguments
    operands = [_numbers(one, context) for one in given]
    left, right, added = (_fragment(one) for one in given)
    made = Product(left, right, added, _fragment(d), how.saturates)
    product = context.constant_object("product", made)
    at = site("product", node.span, context)
    log(PRODUCT, at, "None", context)
    numbers = context.fresh("numbers")
    codes = ", ".join([context.lanes, product, *operands])
    context.put(f"{numbers} = gang.multiply({codes})", at)
    _set(d, numbers, context)
    return nothing(node.type)


def _fragment(node: tree.Expression) -> Fragment:
    found = fragment_of(node.type)
    assert found is not None
    return found


def _order(node: tree.Expression, context: Context) -> str:
    """Return whether a matrix lies in memory by rows or by columns."""
    found = value(node, context)
    if found.constant not in (0, 1):
        what = f"`{node.span.text}` is not known before the kernel runs"
        hint = "write mem_row_major or mem_col_major, in two branches where both are meant"
        raise CompileError(what, node.span, hint)
    return LAYOUTS[int(found.constant)]


# Memory: every access that the warp makes is a site of its own at the call.


class _Moving:
    """A load or a store of a matrix, whose addresses have been computed and checked."""

    def __init__(
        self,
        node: tree.Call,
        start: tree.Expression,
        ldm: tree.Expression,
        fragment: tree.Expression,
        order: str,
        context: Context,
    ) -> None:
        self.context = context
        context.kernel.shared_align = SHARED_ALIGNMENT
        where = once(pointer(start, context), context)
        space, array = _space(where)
        name = node.name.rpartition("::")[2]
        self.how = transfer(name, _fragment(fragment), order, space == "shared")
        self.moved = context.constant_object("matrix", self.how)
        self.type = _moved(held_type(fragment.type), self.how)
        kind, facts = name.partition("_")[0], {"array": array, "size": self.how.size}
        each = range(self.how.accesses)
        self.sites = [site(kind, node.span, context, space, **facts) for _ in each]
        stride = context.keep("ldm", value(ldm, context))
        first = context.keep("address", address(where, LONG, context))
        self.index = first.code
        preempt(context)
        self._place(f"{typed(first)}, {typed(stride)}")

    def _place(self, given: str) -> None:
        """Compute and check the addresses of all accesses and numbers."""
        names = [self.context.fresh("at") for _ in self.sites]
        places = self.context.fresh("places")
        codes = f"{self.context.lanes}, {self.moved}, {given}"
        self.put(f"{', '.join(names)}, {places} = gang.matrix_addresses({codes})")
        self.starts = [self._checked(name) for name in names]
        self.operands = f"{self.context.lanes}, {self.moved}, {places}"

    def _checked(self, name: str) -> Value:
        """Return the plain addresses of an access, which may go there.

        A fault is one of the first access, for nothing of the call has been done before it.
        """
        at = self.sites[0]
        start = checked_tag(Value(name, LONG), at.size, at, self.context)
        check_in_flight(start, at, self.context)
        return start

    def put(self, line: str) -> None:
        """Write a line that is a part of it."""
        self.context.put(line, self.sites[0], self.index)

    def log(self, numbers: str) -> None:
        """Log every access, and for those who ask what it moves of the numbers of lanes."""
        context, build = self.context, self.context.build
        moved = [context.fresh("moved") for _ in self.sites]
        if build.values or build.steps:
            codes = f"{numbers}, {dtype_name(self.type)}"
            context.put(f"{', '.join(moved)}, = {self.moved}.moved({codes})")
        for at, start, name in zip(self.sites, self.starts, moved, strict=True):
            log(ADDRESS, at, start.code, context)
            value = Value(name, self.type)
            if at.kind == "store":
                log_stored(at, value, context)
            else:
                log_found(at, value, context)


def _moved(number: CType, how: Transfer) -> CType:
    """Return the type of what an access moves for a lane."""
    many = how.size // how.dtype.itemsize
    return number if many == 1 else _VECTORS.get((str(number), many), _WORDS)


def _space(where: Element | AtAddress) -> tuple[str, str]:
    """Return the kind of memory that a pointer leads to, and the name of the array."""
    if isinstance(where, AtAddress) or where.base.space not in ("global", "shared"):
        return "generic", ""
    return where.base.space, where.base.name


# The numbers of fragments.


def _numbers(node: tree.Expression, context: Context) -> str:
    """Return the name of what lanes hold: an array with a row a lane."""
    where, name = _found(node, context), context.fresh("numbers")
    if context.build.locals or context.build.steps:
        held = [load(one, one.type, node.span, context) for one in _each(where, node, context)]
        context.put(f"{name} = np.stack([{', '.join(one.code for one in held)}], axis=1)")
    elif isinstance(where, Base):
        context.put(f"{name} = {where.view}[{context.lanes}]")
    else:
        at, start = access("load", where, node.span, context)
        code = f"load({context.lanes}, {start.code}, {dtype_name(node.type)})['x']"
        if isinstance(where, Element):
            code = _row(where, start, context)
        context.put(f"{name} = {code}", at, start.code)
    return name


def _set(node: tree.Expression, numbers: str, context: Context) -> None:
    """Set what lanes hold to an array with a row a lane, of one number or of all."""
    where = _found(node, context)
    if context.build.locals or context.build.steps:
        _set_each(where, node, numbers, context)
    elif isinstance(where, Base):
        context.put(f"{where.view}[{context.lanes}] = {numbers}")
    else:
        at, start = access("store", where, node.span, context)
        if isinstance(where, Element):
            line = f"{_row(where, start, context)} = {numbers}"
        else:
            packed = _packed(node, numbers, context)
            line = f"store({context.lanes}, {start.code}, {packed}, {dtype_name(node.type)})"
        context.put(line, at, start.code)


def _set_each(
    where: Base | Element | AtAddress, node: tree.Expression, numbers: str, context: Context
) -> None:
    each, whole = list(_each(where, node, context)), context.fresh("numbers")
    context.put(f"{whole} = np.broadcast_to({numbers}, ({context.lanes}.size, {len(each)}))")
    for number, one in enumerate(each):
        store(one, Value(f"{whole}[:, {number}]", one.type), node.span, context)


def _packed(node: tree.Expression, numbers: str, context: Context) -> str:
    """Return the name of an array of fragments, one a lane."""
    name = context.fresh("fragments")
    context.put(f"{name} = np.zeros({context.lanes}.size, {dtype_name(node.type)})")
    context.put(f"{name}['x'] = {numbers}")
    return name


def _row(where: Element, start: Value, context: Context) -> str:
    """Return the code of the numbers of a fragment in a known array of fragments."""
    return f"{where.base.view}['x'][{subscript(where.base, start, context)}]"


def _found(node: tree.Expression, context: Context) -> Base | Element | AtAddress:
    """Return the array of a fragment in registers, or where one in memory is."""
    where = lvalue(node, context)
    if isinstance(where, StructureVariable):
        held = where.members["x"]
        assert isinstance(held, Base)
        return held
    assert isinstance(where, Element | AtAddress)
    if isinstance(where, Element) and where.base.space != "local":
        what = f"`{node.span.text}` is a fragment in {where.base.space} memory: not supported"
        raise CompileError(what, node.span, "declare it in the function, without `__shared__`")
    return once(where, context)


def _each(
    where: Base | Element | AtAddress, node: tree.Expression, context: Context
) -> Iterator[Element | AtAddress]:
    """Yield where each number of a fragment is."""
    assert isinstance(node.type, Struct)
    ctype, at = node.type.member("x") or (node.type, 0)
    assert isinstance(ctype, Array)
    if isinstance(where, Base):
        first: Element | AtAddress = Element(where, zero())
    else:
        first = member(where, "x", ctype, at, context)
    for number in range(ctype.length or 0):
        yield step(first, constant(number, INT))
