"""Levels of which some are wrong, and which of them a look at the neighbours gives away."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import gpubfs
from gpubfs.grading import Launch, Problem
from gpubfs.graphs.reference import reference_levels

#: What a verdict is before the kernel runs: none of the three that it may give.
OPEN = 7
FINE, TORN, ORPHAN = 0, 1, 2


def make(
    rng: np.random.Generator,
    graph: str,
    source: int | None = None,
    wrong: Mapping[str, int] | None = None,
    damaged: int = 0,
    block: int = 256,
) -> Problem:
    """Return true levels, but for those that are named or that chance damages."""
    made = gpubfs.graph(graph.replace("{seed}", str(rng.integers(1_000_000))))
    start = made.hub if source is None else source
    level = reference_levels(made, start).copy()
    for vertex, value in (wrong or {}).items():
        level[int(vertex)] = value
    others = np.flatnonzero(np.arange(made.vertices) != start)
    for vertex in rng.choice(others, damaged, replace=False):
        level[vertex] += rng.choice([-1, 1, 2])
    np.maximum(level, -1, out=level)
    verdict = np.full(made.vertices, OPEN, np.int32)
    arrays = {"offsets": made.offsets, "neighbours": made.neighbours, "level": level}
    given = ("offsets", "neighbours", "level", made.vertices, start, "verdict")
    blocks = -(-made.vertices // block)
    return Problem(
        arrays=arrays | {"verdict": verdict},
        launches=(Launch("check_levels", blocks, block, given),),
        expected={"verdict": _verdicts(made, level, start)},
    )


def _verdicts(graph: gpubfs.Graph, level: np.ndarray, source: int) -> np.ndarray:
    near = np.repeat(level, graph.degrees)
    far = level[graph.neighbours]
    torn = (abs(far - near) > 1) | ((far < 0) != (near < 0))
    parents = (far >= 0) & (far == near - 1)
    ends = np.repeat(np.arange(graph.vertices), graph.degrees)
    verdict = np.full(graph.vertices, ORPHAN, np.int32)
    verdict[ends[parents]] = FINE
    verdict[level < 0] = FINE
    verdict[source] = FINE
    verdict[ends[torn]] = TORN
    return verdict
