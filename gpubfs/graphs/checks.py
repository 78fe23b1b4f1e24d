"""What must hold of arrays before they are a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpubfs.graphs import build
from gpubfs.graphs.build import Integers
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.limits import MOST_VERTICES
from gpubfs.graphs.symmetry import unreturned


def integers(values: ArrayLike, what: str) -> Integers:
    """`values` as a one-dimensional array of whole numbers."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1:
        raise GraphError(f"{what} has {array.ndim} dimensions where one is needed")
    if array.dtype.kind not in "iu":
        raise GraphError(f"{what} holds {array.dtype} where whole numbers are needed")
    return array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def check_offsets(offsets: Integers, entries: int) -> None:
    """Offsets rise from 0 to the number of entries."""
    if len(offsets) == 0:
        raise GraphError("offsets is empty", hint="it needs one entry more than there are vertices")
    if len(offsets) - 1 > MOST_VERTICES:
        raise GraphError(f"the graph has more than {MOST_VERTICES:,} vertices, the limit")
    if int(offsets[0]) != 0:
        raise GraphError(f"offsets starts at {offsets[0]} and must start at 0")
    falling = np.flatnonzero(offsets[1:] < offsets[:-1])
    if len(falling):
        v = int(falling[0])
        raise GraphError(f"offsets falls from {offsets[v]} to {offsets[v + 1]} at vertex {v}")
    if int(offsets[-1]) != entries:
        raise GraphError(f"offsets ends at {offsets[-1]}, and neighbours holds {entries}")


def check_ends(ends: Integers, vertices: int, what: str) -> None:
    """Every end of an edge is a vertex, and there is a vertex."""
    wrong = np.flatnonzero((ends < 0) | (ends >= vertices))
    if vertices < 1:
        raise GraphError("the graph has no vertices", hint="a graph needs at least one vertex")
    if len(wrong):
        at = int(wrong[0])
        size = build.count(vertices, "vertex", "vertices")
        raise GraphError(
            f"{what} {ends[at]} at position {at} is not one of the {size}",
            hint=f"vertices are numbered from 0 to {vertices - 1}",
        )


def check_symmetry(offsets: Integers, neighbours: NDArray[np.int32]) -> None:
    """Every edge has its reverse."""
    lonely = unreturned(offsets, neighbours)
    if lonely:
        raise GraphError(
            "vertex {} has {} as a neighbour but not the other way round".format(*lonely),
            hint="pass directed=True, or make the graph with Graph.from_edges",
        )
