"""What must hold of arrays before they are a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpubfs.arguments import is_whole, shown, text, texts, truth, whole
from gpubfs.graphs import build
from gpubfs.graphs.build import Integers, unreturned
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.limits import MOST_VERTICES


def integers(values: ArrayLike, what: str) -> Integers:
    """`values` as a one-dimensional array of whole numbers, in this machine's order of bytes.

    Numbers of other types are converted where nothing is lost: 32-bit integers stay as wide as they
    are, all others get 64 bits.

    >>> integers(np.array([0.0, 2.0]), "offsets")
    array([0, 2])
    >>> integers(np.array([0.5]), "offsets")
    Traceback (most recent call last):
        ...
    gpubfs.graphs.errors.GraphError: error: offsets holds float64 where whole numbers are needed
      its element 0 is 0.5: give integers
    """
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        raise GraphError(f"{what} is no array", hint="give a list of whole numbers") from None
    if type(values) is not np.ndarray and np.ma.is_masked(values):
        raise GraphError(f"{what} holds masked elements", hint="leave them out: what.compressed()")
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1:
        hint = "give a list of whole numbers"
        raise GraphError(f"{what} has {array.ndim} dimensions where one is needed", hint=hint)
    width = np.int32 if array.dtype.kind == "i" and array.dtype.itemsize == 4 else np.int64
    lost = _lost(array)
    if lost.any():
        at = int(np.argmax(lost))
        element = array[at : at + 1].tolist()[0]
        if is_whole(element):
            message = f"{what} holds {element} at position {at}, which is out of range"
            raise GraphError(message, hint="give integers below 2**63")
        raise GraphError(
            f"{what} holds {array.dtype} where whole numbers are needed",
            hint=f"its element {at} is {shown(element)}: give integers",
        )
    return array.astype(width, copy=False)


def _lost(array: NDArray[Any]) -> Any:
    """Which elements 64-bit integers cannot hold as they are, an array of truth values."""
    kind = array.dtype.kind
    if kind in "ib":
        return np.zeros(len(array), bool)
    if kind == "u":
        return np.greater(array, np.iinfo(np.int64).max)
    if kind == "f":
        wide = array.astype(np.promote_types(array.dtype, np.float64))
        with np.errstate(invalid="ignore"):
            return np.logical_not((np.abs(wide) < 2.0**63) & (np.trunc(wide) == wide))
    if kind == "O":
        return np.array([not _fits(element) for element in array])
    return np.ones(len(array), bool)


def _fits(element: Any) -> bool:
    return is_whole(element) and -(2**63) <= int(element) < 2**63


def owned(array: NDArray[Any], dtype: type | None = None) -> NDArray[Any]:
    """Copy an array to contiguous memory that cannot be written to."""
    return frozen(np.array(array, dtype, order="C"))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def refused(message: str, hint: str) -> GraphError:
    """Make the error for an argument of the wrong kind."""
    return GraphError(message, hint=hint)


def check_description(name: Any, directed: Any, notes: Any) -> tuple[str, bool, tuple[str, ...]]:
    """Check a graph's name, whether it is directed, and its notes; each of its kind."""
    return (
        text(name, "name", "give the graph's name", refused),
        truth(directed, "directed", refused),
        texts(notes, "notes", "give a list of sentences", refused),
    )


def vertex_count(given: Any, ends: Sequence[Integers]) -> int:
    """Return the number of vertices that was given, or one more than the largest end."""
    if given is None:
        return 1 + max((int(end.max()) for end in ends if len(end)), default=-1)
    if is_whole(given) and given < 1:
        return 0  # which `check_ends` refuses
    return whole(given, "vertices", 1, MOST_VERTICES, refused)


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
