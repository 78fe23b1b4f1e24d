"""Insertion and deletion of vertices in faimGraph, as the host drives them."""

from __future__ import annotations

import bisect
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpubfs.arguments import is_kind, shown
from gpubfs.dynamic.batch import narrow
from gpubfs.dynamic.faimgraph.allocation import Allocation
from gpubfs.dynamic.faimgraph.layout import VERTEX
from gpubfs.dynamic.operation import Effect
from gpubfs.errors import UsageError
from gpubfs.graphs import GraphError
from gpubfs.graphs.checks import integers
from gpubfs.graphs.limits import check_size
from gpubfs.host import DeviceArray

#: Threads of a block.
THREADS = 256

#: Ids are below this.
MOST = 2**31 - 1


def checked(ids: ArrayLike) -> NDArray[np.int32]:
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


def check_largest(ids: NDArray[np.int32]) -> None:
    """Check that the host's memory can hold a graph with these vertices.

    Raises
    ------
    GraphError
        If it cannot: it has an entry for each id up to the largest.
    """
    most = int(ids.max(initial=-1))
    hint = "give smaller ids; no update took effect"
    check_size(f"a graph with vertex {most}", most + 1, 0, hint)


def records(
    ids: NDArray[np.int32], values: Mapping[str, ArrayLike], words: int
) -> NDArray[np.int32]:
    """Return what the record of each vertex has behind its id.

    Parameters
    ----------
    ids : int32 array
        The vertices.
    values : mapping of str to array_like of int
        Their weights and types; 0 where none are given.
    words : int
        Words of a record.

    Raises
    ------
    UsageError, GraphError
        If vertices of the mode have no such value, or there are not as many.
    """
    known = VERTEX[VERTEX.index("host_id") + 1 : words]
    if not is_kind(values, Mapping):
        what = f"values={shown(values)} is no mapping; no update took effect"
        raise UsageError(what, 'give a dictionary, such as {"weight": [3]}')
    for name in values:
        if name not in known:
            has = f"vertices of this mode have no {name}"
            raise UsageError(f"{has}; no update took effect", "leave it out, or take another mode")
    made = np.zeros((len(ids), len(known)), np.int32)
    for at, name in enumerate(known):
        given = narrow(values.get(name, made[:, at]), name)
        if len(given) != len(ids):
            what = f"there are {len(ids)} ids and {len(given)} of {name}"
            raise GraphError(f"{what}; no update took effect", hint="give one for each vertex")
        made[:, at] = given
    return made


def insert(
    allocation: Allocation, ids: NDArray[np.int32], values: NDArray[np.int32]
) -> tuple[Effect, NDArray[np.int32]]:
    """Refuse ids that are there, and insert the others, as many as there is room for.

    Parameters
    ----------
    allocation : Allocation
        The graph.
    ids : int32 array
        In ascending order, at least one.
    values : int32 array
        What `records` gives for them.

    Returns
    -------
    Effect, int32 array
        What it did, and the index of each vertex, -1 of those that were not inserted.
    """
    host, count = allocation.host, len(ids)
    none = np.zeros(count, np.int32)
    parts = ids, values.ravel(), none, none, none[:1]
    with allocation.temporaries("a batch", *parts, room_for=count) as places:
        wanted, more, refused, indices, tickets = places
        grid, end = host.blocks(count, THREADS), allocation.state["next_vertex"]
        host.launch("refuse_twins", grid, THREADS, (wanted, count, refused))
        graph = allocation.part("vertices"), end
        every = host.blocks(max(end, 1), THREADS)
        host.launch("refuse_present", every, THREADS, (*graph, wanted, count, refused))
        own = *allocation.arguments, *allocation.vertex_queue, end + count
        batch = wanted, more, count, refused, tickets, _most(allocation, count), indices
        host.launch("insert_vertices", grid, THREADS, (*own, *batch))
        found = host.read(indices)
        return allocation.effect(), found


def _most(allocation: Allocation, count: int) -> int:
    """Return for how many of `count` vertices there are pages; there is an index for each."""
    state, limit = allocation.state, allocation.page_limit

    def lacks(vertices: int) -> bool:
        return state["next_page"] + max(vertices - state["free_pages"], 0) > limit

    return bisect.bisect_left(range(1, count + 1), True, key=lacks)


def delete(allocation: Allocation, indices: NDArray[np.int32], symmetric: bool) -> Effect:
    """Take the ids away, then what leads to these vertices, then what they have.

    Parameters
    ----------
    allocation : Allocation
        The graph.
    indices : int32 array
        Of the vertices, at least one; some may be there several times.
    symmetric : bool
        Whether all edges have their reverses.
    """
    host, count = allocation.host, len(indices)
    with allocation.temporaries("a batch", indices, indices) as (doomed, won):
        grid, batch = host.blocks(count, THREADS), (doomed, count, won)
        own = allocation.part("manager"), allocation.part("vertices")
        host.launch("take_ids", grid, THREADS, (*own, *batch))
        _forget(allocation, batch, symmetric)
        queues = *allocation.arguments, *allocation.vertex_queue
        host.launch("free_vertices", grid, THREADS, (*queues, *batch))
        return allocation.effect()


def _forget(
    allocation: Allocation, batch: tuple[DeviceArray, int, DeviceArray], symmetric: bool
) -> None:
    """Delete the edges that lead to vertices without ids."""
    host = allocation.host
    if symmetric:
        grid = host.blocks(batch[1] * host.warp_size, THREADS)
        host.launch("forget_by_lists", grid, THREADS, (*allocation.arguments, *batch))
    else:
        end = allocation.state["next_vertex"]
        args = (*allocation.arguments, end)
        host.launch("forget_by_pass", host.blocks(end, THREADS), THREADS, args)
