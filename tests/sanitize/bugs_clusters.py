"""Planted bugs in clusters of blocks: their barrier, distributed shared memory, blocks that end."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


_MIXED = (_ints(128) * 37 % 101 + 1).astype(np.int32)
_KEYS = (_ints(128) * 29 % 128).astype(np.int32)
_BINS = (_ints(64) * 7 % 64 // 2 * 2).astype(np.int32)
_SWAPPED = _MIXED.reshape(2, 64)[::-1].ravel()

CLUSTERS = [
    Bug(
        "race",
        "cluster_without_sync",
        (_MIXED, Unset(128)),
        {1: np.roll(_MIXED, -32)},
        r"\btile\[\d+\] of block ",
        grid=4,
    ),
    Bug(
        "race",
        "cluster_with_block_barrier",
        (_MIXED, Unset(1)),
        {1: [_MIXED.sum()]},
        r"\bsum\[0\] of block",
        grid=2,
        block=64,
    ),
    Bug(
        "race",
        "cluster_block_ends_early",
        (_MIXED, Unset(128)),
        {1: _MIXED.reshape(2, 2, 32)[:, ::-1, ::-1].ravel()},
        r"\bfirst\[\d+\] of block .*nothing keeps that block from ending",
        grid=4,
        schedules=("lockstep",),  # under others it has ended, which is a fault of its own
    ),
    Bug(
        "race",
        "cluster_between_arrival_and_wait",
        (_MIXED, Unset(128)),
        {1: _SWAPPED},
        r"\btile\[\d+\] of block",
        grid=2,
        block=64,
    ),
    Bug(
        "memory",
        "mapped_past_end",
        (_MIXED, _KEYS, Unset(128)),
        {2: _MIXED[_KEYS]},
        r"\btable\[\d+\] of block .* but table has 32 elements",
        grid=4,
    ),
    Bug(
        "memory",
        "mapped_to_no_block",
        (_MIXED[:4], Unset(4)),
        {1: _MIXED[:4] + np.array([0, 32, 32, 32])},
        r"rank 4 in a cluster of 4 blocks",
        grid=4,
    ),
    Bug(
        "memory",
        "mapped_to_ended_block",
        (_MIXED, Unset(128)),
        {1: np.append(np.zeros(32), np.tile(_MIXED[:32], 3))},
        r"the shared memory of block \(0, 0, 0\), which has ended",
        grid=4,
    ),
    Bug(
        "sync",
        "cluster_barrier_for_some_blocks",
        (_MIXED[:2], Unset(2)),
        {1: [0, _MIXED[0] + _MIXED[1]]},
        r"barrier of the cluster that 32 of 64 threads reach",
        grid=2,
    ),
    Bug(
        "sync",
        "cluster_barrier_of_one_warp",
        (_MIXED[:64], Unset(64)),
        {1: np.roll(_MIXED[:64], 32)},
        r"barrier of the cluster that \d+ of 128 threads reach",
        grid=2,
        block=64,
    ),
    Bug(
        "sync",
        "cluster_arrival_forgotten",
        (_MIXED[:64], Unset(64)),
        {1: 2 * _MIXED[:64] + np.roll(_MIXED[:64], 32)},
        r"wait at the cluster's barrier without an arrival",
        grid=2,
    ),
    Bug(
        "init",
        "cluster_unset_bins",
        (_BINS, Unset(64)),
        {1: np.bincount(_BINS, minlength=64)},
        r"\bbins\[\d+\] of block \(1, 0, 0\)",
        grid=2,
    ),
]
