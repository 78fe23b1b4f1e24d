"""What every file reader is told and what it hands on: options, and edges in file order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.build import count

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Options:
    """How to read a file.

    Parameters
    ----------
    directed : bool
        Keep the direction of each listed edge; otherwise every edge counts in both directions.
    loops : bool
        Keep edges from a vertex to itself.
    raw : bool
        Keep the entries exactly as listed: directions, loops and repetitions.
    compact : bool
        Number the vertices that have edges from 0 on, in the order of their numbers in the file.
    base : int, optional
        The number of the first vertex in an edge list, 0 or 1; found out if not given.
    header : bool, optional
        Whether an edge list's first line gives the numbers of vertices and edges; found out if not
        given.
    format : str, optional
        The file's format, where its name and beginning do not tell.
    """

    directed: bool = False
    loops: bool = False
    raw: bool = False
    compact: bool = False
    base: int | None = None
    header: bool | None = None
    format: str | None = None

    @property
    def one_way(self) -> bool:
        """Whether an edge may lack its reverse."""
        return self.directed or self.raw


@dataclass(frozen=True)
class Listing:
    """Edges in file order, vertices numbered from 0, the number of vertices, and sentences."""

    sources: Ids
    targets: Ids
    vertices: int
    notes: tuple[str, ...] = ()

    def compacted(self) -> Listing:
        """The same edges over only those vertices that have edges."""
        used, ends = np.unique(np.concatenate([self.sources, self.targets]), return_inverse=True)
        dropped = self.vertices - len(used)
        left_out = count(dropped, "vertex", "vertices")
        note = f"{left_out} without edges left out and the rest renumbered."
        half = len(self.sources)
        notes = (*self.notes, note) if dropped else self.notes
        return Listing(ends[:half], ends[half:], len(used), notes)
