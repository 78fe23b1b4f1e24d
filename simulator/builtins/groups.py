"""Cooperative groups: the member functions of each kind, as calls of plain built-in functions.

What has no plain one becomes a call whose name begins with `group`, which no program can write;
`CALLS` has their lowerings.
"""

from __future__ import annotations

import inspect
from typing import ClassVar

from simulator.builtins.lowerings import GroupFunction, LaneTable, Lowering, TileCount, TileSize
from simulator.builtins.registry import ROWS
from simulator.hints.similar import one_of
from simulator.ir import tree
from simulator.ir.conversions import cast, convert
from simulator.ir.group_types import (
    ANY,
    BLOCK,
    COALESCED,
    GRID,
    MASK,
    META_RANK,
    META_SIZE,
    tile_size,
)
from simulator.ir.types import (
    BOOL,
    INT,
    UINT,
    ULLONG,
    VECTORS,
    VOID,
    CType,
    Pointer,
    Scalar,
    Struct,
    promoted,
)
from simulator.source import CompileError, Span

Expression = tree.Expression

#: Calls of what groups know and do beyond CUDA's plain functions.
CALLS: dict[str, Lowering] = {
    "group block rank": LaneTable("block_rank"),
    "group grid rank": LaneTable("grid_rank"),
    "group rank of block": LaneTable("rank_of_block"),
    "group warp mask": LaneTable("warp_mask"),
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
}

#: The type of sizes and indices along three axes.
TRIPLE = VECTORS.get("dim3", VECTORS["uint3"])
EVERYBODY = 0xFFFFFFFF


class Asked:
    """A group of which something is asked; its methods are CUDA's member functions."""

    offered: ClassVar[str] = ""

    def __init__(self, group: Expression, span: Span) -> None:
        self.group = group
        self.span = span

    def ask(self, name: str, arguments: tuple[Expression, ...]) -> Expression:
        """Return the call of the member function `name`.

        Raises
        ------
        CompileError
            if the group has no such function, or it takes other arguments
        """
        if name not in self.offered.split():
            what = f"`{self.group.type}` has no function `{name}`"
            raise CompileError(what, self.span, one_of("functions", name, self.offered.split()))
        function = getattr(self, name)
        wanted = len(inspect.signature(function).parameters)
        if len(arguments) != wanted:
            plural = "" if wanted == 1 else "s"
            what = f"`{name}` takes {wanted} argument{plural}, not {len(arguments)}"
            raise CompileError(what, self.span, f"a function of `{self.group.type}`")
        result: Expression = function(*arguments)
        return result

    # What the nodes are made of.

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

    def product(self, *factors: Expression) -> Expression:
        """Their product, in the type of the first."""
        result = factors[0]
        for factor in factors[1:]:
            right = cast(factor, result.type)
            result = tree.Binary("*", result, right, span=self.span, type=result.type)
        return result

    def coordinate(self, name: str, axis: str) -> Expression:
        """One of CUDA's built-in variables."""
        return tree.Builtin(name, axis, span=self.span, type=UINT)

    def triple(self, *parts: Expression) -> Expression:
        """Three numbers along x, y and z."""
        return self.call(f"make_{TRIPLE}", TRIPLE, *parts)

    def along(self, *names: str) -> Expression:
        """Return the products of built-in variables along each axis."""
        return self.triple(*(self.product(*(self.coordinate(n, a) for n in names)) for a in "xyz"))

    def volume(self, name: str, ctype: Scalar) -> Expression:
        """Return the product of a built-in variable's axes."""
        return self.product(*(cast(self.coordinate(name, a), ctype) for a in "xyz"))


class _Block(Asked):
    offered = "sync size num_threads thread_rank group_index thread_index group_dim dim_threads"

    def sync(self) -> Expression:
        return self.plain("__syncthreads")

    def num_threads(self) -> Expression:
        return self.volume("blockDim", UINT)

    size = num_threads

    def thread_rank(self) -> Expression:
        return self.call("group block rank", UINT)

    def group_index(self) -> Expression:
        return self.along("blockIdx")

    def thread_index(self) -> Expression:
        return self.along("threadIdx")

    def group_dim(self) -> Expression:
        return self.along("blockDim")

    dim_threads = group_dim


