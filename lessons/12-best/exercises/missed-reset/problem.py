"""A search by queues in one cooperative launch; also of a graph in which no vertex may be lost.

Levels do not show a vertex that was lost from a queue if its neighbours have others in the
frontier. In a star of rows no vertex has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs import graphs
from gpubfs.grading import Launch, Problem
from gpubfs.graphs import Graph
from gpubfs.search.verify import VerificationError, verify


def make(
    rng: np.random.Generator,
    graph: str = "",
    rows: int = 0,
    length: int = 0,
    source: int | None = None,
    blocks: int = 3,
    threads: int = 64,
) -> Problem:
    """Search the graph of that name, or so many rows of vertices that begin at one hub."""
    made = _star(rng, rows, length) if rows else graphs.graph(_seeded(rng, graph))
    start = made.hub if source is None else source
    level = np.full(made.vertices, -1, np.int32)
    level[start] = 0
    frontier = np.full(made.vertices, -1, np.int32)
    frontier[0] = start

    def wrong(found: Mapping[str, NDArray[Any]]) -> str:
        try:
            verify(made, start, found["level"])
        except VerificationError as error:
            return str(error)
        return ""

    arguments = ("offsets", "neighbours", "level", "frontier", "next", "tails")
    return Problem(
        arrays={
            "offsets": made.offsets,
            "neighbours": made.neighbours,
            "level": level,
            "frontier": frontier,
            "next": np.full(made.vertices, -1, np.int32),
            "tails": np.zeros(3, np.int32),
        },
        launches=(Launch("missed_reset", blocks, threads, arguments),),
        allow={"level": "a plain read before the swap only spares it"},
        check=wrong,
        cooperative=True,
    )


def _seeded(rng: np.random.Generator, graph: str) -> str:
    return graph.replace("{seed}", str(rng.integers(1 << 20)))


def _star(rng: np.random.Generator, rows: int, length: int) -> Graph:
    """Return a hub with `rows` rows of `length` vertices, numbered at random."""
    name = rng.permutation(rows * length + 1)
    places = 1 + np.arange(rows * length).reshape(length, rows)
    before = np.vstack([np.zeros(rows, int), places[:-1]])
    return Graph.from_edges(name[before.reshape(-1)], name[places.reshape(-1)])
