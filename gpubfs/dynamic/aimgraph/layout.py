"""Where everything lies in aimGraph's one allocation, byte for byte, and its manager."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpubfs.dynamic.aimgraph.stack import aligned

#: The number of no block, and the destination in an entry that holds no edge.
NO_BLOCK = DELETED = 0xFFFFFFFF

#: The arrays of the static data, each with 4 bytes for every vertex.
STATIC = ("memindex", "neighbours", "capacity", "weight", "type", "lock")

#: The manager, at the beginning of the allocation; positions are bytes from there. What a batch
#: did is counted behind the stack pointer.
MANAGER = np.dtype(
    [
        *((name, "u8") for name in ("begin", "end", "blocks", "stack")),
        *((name, "u8") for name in ("applied", "unchanged", "refused", "lock_attempts")),
        *((name, "u4") for name in ("vertices", "next_free_block", "edge_mode", "block_bytes")),
        *((name, "u4") for name in ("threads", "threads_per_update")),
        ("unused", "u1", 40),
    ]
)

#: Where the stack pointer is in the manager, and where that and the counts end.
POINTER, COUNTS_END = 24, 64


@dataclass(frozen=True)
class Layout:
    """The regions of the allocation.

    Parameters
    ----------
    vertices : int
        The vertices of the graph.
    edge_words : int
        4-byte words of an edge.
    block_bytes : int
        Bytes of a block.

    Examples
    --------
    >>> layout = Layout(114_599, edge_words=1, block_bytes=64)
    >>> layout.static_bytes, layout.edges_per_block
    (2750976, 15)
    """

    vertices: int
    edge_words: int
    block_bytes: int

    @property
    def array_bytes(self) -> int:
        """Bytes of each of the static arrays."""
        return aligned(4 * self.vertices)

    @property
    def static_bytes(self) -> int:
        """Bytes of the static data."""
        return len(STATIC) * self.array_bytes

    @property
    def manager_bytes(self) -> int:
        """Bytes of the manager, behind which the static data begin."""
        return MANAGER.itemsize

    @property
    def blocks_at(self) -> int:
        """Where block 0 begins."""
        return self.manager_bytes + self.static_bytes

    @property
    def edges_per_block(self) -> int:
        """Edges of a block, whose last word is a link."""
        return (self.block_bytes // 4 - 1) // self.edge_words

    def blocks_of(self, degrees: NDArray[np.integer]) -> int:
        """Return how many blocks vertices of these degrees need; none without edges."""
        return int((-(-degrees // self.edges_per_block)).sum(dtype=np.int64))

    def end_of(self, blocks: int) -> int:
        """Return where the first `blocks` blocks end."""
        return self.blocks_at + blocks * self.block_bytes
