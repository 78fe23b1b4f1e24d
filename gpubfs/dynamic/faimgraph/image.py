"""faimGraph's memory as the host reads it: its edges, and whether all of it is in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.faimgraph.layout import ERRORS, MANAGER, NONE, VERTEX, Layout
from gpubfs.dynamic.operation import StructureError

Words = NDArray[np.int32]


@dataclass
class Image:
    """A copy of the allocation.

    Parameters
    ----------
    layout : Layout
        Where everything lies.
    mode : str
        What an edge has besides its destination: a name of `MODES`.
    front : int32 array
        The words from the manager to the last vertex.
    back : int32 array
        The pages that were ever taken, the last one first.
    """

    layout: Layout
    mode: str
    front: Words
    back: Words

    @cached_property
    def manager(self) -> dict[str, int]:
        """The words of the manager by name."""
        return {name: int(self.front[at]) for name, at in MANAGER.items()}

    @cached_property
    def records(self) -> Words:
        """The vertices, a row of words each."""
        words = self.front[self.layout.vertices_at :]
        return words.reshape(-1, self.layout.vertex_words)

    @cached_property
    def pages(self) -> Words:
        """The pages, a row of words each."""
        return self.back.reshape(-1, self.layout.page_words)[::-1]

    def field(self, name: str) -> Words:
        """Return one word of every vertex."""
        return self.records[:, VERTEX.index(name)]

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Which vertices are there."""
        return np.not_equal(self.field("host_id"), NONE)

    def chains(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
        """Yield vertices and their pages of one number in the chain, one number after another.

        Raises
        ------
        StructureError
            If a link leads to no page, or for ever on.
        """
        vertices = np.flatnonzero(self.field("first_page") != NONE)
        here = self.field("first_page")[vertices].astype(np.int64)
        number = 0
        while len(vertices):
            outside = (here < 0) | (here >= len(self.pages))
            self._refuse(vertices[outside], "has a link to a page that nobody took")
            if number > len(self.pages):
                raise StructureError(int(vertices[0]), "has links that lead in a circle")
            yield vertices, here, number
            onward = self.pages[here, -1] != NONE
            vertices = vertices[onward]
            here = self.pages[here[onward], -1].astype(np.int64)
            number += 1

    def edges(self) -> Batch:
        """Return the edges page by page; ends are what the host calls vertices."""
        layout = self.layout
        parts = [np.empty((0, 1 + layout.edge_words), np.int32)]
        degrees = self.field("neighbours")
        places = np.arange(layout.entries)
        for vertices, here, number in self.chains():
            used = places < (degrees[vertices] - number * layout.entries)[:, None]
            entries = self._entries(here)[used]
            sources = np.broadcast_to(vertices[:, None], used.shape)[used]
            parts.append(np.column_stack((sources, entries)).astype(np.int32))
        found = np.concatenate(parts)
        ids = self.field("host_id")
        more = {name: found[:, 2 + at] for at, name in enumerate(MODES[self.mode])}
        return Batch(ids[found[:, 0]], ids[found[:, 1]], more)

    def check(self) -> None:
        """Raise StructureError for the first vertex of which something is not in order."""
        self._refuse(np.flatnonzero(self.field("lock")), "is locked")
        self._check_vertices()
        self._check_chains()
        self._check_entries()
        edges = self.edges()
        keys = np.sort(edges.keys)
        self._refuse(keys[1:][keys[1:] == keys[:-1]] >> 32, "has an edge twice")

    def _check_vertices(self) -> None:
        ids = np.sort(self.field("host_id")[self.live])
        self._refuse(ids[1:][ids[1:] == ids[:-1]], "is there twice")
        free = self._queued("free_vertices", self.layout.vertex_queue_at, self.layout.vertex_slots)
        dead = np.flatnonzero(~self.live)
        lost = self.manager["errors"] & ERRORS["vertex_queue_full"]
        self._refuse(np.setdiff1d(free, dead), "is free, and there all the same")
        if not lost:
            self._refuse(np.setdiff1d(dead, free), "was deleted, and is not free")
        edgy = dead[self.field("neighbours")[dead] != 0]
        self._refuse(edgy, "was deleted, and has neighbours")

    def _check_chains(self) -> None:
        lengths = np.zeros(len(self.records), np.int64)
        owners = np.zeros(len(self.pages), np.int64)
        for vertices, here, _ in self.chains():
            lengths[vertices] += 1
            np.add.at(owners, here, 1)
            self._refuse(vertices[owners[here] > 1], "has a page that another one has, too")
        capacity = self.field("capacity")
        wrong = np.flatnonzero(capacity != lengths * self.layout.entries)
        self._refuse(wrong, "has another capacity than its pages")
        self._refuse(np.flatnonzero(self.live & (lengths == 0)), "has no page")
        self._refuse(np.flatnonzero(self.field("neighbours") > capacity), "has too little room")
        queue = "free_pages", self.layout.page_queue_at, self.layout.page_slots
        np.add.at(owners, self._queued(*queue), 1)
        if (wrong := np.flatnonzero(owners != 1)).size:
            how = "neither free nor a vertex's" if owners[wrong[0]] == 0 else "free and a vertex's"
            raise StructureError(-1, f"has no page {wrong[0]}: it is {how}")

    def _check_entries(self) -> None:
        """Look whether edges lead to vertices, and whether places without edges are marked."""
        degrees, places = self.field("neighbours"), np.arange(self.layout.entries)
        for vertices, here, number in self.chains():
            targets = self._entries(here)[:, :, 0]
            used = places < (degrees[vertices] - number * self.layout.entries)[:, None]
            unmarked = (~used & (targets != NONE)).any(axis=1)
            self._refuse(vertices[unmarked], "has something behind its last edge")
            outside = (targets < 0) | (targets >= len(self.records))
            self._refuse(vertices[(used & outside).any(axis=1)], "has an edge to no vertex")
            gone = used & ~self.live[np.where(outside, 0, targets)]
            self._refuse(vertices[gone.any(axis=1)], "has an edge to a vertex that was deleted")

    def _entries(self, pages: NDArray[np.int64]) -> Words:
        """Return an array of pages, entries of a page, words of an entry."""
        layout = self.layout
        rows = self.pages[pages, : layout.entries * layout.edge_words]
        return rows.reshape(-1, layout.entries, layout.edge_words)

    def _queued(self, name: str, at: int, slots: int) -> Words:
        """Return the indices in a queue.

        Raises
        ------
        StructureError
            If their number is not what the queue says.
        """
        state = MANAGER[name]
        count, front, back = self.front[state : state + 3].view(np.uint32).astype(np.int64)
        ring = self.front[at : at + slots]
        filled = (front + np.arange(count)) % slots
        if (back - front) % 2**32 != count or count > slots or (ring[filled] == NONE).any():
            raise StructureError(-1, f"has not the {count} indices of the queue {name}")
        if np.count_nonzero(ring != NONE) != count:
            raise StructureError(-1, f"has more than the {count} indices of the queue {name}")
        indices: Words = ring[filled]
        return indices

    def _refuse(self, vertices: NDArray[Any], reason: str) -> None:
        if len(vertices):
            raise StructureError(int(vertices[0]), reason)
