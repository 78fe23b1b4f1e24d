"""Planted bugs for initcheck: reads of memory that nothing wrote."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset

_WORD = r"(?s)nothing (has )?(wrote|written)|never written|uninitiali[sz]ed"


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


def _zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


_MIXED = (_ints(128) * 37 % 101 - 50).astype(np.int32)
_VALUES = (_ints(100) * 29 % 64).astype(np.int32)
_DIGITS = (_ints(8 * 32) * 11 % 13).astype(np.int32)
_TILE = _ints(256).reshape(16, 16)


def _remainders() -> np.ndarray:
    rows = _DIGITS.reshape(32, 8) % 3
    return sum(weight * (rows == k).sum(1) for k, weight in enumerate((100, 10, 1)))


INIT = [
    Bug(
        "init",
        "accumulates_into_nothing",
        (_ints(128, 1), Unset(128)),
        {1: 2 * _ints(128, 1)},
        r"\bout\b",
        grid=2,
        block=64,
    ),
    Bug(
        "init",
        "tail_of_tile",
        (_ints(100), Unset(2), 100),
        {1: [_ints(64).sum(), _ints(36, 64).sum()]},
        r"\btile\b",
        grid=2,
        block=64,
    ),
    Bug(
        "init",
        "shared_sum",
        (_ints(128, 1), Unset(2)),
        {1: _ints(128, 1).reshape(2, 64).sum(1)},
        r"\bsum\b",
        grid=2,
        block=64,
    ),
    Bug(
        "init",
        "more_bins_than_threads",
        (_VALUES, Unset(64), 100),
        {1: np.bincount(_VALUES, minlength=64)},
        r"\bbins\b",
    ),
    Bug(
        "init",
        "local_last_element",
        (_MIXED, Unset(32)),
        {1: _MIXED.reshape(32, 4).max(1)},
        r"\brow\b",
    ),
    Bug("init", "local_counters", (_DIGITS, Unset(32)), {1: _remainders()}, r"\bcount\b"),
    Bug(
        "init",
        "written_under_a_condition",
        (_MIXED, Unset(128), Unset(128)),
        {2: np.maximum(_MIXED, 0).reshape(2, 64)[:, ::-1].ravel()},
        r"\bscratch\b",
        grid=2,
        block=64,
    ),
    Bug(
        "init",
        "halo_cells",
        (_ints(64, 1), Unset(64)),
        {1: np.convolve(_ints(64, 1), [1, 1, 1], "same")},
        r"\btile\b",
        block=64,
    ),
    Bug(
        "init",
        "rounded_down",
        (Unset(100), _zeros(1), 100),
        {0: _ints(100), 1: [_ints(100).sum()]},
        r"\ba\b",
    ),
    Bug(
        "init",
        "past_the_tail",
        (_ints(5, 1), Unset(6), Unset(5), 5),
        {2: _ints(5, 1)[::-1]},
        r"\bstack\b",
        block=1,
    ),
    Bug(
        "init",
        "three_of_four_bytes",
        (_MIXED[:32], Unset(32), Unset(32)),
        {1: _MIXED[:32], 2: _MIXED[:32]},
        r"\bwords\b",
    ),
    Bug(
        "init",
        "half_a_tile",
        (_TILE.ravel(), Unset(256)),
        {1: _TILE.T.ravel()},
        r"\btile\b",
        block=(16, 8, 1),
    ),
    Bug(
        "init",
        "exclusive_scan_start",
        (_ints(10, 1), Unset(11), Unset(11), 10),
        {2: np.append(0, _ints(10, 1).cumsum()) + 1},
        r"\bstarts\b",
        block=1,
    ),
    Bug(
        "init",
        "source_without_level",
        (Unset(64), Unset(64), 40),
        {0: np.where(_ints(64) == 40, 0, -1), 1: np.where(_ints(64) == 40, 1, 2)},
        r"\blevel\b",
        block=64,
    ),
    Bug(
        "init",
        "second_dynamic_array",
        (_MIXED[:64] % 64, Unset(64)),
        {1: np.bincount(_MIXED[:64] % 64, minlength=64)},
        r"\b(counts|pool)\b",
        block=64,
        shared=2 * 64 * 4,
    ),
    Bug(
        "init",
        "max_of_nothing",
        (_MIXED[:64], Unset(1)),
        {1: _MIXED[:64].max(keepdims=True)},
        r"\bmost\b",
        block=64,
    ),
]
