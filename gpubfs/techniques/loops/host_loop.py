"""The host launches a kernel for each level, and reads whether it has found another.

The loop of most published searches, and of most techniques here, with a plain expansion: `width`
lanes share a frontier vertex, claim its neighbours by a compare-and-swap, and append them to one
queue. device-loop, persistent and hierarchical-kernels expand levels by the same device function,
so that side by side the four differ in what comes between two levels.

Here that is a read, for which the host waits, and a launch. Tödling, Winter and Steinberger
(Section V) compare the loop on the device with it; nobody claims the loop itself.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import GROUP_WIDTH
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, queue_loop
from gpubfs.search.main_loops import MAIN_LOOP
from gpubfs.search.papers import TOEDLING
from gpubfs.search.queues import BLOCK_256


@technique(
    "host-loop",
    kernel="host_loop.cu",
    paper=TOEDLING,
    section="V, as what it is compared with",
    year=2019,
    arrays=QUEUE_ARRAYS,
    memory=QUEUE_MEMORY,
    options=(BLOCK_256, GROUP_WIDTH),
    **MAIN_LOOP,
)
def host_loop(
    host: Host, graph: DeviceGraph, source: int, *, block: int, width: int
) -> SearchResult:
    """Run the kernel level after level; `width` is a macro of its file."""
    return queue_loop(host, graph, source, "host_loop", block, width=width)
