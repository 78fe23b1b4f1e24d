"""What a value of one type is as another: conversions, each a node or refused in words.

The types of cooperative groups stand here because any of them converts to `thread_group`; lvalues,
because reading one is a conversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.types import (
    BOOL,
    COMPLEX,
    DIM3,
    INT,
    LONG,
    SCALARS,
    UINT,
    ULONG,
    VECTORS,
    VOID,
    Array,
    Bits,
    Constant,
    CType,
    Enumerated,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
    Void,
    common,
    is_complex,
    is_scoped,
)
from simulator.source import CompileError, Span

# The types of cooperative groups, and of the operations that `cg::reduce` takes.
#
# Groups are structures whose members no program can name: of a block, a cluster and a grid all is
# known without them, of a tile all but which one of its parent's tiles it is.


MASK, META_RANK, META_SIZE = "group mask", "group index", "group count"


def _group(name: str, *members: str) -> Struct:
    """Make a structure of 32-bit members, aligned to 4 bytes, so that nothing moves it whole."""
    laid_out = tuple((member, UINT, 4 * at) for at, member in enumerate(members))
    return Struct(f"cg::{name}", laid_out, max(8, 4 * len(members)), 4)


BLOCK = _group("thread_block")
GRID = _group("grid_group")
CLUSTER = _group("cluster_group")
#: What `barrier_arrive()` of a cluster returns, which `barrier_wait` may take.
ARRIVAL = _group("cluster_group::arrival_token")
COALESCED = _group("coalesced_group", MASK, META_RANK, META_SIZE)
#: A group of any kind; the mask of a block is 0.
ANY = _group("thread_group", MASK)

TILE_SIZES = (1, 2, 4, 8, 16, 32)
_TILES = {n: _group(f"thread_block_tile<{n}>", META_RANK, META_SIZE) for n in TILE_SIZES}

#: The types of all groups, and of what their barriers return.
GROUP_TYPES = (BLOCK, GRID, CLUSTER, ARRIVAL, COALESCED, ANY, *_TILES.values())
#: The types of groups by the names that the reader gives them.
GROUPS: dict[str, CType] = {ctype.name: ctype for ctype in (BLOCK, GRID, CLUSTER, COALESCED, ANY)}

OPERATIONS = {
    "cg::plus": "add",
    "cg::less": "min",
    "cg::greater": "max",
    "cg::bit_and": "and",
    "cg::bit_or": "or",
    "cg::bit_xor": "xor",
}


def is_group(ctype: CType) -> bool:
    """Return whether `ctype` is a cooperative group."""
    return ctype in GROUPS.values() or tile_size(ctype) is not None


def tile_size(ctype: CType) -> int | None:
    """Return how many threads a tile has, None for other types."""
    return next((n for n, tile in _TILES.items() if tile == ctype), None)


def tile(size: int, span: Span) -> Struct:
    """Return the type of tiles of `size` threads.

    Raises
    ------
    CompileError
        if there are none
    """
    if size not in _TILES:
        what = f"a tile cannot have {size} threads"
        raise CompileError(what, span, "it has 1, 2, 4, 8, 16 or 32: a part of a warp")
    return _TILES[size]


def parts_of(ctype: Struct) -> tuple[str, tuple[CType | Constant | int, ...]] | None:
    """Return the template of a type, with its arguments; None if it comes from none."""
    size = tile_size(ctype)
    if size is not None:
        return "cg::thread_block_tile", (size,)
    part = next((of for of, made in COMPLEX.items() if made == ctype), None)
    if part is not None:
        return "complex", (part,)
    found = operation_of(ctype)
    return (ctype.name.split("<")[0], (found[1],)) if found is not None else None


def operation_of(ctype: CType) -> tuple[str, Scalar] | None:
    """Return what an operation's type does, and on which numbers; None for other types."""
    return _OPERATIONS.get(ctype) if isinstance(ctype, Struct) else None


def made(name: str, arguments: tuple[CType | tree.Literal, ...], span: Span) -> Struct:
    """Return the type `name<arguments…>`.

    Raises
    ------
    CompileError
        if there is none
    """
    first = arguments[0]
    if name == "complex":
        if not isinstance(first, Scalar) or first not in COMPLEX or len(arguments) > 1:
            hint = "write `complex<float>` or `complex<double>`"
            given = first.value if isinstance(first, tree.Literal) else first
            raise CompileError(f"`complex<{given}>` is not supported", span, hint)
        return COMPLEX[first]
    if name == "cg::thread_block_tile":
        if not isinstance(first, tree.Literal) or len(arguments) > 2:
            raise CompileError(f"`{name}` takes the number of its threads", span)
        return tile(int(first.value), span)
    if name not in OPERATIONS:
        raise CompileError(f"`{name}` is no template of a class", span, "declare it before")
    found = operation(name, first) if not isinstance(first, tree.Literal) else None
    if found is None or len(arguments) > 1:
        raise CompileError(
            f"`{span.text}` is no operation on numbers", span, f"write `{name}<int>`"
        )
    return found


