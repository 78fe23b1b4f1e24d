"""Where everything lies in faimGraph's one allocation, word for word, and its manager."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The number of no page and of no vertex, an empty slot, and the mark of an entry without edge.
NONE = -1

#: Words that everything is aligned to: a line of a GPU's cache.
LINE = 32

#: The words of the manager, as `manager.cuh` has them.
MANAGER = {
    "errors": 0,
    "next_page": 1,
    "next_vertex": 2,
    "free_pages": 3,
    "free_vertices": 6,
    "applied": 9,
    "unchanged": 10,
    "no_room": 11,
    "retries": 12,
}

#: The bits of the manager's word `errors`.
ERRORS = {"page_queue_full": 1, "vertex_queue_full": 2, "out_of_memory": 4}

#: The words of a vertex, as `pages.cuh` has them; the last two only where the mode has them.
VERTEX = ("lock", "first_page", "neighbours", "capacity", "host_id", "weight", "type")

#: How many of them a vertex has, by the words of an edge.
VERTEX_WORDS = {1: 5, 2: 6, 5: 7}


def aligned(words: int) -> int:
    """Return a size in words, rounded up to whole lines.

    >>> aligned(33)
    64
    """
    return -(-words // LINE) * LINE


def slots_for(indices: int) -> int:
    """Return how many slots a queue has that never is too small: a power of two.

    >>> slots_for(5)
    8
    """
    return 1 << max(indices - 1, 0).bit_length()


@dataclass(frozen=True)
class Layout:
    """The regions of the allocation: manager, two queues, vertices, what is free, pages.

    Parameters
    ----------
    words : int
        4-byte words of the whole, a multiple of a line.
    page_slots, vertex_slots : int
        Slots of the queues of free pages and of free vertices.
    page_words, edge_words : int
        Words of a page and of an edge.

    Examples
    --------
    >>> layout = Layout(4096, page_slots=64, vertex_slots=64, page_words=32, edge_words=1)
    >>> layout.vertices_at, layout.vertices_end(10), layout.page_at(0), layout.page_limit(210)
    (160, 210, 4064, 121)
    """

    words: int
    page_slots: int
    vertex_slots: int
    page_words: int
    edge_words: int

    @property
    def page_queue_at(self) -> int:
        """Where the queue of free pages begins."""
        return LINE

    @property
    def vertex_queue_at(self) -> int:
        """Where the queue of free vertices begins."""
        return self.page_queue_at + self.page_slots

    @property
    def vertices_at(self) -> int:
        """Where vertex 0 begins."""
        return aligned(self.vertex_queue_at + self.vertex_slots)

    @property
    def vertex_words(self) -> int:
        """Words of a vertex."""
        return VERTEX_WORDS[self.edge_words]

    @property
    def entries(self) -> int:
        """Edges of a page, whose last word is the link."""
        return (self.page_words - 1) // self.edge_words

    def vertices_end(self, vertices: int) -> int:
        """Return where the first `vertices` vertices end."""
        return self.vertices_at + vertices * self.vertex_words

    def page_at(self, page: int) -> int:
        """Return where a page begins: page 0 is the last of the allocation."""
        return self.words - (page + 1) * self.page_words

    def page_limit(self, end: int) -> int:
        """Return how many pages there can be, if something else ends at the word `end`."""
        return (self.words - end) // self.page_words

    def pages_of(self, degrees: NDArray[np.integer]) -> int:
        """Return how many pages vertices of these degrees have, one at least each."""
        return int(np.maximum(-(-degrees // self.entries), 1).sum(dtype=np.int64))
