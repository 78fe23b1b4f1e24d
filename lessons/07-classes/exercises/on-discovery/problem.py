"""A level whose frontier has few neighbours a vertex, and what is discovered any number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem, Queue

EDGES, WARP, CLASSES = 4, 32, 4
DEPTH = 3
#: Edges of each frontier vertex.
DEGREE = 3
#: What is in a place that nobody has written.
NOBODY = -1


def make(
    rng: np.random.Generator,
    frontier: int,
    block: int,
    grid: int,
    kinds: int = CLASSES,
    shared: bool = False,
    plain: bool = False,
) -> Problem:
    """Return a frontier that discovers vertices of `kinds` classes; some are `shared` by several.

    In a `plain` one all names are in order, and one vertex of each class is discovered by each.
    """
    edges = frontier * DEGREE
    new = edges * 2 // 3 if shared else edges
    targets = frontier + np.arange(edges) % new
    classes = np.arange(new) % kinds if plain else rng.integers(0, kinds, new)
    degrees = np.concatenate([np.full(frontier, DEGREE), _of_class(rng, classes, block, plain)])
    name = np.arange(frontier + new)
    if not plain:
        name = rng.permutation(name)
        targets = rng.permutation(targets)
    offsets = np.zeros(len(name) + 1, np.int32)
    offsets[1:][name] = degrees
    offsets = np.cumsum(offsets).astype(np.int32)
    neighbours = name[rng.integers(0, frontier, offsets[-1])].astype(np.int32)
    heads = name[:frontier].astype(np.int32)
    for number, head in enumerate(heads):
        own = targets[number * DEGREE : (number + 1) * DEGREE]
        neighbours[offsets[head] : offsets[head] + DEGREE] = name[own]
    level = np.full(len(name), -1, np.int32)
    level[heads] = DEPTH
    found = np.unique(name[targets]).astype(np.int32)
    after = level.copy()
    after[found] = DEPTH + 1
    own_class = np.zeros(len(name), np.int64)
    own_class[name[frontier:]] = classes
    vertices = len(name)
    arguments = ("offsets", "neighbours", "level", "frontier", frontier, "next", "tails")
    return Problem(
        arrays={
            "offsets": offsets,
            "neighbours": neighbours,
            "level": level,
            "frontier": heads,
            "next": np.full(CLASSES * vertices, NOBODY, np.int32),
            "tails": np.zeros(CLASSES, np.int32),
        },
        launches=(Launch("expand_small", grid, block, (*arguments, vertices, DEPTH + 1)),),
        expected={
            "level": after,
            "tails": np.bincount(own_class[found], minlength=CLASSES).astype(np.int32),
        },
        allow={"level": "a plain read before the swap only spares it"},
        queues=tuple(Queue("next", "tails", c, c * vertices, vertices) for c in range(CLASSES)),
        check=lambda result: _misplaced(result, found, own_class, np.diff(offsets)),
    )


def _of_class(
    rng: np.random.Generator, classes: NDArray[Any], block: int, plain: bool
) -> NDArray[Any]:
    """Return degrees of vertices of these classes, in a `plain` graph the least."""
    low = np.array([1, EDGES + 1, EDGES * WARP + 1, EDGES * block + 1])
    high = np.array([EDGES, EDGES * WARP, EDGES * block, EDGES * block + 40])
    return low[classes] if plain else rng.integers(low[classes], high[classes] + 1)


def _misplaced(
    result: Mapping[str, NDArray[Any]],
    found: NDArray[Any],
    own_class: NDArray[Any],
    degrees: NDArray[Any],
) -> str:
    """Return the first queue that does not hold what it must, in words."""
    for c, queue in enumerate(result["next"].reshape(CLASSES, -1)):
        wanted = found[own_class[found] == c]
        held = queue[: len(wanted)]
        strange = held[~np.isin(held, wanted)]
        if len(strange) and 0 <= strange[0] < len(degrees):
            v = int(strange[0])
            return f"the queue of class {c} holds vertex {v}, which has degree {degrees[v]}"
        if len(strange) or len(np.unique(held)) < len(held):
            return f"the queue of class {c} does not hold each of its vertices once"
        if (queue[len(wanted) :] != NOBODY).any():
            return f"the queue of class {c} was written behind its {len(wanted)} vertices"
    return ""