def operation(name: str, ctype: CType) -> Struct | None:
    """Return the type of the operation `name` on numbers of one type; None if there is none."""
    wanted = OPERATIONS[name], ctype
    return next((made for made, found in _OPERATIONS.items() if found == wanted), None)


_OPERATIONS = {
    _group(f"{name.removeprefix('cg::')}<{ctype}>"): (kind, ctype)
    for name, kind in OPERATIONS.items()
    for ctype in SCALARS
    if not (ctype.is_float and kind in ("and", "or", "xor"))
}


def general(group: tree.Expression, wanted: CType) -> tree.Expression | None:
    """Convert a group to a `thread_group`, as any but a grid and a cluster can be, else None."""
    span, size = group.span, tile_size(group.type)
    mask: tree.Expression | None = None
    if wanted != ANY:
        return None
    if group.type == BLOCK:
        mask = tree.Literal(0, span=span, type=UINT)
    elif group.type == COALESCED:
        mask = tree.Member(group, MASK, span=span, type=UINT)
    elif size is not None:
        threads = tree.Literal(size, span=span, type=UINT)
        mask = tree.Call("group tile mask", (threads,), span=span, type=UINT)
    return None if mask is None else tree.Call(f"make {ANY}", (mask,), span=span, type=ANY)


def check_list(ctype: CType, span: Span) -> None:
    """Refuse a list of values for a group: only CUDA's functions make one.

    Raises
    ------
    CompileError
        that says so
    """
    if is_group(ctype):
        what = f"a list of values does not make a `{ctype}`"
        raise CompileError(what, span, "take what a function returns, such as this_thread_block()")


def check_group(symbol: tree.Symbol, first: tree.Expression | None) -> None:
    """Refuse a group that is not made, or that other threads would share.

    Raises
    ------
    CompileError
        that says so
    """
    if not is_group(symbol.type):
        return
    if symbol.storage is not tree.Storage.LOCAL:
        what = f"a variable of type `{symbol.type}` is each thread's own"
        raise CompileError(what, symbol.span, "declare it inside the function, without words")
    if first is None:
        what = f"the group `{symbol.name}` needs a value"
        raise CompileError(what, symbol.span, f"write `auto {symbol.name} = …;`")


# Lvalues: what is in memory or in a register, and what of it may be written.


def is_const(node: tree.Expression) -> bool:
    """Return whether an lvalue must not be written."""
    if isinstance(node, tree.Name):
        return node.symbol is not None and node.symbol.const
    if isinstance(node, tree.Index | tree.Deref):
        pointer = node.base if isinstance(node, tree.Index) else node.pointer
        return isinstance(pointer.type, Pointer) and pointer.type.const
    if not isinstance(node, tree.Member):
        return False
    mark = mark_of(node)
    return mark == "const" or (mark != "mutable" and is_const(node.base))


def mark_of(node: tree.Member) -> str:
    """Return what its structure says of a member: "const", "mutable" or nothing."""
    return node.base.type.marks.get(node.name, "") if isinstance(node.base.type, Struct) else ""


_CHANGES = (tree.Assign, tree.CompoundAssign, tree.Increment)
#: What may be the value of a bit field.
_OF_BITS = (tree.Member, *_CHANGES)


def bits_of(node: tree.Expression) -> Bits | None:
    """Return the bit field that an expression is the value of; None for other expressions."""
    if not isinstance(node, _OF_BITS):
        return None
    while isinstance(node, _CHANGES):
        if isinstance(node, tree.Increment) and not node.prefix:
            return None
        node = node.target
    if not isinstance(node, tree.Member) or not isinstance(node.base.type, Struct):
        return None
    found = node.base.type.member(node.name)
    return found[0] if found is not None and isinstance(found[0], Bits) else None


