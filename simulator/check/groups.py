"""Cooperative groups: their making, their parts, and what they are asked."""

from __future__ import annotations

from simulator.builtins.group_members import ask, group_of
from simulator.builtins.groups import Group
from simulator.check import asynchronous_copies, members, scopes, templates
from simulator.check.scopes import FunctionTemplate, Scope, constant
from simulator.ir import tree
from simulator.ir.conversions import (
    ANY,
    BLOCK,
    CLUSTER,
    COALESCED,
    GRID,
    MASK,
    TILE_SIZES,
    as_condition,
    cast,
    convert,
    general,
    is_const,
    is_lvalue,
    operation_of,
    tile,
    tile_size,
)
from simulator.ir.types import (
    BOOL,
    INT,
    UINT,
    ULLONG,
    ULONG,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
    promoted,
)
from simulator.ir.unchecked import Checked, Method, TemplateCall, TypeArgument
from simulator.source import CompileError, Span

_FREE_MEMBERS = {"sync": "sync", "thread_rank": "thread_rank", "group_size": "num_threads"}
_MADE = {"this_thread_block": BLOCK, "this_cluster": CLUSTER, "this_grid": GRID}
_SCANS = ("inclusive_scan", "exclusive_scan")
_PARTITIONS = ("binary_partition", "labeled_partition")
#: How many arguments functions take that stand by themselves, unless it is one.
_ARGUMENTS = {
    **dict.fromkeys([*_MADE, "coalesced_threads"], (0,)),
    **dict.fromkeys([*_PARTITIONS, "tiled_partition"], (2,)),
    **dict.fromkeys(_SCANS, (2, 3)),
    "reduce": (3,),
    "memcpy_async": (4, 5),
}


def method(node: Method, scope: Scope) -> tree.Expression:
    """Return a checked call of a group's member function.

    Raises
    ------
    CompileError
        if the group has no such function, or it takes other arguments
    """
    return _asked(scopes.expression(node.base, scope), node.name, node.arguments, node.span, scope)


def _asked(
    group: tree.Expression,
    name: str,
    given: tuple[tree.Expression, ...],
    span: Span,
    scope: Scope,
) -> tree.Expression:
    target = group_of(group, span)
    arguments = [scopes.value(argument, scope) for argument in given]
    if name == "match_all" and len(given) == 2:
        arguments[1] = _referred(scopes.expression(given[1], scope))
    if group.type == GRID and name == "is_valid" and not given:
        valid = scope.shared.cooperative
        return _after(group, tree.Literal(valid, span=span, type=BOOL))
    return _after(group, ask(target, name, tuple(arguments)))


def _referred(lvalue: tree.Expression) -> tree.Expression:
    if not is_lvalue(lvalue) or lvalue.type != INT or is_const(lvalue):
        what = f"`match_all` cannot tell `{lvalue.span.text}` whether all match"
        raise CompileError(what, lvalue.span, "pass an int variable")
    return lvalue


def _after(group: tree.Expression, result: tree.Expression) -> tree.Expression:
    """Return `result`, after the group itself if a function of the program makes it."""
    if not isinstance(group, tree.Call) or group.function is None:
        return result
    if group.type in (COALESCED, ANY) or isinstance(result, tree.Member):
        raise CompileError(
            "a group that a function returns needs a name here",
            group.span,
            "keep it in a variable first: `auto group = …;`",
        )
    return tree.Binary(",", group, result, span=result.span, type=result.type)


# Functions that stand by themselves.


def call(node: tree.Call, scope: Scope) -> tree.Expression:
    """Return a checked call of a function of `cooperative_groups::`.

    Raises
    ------
    CompileError
        if it takes other arguments
    """
    name = node.name.removeprefix("cg::")
    _count(node, (1,) if isinstance(node, TemplateCall) else _ARGUMENTS.get(name, (1,)))
    if name in _MADE:
        return _group(_MADE[name], node.span)
    if name == "aligned_size_t":
        return convert(scopes.value(node.arguments[0], scope), ULONG, "the number of bytes")
    if name == "coalesced_threads":
        return _coalesced(node.span)
    group = scopes.expression(node.arguments[0], scope)
    if name in _FREE_MEMBERS:
        return _asked(group, _FREE_MEMBERS[name], (), node.span, scope)
    if name == "reduce" or name in _SCANS:
        return _after(group, _joined(node, name, group, scope))
    if name == "memcpy_async":
        return _after(group, asynchronous_copies.copied(node, group, scope))
    if name in ("wait", "wait_prior"):
        return _after(group, asynchronous_copies.waited(node, group, scope))
    if name in _PARTITIONS:
        return _after(group, _partition(node, name, group, scope))
    if isinstance(node, TemplateCall):
        return _after(group, _tiled(node, group, scope))
    return _after(group, _parted(node, group, scope))


