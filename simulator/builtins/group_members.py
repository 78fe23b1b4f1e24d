"""What each kind of cooperative group can be asked, as calls of plain built-in functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace

from simulator.builtins.groups import Along, Expression, Group
from simulator.hints.similar import one_of
from simulator.ir import tree
from simulator.ir.conversions import (
    ANY,
    ARRIVAL,
    BLOCK,
    CLUSTER,
    COALESCED,
    GRID,
    MASK,
    META_RANK,
    META_SIZE,
    cast,
    convert,
    is_lvalue,
    tile_size,
)
from simulator.ir.types import BOOL, INT, UINT, ULLONG, VOID, CType, Pointer
from simulator.source import CompileError, Span

Members = Mapping[str, Callable[..., Expression]]


def _match_all(g: Group, value: Expression, every: Expression) -> Expression:
    pointer = tree.AddressOf(every, span=every.span, type=Pointer(every.type))
    return g.ranked(g.masked("__match_all_sync", value, pointer))


def _thread_along(g: Group, block: Along) -> Expression:
    """Return the index of the thread along each axis, where its block has the index `block`."""
    parts = []
    for axis in "xyz":
        start = g.product(block(axis), g.coordinate("blockDim", axis))
        parts.append(g.binary("+", start, g.coordinate("threadIdx", axis), UINT))
    return g.triple(*parts)


def _tile_size(g: Group) -> Expression:
    return g.number(g.threads) if g.threads in (1, 2) else g.tabled("size")


def _sync_any(g: Group) -> Expression:
    mask = g.member(MASK)
    whole = g.binary("==", mask, g.number(0), BOOL)
    block, part = g.plain("__syncthreads"), g.plain("__syncwarp", mask)
    return tree.Conditional(whole, block, part, span=g.span, type=VOID)


def _size_of_any(g: Group) -> Expression:
    block = g.volume("blockDim", UINT)
    return cast(g.call("group any size", UINT, g.member(MASK), block), ULLONG)


def _rank_in_any(g: Group) -> Expression:
    rank = g.call("group block rank", UINT)
    return cast(g.call("group any rank", UINT, g.member(MASK), rank), ULLONG)


def _threads_of_grid(g: Group) -> Expression:
    return g.product(g.volume("gridDim", ULLONG), g.volume("blockDim", UINT))


def _block_in_cluster(g: Group) -> Expression:
    return g.linear(g.in_cluster, lambda axis: g.coordinate("clusterDim", axis), UINT)


def _thread_in_cluster(g: Group) -> Expression:
    before = g.product(_block_in_cluster(g), g.volume("blockDim", UINT))
    return g.binary("+", before, g.call("group block rank", UINT), UINT)


def _threads_of_cluster(g: Group) -> Expression:
    return g.product(g.volume("clusterDim", UINT), g.volume("blockDim", UINT))


def _arrival(g: Group) -> Expression:
    token = g.call(f"make {ARRIVAL}", ARRIVAL)
    return g.binary(",", g.call("group cluster arrive", VOID), token, ARRIVAL)


def _wait(g: Group, token: Expression | None = None) -> Expression:
    waits = g.call("group cluster wait", VOID)
    if token is None:
        return waits
    if token.type != ARRIVAL or is_lvalue(token):
        what = f"`barrier_wait` cannot take `{token.span.text}`"
        raise CompileError(what, token.span, "leave it out: `barrier_wait()` needs no token")
    return g.binary(",", token, waits, VOID)


def _shared_pointer(g: Group, pointer: Expression) -> Pointer:
    """Return the type of a pointer that may lead to shared memory."""
    if not isinstance(pointer.type, Pointer):
        what = f"`{g.span.text}` needs a pointer to shared memory, not `{pointer.type}`"
        raise CompileError(what, pointer.span, "use `&` for the address of a variable")
    if pointer.type.volatile:
        what = f"`{g.span.text}` takes no `{pointer.type}`"
        plain = replace(pointer.type, volatile=False)
        raise CompileError(what, pointer.span, f"write the conversion: `({plain})…`")
    return pointer.type


def _map_shared_rank(g: Group, pointer: Expression, rank: Expression) -> Expression:
    ctype = _shared_pointer(g, pointer)
    number = convert(rank, INT, "the rank of the block")
    return g.call("group shared of rank", ctype, pointer, number)


def _query_shared_rank(g: Group, pointer: Expression) -> Expression:
    _shared_pointer(g, pointer)
    return g.call("group rank of shared", UINT, pointer)


#: The member functions of each kind of group, in the order in which messages list them.
_BLOCK: Members = {
    "sync": lambda g: g.plain("__syncthreads"),
    "size": lambda g: g.volume("blockDim", UINT),
    "num_threads": lambda g: g.volume("blockDim", UINT),
    "thread_rank": lambda g: g.call("group block rank", UINT),
    "group_index": lambda g: g.along("blockIdx"),
    "thread_index": lambda g: g.along("threadIdx"),
    "group_dim": lambda g: g.along("blockDim"),
    "dim_threads": lambda g: g.along("blockDim"),
}
_GRID: Members = {
    "sync": lambda g: g.call("group grid sync", VOID),
    "size": _threads_of_grid,
    "num_threads": _threads_of_grid,
    "thread_rank": lambda g: g.call("group grid rank", ULLONG),
    "thread_index": lambda g: _thread_along(g, lambda axis: g.coordinate("blockIdx", axis)),
    "num_blocks": lambda g: g.volume("gridDim", ULLONG),
    "block_rank": lambda g: g.call("group rank of block", ULLONG),
    "block_index": lambda g: g.along("blockIdx"),
    "dim_blocks": lambda g: g.along("gridDim"),
    "dim_threads": lambda g: g.along("gridDim", "blockDim"),
    "group_dim": lambda g: g.along("gridDim"),
    "num_clusters": lambda g: g.product(*(cast(g.clusters(axis), ULLONG) for axis in "xyz")),
    "cluster_rank": lambda g: g.linear(g.of_cluster, g.clusters, ULLONG),
    "cluster_index": lambda g: g.triple(*map(g.of_cluster, "xyz")),
    "dim_clusters": lambda g: g.triple(*map(g.clusters, "xyz")),
}
_CLUSTER: Members = {
    "sync": lambda g: g.call("group cluster sync", VOID),
    "barrier_arrive": _arrival,
    "barrier_wait": _wait,
    "map_shared_rank": _map_shared_rank,
    "query_shared_rank": _query_shared_rank,
    "size": _threads_of_cluster,
    "num_threads": _threads_of_cluster,
    "thread_rank": _thread_in_cluster,
    "thread_index": lambda g: _thread_along(g, g.in_cluster),
    "num_blocks": lambda g: g.volume("clusterDim", UINT),
    "block_rank": _block_in_cluster,
    "block_index": lambda g: g.triple(*map(g.in_cluster, "xyz")),
    "dim_blocks": lambda g: g.along("clusterDim"),
    "dim_threads": lambda g: g.along("clusterDim", "blockDim"),
}
_VOTES: Members = {
    "any": lambda g, predicate: g.masked("__any_sync", predicate),
    "all": lambda g, predicate: g.masked("__all_sync", predicate),
    "ballot": lambda g, predicate: g.ranked(g.masked("__ballot_sync", predicate)),
    "match_any": lambda g, value: g.ranked(g.masked("__match_any_sync", value)),
    "match_all": _match_all,
    "meta_group_rank": lambda g: g.member(META_RANK),
    "meta_group_size": lambda g: g.member(META_SIZE),
}
_TILE: Members = {
    "sync": lambda g: g.masked("__syncwarp"),
    "size": _tile_size,
    "num_threads": _tile_size,
    "thread_rank": lambda g: g.tabled("rank"),
    "shfl": lambda g, value, rank: g.moved("__shfl_sync", value, rank),
    "shfl_up": lambda g, value, delta: g.moved("__shfl_up_sync", value, delta),
    "shfl_down": lambda g, value, delta: g.moved("__shfl_down_sync", value, delta),
    "shfl_xor": lambda g, value, bits: g.moved("__shfl_xor_sync", value, bits),
    **_VOTES,
}
_COALESCED: Members = {
    "sync": lambda g: g.masked("__syncwarp"),
    "size": lambda g: cast(g.masked("__popc"), UINT),
    "num_threads": lambda g: cast(g.masked("__popc"), UINT),
    "thread_rank": lambda g: g.call("group rank", UINT, g.mask()),
    "shfl": lambda g, value, rank: g.moved_from("group lane", value, rank, "the rank"),
    "shfl_up": lambda g, v, delta: g.moved_from("group lane before", v, delta, "the distance"),
    "shfl_down": lambda g, v, delta: g.moved_from("group lane behind", v, delta, "the distance"),
    **_VOTES,
}
_ANY: Members = {
    "sync": _sync_any,
    "size": _size_of_any,
    "num_threads": _size_of_any,
    "thread_rank": _rank_in_any,
}
_KINDS: dict[CType, Members] = {
    BLOCK: _BLOCK,
    CLUSTER: _CLUSTER,
    GRID: _GRID,
    COALESCED: _COALESCED,
    ANY: _ANY,
}


def _members_of(ctype: CType) -> Members:
    """Return the member functions of a type, none for types that are no groups."""
    return _TILE if tile_size(ctype) is not None else _KINDS.get(ctype, {})


def group_of(group: Expression, span: Span) -> Group:
    """Return a group, to ask it something.

    Raises
    ------
    CompileError
        if `group` is none
    """
    if not _members_of(group.type):
        what = f"`{group.span.text}` is `{group.type}`, which has no functions"
        raise CompileError(what, span, "write a __device__ function that takes it as its parameter")
    return Group(group, span)


def ask(group: Group, name: str, arguments: tuple[Expression, ...]) -> Expression:
    """Return the call of the member function `name`.

    Raises
    ------
    CompileError
        if the group has no such function, or it takes other arguments
    """
    ctype = group.group.type
    members = _members_of(ctype)
    if name not in members:
        what = f"`{ctype}` has no function `{name}`"
        raise CompileError(what, group.span, one_of("functions", name, members))
    _, *parameters = inspect.signature(members[name]).parameters.values()
    most, least = len(parameters), sum(p.default is p.empty for p in parameters)
    if not least <= len(arguments) <= most:
        wanted = str(most) if least == most else f"{least} or {most}"
        plural = "" if most == 1 and least == most else "s"
        what = f"`{name}` takes {wanted} argument{plural}, not {len(arguments)}"
        raise CompileError(what, group.span, f"a function of `{ctype}`")
    return members[name](group, *arguments)