def as_operand(node: tree.Expression) -> tree.Expression:
    """Return a value as C computes with it: one of a bit field is an int, if an int holds it."""
    found = bits_of(node)
    if found is None or found.of.is_bool or isinstance(found.of, Enumerated):
        return node
    if found.width < 8 * INT.size + found.of.is_signed:
        return cast(node, INT)
    return cast(node, UINT) if found.width == 8 * UINT.size else node


def is_lvalue(node: tree.Expression) -> bool:
    """Return whether `node` is an lvalue: something that has an address."""
    if isinstance(node, tree.Member):
        return is_lvalue(node.base)
    return isinstance(node, tree.Name | tree.Index | tree.Deref)


def as_lvalue(node: tree.Expression) -> tree.Expression:
    """Return `node` as an lvalue where C++ says that an operator's result is one: `test ? a : b`.

    Others stay as they are.
    """
    if isinstance(node, tree.Member) and not is_lvalue(node.base):
        return replace(node, base=as_lvalue(node.base))
    pointer = _address(node)
    if pointer is None or isinstance(node.type, Array) or is_group(node.type):
        return node
    return tree.Deref(pointer, span=node.span, type=node.type)


def _address(node: tree.Expression) -> tree.Expression | None:
    """Return the address of an operator's result; None if it has none."""
    if isinstance(node, tree.Conditional):
        return _chosen(node)
    if isinstance(node, tree.Binary) and node.op == ",":
        return _behind(node.left, node.right, node)
    if isinstance(node, tree.Increment) and not node.prefix:
        return None
    if bits_of(node) is not None:
        return None
    if isinstance(node, tree.Assign | tree.CompoundAssign | tree.Increment):
        return _behind(node, node.target, node) if _is_named(node.target) else None
    return None


def _chosen(node: tree.Conditional) -> tree.Expression | None:
    """Return the address of one of two lvalues of one type."""
    then, other = _pointer_to(node.then), _pointer_to(node.other)
    if then is None or other is None or node.then.type != node.other.type:
        return None
    (left, a), (right, b) = then, other
    ctype = Pointer(a.to, a.const or b.const, a.volatile or b.volatile)
    sides = (replace(side, type=ctype) for side in (left, right))
    return tree.Conditional(node.test, *sides, span=node.span, type=ctype)


def _behind(
    first: tree.Expression, lvalue: tree.Expression, node: tree.Expression
) -> tree.Expression | None:
    """Return the address of an lvalue, after something else has been done."""
    found = _pointer_to(lvalue)
    if found is None:
        return None
    return tree.Binary(",", first, found[0], span=node.span, type=found[1])


def _pointer_to(node: tree.Expression) -> tuple[tree.AddressOf, Pointer] | None:
    """Return the address of an lvalue, and its type; None for what is none."""
    node = as_lvalue(node)
    if not is_lvalue(node) or bits_of(node) is not None:
        return None
    pointer = Pointer(node.type, is_const(node), tree.is_volatile(node))
    return tree.AddressOf(node, span=node.span, type=pointer), pointer


def _is_named(node: tree.Expression) -> bool:
    """Return whether an lvalue is a variable or its member, so that it can be written twice."""
    while isinstance(node, tree.Member):
        node = node.base
    return isinstance(node, tree.Name)


def writable(node: tree.Expression) -> tree.Expression:
    """`node`, an lvalue that can be assigned to.

    Raises
    ------
    CompileError
        that says why it cannot
    """
    node = as_lvalue(node)
    root = variable_in(node)
    in_constant = root is not None and root.storage is tree.Storage.CONSTANT
    plain = is_lvalue(node) and not isinstance(node.type, Array)
    if plain and not is_const(node) and not in_constant:
        return node
    text = node.span.text
    if isinstance(node, tree.Builtin):
        raise CompileError(f"`{text}` cannot be changed", node.span, "copy it to a variable first")
    if not is_lvalue(node):
        hint = "a variable or an element stands on the left"
        raise CompileError(f"`{text}` is a value: nothing can be assigned to it", node.span, hint)
    if isinstance(node.type, Array):
        what = f"the array `{text}` cannot be assigned to as a whole"
        raise CompileError(what, node.span, "assign its elements")
    remedy = "remove `const` from its declaration, or write elsewhere"
    if root is not None and in_constant:
        what = f"`{root.name}` is __constant__: kernels cannot change it"
        raise CompileError(what, node.span, f'write it from the host: get_global("{root.name}")')
    raise CompileError(f"`{text}` is const", node.span, remedy)


