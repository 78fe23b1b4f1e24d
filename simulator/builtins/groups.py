"""Cooperative groups: what calls of their member functions are made of.

What has no plain built-in function becomes a call whose name begins with `group`, which no program
can write; `CALLS` has their lowerings.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.builtins.lowerings import (
    ClusterPointer,
    GroupFunction,
    LaneTable,
    Lowering,
    Partition,
    TileCount,
    TileSize,
    WarpFunction,
)
from simulator.builtins.registry import ROWS
from simulator.ir import tree
from simulator.ir.conversions import (
    MASK,
    cast,
    convert,
    tile_size,
)
from simulator.ir.types import (
    INT,
    UINT,
    VECTORS,
    CType,
    Scalar,
    promoted,
)
from simulator.source import CompileError, Span

Expression = tree.Expression
#: What there is along an axis: x, y or z.
Along = Callable[[str], Expression]

#: Calls of what groups know and do beyond CUDA's plain functions.
CALLS: dict[str, Lowering] = {
    "group block rank": LaneTable("block_rank"),
    "group grid rank": LaneTable("grid_rank"),
    "group rank of block": LaneTable("rank_of_block"),
    "group warp mask": LaneTable("warp_mask"),
    "group shared of rank": ClusterPointer("map_shared_rank"),
    "group rank of shared": ClusterPointer("query_shared_rank"),
    "group tile rank": LaneTable("tile_rank"),
    "group tile base": LaneTable("tile_base"),
    "group tile mask": LaneTable("tile_mask"),
    "group tile index": LaneTable("tile_index"),
    "group part index": LaneTable("part_index"),
    "group tile size": TileSize(),
    "group tile count": TileCount(),
    "group part count": TileCount(),
    "group rank": GroupFunction("group_rank"),
    "group lane": GroupFunction("group_lane"),
    "group lane before": GroupFunction("lane_before"),
    "group lane behind": GroupFunction("lane_behind"),
    "group part": GroupFunction("group_part"),
    "group packed": GroupFunction("packed_bits"),
    "group any size": GroupFunction("any_size"),
    "group any rank": GroupFunction("any_rank"),
    "group binary partition": Partition("binary_partition"),
    "group labeled partition": Partition("labeled_partition"),
    **{
        f"group {kind} {operation}": WarpFunction(f"{kind}_{operation}")
        for kind in ("inclusive_scan", "exclusive_scan")
        for operation in ("add", "min", "max", "and", "or", "xor")
    },
}

#: The type of sizes and indices along three axes.
TRIPLE = VECTORS.get("dim3", VECTORS["uint3"])
EVERYBODY = 0xFFFFFFFF


class Group:
    """A group of which something is asked at `span`, and what the nodes for that are made of."""

    def __init__(self, group: Expression, span: Span) -> None:
        self.group = group
        self.span = span
        self.threads = tile_size(group.type)

    def call(self, name: str, ctype: CType, *arguments: Expression) -> Expression:
        """Return a call that needs no check."""
        return tree.Call(name, arguments, span=self.span, type=ctype)

    def plain(self, name: str, *arguments: Expression) -> Expression:
        """Return a call of one of CUDA's functions."""
        return ROWS[name].call(arguments, self.span)

    def number(self, value: int, ctype: Scalar = UINT) -> Expression:
        """Return a constant."""
        return tree.Literal(value, span=self.span, type=ctype)

    def member(self, name: str) -> Expression:
        """Return what the group keeps."""
        return tree.Member(self.group, name, span=self.span, type=UINT)

    def binary(self, op: str, left: Expression, right: Expression, ctype: CType) -> Expression:
        """Return an operator of two operands."""
        return tree.Binary(op, left, right, span=self.span, type=ctype)

    # Of what CUDA's built-in variables say of a block or a grid.

    def product(self, *factors: Expression) -> Expression:
        """Multiply, in the type of the first factor."""
        result = factors[0]
        for factor in factors[1:]:
            result = self.binary("*", result, cast(factor, result.type), result.type)
        return result

    def coordinate(self, name: str, axis: str) -> Expression:
        """Return one of the variables along one axis."""
        return tree.Builtin(name, axis, span=self.span, type=UINT)

    def triple(self, *parts: Expression) -> Expression:
        """Join numbers along x, y and z."""
        return self.call(f"make_{TRIPLE}", TRIPLE, *parts)

    def along(self, *names: str) -> Expression:
        """Return the products of variables along each axis."""
        return self.triple(*(self.product(*(self.coordinate(n, a) for n in names)) for a in "xyz"))

    def volume(self, name: str, ctype: Scalar) -> Expression:
        """Return the product of a variable's axes."""
        return self.product(*(cast(self.coordinate(name, a), ctype) for a in "xyz"))

    # Of blocks in their cluster, and of clusters in the grid.

    def in_cluster(self, axis: str) -> Expression:
        """Return the index of the block in its cluster along one axis."""
        return self._by_cluster("%", "blockIdx", axis)

    def of_cluster(self, axis: str) -> Expression:
        """Return the index of the cluster in the grid along one axis."""
        return self._by_cluster("/", "blockIdx", axis)

    def clusters(self, axis: str) -> Expression:
        """Return the number of clusters of the grid along one axis."""
        return self._by_cluster("/", "gridDim", axis)

    def _by_cluster(self, op: str, name: str, axis: str) -> Expression:
        parts = self.coordinate(name, axis), self.coordinate("clusterDim", axis)
        return self.binary(op, *parts, UINT)

    def linear(self, index: Along, extent: Along, ctype: Scalar) -> Expression:
        """Return the number of something by its index along x, y and z."""
        x, y, z = (cast(index(axis), ctype) for axis in "xyz")
        plane = self.binary("+", y, self.product(z, extent("y")), ctype)
        return self.binary("+", x, self.product(plane, extent("x")), ctype)

    # Of the lanes of one warp: in a tile, or named by the group's mask.

    def mask(self) -> Expression:
        """Return the lanes of the group."""
        if self.threads is None:
            return self.member(MASK)
        return self.number(EVERYBODY) if self.threads == 32 else self.tabled("mask")

    def tabled(self, what: str) -> Expression:
        """Return what depends on the lane and the tile's size alone."""
        return self.call(f"group tile {what}", UINT, self.number(self.threads or 0))

    def masked(self, name: str, *arguments: Expression) -> Expression:
        """Return a call of a function of a warp for the lanes of the group."""
        return self.plain(name, self.mask(), *arguments)

    def ranked(self, bits: Expression) -> Expression:
        """Return bits of a warp's lanes as bits of the group's ranks."""
        if self.threads is None:
            return self.call("group packed", UINT, self.mask(), bits)
        return bits if self.threads == 32 else self.binary(">>", bits, self.tabled("base"), UINT)

    def moved(self, name: str, value: Expression, *where: Expression) -> Expression:
        """Return a shuffle, whose result has the type of `value`."""
        if not isinstance(value.type, Scalar):
            what = f"`{self.span.text}` takes numbers, not `{value.type}`"
            raise CompileError(what, value.span, "shuffle one member after the other")
        if self.threads is not None:
            where = (*where, self.number(self.threads, INT))
        return cast(self.masked(name, value, *where), value.type)

    def moved_from(self, of: str, value: Expression, to: Expression, what: str) -> Expression:
        """Return a shuffle from a lane of a coalesced group, found by a rank or a distance."""
        lane = self.call(of, INT, self.mask(), convert(to, INT, what))
        return self.moved("__shfl_sync", value, lane)

    def reduce(self, operation: str, value: Expression) -> Expression:
        """Return `cg::reduce`; its sums and extremes are of any type of numbers."""
        return self._joined(f"__reduce_{operation}_sync", value)

    def scan(self, kind: str, operation: str, value: Expression) -> Expression:
        """Return `cg::inclusive_scan` or `cg::exclusive_scan`."""
        return self._joined(f"group {kind} {operation}", value)

    def _joined(self, name: str, value: Expression) -> Expression:
        assert isinstance(value.type, Scalar)
        wide = cast(value, promoted(value.type))
        return cast(self.call(name, wide.type, self.mask(), wide), value.type)
