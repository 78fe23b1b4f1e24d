"""Lanes of a warp that discover vertices share one atomic on the tail of the queue."""

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.loops import QUEUE_ARRAYS, SWAPPED_IN_VAIN, queue_loop
from gpubfs.search.option import Option


@technique(
    "warp-enqueue",
    arrays=QUEUE_ARRAYS,
    benign={"level": SWAPPED_IN_VAIN},
    options=(Option("block", 128, "threads per block", minimum=1, maximum=1024, whole_warps=True),),
)
def warp_enqueue(host: Host, graph: DeviceGraph, source: int, *, block: int) -> SearchResult:
    """Expand one level a launch, until a level is empty."""
    return queue_loop(host, graph, source, "warp_enqueue", block)
