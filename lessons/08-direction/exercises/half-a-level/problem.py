"""Bottom-up passes over queues: one of a search, or all of them."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.reference import reference_levels

MEANT = "who reads a level meanwhile finds -1 or depth + 1, and neither is a parent's"


def make(
    rng: np.random.Generator, graph: str, block: int, source: int = -1, depth: int = -1
) -> Problem:
    """Return the passes that find all levels; or with `depth` the one that finds depth + 1."""
    made = make_graph(graph.replace("{seed}", str(rng.integers(10**6))))
    begin = made.hub if source < 0 else source
    final = reference_levels(made, begin)
    last = int(final.max())
    steps = range(last + 1) if depth < 0 else range(depth, depth + 1)
    before = np.where(final <= steps.start, final, -1).astype(np.int32)
    after = np.where(final <= steps.stop, final, -1).astype(np.int32)
    queues = {
        f"queue{step}": np.flatnonzero((final < 0) | (final > step)).astype(np.int32)
        for step in steps
    }
    queues = {name: queue for name, queue in queues.items() if len(queue)}
    steps_left = [step for step in steps if f"queue{step}" in queues]
    launches = tuple(
        Launch(
            "find_parents",
            -(-len(queues[f"queue{step}"]) // block),
            block,
            (
                *("offsets", "neighbours", "level", f"queue{step}"),
                *(len(queues[f"queue{step}"]), step, f"found{step}"),
            ),
        )
        for step in steps_left
    )
    counts = {f"found{step}": np.int32([(final == step + 1).sum()]) for step in steps_left}
    return Problem(
        arrays={"offsets": made.offsets, "neighbours": made.neighbours, "level": before}
        | queues
        | {name: np.zeros(1, np.int32) for name in counts},
        launches=launches,
        expected={"level": after} | counts,
        allow={"level": MEANT},
    )
