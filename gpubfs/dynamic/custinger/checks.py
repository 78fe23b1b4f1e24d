"""Whether cuSTINGER's memory is as it must be, by what the host has read of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gpubfs.dynamic.batch import Batch
from gpubfs.dynamic.custinger.edge_memory import MEMBER, EdgeMemory
from gpubfs.dynamic.operation import StructureError

#: What a place without an edge holds.
EMPTY = -1

#: For each vertex whether something is wrong, and what.
Fault = tuple[NDArray[np.bool_], str]


@dataclass(frozen=True)
class Places:
    """What device memory holds.

    Attributes
    ----------
    vertices : int
        V.
    used, room, marks : int32 array of shape (V,)
        How many edges each vertex has, for how many there is room, and whether it waits for its
        gaps to be closed.
    addresses : uint64 array of shape (V,)
        Where the edges are.
    pointers : uint64 array of shape (V, members)
        What the records hold.
    targets : int32 array
        All places for destinations, those of each vertex behind the other's.
    """

    vertices: int
    used: NDArray[np.int32]
    room: NDArray[np.int32]
    addresses: NDArray[np.uint64]
    pointers: NDArray[np.uint64]
    marks: NDArray[np.int32]
    targets: NDArray[np.int32]

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The vertex of each place."""
        return np.repeat(np.arange(self.vertices, dtype=np.int32), self.room)

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Whether there must be an edge in each place."""
        starts = np.cumsum(self.room, dtype=np.int64) - self.room
        return np.arange(len(self.targets)) - starts[self.owners] < self.used[self.owners]

    def some(self, wrong: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each vertex whether one of its places is wrong."""
        return np.bincount(self.owners[wrong], minlength=self.vertices) > 0


def check(places: Places, memory: EdgeMemory) -> None:
    """Raise StructureError if something is not as it must be.

    Parameters
    ----------
    places : Places
        What device memory holds.
    memory : EdgeMemory
        What the host knows of it.
    """
    # One after the other: those of edges need sizes that are right.
    for wrong, reason in chain(_sizes(places, memory), _pointers(places, memory), _edges(places)):
        if wrong.any():
            raise StructureError(int(np.argmax(wrong)), reason)
    live = Batch(places.owners[places.live], places.targets[places.live])
    twins = repeated(live)
    if len(twins):
        reason = (
            f"has the edge to {twins.targets[0]} more than once: two updates of one batch did not "
            "see each other"
        )
        raise StructureError(int(twins.sources[0]), reason)


def _sizes(places: Places, memory: EdgeMemory) -> Iterator[Fault]:
    yield places.room != memory.room, "has room for another number of edges than was allocated"
    yield (places.used < 0) | (places.used > places.room), "has more edges than room"
    yield places.marks != 0, "is marked as if it had gaps"


def _pointers(places: Places, memory: EdgeMemory) -> Iterator[Fault]:
    yield places.addresses != memory.addresses, "has its edges in memory that is not its own"
    members = np.arange(places.pointers.shape[1], dtype=np.uint64) * np.uint64(MEMBER)
    expected = places.addresses[:, None] + members * places.room[:, None].astype(np.uint64)
    wrong = (places.pointers != expected).any(axis=1)
    yield wrong, "has a record that does not point to its edges"


def _edges(places: Places) -> Iterator[Fault]:
    empty = places.targets == EMPTY
    yield places.some(places.live & empty), "has an empty place between its edges"
    yield places.some(~places.live & ~empty), "has something behind its last edge"
    outside = (places.targets < 0) | (places.targets >= places.vertices)
    yield places.some(places.live & outside), "has an edge to no vertex"


def repeated(edges: Batch) -> Batch:
    """Return the edges that are there more than once, each of them once and without its values.

    Examples
    --------
    >>> twins = repeated(Batch([2, 0, 2, 2], [1, 1, 1, 0]))
    >>> twins.sources.tolist(), twins.targets.tolist()
    ([2], [1])
    """
    keys, times = np.unique(edges.keys, return_counts=True)
    twice = keys[times > 1]
    return Batch(twice >> 32, twice & 0xFFFFFFFF)
