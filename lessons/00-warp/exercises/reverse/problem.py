"""Blocks that each turn their part of an array around."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(rng: np.random.Generator, blocks: int, size: int = 0) -> Problem:
    """Tiles of `size` elements, one for each of the blocks; chance chooses an odd size for 0."""
    size = size or int(rng.integers(129, 250)) * 2 + 1
    values = rng.integers(-1000, 1000, size * blocks, dtype=np.int32)
    turned = values.reshape(blocks, size)[:, ::-1].reshape(-1)
    return Problem(
        arrays={"in": values, "out": np.zeros_like(values)},
        launches=(Launch("reverse", blocks, size, ("in", "out"), shared=4 * size),),
        expected={"out": turned},
    )