def _count(node: tree.Call, wanted: tuple[int, ...]) -> None:
    if len(node.arguments) not in wanted:
        plural = "" if wanted == (1,) else "s"
        numbers = " or ".join(map(str, wanted))
        what = f"`{node.name}` takes {numbers} argument{plural}, not {len(node.arguments)}"
        raise CompileError(what, node.span)


def _group(ctype: Struct, span: Span, *members: tree.Expression) -> tree.Expression:
    """Return a group with these members."""
    return tree.Call(f"make {ctype}", members, span=span, type=ctype)


def _coalesced(span: Span) -> tree.Expression:
    active = tree.Call("__activemask", (), span=span, type=UINT)
    zero, one = (tree.Literal(value, span=span, type=UINT) for value in (0, 1))
    return _group(COALESCED, span, active, zero, one)


def _in_a_warp(node: tree.Call, group: tree.Expression, hint: str) -> None:
    if tile_size(group.type) is None and group.type != COALESCED:
        what = f"`{node.name}` takes a tile or a coalesced group, not `{group.type}`"
        raise CompileError(what, group.span, hint)


def _joined(node: tree.Call, name: str, group: tree.Expression, scope: Scope) -> tree.Expression:
    """`cg::reduce(group, value, operation)`, and scans, which add without an operation."""
    verb = "reduce" if name == "reduce" else "scan"
    _in_a_warp(node, group, f"{verb} the block's tiles, then their results")
    value = scopes.value(node.arguments[1], scope)
    if name == "reduce" and (called := _reduced_by_function(node, group, value, scope)) is not None:
        return called
    kind = _operation(node, value, scope)
    target = group_of(group, node.span)
    return target.reduce(kind, value) if name == "reduce" else target.scan(name, kind, value)


def _reduced_by_function(
    node: tree.Call, group: tree.Expression, value: tree.Expression, scope: Scope
) -> tree.Expression | None:
    """Return `cg::reduce` by a function, a lambda or a functor; None for CUDA's operations."""
    operation = scopes.expression(node.arguments[2], scope)
    called = members.functions_of(operation.type, "operator()", scope) is not None
    if not called and not isinstance(operation.type, FunctionPointer):
        return None
    name = "__reduced_object" if isinstance(value.type, Struct) else "__reduced"
    name += "_by_rank" if group.type == COALESCED else ""
    template = scope.lookup(f"cooperative_groups::{name}")
    assert isinstance(template, FunctionTemplate)
    given = (Checked(one, span=one.span, type=one.type) for one in (group, value, operation))
    return templates.call(tree.Call(template.name, tuple(given), span=node.span), template, scope)


def _operation(node: tree.Call, value: tree.Expression, scope: Scope) -> str:
    """Return what values are joined by: `cg::plus` unless the third argument says it."""
    if len(node.arguments) < 3:
        if not isinstance(value.type, Scalar) or value.type.is_narrow:
            what = f"`{node.name}` takes numbers, not `{value.type}`"
            raise CompileError(what, value.span, "scan one member after the other")
        return "add"
    operation = scopes.expression(node.arguments[2], scope)
    found = operation_of(operation.type)
    if found is None:
        what = f"`{operation.span.text}` is no operation that the simulator knows"
        hint = "use cg::plus, cg::less, cg::greater, cg::bit_and, cg::bit_or or cg::bit_xor"
        raise CompileError(what, operation.span, hint)
    kind, ctype = found
    if value.type != ctype:
        what = f"`{operation.type}` does not go with a value of type `{value.type}`"
        raise CompileError(what, operation.span, "give both the same type")
    return kind


# Partitions.


def _partition(node: tree.Call, name: str, group: tree.Expression, scope: Scope) -> tree.Expression:
    """`binary_partition(group, predicate)` and `labeled_partition(group, label)`."""
    _in_a_warp(node, group, "part the tiles of a block")
    given = scopes.value(node.arguments[1], scope)
    if name == "binary_partition" or given.type == BOOL:
        name, label = "binary_partition", as_condition(given)
    elif isinstance(given.type, Pointer):
        label = cast(given, ULLONG, explicit=True)
    elif isinstance(given.type, Scalar) and given.type.is_integer:
        label = cast(given, promoted(given.type))
    else:
        what = f"`{node.name}` takes an integer or a pointer as label, not `{given.type}`"
        raise CompileError(what, given.span, "convert it")
    called = f"group {name.replace('_', ' ')}"
    mask = group_of(group, node.span).mask()
    return tree.Call(called, (mask, label), span=node.span, type=COALESCED)


