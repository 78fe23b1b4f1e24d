"""Launches of the kernels in kernel.cu, and what they leave behind."""

from __future__ import annotations

import numpy as np

from gpubfs.grading import Launch, Problem

#: What each thread's element is at the end; of `meet` only the first one of a block is looked at.
RESULTS = {
    "parity": lambda i: np.where(i % 2 == 0, 7, i),
    "halves": lambda i: np.where(i // 32 % 2 == 0, 7, i),
    "edge": lambda i: np.where(i < 80, 7, i),
    "turns": lambda i: (i % 8) * (i % 8 - 1) // 2,
    "either": lambda i: np.where(i % 4 == 3, 2 * i, i + 1),
}


def make(rng: np.random.Generator, kernel: str, blocks: int, threads: int) -> Problem:
    """Return one launch of a kernel."""
    i = np.arange(blocks * threads, dtype=np.int32)
    launch = Launch(kernel, blocks, threads, ("a",))
    if kernel in RESULTS:
        return Problem({"a": i}, (launch,), {"a": RESULTS[kernel](i)})
    sums = i.reshape(blocks, threads).sum(axis=1)

    def check(found: dict[str, np.ndarray]) -> str:
        return "" if (found["a"][::threads] == sums).all() else "a block's sum is wrong"

    return Problem({"a": i}, (launch,), check=check)
