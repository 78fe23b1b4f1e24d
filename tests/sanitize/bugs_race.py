"""Planted bugs for racecheck: accesses that nothing orders, in shared and in global memory."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


def _zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


_MIXED = (_ints(256) * 37 % 101).astype(np.int32)
_FLOATS = np.float32(_ints(32) * 11 % 32)
_TARGETS = (_ints(100) * 7 % 10).astype(np.int32)
_WEIGHTS = np.float32(_ints(100) % 8)
_CHILD = (_ints(32) + 5).astype(np.int32) % 32
_VERTICES = (_ints(64) * 3 % 128).astype(np.int32)


def _tiles() -> np.ndarray:
    tiles = _MIXED[:192].reshape(3, 64)
    return (np.roll(tiles, -1, 1) - tiles // 2).sum(0)


def _smoothed(rounds: int) -> np.ndarray:
    ring = _MIXED[:32]
    for _ in range(rounds):
        ring = ring + np.roll(ring, -1)
    return ring


def _twice_added(ring: np.ndarray) -> np.ndarray:
    once = ring + np.roll(ring, -1)
    return once + np.roll(once, -1)


def _bits() -> np.ndarray:
    flags = np.zeros(128, np.uint8)
    flags[_VERTICES] = 1
    return np.packbits(flags, bitorder="little").view(np.uint32)


def _linked(last: int) -> np.ndarray:
    """Return four pages of eight words: page 0 leads to page 2, which leads to `last`."""
    pages = np.zeros((4, 8), np.int32)
    pages[[0, 2], 7] = 2, last
    pages[3, 0] = 99
    return pages.ravel()


def _odd_in_queue() -> int:
    return int((_MIXED[:128] % 2).sum())


RACE = [
    Bug(
        "race",
        "reverse_without_barrier",
        (_MIXED[:128], Unset(128)),
        {1: _MIXED[:128].reshape(2, 64)[:, ::-1].ravel()},
        r"\bpart\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "barrier_too_early",
        (_MIXED[:64], Unset(64)),
        {1: np.roll(_MIXED[:64], -1)},
        r"\bpart\b",
        block=64,
    ),
    Bug(
        "race",
        "reduction_one_barrier",
        (_MIXED, Unset(2)),
        {1: _MIXED.reshape(2, 128).sum(1)},
        r"\bpart\b",
        grid=2,
        block=128,
    ),
    Bug(
        "race",
        "last_warp_of_reduction",
        (_MIXED[:64], Unset(1)),
        {1: _MIXED[:64].sum(keepdims=True)},
        r"\bpart\b",
    ),
    Bug("race", "scan_in_place", (_MIXED[:64],), {0: _MIXED[:64].cumsum()}, r"\bpart\b", block=64),
    Bug(
        "race",
        "tile_overwritten",
        (_MIXED, Unset(64), 3),
        {1: _tiles()},
        r"\btile\b",
        block=64,
    ),
    Bug(
        "race",
        "shared_counter",
        (_MIXED[:128], Unset(2)),
        {1: (_MIXED[:128].reshape(2, 64) % 2 == 0).sum(1)},
        r"\beven\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "broadcast_without_barrier",
        (_ints(2, 3) * 50, Unset(128)),
        {1: np.append(_ints(64, 150), _ints(64, 200))},
        r"\bbase\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "transpose_without_barrier",
        (_MIXED[:64], Unset(64)),
        {1: _MIXED[:64].reshape(8, 8).T.ravel()},
        r"\btile\b",
        block=(8, 8, 1),
    ),
    Bug("race", "buffers_not_switched", (_MIXED[:32], 4), {0: _smoothed(4)}, r"\bring\b"),
    Bug(
        "race",
        "lanes_exchange",
        (_MIXED[:32], Unset(32)),
        {1: _MIXED[_ints(32) ^ 1]},
        r"\bbox\b",
    ),
    Bug(
        "race",
        "syncwarp_for_a_block",
        (_MIXED[:64], Unset(64)),
        {1: np.roll(_MIXED[:64], 32)},
        r"\bbox\b",
        block=64,
    ),
    Bug(
        "race",
        "two_lanes_one_address",
        (_MIXED[:64], Unset(32)),
        {1: _ints(32, 1)},
        r"\bpairs\b",
        block=64,
    ),
    Bug(
        "race",
        "shared_memory_reused",
        (_FLOATS, Unset(32)),
        {1: np.argsort(_FLOATS)},
        r"shared memory|\bvalues\b",
    ),
    Bug(
        "race",
        "frontier_swapped_too_early",
        (_CHILD, Unset(32)),
        {1: np.isin(_ints(32), [5, 10, 15])},
        r"\bfrontier\b",
    ),
    Bug(
        "race",
        "histogram",
        (_MIXED[:128] % 8, _zeros(8)),
        {1: np.bincount(_MIXED[:128] % 8, minlength=8)},
        r"\bbins\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "sum_of_blocks",
        (_MIXED[:128], _zeros(1)),
        {1: _MIXED[:128].sum(keepdims=True)},
        r"\btotal\b",
        grid=4,
    ),
    Bug(
        "race",
        "stencil_in_place",
        (_MIXED[:128], Unset(128), 128),
        {1: _MIXED[:128] + np.append(_MIXED[1:128], 0)},
        r"\ba\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "last_block_by_number",
        (_MIXED[:4], Unset(4), _zeros(1), Unset(1)),
        {1: 2 * _MIXED[:4], 3: 2 * _MIXED[:4].sum(keepdims=True)},
        r"\bparts\b",
        grid=4,
    ),
    Bug(
        "race",
        "last_block_without_fence",
        (_MIXED[:4], Unset(4), _zeros(1), _zeros(1)),
        {1: 3 * _MIXED[:4], 3: 3 * _MIXED[:4].sum(keepdims=True)},
        r"\bparts\b",
        grid=4,
        block=64,
    ),
    Bug(
        "race",
        "plain_flag",
        (Unset(1), _zeros(1), Unset(1)),
        {0: [17], 1: [1], 2: [17]},
        r"\b(flag|data)\b",
        grid=2,
    ),
    Bug(
        "race",
        "link_read_too_early",
        (_linked(-1), 3, Unset(32)),
        {0: _linked(3), 2: np.full(32, 24)},
        r"\bpages\b",
    ),
    Bug(
        "race",
        "flag_before_data",
        (Unset(1), _zeros(1), Unset(1)),
        {0: [23], 1: [1], 2: [23]},
        r"\bdata\b",
        grid=2,
    ),
    Bug(
        "race",
        "fence_of_a_block",
        (Unset(1), _zeros(1), Unset(1)),
        {0: [29], 1: [1], 2: [29]},
        r"\bdata\b",
        grid=2,
    ),
    Bug(
        "race",
        "lock_without_fence",
        (_zeros(1), _zeros(1)),
        {0: [0], 1: [10]},
        r"\bsum\b",
        grid=4,
    ),
    Bug(
        "race",
        "unlocked_by_assignment",
        (_zeros(1), _zeros(1)),
        {0: [0], 1: [10]},
        r"\b(lock|sum)\b",
        grid=4,
    ),
    Bug(
        "race",
        "queue_append",
        (_MIXED[:128], Unset(128), _zeros(1)),
        {2: [_odd_in_queue()]},
        r"\b(tail|queue)\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "parent_check_then_set",
        (np.full(4, -1, np.int32), _zeros(1)),
        {1: [4]},
        r"\bparent\b",
        grid=2,
    ),
    Bug(
        "race",
        "plain_read_of_counter",
        (Unset(16), _zeros(1), 16),
        {0: np.full(16, 9), 1: [64]},
        r"\btail\b",
        grid=2,
    ),
    Bug(
        "race",
        "scatter",
        (_TARGETS, _WEIGHTS, np.zeros(10, np.float32), 100),
        {2: np.bincount(_TARGETS, _WEIGHTS)},
        r"\bsum\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "visited_bits",
        (_VERTICES, np.zeros(4, np.uint32)),
        {1: _bits()},
        r"\bvisited\b",
        block=64,
    ),
    Bug("race", "overlapping_bytes", (Unset(32, "uint8"),), {0: _ints(32, 1)}, r"\bbytes\b"),
    Bug(
        "race",
        "barrier_of_one_block",
        (_MIXED[:128], Unset(128), _zeros(1), Unset(128), 128),
        {2: [2], 3: _MIXED[127::-1] + 5},
        r"\bscratch\b",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "grid_without_sync",
        (_MIXED[:128], Unset(128), Unset(128), 128),
        {2: _twice_added(_MIXED[:128])},
        r"\bscratch\b",
        cooperative=True,
        grid=2,
        block=64,
    ),
]