def _tiled(node: TemplateCall, group: tree.Expression, scope: Scope) -> tree.Expression:
    """`tiled_partition<size>(group)`."""
    size = None
    if len(node.given) == 1 and isinstance(node.given[0], tree.Expression):
        size = constant(node.given[0], scope)
    if size is None or isinstance(node.given[0], TypeArgument):
        what = "`cg::tiled_partition` needs one constant number of threads in its `<…>`"
        raise CompileError(what, node.span, "write `cg::tiled_partition<32>(…)`")
    part = tile(int(size.value), node.given[0].span)
    target, outer = Group(group, node.span), tile_size(group.type)
    count = target.number(int(size.value))
    if group.type == BLOCK:
        rank = target.call("group tile index", UINT, count)
        tiles = target.call("group tile count", UINT, count)
    elif outer is not None:
        if size.value >= outer:
            what = f"`{group.type}` has no parts of {size.value} threads"
            raise CompileError(what, node.span, "a part is smaller than its whole")
        whole = target.number(outer)
        rank = target.call("group part index", UINT, count, whole)
        tiles = target.call("group part count", UINT, count, whole)
    elif group.type in (GRID, COALESCED, ANY):
        raise _dynamic_only(group, int(size.value))
    else:
        raise _indivisible(group, "a block or a tile")
    return _group(part, node.span, rank, tiles)


def _dynamic_only(group: tree.Expression, size: int) -> CompileError:
    """Return the error for a group that CUDA's header divides into parts, and not into tiles."""
    what = f"`cg::tiled_partition<{size}>` takes a block or a tile, not `{group.type}`"
    parts = f"parts of it are `cg::tiled_partition({group.span.text}, {size})`"
    block = "`cg::this_thread_block()` has tiles"
    return CompileError(what, group.span, f"{block}; {parts}")


def _indivisible(group: tree.Expression, wanted: str) -> CompileError:
    what = f"`cg::tiled_partition` takes {wanted}, not `{group.type}`"
    return CompileError(what, group.span, "make tiles of `cg::this_thread_block()`")


def _parted(node: tree.Call, group: tree.Expression, scope: Scope) -> tree.Expression:
    """`tiled_partition(group, size)`: parts by rank, whose size the launch may decide."""
    size = convert(scopes.value(node.arguments[1], scope), UINT, "the number of threads")
    if isinstance(size, tree.Literal) and size.value not in TILE_SIZES:
        tile(int(size.value), size.span)
    target = Group(group, node.span)
    if group.type == COALESCED:
        return _part_of_coalesced(group_of(group, node.span), size)
    whole = group if group.type == ANY else general(_divided(group), ANY)
    if whole is None:
        raise _indivisible(group, "a grid, a block, a tile or a coalesced group")
    mask = tree.Member(whole, MASK, span=node.span, type=UINT)
    return _group(ANY, node.span, _part(target, mask, size))


def _divided(group: tree.Expression) -> tree.Expression:
    """Return what is divided into parts: of a grid each block, as CUDA's header does it."""
    return _group(BLOCK, group.span) if group.type == GRID else group


def _part(target: Group, mask: tree.Expression, size: tree.Expression) -> tree.Expression:
    return target.call("group part", UINT, mask, size, target.call("group warp mask", UINT))


def _part_of_coalesced(target: Group, size: tree.Expression) -> tree.Expression:
    if not isinstance(size, tree.Literal | tree.Name | tree.Builtin):
        what = "the number of threads needs a name here"
        raise CompileError(what, size.span, "keep it in a variable first")
    span, one = target.span, target.number(1)
    mask = _part(target, target.member(MASK), size)
    rank = tree.Binary("/", ask(target, "thread_rank", ()), size, span=span, type=UINT)
    padded = tree.Binary("+", ask(target, "size", ()), size, span=span, type=UINT)
    last = tree.Binary("-", padded, one, span=span, type=UINT)
    count = tree.Binary("/", last, size, span=span, type=UINT)
    return _group(COALESCED, span, mask, rank, count)
