"""Clusters of blocks by CUDA's plain functions: what their group is asked, by other names."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.builtins.group_members import ask, group_of
from simulator.builtins.lowerings import Lowering, Operator
from simulator.builtins.row import Arguments, Row
from simulator.ir import tree
from simulator.ir.conversions import CLUSTER, GRID
from simulator.ir.types import CType
from simulator.source import Span


@dataclass(frozen=True)
class Asked(Row):
    """A function that a group of threads has as a member, too.

    Parameters
    ----------
    signature : str
        As for `Row`.
    group : type
        The group.
    member : str
        Its member function.
    """

    lowering: Lowering = field(default=Operator(), init=False)
    group: CType
    member: str

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return what the group answers."""
        self._count(arguments, span)
        pairs = zip(arguments, self.types.parameters, strict=True)
        given = (self._converted(argument, p.type) for argument, p in pairs if p.type is not None)
        made = tree.Call(f"make {self.group}", (), span=span, type=self.group)
        found = ask(group_of(made, span), self.member, tuple(given))
        result = self.types.result or found.type
        return found if result == found.type else tree.Cast(found, True, span=span, type=result)


ROWS = (
    Asked("uint3 __clusterDim()", CLUSTER, "dim_blocks"),
    Asked("uint3 __clusterRelativeBlockIdx()", CLUSTER, "block_index"),
    Asked("uint3 __clusterIdx()", GRID, "cluster_index"),
    Asked("uint3 __clusterGridDimInClusters()", GRID, "dim_clusters"),
    Asked("unsigned __clusterRelativeBlockRank()", CLUSTER, "block_rank"),
    Asked("unsigned __clusterSizeInBlocks()", CLUSTER, "num_blocks"),
    Asked("void __cluster_barrier_arrive()", CLUSTER, "barrier_arrive"),
    Asked("void __cluster_barrier_wait()", CLUSTER, "barrier_wait"),
    Asked(
        "unsigned __cluster_query_shared_rank(const void *pointer)", CLUSTER, "query_shared_rank"
    ),
    Asked(
        "void* __cluster_map_shared_rank(const void *pointer, unsigned rank)",
        CLUSTER,
        "map_shared_rank",
    ),
)
