"""For drivers with queues: the options that they share, and the error where a queue was full."""

from __future__ import annotations

from typing import Any

from gpubfs.errors import UsageError
from gpubfs.host import Host
from gpubfs.search.loops import MARKED_TWICE
from gpubfs.search.option import Option
from gpubfs.search.papers import DFQ

ENQUEUE = Option(
    "enqueue",
    "atomic",
    "how places in the queue are found: an addition per vertex, or one per block",
    choices=("atomic", "prefix-sum"),
    define="ENQUEUE",
)
#: The shared arrays that `enqueue=prefix-sum` needs.
ENQUEUE_SHARED = {
    "warp_totals": "places that each warp of the block wants",
    "start": "where the block's places begin",
}
WIDTH = Option(
    "width",
    32,
    "lanes that share a frontier vertex",
    choices=(1, 2, 4, 8, 16, 32),
    within_warp=True,
    define="WIDTH",
)
BLOCK_256 = Option("block", 256, "threads per block", minimum=1, maximum=1024, whole_warps=True)
BLOCK_1024 = Option("block", 1024, "threads per block", minimum=1, maximum=1024, whole_warps=True)
BLOCKS = Option(
    "blocks",
    0,
    "blocks; 0 is as many as run at the same time, multiprocessors times occupancy",
    minimum=0,
    maximum=65535,
)


class QueueOverflowError(UsageError):
    """A queue was full, and the search is not complete.

    Parameters
    ----------
    message, hint : str
        As of `UsageError`.
    vertex : int
        A vertex that found no room.
    capacity : int
        How many vertices the queue holds.
    """

    def __init__(self, message: str, hint: str, vertex: int, capacity: int) -> None:
        super().__init__(message, hint)
        self.vertex = vertex
        self.capacity = capacity


CAPACITY = Option(
    "capacity", 2048, "vertices of a sub-queue, at least a warp's lanes", minimum=1, maximum=8192
)

#: What both kinds of decentralized queues allocate.
SUB_QUEUE_ARRAYS = {
    "level": "distance from the source, -1 where not visited",
    "found": "for even and for odd levels, the distance of the last vertices that one discovered",
}

#: How both of them are described, for the decorator `technique`.
DECENTRALIZED: dict[str, Any] = {
    "family": "frontier generation",
    "paper": DFQ,
    "year": 2023,
    "benign": {"level": MARKED_TWICE},
    "options": (BLOCK_1024, BLOCKS, CAPACITY),
    "cooperative": True,
}


def check_capacity(host: Host, capacity: int) -> None:
    """Raise UsageError unless a sub-queue has room for one warp's vertices."""
    if capacity < host.warp_size:
        raise UsageError(
            f"a sub-queue with capacity={capacity} has no room for the {host.warp_size} vertices "
            "that a warp may find at once",
            f"give at least {host.warp_size}",
        )
