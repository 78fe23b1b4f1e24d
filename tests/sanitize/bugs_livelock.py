"""Planted bugs for the livelock detector: nobody can go on any more."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


def _zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


_SAYS = r"livelock: \d+ threads? waits? in this loop"

LIVELOCK = [
    Bug("livelock", "spin_lock_in_a_warp", (_zeros(1), _zeros(1)), {0: [0], 1: [32]}, _SAYS),
    Bug(
        "livelock",
        "flag_that_nobody_sets",
        (_zeros(1), Unset(64)),
        {0: [5], 1: np.full(64, 5)},
        _SAYS,
        grid=2,
        block=64,
    ),
    Bug(
        "livelock",
        "atomic_that_nobody_raises",
        (_zeros(1), _zeros(1)),
        {0: [18], 1: [4]},
        _SAYS,
        grid=4,
    ),
    Bug(
        "livelock",
        "exchanged_and_never_freed",
        (_zeros(1), _zeros(1)),
        {0: [40]},
        _SAYS,
        grid=4,
    ),
    Bug(
        "livelock",
        "block_that_is_not_resident",
        (_zeros(5), Unset(5)),
        {0: np.ones(5), 1: _ints(5, 1)},
        _SAYS,
        grid=5,
        block=8,
        profile="toy2",
    ),
    Bug(
        "livelock",
        "semicolon_after_while",
        (_ints(10), Unset(32), 10),
        {1: np.full(32, 45)},
        _SAYS,
    ),
    Bug(
        "livelock",
        "while_true",
        (_ints(100), 100),
        {0: _ints(100, 1)},
        _SAYS,
        grid=2,
        block=64,
    ),
    Bug(
        "livelock",
        "locks_in_opposite_order",
        (_zeros(2), np.full(2, 100, np.int32), _zeros(1)),
        {0: [0, 0], 1: [101, 100], 2: [2]},
        _SAYS,
        grid=2,
    ),
    Bug(
        "livelock",
        "barrier_for_one_too_many",
        (_zeros(1), Unset(3)),
        {0: [3], 1: [3, 3, 3]},
        _SAYS,
        grid=3,
        block=64,
    ),
    Bug(
        "livelock",
        "waits_before_it_signals",
        (_zeros(2), Unset(2)),
        {0: [1, 1], 1: [3, 3]},
        _SAYS,
        grid=2,
    ),
    Bug(
        "livelock",
        "returns_with_the_lock",
        (_zeros(1), _ints(4, 2), _zeros(1)),
        {0: [0], 2: [14]},
        _SAYS,
        grid=4,
    ),
    Bug(
        "livelock",
        "cas_arguments_swapped",
        (_zeros(1), _zeros(1)),
        {0: [0], 1: [6]},
        _SAYS,
        grid=3,
        block=64,
    ),
    Bug(
        "livelock",
        "frees_the_wrong_lock",
        (_zeros(4), _zeros(2)),
        {0: [0, 0, 0, 0], 1: [4, 6]},
        _SAYS,
        grid=4,
    ),
    Bug("livelock", "lock_taken_twice", (_zeros(1), _zeros(1)), {0: [0], 1: [18]}, _SAYS, grid=2),
    Bug(
        "livelock",
        "copy_of_the_flag",
        (_zeros(1), _zeros(1), Unset(1)),
        {0: [8], 1: [1], 2: [8]},
        _SAYS,
        grid=2,
    ),
    Bug(
        "livelock",
        "waits_in_front_of_a_barrier",
        (_zeros(1), Unset(64)),
        {0: [1], 1: np.full(64, 6)},
        _SAYS,
        block=64,
    ),
    Bug(
        "livelock",
        "turn_that_skips",
        (_zeros(1), Unset(3)),
        {0: [3], 1: [1, 2, 3]},
        _SAYS,
        grid=3,
    ),
    Bug(
        "livelock",
        "blocks_take_turns",
        (_zeros(1), Unset(2)),
        {0: [0], 1: [100, 100]},
        _SAYS,
        grid=2,
    ),
    Bug("livelock", "compare_with_an_old_value", (_ints(1, 3),), {0: [3 << 8]}, _SAYS, block=8),
]
