"""The edges of a frontier whose vertices have many edges, few, or none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

#: The degrees of the lesson's question.
QUESTION = (1, 5, 0, 2)


def make(
    rng: np.random.Generator,
    size: int = 0,
    most: int = 6,
    hub: int = 0,
    without: int = 0,
    block: int = 128,
) -> Problem:
    """Return a launch for a frontier of `size` vertices; without a size, the question's.

    Vertices have up to `most` edges, and one has `hub` if that is more. Those at both ends have
    none, `without` of them each, and as many in a row between.
    """
    degrees = np.array(QUESTION)
    if size:
        degrees = rng.permutation(np.resize(np.arange(most + 1), size))
        degrees[rng.integers(size // 3, size - size // 3)] = max(hub, 1)
        _empty(degrees, without)
    given, expected = _frontier(rng, degrees)
    edges = int(degrees.sum())
    names = ("offsets", "neighbours", "frontier", "prefix", degrees.size, edges, "place", "far")
    return Problem(
        arrays=given,
        launches=(Launch("whose_edge", -(-edges // block), block, names),),
        expected=expected,
    )


def _empty(degrees: NDArray[Any], without: int) -> None:
    """Take the edges of some vertices at both ends, and of some beside the one that has most."""
    if without:
        largest = int(degrees.argmax())
        degrees[:without] = degrees[-without:] = 0
        start = largest + 1 if largest < degrees.size // 2 else largest - without
        degrees[start : start + without] = 0


def _frontier(
    rng: np.random.Generator, degrees: NDArray[Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Return a graph and a frontier whose vertices have these degrees, and what is to come out."""
    vertices = 2 * degrees.size + 3
    frontier = rng.permutation(vertices)[: degrees.size]
    all_degrees = rng.integers(0, 4, vertices)
    all_degrees[frontier] = degrees
    offsets = np.append(0, np.cumsum(all_degrees))
    neighbours = rng.permutation(offsets[-1])
    place = np.repeat(np.arange(degrees.size), degrees)
    rank = np.arange(place.size) - (np.cumsum(degrees) - degrees)[place]
    arrays = {
        "offsets": offsets,
        "neighbours": neighbours,
        "frontier": frontier,
        "prefix": np.cumsum(degrees) - degrees,
        "place": np.full(place.size, -1),
        "far": np.full(place.size, -1),
    }
    wanted = {"place": place, "far": neighbours[offsets[frontier[place]] + rank]}
    return _words(arrays), _words(wanted)


def _words(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name: array.astype(np.int32) for name, array in arrays.items()}
