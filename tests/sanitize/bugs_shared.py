"""Planted bugs in shared memory of functions, behind chosen pointers, and beside padding."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


_MIXED = (_ints(128) * 37 % 101 - 50).astype(np.int32)

SHARED = [
    Bug(
        "race",
        "helper_called_twice",
        (_MIXED[:64], Unset(2)),
        {1: _MIXED[:64].sum() * np.array([1, 2])},
        r"\bparts\b",
        block=64,
    ),
    Bug(
        "race",
        "helper_in_a_template",
        (_MIXED, Unset(2)),
        {1: _MIXED.reshape(2, 64).max(1)},
        r"\bmost\b",
        block=64,
    ),
    Bug(
        "memory",
        "chosen_array_past_end",
        (_ints(64), _ints(64, 7), Unset(64), 64, 1),
        {2: np.roll(_ints(64), -1)},
        r"just past the end of an array of 256 bytes",
        block=64,
    ),
    Bug(
        "memory",
        "chosen_shared_array",
        (_ints(64), Unset(64), 3),
        {1: np.roll(_ints(64), -3)},
        r"reads even\[64\] through a pointer, but even has 64 elements[^$]*made from even",
        block=64,
    ),
    Bug(
        "memory",
        "walked_past_shared_array",
        (_ints(32), Unset(32)),
        {1: np.full(32, 32)},
        r"reads table\[32\] through a pointer, but table has 32 elements[^$]*behind is what",
    ),
    Bug(
        "init",
        "member_beside_padding",
        (_ints(32), Unset(32)),
        {1: 3 * _ints(32)[::-1]},
        r"\bpoints\b",
    ),
]