class _Grid(Asked):
    offered = """sync size num_threads thread_rank thread_index num_blocks block_rank
    block_index dim_blocks dim_threads group_dim"""

    def sync(self) -> Expression:
        return self.call("group grid sync", VOID)

    def num_threads(self) -> Expression:
        return self.product(self.volume("gridDim", ULLONG), self.volume("blockDim", UINT))

    size = num_threads

    def thread_rank(self) -> Expression:
        return self.call("group grid rank", ULLONG)

    def num_blocks(self) -> Expression:
        return self.volume("gridDim", ULLONG)

    def block_rank(self) -> Expression:
        return self.call("group rank of block", ULLONG)

    def block_index(self) -> Expression:
        return self.along("blockIdx")

    def dim_blocks(self) -> Expression:
        return self.along("gridDim")

    group_dim = dim_blocks

    def dim_threads(self) -> Expression:
        return self.along("gridDim", "blockDim")

    def thread_index(self) -> Expression:
        parts = []
        for axis in "xyz":
            start = self.product(
                self.coordinate("blockIdx", axis), self.coordinate("blockDim", axis)
            )
            own = self.coordinate("threadIdx", axis)
            parts.append(tree.Binary("+", start, own, span=self.span, type=UINT))
        return self.triple(*parts)


class _Lanes(Asked):
    """A group of lanes of one warp: `mask` names them, `ranked` counts bits by rank."""

    def mask(self) -> Expression:
        """Return the lanes of the group."""
        return self.member(MASK)

    def ranked(self, bits: Expression) -> Expression:
        """Bits of a warp's lanes as bits of the group's ranks."""
        return self.call("group packed", UINT, self.mask(), bits)

    def moved(self, name: str, value: Expression, *where: Expression) -> Expression:
        """Return a shuffle, whose result has the type of `value`."""
        if not isinstance(value.type, Scalar):
            what = f"`{self.span.text}` takes numbers, not `{value.type}`"
            raise CompileError(what, value.span, "shuffle one member after the other")
        return cast(self.plain(name, self.mask(), value, *where), value.type)

    def sync(self) -> Expression:
        return self.plain("__syncwarp", self.mask())

    def any(self, predicate: Expression) -> Expression:
        return self.plain("__any_sync", self.mask(), predicate)

    def all(self, predicate: Expression) -> Expression:
        return self.plain("__all_sync", self.mask(), predicate)

    def ballot(self, predicate: Expression) -> Expression:
        return self.ranked(self.plain("__ballot_sync", self.mask(), predicate))

    def match_any(self, value: Expression) -> Expression:
        return self.ranked(self.plain("__match_any_sync", self.mask(), value))

    def match_all(self, value: Expression, every: Expression) -> Expression:
        pointer = tree.AddressOf(every, span=every.span, type=Pointer(every.type))
        return self.ranked(self.plain("__match_all_sync", self.mask(), value, pointer))

    def meta_group_rank(self) -> Expression:
        return self.member(META_RANK)

    def meta_group_size(self) -> Expression:
        return self.member(META_SIZE)

    def reduce(self, operation: str, value: Expression) -> Expression:
        """`cg::reduce`; its sums and extremes are of any type of numbers."""
        assert isinstance(value.type, Scalar)
        wide = cast(value, promoted(value.type))
        name = f"__reduce_{operation}_sync"
        return cast(self.call(name, wide.type, self.mask(), wide), value.type)


