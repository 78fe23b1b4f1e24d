"""The option `shuffle` of every specification: the vertices of a graph get random numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs import build
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError

OPTION = "shuffle"

#: The seed of a shuffle that names none.
SEED = 1

USAGE = f"write {OPTION} or {OPTION}=NUMBER, for example kron:12,{OPTION}=3"


def take_shuffle(spec: str, options: Sequence[str]) -> tuple[list[str], int | None]:
    """Return the options of a specification without `shuffle`, and its seed if it was there.

    Examples
    --------
    >>> take_shuffle("kron:12,8,shuffle=3", ["12", "8", "shuffle=3"])
    (['12', '8'], 3)
    >>> take_shuffle("toy", [])
    ([], None)
    """
    others = [option for option in options if not is_shuffle(option)]
    found = [option for option in options if is_shuffle(option)]
    if len(found) > 1:
        raise GraphError(f"{spec} gives {OPTION} twice", hint=USAGE)
    return others, _seed(spec, found[0]) if found else None


def is_shuffle(option: str) -> bool:
    """Whether an option of a specification is this one, whatever its value."""
    return option.partition("=")[0].strip().lower() == OPTION


def _seed(spec: str, option: str) -> int:
    _, equals, value = option.partition("=")
    if not equals:
        return SEED
    digits = value.strip().replace("_", "")
    if not re.fullmatch(r"[0-9]{1,40}", digits):
        message = f"{value.strip()!r} in {spec} is not a whole number for the seed of {OPTION}"
        raise GraphError(message, hint=USAGE)
    return int(digits)


def new_numbers(vertices: int, seed: int = SEED) -> NDArray[np.int64]:
    """Return the new number of each vertex: a permutation that the seed fixes."""
    return np.random.default_rng(seed).permutation(vertices)


def shuffled(graph: Graph, seed: int = SEED) -> Graph:
    """Return the same graph with its vertices renumbered at random.

    Parameters
    ----------
    graph : Graph
        Whose vertex v gets the number ``new_numbers(graph.vertices, seed)[v]``.
    seed : int
        Which permutation.

    Returns
    -------
    Graph
        Its adjacency lists ascend; the name says that it was shuffled.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> path = shuffled(graph("path:5"))
    >>> path, path.degrees
    (Graph('path:5,shuffle=1', vertices=5, edges=8), array([2, 2, 2, 1, 1], dtype=int32))
    """
    number = new_numbers(graph.vertices, seed)
    keys = build.pack(np.repeat(number, graph.degrees), number[graph.neighbours])
    keys.sort()
    offsets, neighbours = build.compress(keys, graph.vertices)
    offsets = offsets.astype(graph.offsets.dtype, copy=False)
    name = f"{graph.name},{OPTION}={seed}"
    return Graph(offsets, neighbours, name, graph.directed, graph.notes)
