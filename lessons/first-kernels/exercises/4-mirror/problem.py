"""Matrices, and blocks that cover them."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem


def make(
    rng: np.random.Generator,
    block: list[int],
    rows: int = 0,
    columns: int = 0,
    numbered: bool = False,
) -> Problem:
    """Rows and columns, which chance chooses for 0, of elements that may be `numbered`."""
    rows = rows or 10 * int(rng.integers(2, 4)) + 3
    columns = columns or 2 * int(rng.integers(20, 30)) + 1
    matrix = rng.integers(0, 10**9, (rows, columns), dtype=np.int32)
    if numbered:
        matrix = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    across, down = block
    grid = (-(-columns // across), -(-rows // down))
    return Problem(
        arrays={"in": matrix.reshape(-1), "out": np.full(rows * columns, -1, np.int32)},
        launches=(Launch("mirror", grid, (across, down), ("in", rows, columns, "out")),),
        expected={"out": matrix[:, ::-1].reshape(-1)},
    )
