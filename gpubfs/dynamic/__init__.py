"""Graphs that change: structures in device memory that batches of insertions and deletions update.

`graph` opens a structure on a machine with a graph in it. What it yields is a `DynamicGraph`, the
interface of all structures: `insert_edges`, `delete_edges`, `to_csr`, `check`, `stats`. A structure
is a class, which its module registers by the decorator `structure`, and one kernel file in
`gpubfs/kernels/dynamic`; what else it needs lies beside it, in a folder of its name. `repair`
repairs the levels of a search after a batch.
"""

from gpubfs.dynamic.batch import MODES, Batch, skewed, uniform
from gpubfs.dynamic.dynamic_graph import DynamicGraph, Memory, Stats
from gpubfs.dynamic.incremental_bfs import Repair, repair
from gpubfs.dynamic.level_repair import Work
from gpubfs.dynamic.opening import graph
from gpubfs.dynamic.operation import Effect, ExhaustedError, Operation, StructureError
from gpubfs.dynamic.structure import Structure, structure, structures

__all__ = [
    "MODES",
    "Batch",
    "DynamicGraph",
    "Effect",
    "ExhaustedError",
    "Memory",
    "Operation",
    "Repair",
    "Stats",
    "Structure",
    "StructureError",
    "Work",
    "graph",
    "repair",
    "skewed",
    "structure",
    "structures",
    "uniform",
]
