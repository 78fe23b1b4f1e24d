"""The types of cooperative groups, and of the operations that `cg::reduce` takes.

Groups are structures whose members no program can name: of a block and a grid everything is known
without them, of a tile all but which one of its parent's tiles it is.
"""

from __future__ import annotations

from simulator.ir import tree
from simulator.ir.types import SCALARS, UINT, CType, Scalar, Struct
from simulator.source import CompileError, Span

MASK, META_RANK, META_SIZE = "group mask", "group index", "group count"


def _group(name: str, *members: str) -> Struct:
    """Make a structure of 32-bit members, aligned to 4 bytes, so that nothing moves it whole."""
    laid_out = tuple((member, UINT, 4 * at) for at, member in enumerate(members))
    return Struct(f"cg::{name}", laid_out, max(8, 4 * len(members)), 4)


BLOCK = _group("thread_block")
GRID = _group("grid_group")
COALESCED = _group("coalesced_group", MASK, META_RANK, META_SIZE)
#: A group of any kind; the mask of a block is 0.
ANY = _group("thread_group", MASK)

TILE_SIZES = (1, 2, 4, 8, 16, 32)
_TILES = {n: _group(f"thread_block_tile<{n}>", META_RANK, META_SIZE) for n in TILE_SIZES}

#: The types of groups by the names that the reader gives them.
GROUPS: dict[str, CType] = {ctype.name: ctype for ctype in (BLOCK, GRID, COALESCED, ANY)}

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


def parts_of(ctype: Struct) -> tuple[str, tuple[CType | int, ...]] | None:
    """Return the template of a type, with its arguments; None if it comes from none."""
    size = tile_size(ctype)
    if size is not None:
        return "cg::thread_block_tile", (size,)
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
    if name == "cg::thread_block_tile":
        if not isinstance(first, tree.Literal) or len(arguments) > 2:
            raise CompileError(f"`{name}` takes the number of its threads", span)
        return tile(int(first.value), span)
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
    """Convert a group to a `thread_group`, which any but a grid can be; None for all else."""
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
