"""Insertion and deletion of vertices in faimGraph, as the host drives them."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpubfs.dynamic.faimgraph_layout import NONE, VERTEX
from gpubfs.dynamic.operation import Effect, Operation
from gpubfs.errors import UsageError
from gpubfs.graphs import GraphError
from gpubfs.graphs.checks import integers

if TYPE_CHECKING:
    from gpubfs.dynamic.faimgraph import FaimGraph

#: Threads of a block.
THREADS = 256

#: Ids are below this.
MOST = 2**31 - 1


class VertexUpdates:
    """A batch of vertices for a graph.

    Parameters
    ----------
    graph : FaimGraph
        Which changes.
    """

    def __init__(self, graph: FaimGraph) -> None:
        self._graph = graph
        self._host = graph.host

    def insert(self, ids: ArrayLike, values: Mapping[str, ArrayLike]) -> Operation:
        """Insert vertices: the parameters and errors are those of `FaimGraph.insert_vertices`."""
        wanted = _checked(ids)
        records = self._records(wanted, values)
        order = np.argsort(wanted, kind="stable")
        return self._graph.measured(
            "insert_vertices", len(wanted), lambda: self._insert(wanted[order], records[order])
        )

    def delete(self, ids: ArrayLike) -> Operation:
        """Delete vertices: the parameters and errors are those of `FaimGraph.delete_vertices`."""
        wanted = _checked(ids)
        return self._graph.measured(
            "delete_vertices", len(wanted), lambda: self._delete(wanted)
        )

    def _records(self, ids: NDArray[np.int32], values: Mapping[str, ArrayLike]) -> NDArray[np.int32]:
        """Return what each record has behind its id.

        Raises
        ------
        UsageError, GraphError
            If vertices of the mode have no such value, or there are not as many.
        """
        known = VERTEX[VERTEX.index("host_id") + 1 : self._graph.layout.vertex_words]
        for name in values:
            if name not in known:
                has = f"vertices of mode={self._graph.mode} have no {name}"
                raise UsageError(f"{has}; no update took effect", "leave it out")
        records = np.zeros((len(ids), len(known)), np.int32)
        for at, name in enumerate(known):
            given = integers(values.get(name, records[:, at]), name)
            if len(given) != len(ids):
                what = f"there are {len(ids)} ids and {len(given)} of {name}"
                raise GraphError(f"{what}; no update took effect", hint="give one for each vertex")
            records[:, at] = given
        return records

    def _insert(self, ids: NDArray[np.int32], records: NDArray[np.int32]) -> Effect:
        """Refuse those that are there, and insert the others, as many as there is room for."""
        graph, host, count = self._graph, self._host, len(ids)
        if not count:
            return Effect(0)
        none = np.zeros(count, np.int32)
        parts = ids, records.ravel(), none, none, none[:1]
        with graph.temporaries("a batch", *parts, room_for=count) as places:
            wanted, values, refused, indices, tickets = places
            grid = host.blocks(count, THREADS)
            host.launch("refuse_twins", grid, THREADS, (wanted, count, refused))
            end = graph.state["next_vertex"]
            args = (graph.part("vertices"), end, wanted, count, refused)
            host.launch("refuse_present", host.blocks(max(end, 1), THREADS), THREADS, args)
            most = self._most(count)
            queue = graph.part("vertex_queue"), graph.layout.vertex_slots, end + count
            args = (*graph.graph_arguments(), *queue, wanted, values, count)
            args = (*args, refused, tickets, most, indices)
            host.launch("insert_vertices", grid, THREADS, args)
            found = host.read(indices)
            effect = graph.effect()
        graph.named(ids[found != NONE], found[found != NONE])
        return effect

    def _most(self, count: int) -> int:
        """Return for how many of `count` vertices there are indices and pages."""
        state = self._graph.state

        def fits(vertices: int) -> bool:
            pages = state["next_page"] + max(vertices - state["free_pages"], 0)
            return pages <= self._graph.page_limit

        return bisect.bisect_left(range(1, count + 1), True, key=lambda n: not fits(n))

    def _delete(self, ids: NDArray[np.int32]) -> Effect:
        """Take the ids away, then what leads to these vertices, then what they have."""
        graph, host = self._graph, self._host
        known = ids[ids < len(graph.indices)]
        known = known[graph.indices[known] != NONE]
        count = len(known)
        if not count:
            return Effect(0, len(ids))
        with graph.temporaries("a batch", graph.indices[known], known) as (doomed, won):
            grid = host.blocks(count, THREADS)
            args = (graph.part("manager"), graph.part("vertices"), doomed, count, won)
            host.launch("take_ids", grid, THREADS, args)
            self._forget(doomed, count, won)
            queue = graph.part("vertex_queue"), graph.layout.vertex_slots
            args = (*graph.graph_arguments(), *queue, doomed, count, won)
            host.launch("free_vertices", grid, THREADS, args)
            effect = graph.effect()
        graph.named(known, NONE)
        absent = effect.unchanged + len(ids) - count
        return Effect(effect.applied, absent, effect.refused, effect.facts)

    def _forget(self, doomed: object, count: int, won: object) -> None:
        """Delete the edges that lead to vertices without ids."""
        graph, host = self._graph, self._host
        if graph.symmetric:
            grid = host.blocks(count * host.warp_size, THREADS)
            args = (*graph.graph_arguments(), doomed, count, won)
            host.launch("forget_by_lists", grid, THREADS, args)
        else:
            end = graph.state["next_vertex"]
            args = (*graph.graph_arguments(), end)
            host.launch("forget_by_pass", host.blocks(end, THREADS), THREADS, args)


def _checked(ids: ArrayLike) -> NDArray[np.int32]:
    """Return ids as 32-bit numbers.

    Raises
    ------
    GraphError
        If they are no ids.
    """
    given = integers(ids, "ids")
    wrong = np.flatnonzero((given < 0) | (given >= MOST))
    if len(wrong):
        at = int(wrong[0])
        what = f"ids holds {given[at]} at position {at}: out of range"
        raise GraphError(f"{what}; no update took effect", hint=f"give ids from 0 to {MOST - 1}")
    return given.astype(np.int32)
