"""Options that several structures have."""

from __future__ import annotations

from collections.abc import Mapping

from gpubfs.dynamic.batch import MODES
from gpubfs.graphs import Graph
from gpubfs.machines import Machine
from gpubfs.search.option import AUTO, Option, Value

#: From this average degree on, a warp does an update.
WARP_DEGREE = 50

#: Simple edges of a block of 64 bytes.
EDGES_OF_64 = 15


def by_degree(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose a thread for each update where vertices have fewer than 50 edges on average."""
    return "thread" if graph.edges < WARP_DEGREE * graph.vertices else "warp"


def by_adjacency(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose 64 bytes for simple edges that a thread updates, if they fill no block on average."""
    small = values["mode"] == "simple" and values["update"] == "thread"
    return 64 if small and graph.edges <= EDGES_OF_64 * graph.vertices else 128


MODE = Option(
    "mode",
    "simple",
    "what an edge has: a destination; a weight, too; a type and two timestamps as well",
    choices=tuple(MODES),
    define="EDGE_MODE",
)
UPDATE = Option(
    "update",
    AUTO,
    "what does an update: a thread, or a warp; auto is a warp from 50 edges a vertex on",
    choices=(AUTO, "thread", "warp"),
    choose=by_degree,
)
BLOCK_BYTES = Option(
    "block_bytes",
    AUTO,
    "bytes of a block of edges; auto is 64 for up to 15 simple edges a vertex, else 128",
    choices=(AUTO, 64, 128),
    choose=by_adjacency,
    define="BLOCK_BYTES",
)
MEMORY = Option("memory", 0, "bytes of the one allocation; 0 is twice what is needed", minimum=0)
