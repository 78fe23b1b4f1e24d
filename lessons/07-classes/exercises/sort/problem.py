"""Vertices of a level, to be put into the queues of their classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem, Queue

EDGES, WARP, CLASSES = 4, 32, 4
#: What is in a place that nobody has written.
NOBODY = -1


def make(
    rng: np.random.Generator,
    degrees: tuple[int, ...] = (),
    vertices: int = 0,
    size: int = 0,
    block: int = 0,
    blocks: tuple[int, ...] = (),
    most: int = 0,
    names: bool = False,
) -> Problem:
    """Vertices of these degrees, or `size` of `vertices` with random ones, `most` at most.

    With `blocks` there is a launch for each size of block, with queues of its own; with `names`
    vertices come in any order.
    """
    own = np.array(degrees or _drawn(rng, vertices, most, block), np.int32)
    raw = np.arange(len(own), dtype=np.int32)
    if names or vertices:
        raw = rng.permutation(raw)[: size or len(own)]
    offsets = np.concatenate(([0], np.cumsum(own))).astype(np.int32)
    arrays: dict[str, NDArray[Any]] = {"offsets": offsets, "raw": raw}
    launches, expected, queues = [], {}, []
    for number, threads in enumerate(blocks or (block,)):
        places, sizes = (f"{name}{number or ''}" for name in ("queues", "sizes"))
        kinds = class_of(own[raw], threads)
        arrays[places] = np.full(CLASSES * len(own), NOBODY, np.int32)
        arrays[sizes] = np.zeros(CLASSES, np.int32)
        arguments = ("offsets", len(own), "raw", len(raw), places, sizes)
        launches.append(Launch("sort_by_class", -(-len(raw) // threads), threads, arguments))
        expected[sizes] = np.bincount(kinds, minlength=CLASSES).astype(np.int32)
        queues += [Queue(places, sizes, c, c * len(own), len(own)) for c in range(CLASSES)]
    return Problem(
        arrays=arrays,
        launches=tuple(launches),
        expected=expected,
        queues=tuple(queues),
        check=lambda found: _misplaced(found, own, raw, blocks or (block,)),
    )


def class_of(degrees: NDArray[Any], block: int) -> NDArray[Any]:
    """Return the classes of vertices with so many neighbours."""
    bounds = np.array([EDGES, EDGES * WARP, EDGES * block])
    return np.searchsorted(bounds, degrees)


def _drawn(rng: np.random.Generator, vertices: int, most: int, block: int) -> NDArray[Any]:
    """Random degrees, as many of each class as of another, or all up to `most`."""
    if most:
        return rng.integers(0, most + 1, vertices)
    bounds = np.array([0, EDGES + 1, EDGES * WARP + 1, EDGES * block + 1, 4 * EDGES * block])
    kinds = rng.integers(0, CLASSES, vertices)
    return rng.integers(bounds[kinds], bounds[kinds + 1])


def _misplaced(
    found: Mapping[str, NDArray[Any]],
    degrees: NDArray[Any],
    raw: NDArray[Any],
    blocks: tuple[int, ...],
) -> str:
    """Return the first queue that does not hold what it must, in words."""
    for number, block in enumerate(blocks):
        queues = found[f"queues{number or ''}"].reshape(CLASSES, -1)
        kinds = class_of(degrees[raw], block)
        for c in range(CLASSES):
            words = _of_queue(queues[c], raw[kinds == c], degrees)
            if words:
                return f"in blocks of {block} threads: the queue of class {c} {words}"
    return ""


def _of_queue(queue: NDArray[Any], wanted: NDArray[Any], degrees: NDArray[Any]) -> str:
    """Return what is wrong with one queue, in words."""
    held = queue[: len(wanted)]
    if (queue[len(wanted) :] != NOBODY).any():
        place = len(wanted) + int(np.flatnonzero(queue[len(wanted) :] != NOBODY)[0])
        return f"has {len(wanted)} vertices, but place {place} of it was written, too"
    strange = ~np.isin(held, wanted)
    if strange.any():
        place = int(np.flatnonzero(strange)[0])
        v = int(held[place])
        if 0 <= v < len(degrees):
            return f"holds vertex {v}, which has degree {degrees[v]} and does not belong there"
        return f"holds {v} at place {place}, which is no vertex"
    if len(np.unique(held)) < len(held):
        twice = next(v for v in held.tolist() if (held == v).sum() > 1)
        return f"holds vertex {twice} more than once"
    return ""
