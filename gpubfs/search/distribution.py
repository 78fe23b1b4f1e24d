"""What techniques of work distribution have in common: options, descriptions, launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gpubfs.host import DeviceGraph, Host
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, SWAPPED_IN_VAIN, Iteration
from gpubfs.search.option import AUTO, Option, Value

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.machines import Machine

WORK_DISTRIBUTION = "work distribution"

#: How a technique is described that expands the queue of `level_loop` by `claim.cuh`.
EXPANDED: dict[str, Any] = {
    "family": WORK_DISTRIBUTION,
    "arrays": QUEUE_ARRAYS,
    "memory": QUEUE_MEMORY,
    "benign": {"level": SWAPPED_IN_VAIN},
}


def width_for(degree: float, warp_size: int) -> int:
    """Return the smallest power of two that is not below an average degree, a warp at most.

    >>> width_for(2.1, 32), width_for(16, 32), width_for(90, 32)
    (4, 16, 32)
    """
    width = 1
    while width < min(degree, warp_size):
        width *= 2
    return width


def _chosen_width(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    return width_for(graph.edges / max(graph.vertices, 1), machine.warp_size)


#: Lanes that share a frontier vertex, by the average degree unless given.
GROUP_WIDTH = Option(
    "width",
    AUTO,
    "lanes that share a frontier vertex; auto is about the average degree",
    choices=(AUTO, 1, 2, 4, 8, 16, 32),
    within_warp=True,
    define="WIDTH",
    choose=_chosen_width,
)


def expand_resident(
    host: Host,
    graph: DeviceGraph,
    kernel: str,
    block: int,
    lanes: int,
    *more: Any,
    shared_mem: int = 0,
) -> Callable[[Iteration], None]:
    """Return an `expand` of `level_loop` whose grid goes over the frontier in strides.

    Parameters
    ----------
    host, graph
        As the driver got them.
    kernel : str
        A kernel with the parameters of `queue_loop`'s.
    block : int
        Threads per block.
    lanes : int
        Threads that share a frontier vertex.
    *more
        Arguments behind those.
    shared_mem : int
        Bytes of dynamic shared memory per block.
    """
    resident = host.resident_blocks(block, kernel, shared_mem=shared_mem)

    def expand(iteration: Iteration) -> None:
        queues = (iteration.frontier, iteration.size, iteration.next, iteration.next_size)
        args = (graph.offsets, graph.neighbours, iteration.level, *queues, iteration.depth, *more)
        grid = min(host.blocks(iteration.size * lanes, block), resident)
        host.launch(kernel, grid, block, args, shared_mem=shared_mem)

    return expand