class _Tile(_Lanes):
    offered = """sync size num_threads thread_rank shfl shfl_up shfl_down shfl_xor any all ballot
    match_any match_all meta_group_rank meta_group_size"""

    @property
    def threads(self) -> int:
        """Threads of a tile, on a GPU with warps of 32."""
        found = tile_size(self.group.type)
        assert found is not None
        return found

    def tabled(self, what: str) -> Expression:
        """Return what depends on the lane and the tile's size alone."""
        return self.call(f"group tile {what}", UINT, self.number(self.threads))

    def mask(self) -> Expression:
        return self.number(EVERYBODY) if self.threads == 32 else self.tabled("mask")

    def ranked(self, bits: Expression) -> Expression:
        if self.threads == 32:
            return bits
        shift = self.tabled("base")
        return tree.Binary(">>", bits, shift, span=self.span, type=UINT)

    def num_threads(self) -> Expression:
        if self.threads <= 2:
            return self.number(self.threads)
        return self.tabled("size")

    size = num_threads

    def thread_rank(self) -> Expression:
        return self.tabled("rank")

    def shfl(self, value: Expression, rank: Expression) -> Expression:
        return self.moved("__shfl_sync", value, rank, self.number(self.threads, INT))

    def shfl_up(self, value: Expression, delta: Expression) -> Expression:
        return self.moved("__shfl_up_sync", value, delta, self.number(self.threads, INT))

    def shfl_down(self, value: Expression, delta: Expression) -> Expression:
        return self.moved("__shfl_down_sync", value, delta, self.number(self.threads, INT))

    def shfl_xor(self, value: Expression, bits: Expression) -> Expression:
        return self.moved("__shfl_xor_sync", value, bits, self.number(self.threads, INT))


class _Coalesced(_Lanes):
    offered = """sync size num_threads thread_rank shfl shfl_up shfl_down any all ballot match_any
    match_all meta_group_rank meta_group_size"""

    def num_threads(self) -> Expression:
        return cast(self.plain("__popc", self.mask()), UINT)

    size = num_threads

    def thread_rank(self) -> Expression:
        return self.call("group rank", UINT, self.mask())

    def shfl(self, value: Expression, rank: Expression) -> Expression:
        lane = self.call("group lane", INT, self.mask(), convert(rank, INT, "the rank"))
        return self.moved("__shfl_sync", value, lane)

    def shfl_up(self, value: Expression, delta: Expression) -> Expression:
        return self._stepped(value, "group lane before", delta)

    def shfl_down(self, value: Expression, delta: Expression) -> Expression:
        return self._stepped(value, "group lane behind", delta)

    def _stepped(self, value: Expression, name: str, delta: Expression) -> Expression:
        lane = self.call(name, INT, self.mask(), convert(delta, INT, "the distance"))
        return self.moved("__shfl_sync", value, lane)


class _Any(Asked):
    offered = "sync size num_threads thread_rank"

    def sync(self) -> Expression:
        mask = self.member(MASK)
        whole = tree.Binary("==", mask, self.number(0), span=self.span, type=BOOL)
        block, part = self.plain("__syncthreads"), self.plain("__syncwarp", mask)
        return tree.Conditional(whole, block, part, span=self.span, type=VOID)

    def size(self) -> Expression:
        block = self.volume("blockDim", UINT)
        return cast(self.call("group any size", UINT, self.member(MASK), block), ULLONG)

    num_threads = size

    def thread_rank(self) -> Expression:
        block = self.call("group block rank", UINT)
        return cast(self.call("group any rank", UINT, self.member(MASK), block), ULLONG)


def asked(group: Expression, span: Span) -> Asked:
    """Return what a group can be asked.

    Raises
    ------
    CompileError
        if `group` is none
    """
    kinds: dict[CType, type[Asked]] = {
        BLOCK: _Block,
        GRID: _Grid,
        COALESCED: _Coalesced,
        ANY: _Any,
    }
    if isinstance(group.type, Struct):
        kind = _Tile if tile_size(group.type) is not None else kinds.get(group.type)
        if kind is not None:
            return kind(group, span)
    what = f"`{group.span.text}` is `{group.type}`, which has no functions"
    raise CompileError(what, span, "write a __device__ function that takes it as its parameter")
