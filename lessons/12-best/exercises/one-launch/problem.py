"""A search by the status array in one cooperative launch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs import graphs
from gpubfs.grading import Launch, Problem
from gpubfs.search.verify import VerificationError, verify


def make(
    rng: np.random.Generator,
    graph: str,
    source: int | None = None,
    blocks: int = 3,
    threads: int = 64,
) -> Problem:
    """Search the graph of that name, from its hub where no source is given."""
    made = graphs.graph(graph.replace("{seed}", str(rng.integers(1 << 20))))
    start = made.hub if source is None else source
    level = np.full(made.vertices, -1, np.int32)
    level[start] = 0

    def wrong(found: Mapping[str, NDArray[Any]]) -> str:
        try:
            verify(made, start, found["level"])
        except VerificationError as error:
            return str(error)
        return ""

    arguments = ("offsets", "neighbours", "level", made.vertices, "found")
    return Problem(
        arrays={
            "offsets": made.offsets,
            "neighbours": made.neighbours,
            "level": level,
            "found": np.zeros(3, np.int32),
        },
        launches=(Launch("one_launch", blocks, threads, arguments),),
        allow={"level": "all who discover a vertex write the same distance"},
        check=wrong,
        cooperative=True,
    )