def variable_in(node: tree.Expression) -> tree.Symbol | None:
    """Return the variable that an lvalue is in, as far as the source tells."""
    while isinstance(node, tree.Member | tree.Index | tree.Decay):
        node = node.operand if isinstance(node, tree.Decay) else node.base
    return node.symbol if isinstance(node, tree.Name) else None


# C's implicit and explicit conversions, each spelled out as a node, or refused in words.


def cast(node: tree.Expression, target: CType, explicit: bool = False) -> tree.Expression:
    """`node` as a `target`, without asking whether C allows it; a literal stays a literal."""
    if node.type == target and not explicit:
        return node
    if isinstance(target, Pointer | FunctionPointer) and is_null(node):
        return tree.Literal(0, span=node.span, type=target)
    return folded(tree.Cast(node, explicit, span=node.span, type=target))


def is_null(node: tree.Expression) -> bool:
    """Return whether `node` is a null pointer constant: nullptr, or a literal integer 0."""
    if not isinstance(node, tree.Literal) or node.value != 0 or isinstance(node.type, Enumerated):
        return False
    return node.type == Pointer(VOID) or (isinstance(node.type, Scalar) and node.type.is_integer)


def convert(node: tree.Expression, target: CType, what: str) -> tree.Expression:
    """`node` as C converts it by itself to `target`; `what` names it in messages.

    Raises
    ------
    CompileError
        if C does not
    """
    source = node.type
    if source == target:
        return node
    if isinstance(source, FunctionPointer) or isinstance(target, FunctionPointer):
        return _as_function(node, target, what)
    if target == DIM3 and isinstance(source, Scalar):
        return dim3((node,), node.span)
    if target == DIM3 and source == VECTORS["uint3"]:
        return tree.Cast(node, span=node.span, type=DIM3)
    if (
        isinstance(source, Scalar)
        and isinstance(target, Scalar)
        and not _are_narrow(source, target)
        and not _keeps_apart(source, target)
    ):
        return cast(node, target)
    if isinstance(source, Pointer) and target == BOOL:
        return cast(node, target)
    if isinstance(target, Pointer) and (is_null(node) or _widens(source, target)):
        return cast(node, target)
    if (group := general(node, target)) is not None:
        return group
    if isinstance(target, Struct) and (number := _as_complex(node, target)) is not None:
        return number
    raise CompileError(
        f"{what} is `{source}`, but `{target}` is needed", node.span, _remedy(source, target)
    )


def _keeps_apart(source: Scalar, target: Scalar) -> bool:
    """Return whether a conversion from or to an enumeration must be written."""
    wanted = target.of if isinstance(target, Bits) else target
    return source != wanted and (isinstance(wanted, Enumerated) or is_scoped(source))


def _as_function(node: tree.Expression, target: CType, what: str) -> tree.Expression:
    """Convert a pointer to a function to bool, or a null pointer to one."""
    of_functions = isinstance(target, FunctionPointer)
    if target == BOOL or (of_functions and is_null(node)):
        return cast(node, target)
    text = node.span.text
    if isinstance(node, tree.Literal) and node.value and not of_functions:
        called = f"the function `{text}` is not called here"
        raise CompileError(called, node.span, f"write `{text}(…)`")
    raise CompileError(f"{what} is `{node.type}`, but `{target}` is needed", node.span)


def _as_complex(node: tree.Expression, target: Struct) -> tree.Expression | None:
    """Convert a real number, or a complex one of the other precision, else None."""
    part = next((of for of, made in COMPLEX.items() if made == target), None)
    if part is None:
        return None
    if is_complex(node.type):
        return tree.Call(f"{target}({node.type})", (node,), span=node.span, type=target)
    if isinstance(node.type, Scalar):
        zero = tree.Literal(0.0, span=node.span, type=part)
        return tree.Aggregate((cast(node, part), zero), span=node.span, type=target)
    return None


def _are_narrow(source: Scalar, target: Scalar) -> bool:
    """Return whether both are floats of 16 bits, of different formats."""
    return source.is_narrow and target.is_narrow


def check_alike(op: str, left: CType, right: CType, span: Span) -> None:
    """Refuse an operator between a float of 16 bits and another type: C++ finds that ambiguous.

    Raises
    ------
    CompileError
        that says so
    """
    if left == right or not isinstance(left, Scalar) or not isinstance(right, Scalar):
        return
    if left.is_narrow or right.is_narrow:
        what = f"`{op}` cannot combine `{left}` and `{right}`: it is ambiguous"
        narrow, other = (left, right) if left.is_narrow else (right, left)
        hint = f"convert one of them: `({narrow})…`"
        raise CompileError(what, span, hint + ("" if other.is_narrow else ", or `(float)…`"))


