"""aimGraph's memory as the host reads it: its edges, and whether all of it is in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.dynamic.aimgraph.layout import DELETED, MANAGER, NO_BLOCK, STATIC, Layout
from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.operation import StructureError

Words = NDArray[np.uint32]


@dataclass
class Image:
    """A copy of the allocation, up to the last block that was taken.

    Parameters
    ----------
    layout : Layout
        Where everything lies.
    mode : str
        What an edge has besides its destination: a name of `MODES`.
    raw : uint8 array
        The manager, the static data and the blocks.
    """

    layout: Layout
    mode: str
    raw: NDArray[np.uint8]

    @cached_property
    def manager(self) -> Any:
        """The manager, a record of `MANAGER`."""
        return self.raw[: MANAGER.itemsize].view(MANAGER)[0]

    def static(self, name: str) -> Words:
        """Return one of the static arrays, without what pads it."""
        size = self.layout.array_bytes
        start = self.layout.manager_bytes + STATIC.index(name) * size
        return self.raw[start : start + 4 * self.layout.vertices].view(np.uint32)

    @cached_property
    def blocks(self) -> Words:
        """The blocks that were taken, a row of words each."""
        words = self.raw[self.layout.blocks_at :].view(np.uint32)
        return words.reshape(-1, self.layout.block_bytes // 4)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many blocks each vertex has, by its capacity."""
        return self.static("capacity").astype(np.int64) // self.layout.edges_per_block

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The vertex of each block, -1 where none leads to it.

        Raises
        ------
        StructureError
            If a link leads nowhere, or two lead to one block.
        """
        owners = np.full(len(self.blocks), -1, np.int64)
        left = self.lengths.copy()
        vertices = np.flatnonzero(left)
        here = self.static("memindex")[vertices].astype(np.int64)
        while len(vertices):
            self._refuse(vertices[here >= len(owners)], "has a link to a block that nobody took")
            twice = owners[here] >= 0
            order = np.argsort(here, kind="stable")
            twice[order[1:]] |= here[order[1:]] == here[order[:-1]]
            self._refuse(vertices[twice], "has a link to a block of another chain, or of its own")
            owners[here] = vertices
            left[vertices] -= 1
            onward = left[vertices] > 0
            last = here[~onward]
            ended = self.blocks[last, -1] == NO_BLOCK
            self._refuse(vertices[~onward][~ended], "has a link behind its last block")
            vertices, here = vertices[onward], self.blocks[here[onward], -1].astype(np.int64)
        return owners

    @cached_property
    def entries(self) -> Words:
        """The entries of all blocks: an array of blocks, entries of a block, words of an entry."""
        layout = self.layout
        words = layout.edges_per_block * layout.edge_words
        return self.blocks[:, :words].reshape(-1, layout.edges_per_block, layout.edge_words)

    def edges(self) -> Batch:
        """Return the edges, in the order of blocks."""
        block, entry = np.nonzero(self.entries[:, :, 0] != DELETED)
        found = self.entries[block, entry].view(np.int32)
        more = {name: found[:, 1 + at] for at, name in enumerate(MODES[self.mode])}
        return Batch(self.owners[block].astype(np.int32), found[:, 0], more)

    def check(self) -> None:
        """Raise StructureError if the manager or a vertex is not in order; it names the first."""
        layout = self.layout
        self._check_manager("next_free_block", len(self.blocks))
        self._check_manager("stack", int(self.manager["end"]))
        self._refuse(np.flatnonzero(self.static("lock")), "is locked")
        odd = self.static("capacity") % layout.edges_per_block
        self._refuse(np.flatnonzero(odd), "has a capacity that is no number of whole blocks")
        starts = self.static("memindex")[self.lengths == 0]
        none = np.flatnonzero(self.lengths == 0)
        self._refuse(none[starts != NO_BLOCK], "has a first block, and no capacity")
        if (lost := np.flatnonzero(self.owners < 0)).size:
            raise StructureError(0, f"has no link to block {lost[0]}, and no other vertex has one")
        edges = self.edges()
        self._refuse(edges.sources[edges.targets < 0], "has an edge to no vertex")
        self._refuse(edges.sources[edges.targets >= layout.vertices], "has an edge to no vertex")
        degrees = np.bincount(edges.sources, minlength=layout.vertices)
        wrong = np.flatnonzero(degrees != self.static("neighbours"))
        self._refuse(wrong, "counts another number of neighbours than it has")
        keys = np.sort(edges.keys)
        self._refuse(keys[1:][keys[1:] == keys[:-1]] >> 32, "has an edge twice")

    def _check_manager(self, name: str, value: int) -> None:
        if (found := int(self.manager[name])) != value:
            raise StructureError(None, f"the manager has {name}={found}, and it is {value}")

    def _refuse(self, vertices: NDArray[Any], reason: str) -> None:
        if len(vertices):
            raise StructureError(int(vertices[0]), reason)
