"""A status array, and the bitmap of the vertices that were not visited."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(rng: np.random.Generator, vertices: int, blocks: int, block: int) -> Problem:
    """Vertices of which about half were visited; the last was not.

    Where there are enough, of the third word's all were visited, of the fourth's none.
    """
    level = np.where(rng.random(vertices) < 0.5, -1, rng.integers(0, 5, vertices)).astype(np.int32)
    level[64:96], level[96:128] = 3, -1
    level[-2:] = (4, -1)
    padded = np.zeros(-(-vertices // 32) * 32, dtype=np.uint8)
    padded[:vertices] = level < 0
    words = np.packbits(padded, bitorder="little").view("<u4")
    return Problem(
        arrays={"level": level, "bits": np.full(len(words), 0xDEADBEEF, np.uint32)},
        launches=(Launch("unvisited_bits", blocks, block, ("level", vertices, "bits")),),
        expected={"bits": words.astype(np.uint32)},
        masks=("bits",),
    )
