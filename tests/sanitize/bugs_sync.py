"""Planted bugs for synccheck: barriers that some threads miss, masks that name the wrong lanes."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset

_BARRIER = r"barrier"
_MASK = r"mask|not active"


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


_MIXED = (_ints(128) * 37 % 101).astype(np.int32)
_LINE = _MIXED[1:65]
_EVEN = np.where(_ints(64) % 3 == 0, 48, 33).astype(np.int32)
_TURNS = (_ints(64) % 9).astype(np.int32)


def _reversed_part(n: int) -> np.ndarray:
    return np.append(_MIXED[:n][::-1], _MIXED[n:64])


def _tile_sums(n: int) -> np.ndarray:
    padded = np.zeros(-(-n // 64) * 64, np.int32)
    padded[:n] = _MIXED[:n]
    return padded.reshape(-1, 64).sum(0)[::-1]


def _half_sums(values: np.ndarray) -> np.ndarray:
    result = np.full(values.size, -1)
    result[::32] = values.reshape(-1, 32)[:, :16].sum(1)
    return result


def _halves_reversed(values: np.ndarray) -> np.ndarray:
    warps = values.reshape(-1, 32).copy()
    warps[:, :16] = warps[:, 15::-1]
    return warps.ravel()


def _handed_on() -> np.ndarray:
    lower = _ints(64) % 32 < 16
    return np.where(lower, _MIXED[_ints(64) ^ 1], 0)


def _visits() -> np.ndarray:
    """How often each place is seen by the threads that walk on from theirs."""
    return np.array([sum((p - t) % 64 < _TURNS[t] for t in range(64)) for p in range(64)])


SYNC = [
    Bug(
        "sync",
        "barrier_in_branch",
        (_MIXED[:64], 40),
        {0: _reversed_part(40)},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "loop_of_different_length",
        (_MIXED, Unset(64), 100),
        {1: _tile_sums(100)},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "two_barriers",
        (_MIXED, Unset(64)),
        {1: np.append(np.zeros(32), _MIXED[31::-1]) + 1},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "vote_of_one",
        (_LINE,),
        {0: np.minimum.accumulate(_LINE)},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "break_before_barrier",
        (_EVEN,),
        {0: np.where(_EVEN == 48, 3, 33) + 4},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "continue_before_barrier",
        (_MIXED, Unset(64), 100),
        {1: _tile_sums(100)},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "barrier_in_a_function",
        (_MIXED, Unset(64)),
        {1: np.full(64, _MIXED[:32].sum())},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "barrier_for_one_half",
        (_MIXED[:64],),
        {0: np.sort(_MIXED[:64].reshape(32, 2)).ravel()},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "barrier_after_break_by_value",
        (_TURNS, Unset(64)),
        {1: _visits()},
        _BARRIER,
        block=64,
    ),
    Bug(
        "sync",
        "full_mask_in_branch",
        (_MIXED[:64], Unset(64)),
        {1: _half_sums(_MIXED[:64])},
        _MASK,
        block=64,
    ),
    Bug(
        "sync",
        "caller_not_in_mask",
        (_MIXED[:32], Unset(32, "uint32")),
        {1: np.full(32, sum(1 << k for k in range(32) if _MIXED[k] % 2))},
        _MASK,
    ),
    Bug(
        "sync",
        "shuffle_from_inactive",
        (_MIXED[:64], Unset(64)),
        {1: _halves_reversed(_MIXED[:64])},
        r"not active|inactive",
        block=64,
    ),
    Bug(
        "sync",
        "syncwarp_in_branch",
        (_MIXED[:64], Unset(64)),
        {1: _handed_on()},
        _MASK,
        block=64,
    ),
    Bug(
        "sync",
        "short_last_warp",
        (_MIXED[:48], Unset(2)),
        {1: [_MIXED[:32].sum(), _MIXED[32:48].sum()]},
        _MASK,
        block=48,
    ),
    Bug(
        "sync",
        "return_before_shuffle",
        (_MIXED[:100], Unset(4), 100),
        {1: np.append(_MIXED[:100], np.zeros(28)).reshape(4, 32).sum(1)},
        _MASK,
        grid=2,
        block=64,
    ),
    Bug(
        "sync",
        "vote_in_uneven_loop",
        (_MIXED % 7, Unset(32), 3, 100),
        {1: np.full(32, (_MIXED[:100] % 7 == 3).sum())},
        _MASK,
    ),
    Bug(
        "sync",
        "vote_behind_and",
        (_MIXED[:32], Unset(32)),
        {1: np.where(_ints(32) % 2 == 0, 5, 6)},
        _MASK,
    ),
    Bug(
        "sync",
        "shuffle_in_conditional",
        (_MIXED[:32], Unset(32)),
        {1: _MIXED[:32] + np.append(0, _MIXED[:31])},
        _MASK,
    ),
]
