"""Memory for the edges of each vertex by itself, which the host allocates and replaces.

cuSTINGER's: a record of 64 bytes with the pointers to an edge's members, and behind another pointer
the members, each for all edges of the vertex, with room for more edges than there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import UsageError
from gpubfs.graphs.build import count
from gpubfs.host import Host

Counts = NDArray[np.int32]
Addresses = NDArray[np.uint64]

#: Bytes of a record, and of a member of an edge; what cudaMalloc aligns to.
RECORD, MEMBER, ALIGNMENT = 64, 4, 256

#: Room for adjacencies of fewer edges than FEW, and what others have times.
FEW, FIRST_ROOM, MORE, DOUBLE = 5, 10, 1.5, 2


def first_room(degrees: NDArray[np.integer], more: bool) -> Counts:
    """Return for how many edges vertices of these degrees have room at first.

    Parameters
    ----------
    degrees : int array
        How many edges they have.
    more : bool
        Whether there is to be room for more.

    Examples
    --------
    >>> first_room(np.array([0, 4, 5, 6]), True).tolist()
    [10, 10, 7, 9]
    >>> first_room(np.array([0, 4, 5, 6]), False).tolist()
    [0, 4, 5, 6]
    """
    room = np.where(degrees < FEW, FIRST_ROOM, MORE * degrees) if more else degrees
    return room.astype(np.int32)


def next_room(room: Counts, missing: NDArray[np.integer], more: bool) -> Counts:
    """Return for how many edges vertices have room once their memory was too small.

    Parameters
    ----------
    room : int32 array
        For how many they had.
    missing : int array
        How many more there are.
    more : bool
        Whether there is to be room for more than these.

    Examples
    --------
    >>> next_room(np.array([1, 10], np.int32), np.array([2, 1]), True).tolist()
    [6, 16]
    >>> next_room(np.array([1, 10], np.int32), np.array([2, 1]), False).tolist()
    [3, 11]
    """
    needed = room + missing
    grown = np.where(needed < FEW, DOUBLE * needed, MORE * needed) if more else needed
    return grown.astype(np.int32)


@dataclass(frozen=True)
class Move:
    """Vertices whose edges go to new memory.

    Attributes
    ----------
    vertices : int32 array of shape (M,)
        Which.
    addresses : uint64 array of shape (M,)
        Where their edges will be.
    room : int32 array of shape (M,)
        For how many edges.
    """

    vertices: Counts
    addresses: Addresses
    room: Counts


class EdgeMemory:
    """Where each vertex's edges are, as the host keeps it and kernels see it.

    Parameters
    ----------
    host : Host
        It allocates.
    degrees : int array of shape (V,)
        How many edges there are at first.
    members : int
        Of an edge: its destination, and what it has besides.
    more : bool
        Whether there is room for more edges than there are.

    Attributes
    ----------
    room : int32 array of shape (V,)
        For how many edges of each vertex there is memory.
    addresses : uint64 array of shape (V,)
        Where it is; 0 where there is none.
    records, addresses_there, room_there : device array of shape (V,)
        Where each vertex's record is; the two above as kernels see them.

    Raises
    ------
    UsageError
        If memory does not suffice; nothing is allocated then.
    """

    def __init__(self, host: Host, degrees: NDArray[np.integer], members: int, more: bool) -> None:
        self._host = host
        self._each = MEMBER * members
        self._more = more
        self.room = first_room(degrees, more)
        self.addresses = np.zeros(len(degrees), np.uint64)
        records = host.allocate("record", np.full(len(degrees), RECORD))
        own = np.flatnonzero(self.room)
        found = host.allocate("edges", self._bytes(self.room[own]))
        if len(records) < len(degrees) or len(found) < len(own):
            host.release(records, RECORD * len(records))
            host.release(found, self.total(self.room[own[: len(found)]]))
            raise _too_small(min(len(records), len(found)), len(degrees))
        self.addresses[own] = found
        self.records = host.array("records", records)
        self.addresses_there = host.array("memory", self.addresses)
        self.room_there = host.array("capacity", self.room)

    def _bytes(self, room: Counts) -> NDArray[np.int64]:
        return room.astype(np.int64) * self._each

    def total(self, room: Counts) -> int:
        """Return the bytes of adjacencies with so much room together."""
        return int(self._bytes(room).sum())

    @property
    def padding(self) -> int:
        """Bytes by which alignment makes records and adjacencies larger together."""
        own = np.append(self._bytes(self.room[self.room > 0]), np.full(len(self.room), RECORD))
        return int((-own % ALIGNMENT).sum())

    def grow(self, vertices: Counts, missing: NDArray[np.integer]) -> Move:
        """Allocate larger memory for vertices, of the first of them only where memory ends.

        Parameters
        ----------
        vertices : int32 array
            Each once.
        missing : int array
            How many more edges each is to hold.
        """
        room = next_room(self.room[vertices], missing, self._more)
        addresses = self._host.allocate("edges", self._bytes(room))
        able = len(addresses)
        return Move(vertices[:able], addresses, room[:able])

    def moved(self, move: Move) -> None:
        """Give back the memory from which a kernel has moved edges."""
        old = self.addresses[move.vertices]
        self._host.release(old[old > 0], self.total(self.room[move.vertices]))
        self.addresses[move.vertices] = move.addresses
        self.room[move.vertices] = move.room


def _too_small(able: int, vertices: int) -> UsageError:
    return UsageError(
        f"memory was exhausted: it holds the edges of {able:,} of "
        f"{count(vertices, 'vertex', 'vertices')}",
        "take a smaller graph, or over_allocation=false",
    )
