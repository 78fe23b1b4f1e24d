"""A level some of whose vertices have so many neighbours that they want threads of their own."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem, Queue, Unwritten

#: Threads of a child's block, and edges of a thread.
BLOCK, EDGES = 64, 8
DEPTH = 2


def make(
    rng: np.random.Generator,
    threshold: int,
    pool: int,
    degrees: tuple[int, ...] = (),
    size: int = 0,
    most: int = 0,
    hub: int = 0,
    shared: bool = False,
    block: int = 32,
) -> Problem:
    """Return a frontier with these degrees, or of `size` random ones, perhaps with a hub.

    Random degrees are up to `most`. Neighbours are new vertices, one for each edge, or half as many
    if they are `shared`, and then some of the frontier, too.
    """
    own = np.array(degrees or rng.integers(0, most + 1, size))
    if hub:
        own[rng.integers(len(own))] = hub
    edges = int(own.sum())
    new = edges // 2 if shared else edges
    targets = len(own) + rng.permutation(edges) % new
    if shared:
        old = rng.random(edges) < 0.1
        targets[old] = rng.integers(0, len(own), old.sum())
    name = rng.permutation(len(own) + new).astype(np.int32)
    if degrees:
        name[: len(own)].sort()  # the edges of the later lie behind those of the earlier
    heads = name[: len(own)]
    sizes = np.zeros(len(name), np.int64)
    sizes[heads] = own
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    neighbours = np.zeros(max(edges, 1), np.int32)
    begin = 0
    for head, count in zip(heads, own, strict=True):
        mine = name[targets[begin : begin + count]]
        neighbours[offsets[head] : offsets[head] + count] = mine
        begin += count
    level = np.full(len(name), -1, np.int32)
    level[heads] = DEPTH
    found = np.setdiff1d(name[targets], heads).astype(np.int32)
    after = level.copy()
    after[found] = DEPTH + 1
    graph = ("offsets", "neighbours", "level", "frontier", len(own), "next", "next_size")
    arguments = (*graph, DEPTH + 1, threshold, pool, "launched", "threads")
    large = own[own > threshold]
    blocks = -(-large // (BLOCK * EDGES))
    needed = BLOCK * int(blocks[:pool].sum())
    sure = len(large) <= pool or len(np.unique(blocks)) == 1
    return Problem(
        arrays={
            "offsets": offsets,
            "neighbours": neighbours,
            "level": level,
            "frontier": heads,
            "next": Unwritten(len(found)),
            "next_size": np.zeros(1, np.int32),
            "launched": np.zeros(1, np.int32),
            "threads": np.zeros(1, np.int32),
        },
        launches=(Launch("expand", -(-len(own) // block), block, arguments),),
        expected={
            "next_size": np.array([len(found)], np.int32),
            "level": after,
            "next": found,
        },
        # Chance decides who comes too late for the pool.
        check=lambda result: _wrong(int(result["threads"][0]), needed) if sure else "",
        unordered=("next",),
        queues=(Queue("next", "next_size"),),
        allow={"level": "a plain read before the swap only spares it"},
    )


def _wrong(threads: int, needed: int) -> str:
    """Return what is wrong with the number of the children's threads, in words."""
    if threads == needed:
        return ""
    return f"all children together have {threads:,} threads, and {needed:,} are what it takes"