def dim3(values: Sequence[tree.Expression], span: Span) -> tree.Expression:
    """Make a dim3 of up to three checked values, 1 where one is missing.

    Raises
    ------
    CompileError
        if they are too many, or no numbers
    """
    if len(values) > 3:
        raise CompileError(f"`dim3` takes at most 3 values, not {len(values)}", span)
    ones = [tree.Literal(1, span=span, type=UINT)] * (3 - len(values))
    given = [*(convert(value, UINT, "a size") for value in values), *ones]
    return tree.Call("dim3", tuple(given), span=span, type=DIM3)


def _widens(source: CType, target: Pointer) -> bool:
    """Return whether a pointer may lose knowledge on the way.

    It may become const, volatile, or a pointer to void.
    """
    if not isinstance(source, Pointer) or (source.const and not target.const):
        return False
    if source.volatile and not target.volatile:
        return False
    return target.to == VOID or source.to == target.to


def _remedy(source: CType, target: CType) -> str:
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        if source.to == target.to and source.const:
            return "what it points to must not be written: make the other pointer const, too"
        if source.to == target.to and source.volatile and not target.volatile:
            return f"make the other pointer volatile, too, or write the conversion: `({target})…`"
        return f"if this is meant, write the conversion: `({target})…`"
    if isinstance(source, Scalar) and isinstance(target, Scalar):
        return f"write the conversion: `({target})…`"
    if isinstance(source, Pointer) and isinstance(target, Scalar):
        return "use `*` or `[…]` to read what it points to"
    if isinstance(source, Scalar) and isinstance(target, Pointer):
        return "use `&` for the address of a variable or an array's element"
    return ""


def convert_explicitly(node: tree.Expression, target: CType) -> tree.Expression:
    """`node` as a cast converts it to `target`.

    Raises
    ------
    CompileError
        if no cast can
    """
    source = node.type
    if isinstance(target, Struct) and source == target:
        return node
    if isinstance(target, Struct) and (number := _as_complex(node, target)) is not None:
        return number
    if target == VOID:
        return tree.Cast(node, True, span=node.span, type=VOID)
    if isinstance(source, Scalar) and isinstance(target, Scalar):
        return cast(node, target, explicit=True)
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        return cast(node, target, explicit=True)
    if isinstance(source, Pointer) and isinstance(target, Scalar):
        if target == BOOL or (target.is_integer and target.size == Pointer.size):
            return cast(node, target, explicit=True)
        raise CompileError(
            f"a pointer does not fit `{target}`", node.span, "use `unsigned long long`"
        )
    if isinstance(source, Scalar) and source.is_integer and isinstance(target, Pointer):
        wide = cast(node, LONG if source.is_signed else ULONG)
        return cast(wide, target, explicit=True)
    raise CompileError(f"`{source}` cannot be converted to `{target}`", node.span)


def as_value(node: tree.Expression) -> tree.Expression:
    """`node` where its value is wanted: arrays become pointers to their first element.

    Raises
    ------
    CompileError
        if it has no value
    """
    if isinstance(node.type, Array):
        lvalue = as_lvalue(node)
        if not is_lvalue(lvalue):
            what = f"`{node.span.text}` is an array in a value that is stored nowhere"
            raise CompileError(what, node.span, "copy the structure to a variable first")
        pointer = Pointer(node.type.of, is_const(lvalue), tree.is_volatile(lvalue))
        return tree.Decay(lvalue, span=node.span, type=pointer)
    if isinstance(node.type, Void):
        raise CompileError(f"`{node.span.text}` has no value", node.span, "it is of type void")
    return node


def as_condition(node: tree.Expression) -> tree.Expression:
    """Convert a value to the bool that a condition needs.

    Raises
    ------
    CompileError
        if it is neither a number nor a pointer
    """
    if not isinstance(node.type, Scalar | Pointer) or is_scoped(node.type):
        hint = "compare it" if is_scoped(node.type) else "compare one of its members"
        raise CompileError(f"`{node.type}` is neither true nor false", node.span, hint)
    return cast(node, BOOL)


def balanced(
    left: tree.Expression, right: tree.Expression
) -> tuple[tree.Expression, tree.Expression, Scalar]:
    """Two numbers in the type in which C computes with them."""
    assert isinstance(left.type, Scalar)
    assert isinstance(right.type, Scalar)
    ctype = common(left.type, right.type)
    return cast(left, ctype), cast(right, ctype), ctype
