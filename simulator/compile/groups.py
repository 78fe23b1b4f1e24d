"""Cooperative groups: the calls that the checker makes of what has no plain built-in."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from simulator.compile.functions import TABLES
from simulator.compile.structures import StructureEmitter
from simulator.compile.values import Value, typed
from simulator.ir import tree
from simulator.ir.events import GRID, Operand
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


class GroupEmitter(StructureEmitter):
    """What groups know and do beyond CUDA's plain functions."""

    def group_call(self, node: tree.Call) -> Value:
        """The value of a call that the checker made."""
        if node.name in TABLES:
            sizes = (str(a.value) for a in node.arguments if isinstance(a, tree.Literal))
            name = "_".join([TABLES[node.name], *sizes])
            return self.read(self.lane_table(name), node.type)
        if node.name == "__match_all_sync":
            return self._match_all(node)
        if node.name == "group grid sync":
            return self._grid_barrier(node)
        if node.name in ("group tile count", "group part count", "group tile size"):
            return self._count(node)
        arguments = [typed(self.value(argument)) for argument in node.arguments]
        codes = ", ".join([self.region.lanes, "warp_size", *arguments])
        return self.keep("group", Value(f"{_HELPERS[node.name]}({codes})", node.type))

    def _match_all(self, node: tree.Call) -> Value:
        """`__match_all_sync`, which also tells through its last argument whether all match."""
        place = self.once(self.pointer(node.arguments[2]))
        found = self.value(replace(node, arguments=node.arguments[:2]))
        self.store(place, Value(f"({found.code} != 0).astype(i4)", INT), node.span)
        return found

    def _count(self, node: tree.Call) -> Value:
        """How many tiles a block has, or a tile parts; or how many threads a tile has."""
        threads, *outer = (a.value for a in node.arguments if isinstance(a, tree.Literal))
        if node.name == "group tile size":
            return Value(f"tile_size(warp_size, {threads})", UINT, True)
        whole = "blockDim_x * blockDim_y * blockDim_z"
        code = f"tile_count({outer[0] if outer else whole}, warp_size, {threads}, {bool(outer)})"
        return self.keep("tiles", Value(code, UINT, True))

    def _grid_barrier(self, node: tree.Call) -> Value:
        """All threads of the grid wait for each other."""
        self.asks_for_returned()
        site = self.site("grid barrier", node.span)
        self.log(Operand(GRID, site), "None")
        self.close()
        self.region.last = None
        self.put(f"yield ('grid', {site.id}, {self.region.lanes}, None)", site)
        return Value("None", node.type, True)

    @abstractmethod
    def asks_for_returned(self) -> None:
        """The kernel must keep which of its threads have returned."""
