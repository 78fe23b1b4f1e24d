"""A packed memory array as the host sees it: its edges, and whether all is as it must be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.gpma.densities import Layout
from gpubfs.dynamic.gpma.packed_memory import DELETED, NO_KEY, ROW_END
from gpubfs.dynamic.operation import StructureError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Image:
    """Copies of the arrays, which `packed_memory.cuh` describes."""

    layout: Layout
    vertices: int
    mode: str
    keys: NDArray[np.uint64]
    values: NDArray[np.uint32]
    attributes: NDArray[np.int32]
    row_offsets: NDArray[np.int32]

    @cached_property
    def filled(self) -> NDArray[np.int64]:
        """The positions that are no gaps."""
        return np.flatnonzero(self.keys != np.uint64(NO_KEY))

    @cached_property
    def sources(self) -> NDArray[np.int64]:
        """Of what is there: edges, also those deleted, and sentinels."""
        return (self.keys[self.filled] >> np.uint64(32)).astype(np.int64)

    @cached_property
    def targets(self) -> NDArray[np.int64]:
        """Of what is there."""
        return (self.keys[self.filled] & np.uint64(ROW_END)).astype(np.int64)

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Which of what is there are edges of the graph."""
        deleted = self.values[self.filled] == np.uint32(DELETED)
        edges: NDArray[np.bool_] = (self.targets != ROW_END) & ~deleted
        return edges

    def edges(self) -> Batch:
        """Return the edges of the graph."""
        at = self.filled[self.live]
        columns = self.attributes.reshape(-1, self.layout.positions) if MODES[self.mode] else ()
        named = zip(MODES[self.mode], columns, strict=True)
        more: dict[str, Any] = {name: column[at] for name, column in named}
        sources, targets = self.sources[self.live], self.targets[self.live]
        return Batch(sources.astype(np.int32), targets.astype(np.int32), more)

    @property
    def facts(self) -> dict[str, int]:
        """How many positions there are of each kind."""
        edges = int(np.count_nonzero(self.live))
        gaps = self.layout.positions - len(self.filled)
        deleted = len(self.filled) - edges - self.vertices
        return {
            "positions": self.layout.positions,
            "leaf_length": self.layout.leaf,
            "size": edges,
            "gaps": gaps,
            "deleted": deleted,
        }

    def check(self) -> None:
        """Raise StructureError unless order, ends, sentinels, offsets and densities are right."""
        self._check_order()
        self._check_ends()
        self._check_sentinels()
        self._check_densities()

    def _check_order(self) -> None:
        keys = self.keys[self.filled]
        wrong = np.flatnonzero(keys[1:] <= keys[:-1])
        if len(wrong):
            at = int(wrong[0])
            twice = keys[at] == keys[at + 1]
            what = "has an edge twice" if twice else "has edges that are not in ascending order"
            raise StructureError(
                int(self.sources[at + 1]), f"{what}, at position {self.filled[at + 1]}"
            )

    def _check_ends(self) -> None:
        ends = self.targets == ROW_END
        wrong = (self.sources >= self.vertices) | (~ends & (self.targets >= self.vertices))
        wrong |= ends & (self.values[self.filled] == np.uint32(DELETED))
        if wrong.any():
            at = int(np.argmax(wrong))
            found = f"{self.sources[at]} to {self.targets[at]}"
            raise StructureError(
                int(self.sources[at]), f"has an entry that cannot be, from {found}"
            )

    def _check_sentinels(self) -> None:
        """Each row has one, and begins at the one before."""
        ends = self.targets == ROW_END
        rows = self.sources[ends]
        if not np.array_equal(rows, np.arange(self.vertices)):
            missing = np.setdiff1d(np.arange(self.vertices), rows)
            raise StructureError(int(missing[0]), "has no sentinel behind its edges")
        expected = np.append(0, self.filled[ends])
        wrong = np.flatnonzero(self.row_offsets != expected)
        if len(wrong):
            row = int(wrong[0])
            raise StructureError(
                min(row, self.vertices - 1),
                f"has its row at {self.row_offsets[row]}, and it begins at {expected[row]}",
            )

    def _check_densities(self) -> None:
        """No leaf is fuller than it may be."""
        upper = self.layout.bounds[0][1]
        counts = np.bincount(self.filled >> self.layout.leaf_bits, minlength=self.layout.leaves)
        if (counts > upper).any():
            leaf = int(np.argmax(counts > upper))
            at = int(np.searchsorted(self.filled, leaf << self.layout.leaf_bits))
            raise StructureError(
                int(self.sources[at]),
                f"is in leaf {leaf}, which has {counts[leaf]} keys where {upper} are allowed",
            )
