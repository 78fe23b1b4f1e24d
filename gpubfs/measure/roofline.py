"""How near a search comes to the memory's speed: the bytes it must move over those it could.

References
----------
Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
Architectures", CACM 2009.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpubfs.search.result import Run

#: Bytes of a vertex's id, and of its level.
ID = 4

#: What is said below tables that show a share of the roofline.
WHAT_MUST_MOVE = (
    "roofline: the bytes that a top-down search must move, each reached vertex's offset and "
    "neighbours read once and its level written once, over the time, as a share of the bandwidth "
    "of copies; a bottom-up search leaves edges out, and what the L2 cache holds comes faster, so "
    "that it can be above 100 %"
)


def bytes_to_move(run: Run) -> int:
    """Return the fewest bytes that a top-down search of what was reached reads and writes.

    Parameters
    ----------
    run : Run
        A search.

    Returns
    -------
    int
        Neighbours and offsets of reached vertices, each read once, and levels written once.

    Examples
    --------
    >>> import gpubfs
    >>> bytes_to_move(gpubfs.run("scan-free", "path:3", 0, counters=False))  # 4 entries
    40
    """
    graph, reached = run.graph, run.levels >= 0
    entries = int(graph.degrees[reached].sum(dtype=np.int64))
    vertices = int(np.count_nonzero(reached))
    return ID * entries + (graph.offsets.itemsize + ID) * vertices
