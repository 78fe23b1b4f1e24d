"""Cooperative groups: the calls that the checker makes of what has no plain built-in."""

from __future__ import annotations

from dataclasses import replace

from simulator.compile.active_lanes import lane_table, read
from simulator.compile.addresses import once
from simulator.compile.barriers import grid_barrier
from simulator.compile.context import Context
from simulator.compile.dispatch import pointer, value
from simulator.compile.functions import TABLES
from simulator.compile.memory import store
from simulator.compile.values import Value, typed
from simulator.ir import tree
from simulator.ir.types import INT, UINT

#: Calls of helpers in `simulator.lanes.groups`.
_HELPERS = {
    "group rank": "group_rank",
    "group lane": "group_lane",
    "group lane before": "lane_before",
    "group lane behind": "lane_behind",
    "group part": "group_part",
    "group packed": "packed_bits",
    "group any size": "any_size",
    "group any rank": "any_rank",
}


def is_group_call(node: tree.Call) -> bool:
    """Whether a call is one of those below; `__match_all_sync` with all its arguments is."""
    whole = node.name == "__match_all_sync" and len(node.arguments) == 3
    return whole or node.name.startswith("group ")


def group_call(node: tree.Call, context: Context) -> Value:
    """`g.thread_rank()`, and what else groups know and do beyond CUDA's plain functions."""
    if node.name in TABLES:
        sizes = (str(a.value) for a in node.arguments if isinstance(a, tree.Literal))
        name = "_".join([TABLES[node.name], *sizes])
        return read(lane_table(name, context), node.type, context)
    if node.name == "__match_all_sync":
        return _match_all(node, context)
    if node.name == "group grid sync":
        return grid_barrier(node, context)
    if node.name in ("group tile count", "group part count", "group tile size"):
        return _count(node, context)
    arguments = [typed(value(argument, context)) for argument in node.arguments]
    codes = ", ".join([context.lanes, "warp_size", *arguments])
    return context.keep("group", Value(f"{_HELPERS[node.name]}({codes})", node.type))


def _match_all(node: tree.Call, context: Context) -> Value:
    """`__match_all_sync`, which also tells through its last argument whether all match."""
    where = once(pointer(node.arguments[2], context), context)
    found = value(replace(node, arguments=node.arguments[:2]), context)
    store(where, Value(f"({found.code} != 0).astype(i4)", INT), node.span, context)
    return found


def _count(node: tree.Call, context: Context) -> Value:
    """How many tiles a block has, or a tile parts; or how many threads a tile has."""
    threads, *outer = (a.value for a in node.arguments if isinstance(a, tree.Literal))
    if node.name == "group tile size":
        return Value(f"tile_size(warp_size, {threads})", UINT, True)
    whole = "blockDim_x * blockDim_y * blockDim_z"
    code = f"tile_count({outer[0] if outer else whole}, warp_size, {threads}, {bool(outer)})"
    return context.keep("tiles", Value(code, UINT, True))
