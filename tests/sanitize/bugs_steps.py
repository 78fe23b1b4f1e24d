"""Planted bugs for the step budget: loops that change something for ever."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


def _zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


_LIMIT = 3_000_000
_LEFT = ((_ints(8) * 2 + 1) % 8).astype(np.int32)
_RIGHT = ((_ints(8) * 2 + 2) % 8).astype(np.int32)
_KEYS = (_ints(16) * 7 % 5).astype(np.int32)


def _row(name: str, arguments: tuple, result: dict, steps: int = _LIMIT, **launch: int) -> Bug:
    says = f"no end after {steps:,} lane steps"
    return Bug("steps", name, arguments, result, says, steps=steps, **launch)


STEPS = [
    _row("unsigned_countdown", (_ints(8), 8), {0: 2 * _ints(8) + 1}, block=1),
    _row("float_that_stalls", (_zeros(32),), {0: np.full(32, 10)}),
    _row("float_never_equal", (_zeros(32),), {0: np.full(32, 10)}),
    _row("ping_pong", (_zeros(1), _zeros(2)), {0: [10], 1: [5, 5]}, 10 * _LIMIT, grid=2),
    _row("wrong_direction", (_zeros(64), 100), {0: np.bincount(_ints(100) % 64)}),
    _row("stride_of_zero", (_ints(10), 10), {0: _ints(10, 1)}),
    _row("doubling_from_zero", (_zeros(32), 100), {0: np.full(32, 7)}),
    _row("byte_counter", (_ints(256),), {0: 2 * _ints(256)}, block=1),
    _row(
        "missing_increment",
        (_ints(5 * 32), _zeros(32), 5),
        {1: _ints(5 * 32).reshape(32, 5).sum(1)},
    ),
    _row(
        "list_with_a_cycle",
        ((_ints(7) + 3).astype(np.int32) % 7, _zeros(7)),
        {1: np.ones(7)},
        block=1,
    ),
    _row("changed_every_time", (np.full(8, 99, np.int32), _zeros(8)), {0: _ints(8)}, block=8),
    _row(
        "vertex_queued_again",
        (_LEFT, _RIGHT, Unset(16), _zeros(8)),
        {3: np.ones(8)},
        block=1,
    ),
    _row(
        "binary_search_stalls",
        (_ints(20) * 2, Unset(64), 20),
        {1: np.searchsorted(_ints(20) * 2, _ints(64))},
        block=64,
    ),
    _row("continue_without_a_step", (_ints(100), 100), {0: _ints(100, 1)}, block=64),
    _row("doubling_wraps", (_zeros(32), np.uint32(3_000_000_000)), {0: np.full(32, 32)}),
    _row(
        "newton_oscillates",
        (Unset(32), _zeros(32)),
        {0: np.floor(np.sqrt(_ints(32, 1)))},
    ),
    _row(
        "equal_neighbours_swapped",
        (_KEYS, _ints(16), 16),
        {0: np.sort(_KEYS), 1: np.argsort(_KEYS, stable=True)},
        block=8,
    ),
]
