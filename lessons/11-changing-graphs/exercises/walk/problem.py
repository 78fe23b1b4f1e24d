"""One level of a search over pages, which lie anywhere and hold leftovers behind their entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

#: Words of a page, and entries.
WORDS, ENTRIES = 32, 31
DEPTH = 4


def make(
    rng: np.random.Generator,
    degrees: list[int],
    warps: int = 2,
    more: int = 0,
    others: int = 50,
    counting: bool = False,
) -> Problem:
    """Return a frontier of vertices with these degrees, in any order, and `others` beside them.

    Pages are spread over the array, and neighbours are any vertices; what is left over is no vertex
    in half of the words. If they are `counting`, pages lie from the last one down, and neighbours
    are the vertices behind the frontier. There are `more` blocks than are needed, of so many warps
    each.
    """
    own = np.array(degrees, np.int32)
    chains = [-(-degree // ENTRIES) for degree in degrees]
    used = sum(chains)
    vertices = len(degrees) + max(others, max(degrees))
    frontier = np.arange(len(degrees), dtype=np.int32)
    places = np.arange(used + 2, -1, -1, dtype=np.int32)
    if not counting:
        rng.shuffle(own)
        frontier = rng.permutation(vertices)[: len(degrees)].astype(np.int32)
        rng.shuffle(places)
    pages = rng.integers(0, vertices, (used + 3, WORDS), dtype=np.int32)
    if not counting:
        pages[rng.random(pages.shape) < 0.5] = -1  # no vertex
    pages[:, ENTRIES] = rng.integers(0, used + 3, used + 3)
    first_page, degree = np.full((2, vertices), -1, np.int32)
    degree[:] = 0
    level = np.full(vertices, -1, np.int32)
    level[rng.permutation(vertices)[: vertices // 5]] = rng.integers(0, DEPTH, vertices // 5)
    level[frontier] = DEPTH
    wanted = level.copy()
    taken = 0
    for v, many in zip(frontier, own, strict=True):
        near = rng.permutation(vertices)[:many].astype(np.int32)
        if counting:
            near = len(degrees) + np.arange(many, dtype=np.int32)
        degree[v] = many
        chain = places[taken : taken + -(-many // ENTRIES)]
        taken += len(chain)
        if len(chain):
            first_page[v] = chain[0]
            _write(pages, chain, near)
        fresh = near[wanted[near] < 0]
        wanted[fresh] = DEPTH + 1
    blocks = -(-len(degrees) // warps) + more
    arguments = ("frontier", len(degrees), "first_page", "degree", "pages", "level", DEPTH)
    return Problem(
        arrays={
            "frontier": frontier,
            "first_page": first_page,
            "degree": degree,
            "pages": pages.reshape(-1),
            "level": level,
        },
        launches=(Launch("walk", blocks, 32 * warps, arguments),),
        expected={"level": wanted},
        allow={"level": "all who find a vertex write the same distance"},
    )


def _write(pages: NDArray[np.int32], chain: NDArray[np.int32], near: NDArray[np.int32]) -> None:
    """Put neighbours on the pages of a chain, and link these."""
    for number, page in enumerate(chain):
        part = near[number * ENTRIES : (number + 1) * ENTRIES]
        pages[page, : len(part)] = part
    pages[chain[:-1], ENTRIES] = chain[1:]
