"""What techniques have in common that differ in who goes from level to level."""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceArray, DeviceGraph, Host
from gpubfs.search.loops import QUEUE_ARRAYS, SWAPPED_IN_VAIN

#: How they are described, for the decorator `technique`.
MAIN_LOOP: dict[str, Any] = {
    "family": "main loop",
    "benign": {"level": SWAPPED_IN_VAIN},
}

#: What a loop that the host does not run says of its arrays and memory.
LEVEL_ARRAYS = {
    "level": QUEUE_ARRAYS["level"],
    "frontier": "vertices of the levels at even distances",
    "next": "vertices of the levels at odd distances",
    "sizes": "how many vertices there are at each distance; each level has a tail of its own",
}
LEVEL_MEMORY = "4 V for level + 4 V for each of two queues + 4 (V + 1) for sizes"


def level_arrays(
    host: Host, graph: DeviceGraph, source: int
) -> tuple[DeviceArray, DeviceArray, DeviceArray, DeviceArray]:
    """Allocate level, both queues, and a tail for each level that there may be.

    Parameters
    ----------
    host, graph, source
        As the driver got them.

    Returns
    -------
    level, frontier, following, sizes : device array
        The search is at the source: it is all of level 0.
    """
    level = host.levels(graph.vertices, source)
    frontier = host.queue("frontier", graph.vertices, source)
    following = host.queue("next", graph.vertices)
    return level, frontier, following, tails(host, graph)


def tails(host: Host, graph: DeviceGraph) -> DeviceArray:
    """Allocate an int for each level that there may be and one behind: 1 for level 0, else 0."""
    sizes = host.full("sizes", graph.vertices + 1, 0)
    host.write(sizes[:1], 1)
    return sizes
