"""What `best` chooses for a graph: which kernels search it, and the options of these.

The host looks how a search from the hub begins, and at degrees. The bounds below were measured, by
searching some sixty graphs of all kinds with every choice (gpubfs/README.md).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gpubfs.graphs.reference import first_steps
from gpubfs.search.option import AUTO, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpubfs.graphs import Graph
    from gpubfs.machines import Machine

#: The kernels that `stages` may name.
GRID, BYTEMAP, BLOCK, CLUSTER = "grid", "bytemap", "block-bytemap", "cluster+grid"

#: How far the host looks: until so many vertices are discovered, or so many levels expanded.
ENOUGH, FAR = 16384, 256

#: Levels of a search from which on rows are of use, for which a kernel more is launched: where the
#: grid would search with a byte map, and where a block alone would.
MANY, MANY_OF_BLOCK = 48, 64

#: Levels of a search from which on they grow too slowly for bottom-up ones.
SOME = 10

#: Edges of the graph for each level, and vertices of the widest, up to which one block is as fast
#: with a byte map as the grid.
ONE_BLOCK, ONE_BLOCK_WIDTH = 1024, 512

#: Edges a vertex below which rows have four places, and bottom-up levels gain nothing.
SPARSE = 5

#: Places of the widest level's rows up to which a block expands it sooner than the grid; a cluster,
#: which searches graphs that are too large for a block, up to twice as many.
NARROW = 9000

#: How often blocks go round in the widest level up to which each neighbour has a thread.
ROUNDS = 2

#: Edges of a graph that has too few for bottom-up levels, and of a hub for a few threads.
SMALL, FEW = 1 << 19, 1024

#: Up to which byte maps are as fast as bottom-up levels: vertices, edges a vertex, and how many
#: times as many the hub has.
EVEN_VERTICES, EVEN_EDGES, EVEN = 1 << 19, 8, 8

#: Edges a vertex from which neighbours of one are read by a whole warp, and neighbours of the hub,
#: for which all others wait.
WHOLE_WARP, WHOLE_WARP_OF_HUB = 12, 256

#: Rows say in 31 bits where the neighbours are that have no place in them; four are loaded at once.
MOST_EDGES = 2**31 - 8

#: Vertices of a word of a map, and lanes of the warp that has it in a bottom-up level.
WORD = 32

#: Tails of a queue in shared memory, at most.
TAILS = 8

#: Bytes of a cluster's block besides the map and the queues: tails, and some flags.
STATIC = 4 * (3 * TAILS + 4)


def stages_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose kernels by how a search from the hub begins, by edges, and by the hub's neighbours."""
    levels, widest = _outlook(graph)
    fitting = _fitting(graph, machine, values) if graph.edges <= MOST_EDGES else []
    small = graph.edges <= ONE_BLOCK * levels and widest <= ONE_BLOCK_WIDTH
    alone = small and not values["blocks"]
    many = bool(fitting) and levels >= (MANY_OF_BLOCK if alone else MANY)
    narrow = NARROW if fitting[:1] == [1] else 2 * NARROW
    if many and _row(graph) <= 8 and _row(graph) * widest <= narrow:
        return CLUSTER
    steady = levels >= SOME or graph.edges <= max(SPARSE * graph.vertices, SMALL)
    if (steady or _even(graph)) and _most_neighbours(graph) <= FEW:
        return BLOCK if alone else BYTEMAP
    return CLUSTER if many else GRID


def _even(graph: Graph) -> bool:
    """Whether bottom-up levels gain little: few edges, and no vertex has far more than others."""
    small = graph.vertices <= EVEN_VERTICES and graph.edges <= EVEN_EDGES * graph.vertices
    return small and _most_neighbours(graph) * graph.vertices <= EVEN * graph.edges


def _outlook(graph: Graph) -> tuple[float, float]:
    """Guess from how it begins how many levels a search takes, and the vertices of the widest.

    Both grow as on a plane, where the number of vertices is the square of the width, and all are
    reached. But a search that has discovered so much in a few levels takes few more.
    """
    if graph not in _outlooks:
        _outlooks[graph] = _look(graph)
    return _outlooks[graph]


#: What the host has seen of graphs, each of which it looks at once.
_outlooks: WeakKeyDictionary[Graph, tuple[float, float]] = WeakKeyDictionary()


def _look(graph: Graph) -> tuple[float, float]:
    steps = first_steps(graph, graph.hub, ENOUGH, FAR)
    seen = 1 + sum(step.discovered for step in steps)
    more = math.sqrt(graph.vertices / seen)
    levels = len(steps) * (more if len(steps) >= SOME else 1)
    return levels, more * max(step.discovered for step in steps)


def _most_neighbours(graph: Graph) -> int:
    return int(graph.degrees[graph.hub])


def _row(graph: Graph) -> int:
    """Return the places of a row: four where most vertices have no more neighbours."""
    if graph.edges < SPARSE * graph.vertices:
        return 4
    return 8 if _most_neighbours(graph) <= 8 else 16


def _fitting(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> list[int]:
    """Return how many blocks a cluster may have that runs at one time, ascending."""
    few, block = (int(str(values[name])) for name in ("few", "block"))
    given = str(values.get("ranks", AUTO))
    sizes = [1, 2, 4, 8] if given == AUTO else [int(given)]
    found = []
    for ranks in sizes:
        bytes_ = shared_bytes(graph.vertices, ranks, few) + STATIC
        most = machine.multiprocessors * (machine.block_shared // bytes_)
        resident = min(most, machine.resident_threads // block)
        if ranks <= min(max(machine.cluster_blocks, 1), resident):
            found.append(ranks)
    return found


def ranks_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose one block, or the largest cluster where the map does not fit into one block."""
    fitting = _fitting(graph, machine, values) if values["stages"] == CLUSTER else [1]
    return 1 if not fitting or fitting[0] == 1 else fitting[-1]


def row_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose rows in which most neighbours have a place, if threads go round."""
    block = int(str(values["block"]))
    if values["stages"] != CLUSTER:
        return 4
    return next(row for row in (16, 8, 4) if row <= _row(graph) and block % (row // 4) == 0)


def words_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose a thread for each neighbour of a short row, if blocks take few rounds for a level."""
    ranks, row, block = (int(str(values[name])) for name in ("ranks", "row", "block"))
    if values["stages"] != CLUSTER or row > 4 or block % row:
        return 4
    return 1 if _outlook(graph)[1] <= ROUNDS * ranks * (block // row) else 4


def lanes_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose a warp where vertices or the hub have many neighbours, and half of one elsewhere."""
    block = int(str(values["block"]))
    many = graph.edges >= WHOLE_WARP * graph.vertices
    wanted = 32 if many or _most_neighbours(graph) >= WHOLE_WARP_OF_HUB else 16
    return next((n for n in (32, 16, 8, 4, 2) if n <= wanted and block % n == 0), 1)


def filter_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Choose to leave out what was visited where levels of five edges a vertex grow at once."""
    return graph.edges >= SPARSE * graph.vertices and _outlook(graph)[0] < SOME


def words_of(vertices: int) -> int:
    """Return the words of a map with a bit for each vertex."""
    return -(-vertices // WORD)


def shared_bytes(vertices: int, ranks: int, few: int) -> int:
    """Return the bytes of a block's part of the map, whole rows of words, and of two queues.

    Parameters
    ----------
    vertices : int
        Of the graph.
    ranks : int
        Blocks of the cluster.
    few : int
        Vertices of a level that a block has room for.
    """
    return 4 * WORD * words_of(-(-words_of(vertices) // ranks)) + 8 * few
