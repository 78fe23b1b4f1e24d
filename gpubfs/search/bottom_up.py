"""What techniques with bottom-up passes share: options, descriptions, and the search itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.directions import ALPHA, DIRECTION_ARRAYS, DIRECTION_SHARED
from gpubfs.search.expansions import WidthExpansion
from gpubfs.search.option import Option
from gpubfs.search.passes import BottomUpPasses, Buffers
from gpubfs.search.phases import DOUBLE_SCAN, NO_QUEUE, PhaseSearch
from gpubfs.search.queues import BLOCK_256, WIDTH
from gpubfs.search.rules import Rule, edge_share
from gpubfs.search.status_scan import StatusScan

DIRECTION = "direction"

PASS_BLOCKS = Option(
    "blocks",
    0,
    "blocks of a bottom-up pass; 0 is as many as the GPU holds threads for at one time, whatever "
    "the kernel",
    minimum=0,
    maximum=65535,
)
ALWAYS_UP = replace(ALPHA, default=0.0)
BACK = Option(
    "back",
    NO_QUEUE,
    "what the first top-down level after a pass goes by: the pass's queue, or two scans",
    choices=(NO_QUEUE, DOUBLE_SCAN),
)

#: The scans of the status array that make queues.
SCAN = "double_scan"
FOUND = (
    "vertices and edges that a pass finds, and those that it finds early; top-down, vertices and "
    "edges of the next frontier"
)
PASS_ARRAYS = DIRECTION_ARRAYS | {
    "frontier": "top-down, vertices of the level that is expanded; bottom-up, vertices not visited",
    "next": "vertices of the level after it, where that is found top-down; bottom-up, the queue "
    "of the pass before",
    "found": FOUND,
}
TAKEN = {"taken": "places of the queue that threads have taken"}
PASS_MEMORY = (
    "4 V for level + 4 V for each of two queues + 4 for each thread and block of a scan + 36 bytes"
)
TAKEN_MEMORY = PASS_MEMORY.replace("36 bytes", "40 bytes")
PASS_BENIGN = (
    "top-down, a plain read that meets a write finds -1 or the new distance, and the swap decides; "
    "bottom-up, who reads a level meanwhile finds -1 or the new one, and neither is a parent's"
)
EARLY_BENIGN = (
    PASS_BENIGN + "; that a neighbour has its new level is taken notice of, but whoever misses it "
    "only finds its own level one pass later"
)

#: How techniques are described that go bottom-up by one kernel.
PASSES: dict[str, Any] = {
    "family": DIRECTION,
    "arrays": PASS_ARRAYS,
    "shared": DIRECTION_SHARED,
    "memory": PASS_MEMORY,
    "benign": {"level": PASS_BENIGN},
    "options": (BLOCK_256, PASS_BLOCKS, WIDTH, ALWAYS_UP, BACK),
    "directed": False,
}
#: The same of those whose threads fetch vertices from a counter.
DYNAMIC = PASSES | {"arrays": PASS_ARRAYS | TAKEN, "memory": TAKEN_MEMORY}


def search(
    host: Host,
    graph: DeviceGraph,
    source: int,
    kernel: str,
    *,
    rule: Rule | None = None,
    dynamic: bool = False,
    block: int,
    blocks: int,
    width: int,
    alpha: float,
    back: str,
) -> SearchResult:
    """Search with bottom-up passes by one kernel, and scan-free's top-down levels.

    Parameters
    ----------
    host, graph, source
        As the driver got them.
    kernel : str
        As for `BottomUpPasses`.
    rule : Rule, optional
        What chooses the direction; by default the frontier's share of edges, `alpha`.
    dynamic : bool
        Whether threads fetch vertices from a counter.
    block, blocks, width, alpha, back
        The options.
    """
    data = Buffers(host, graph, source)
    passes = BottomUpPasses(data, kernel, block, blocks, dynamic)
    expansion = WidthExpansion(data, block, width)
    scan = StatusScan(host, graph, data.level, SCAN, block)
    return PhaseSearch(data, passes, expansion, scan, rule or edge_share(alpha), back).run()
