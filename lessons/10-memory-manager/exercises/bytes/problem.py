"""Steps that insert edges and delete them, by the kernels in kernel.cu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpubfs.grading import Launch, Problem


def make(
    rng: np.random.Generator, kernel: str, counts: Sequence[int], vertices: int = 1, turns: int = 1
) -> Problem:
    """Return one launch; `turns` vertices do all of the steps, one vertex after the other.

    Without turns, step i is of vertex i modulo `vertices`.
    """
    steps = [(i % vertices, count) for i, count in enumerate(counts)]
    if turns > 1:
        vertices, steps = turns, [(v, count) for v in range(turns) for count in counts]
    vertex, count = np.array(steps, np.int32).T.copy()
    size = 20_000
    if kernel == "arrays":
        arrays = {"count": count, "memory": np.zeros(size, np.int32), "top": np.zeros(1, np.int32)}
        launch = Launch(kernel, 1, 1, ("count", len(count), "memory", "top"))

        def check_array(found: Mapping[str, np.ndarray]) -> str:
            most = int(np.cumsum(count).max())  # edge e is written as e
            return "" if found["memory"].max() == most - 1 else "an edge is missing"

        return Problem(arrays, (launch,), check=check_array)
    arrays = {
        "vertex": vertex,
        "count": count,
        "first": np.full(vertices, -1, np.int32),
        "edges": np.zeros(vertices, np.int32),
        "words": np.zeros(size, np.int32),
        "top": np.zeros(1, np.int32),
        "free_blocks": np.zeros(size // 16, np.int32),
    }
    graph = ("first", "edges", "words", "top", "free_blocks")
    launch = Launch(kernel, 1, 1, ("vertex", "count", len(count), *graph))
    left = np.zeros(vertices, np.int32)
    np.add.at(left, vertex, count)
    return Problem(arrays, (launch,), {"edges": left})
