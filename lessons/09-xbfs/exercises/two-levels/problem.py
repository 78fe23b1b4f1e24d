"""An asynchronous bottom-up pass: what it must find, what it may find, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

#: The distance that the pass gives, in small graphs and behind a long way.
DEPTH, FAR = 3, 70_000
#: Vertices at the distance before, and vertices that have the pass's own before it.
PARENTS, EARLY = 6, 6
#: Vertices that were visited long before, with an edge each.
OLD = 40_000


@dataclass(frozen=True)
class Pass:
    """The lists of neighbours, the levels before, and who is in the queue."""

    lists: list[list[int]]
    level: NDArray[np.int32]
    queue: NDArray[np.int32]
    depth: int = DEPTH


def make(
    rng: np.random.Generator, kind: str, threads: int = 32, size: int = 0, all_early: bool = False
) -> Problem:
    """Return a pass over what `kind` says, by blocks of 32 threads.

    With `all_early`, whoever can be found early must be.
    """
    build = {"paper": _paper, "four": _four_each, "pairs": _pairs, "any": _any}[kind]
    made = build(rng, size)
    offsets = np.concatenate(([0], np.cumsum([len(own) for own in made.lists])))
    flat = [v for own in made.lists for v in own]
    arguments = ("offsets", "neighbours", "level", "queue", len(made.queue), made.depth)
    return Problem(
        arrays={
            "offsets": offsets.astype(np.int32),
            "neighbours": np.array(flat, np.int32),
            "level": made.level,
            "queue": made.queue,
        },
        launches=(Launch("two_levels", threads // 32, 32, arguments),),
        allow={"level": "who reads -1 where next_depth is written finds a vertex later"},
        check=lambda found: _wrong(made, found["level"], all_early),
    )


def _paper(rng: np.random.Generator, size: int) -> Pass:
    """Parents 0 and 1, vertex 2 found early before; 3 sees 2 and then 0, 4 sees 2 only."""
    del rng, size
    level = np.array([DEPTH - 1, DEPTH - 1, DEPTH, -1, -1, -1], np.int32)
    return Pass([[], [], [], [2, 0], [2], [4]], level, np.array([3, 4, 5], np.int32))


def _four_each(rng: np.random.Generator, size: int) -> Pass:
    """For each thread a vertex with a sibling, one with nobody, and two with a parent."""
    del rng
    level = np.concatenate(([DEPTH - 1, DEPTH], np.full(4 * size, -1))).astype(np.int32)
    lists = [[], [], *([[1]] * size), *([[2 + size]] * size), *([[0]] * (2 * size))]
    return Pass(lists, level, np.arange(2, 2 + 4 * size, dtype=np.int32))


def _pairs(rng: np.random.Generator, size: int) -> Pass:
    """Vertices whose first neighbour is a parent, and two more groups behind them.

    Each of a group sees one of the group before.
    """
    near = 1 + rng.permutation(size)
    far = 1 + size + rng.permutation(size)
    level = np.concatenate(([DEPTH - 1], np.full(3 * size, -1))).astype(np.int32)
    behind = [[0, *rng.choice(far, 4).tolist()] for _ in range(size)]
    lists = [[], *behind, *([v] for v in near.tolist()), *([v] for v in far.tolist())]
    return Pass(lists, level, np.arange(1, 1 + 3 * size, dtype=np.int32))


def _any(rng: np.random.Generator, size: int) -> Pass:
    """Vertices with any neighbours: parents, siblings from before, and each other.

    They are among many more, and far from the source, so that no number is small.
    """
    total = PARENTS + EARLY + size + OLD
    name = rng.permutation(total)
    parents, early, own = np.split(name[:-OLD], [PARENTS, PARENTS + EARLY])
    level = np.zeros(total, np.int32)
    level[parents], level[early], level[own] = FAR - 1, FAR, -1
    queue = np.sort(own).astype(np.int32)
    lists: list[list[int]] = [[v] for v in range(total)]
    for v in queue.tolist():
        seen = rng.choice(queue, rng.integers(1, 4))
        if rng.random() < 0.4:
            seen = np.append(seen, rng.choice(early))
        if rng.random() < 0.4:
            seen = np.append(seen, rng.choice(parents))
        lists[v] = rng.permutation(seen).tolist()
    return Pass(lists, level, queue, FAR)


def _wrong(made: Pass, found: NDArray[Any], all_early: bool) -> str:
    """Return the first vertex with a wrong level, in words."""
    before, depth = made.level, made.depth
    if (found[before >= 0] != before[before >= 0]).any():
        v = int(np.flatnonzero((before >= 0) & (found != before))[0])
        return f"vertex {v} had level {before[v]} before, and has {found[v]} now"
    queued = made.queue.tolist()
    near = {v for v in queued if any(before[u] == depth - 1 for u in made.lists[v])}
    level: Mapping[int, int] = {v: int(found[v]) for v in queued}
    for v in queued:
        own = made.lists[v]
        if v in near and level[v] != depth:
            return (
                f"vertex {v} has neighbours {own}, of which one is a parent (level {depth - 1}), "
                f"and so it belongs to level {depth}; it has {level[v]}"
            )
        if v in near:
            continue
        known = [u for u in own if before[u] == depth]
        siblings = [u for u in own if before[u] == depth or u in near]
        if level[v] not in (-1, depth + 1):
            return f"vertex {v} has no parent, and has level {level[v]}"
        if level[v] == depth + 1 and not siblings:
            return (
                f"vertex {v} has level {level[v]}, but none of its neighbours {own} "
                f"belongs to level {depth}"
            )
        if level[v] == -1 and (known or (all_early and siblings)):
            when = "before the launch" if known else "when its warp begins, in this order of warps"
            return (
                f"vertex {v} has no parent, and its neighbour {(known or siblings)[0]} has level "
                f"{depth} {when}, but it was not found early"
            )
    return ""
