"""Planted bugs for memcheck: bounds, alignment, freed memory, memory that is another's."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Freed, Unset


def _ints(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.int32)


def _zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int32)


def _records() -> np.ndarray:
    """Records of eight bytes: one byte, three of padding, an int."""
    records = np.zeros(16, np.dtype([("kind", "u1"), ("value", "<i4")], align=True))
    records["value"] = _ints(16, 100)
    return records.view(np.uint8)


_MATRIX = np.arange(8 * 16, dtype=np.float32)
_WIDE = _ints(6 * 16).reshape(6, 16)
_KEYS = (_ints(32) * 7 - 100).astype(np.int32)
_SPARSE = np.where(_ints(32) % 5 == 3, 1, 0).astype(np.int32)


def _last_set(values: np.ndarray) -> np.ndarray:
    """For each place the last one up to it that is not zero; -1 if there is none."""
    return np.maximum.accumulate(np.where(values != 0, _ints(values.size), -1)).astype(np.int32)


MEMORY = [
    Bug(
        "memory",
        "guard_missing",
        (_ints(100), Unset(100), 100),
        {1: _ints(100, 1)},
        r"reads in\[100\], but in has 100 elements",
        grid=2,
        block=64,
    ),
    Bug(
        "memory",
        "off_by_one",
        (_ints(30 * 5), Unset(30), 30, 5),
        {1: _ints(30 * 5).reshape(30, 5).sum(1)},
        r"reads matrix\[150\]",
    ),
    Bug(
        "memory",
        "negative_index",
        (_ints(100, 5) ** 2, Unset(100), 100),
        {1: np.diff(_ints(100, 5) ** 2, prepend=0)},
        r"reads in\[-1\]",
        grid=2,
        block=64,
    ),
    Bug(
        "memory",
        "halo_unguarded",
        (_ints(128, 1), Unset(128), 128),
        {1: np.convolve(_ints(128, 1), [1, 1, 1], "same")},
        r"reads in\[128\], but in has 128 elements",
        grid=2,
        block=64,
    ),
    Bug(
        "memory",
        "row_and_column_swapped",
        (_MATRIX, 8, 16),
        {0: 2 * _MATRIX},
        r"matrix\[\d+\], but matrix has 128 elements",
        grid=(2, 1, 1),
        block=(8, 8, 1),
    ),
    Bug(
        "memory",
        "guard_on_wrong_axis",
        (_WIDE.ravel(), Unset(6 * 16), 6, 16),
        {1: _WIDE.T.ravel()},
        r"(reads in|writes out)\[\d+\], but (in|out) has 96 elements",
        block=(16, 8, 1),
    ),
    Bug(
        "memory",
        "stride_in_bytes",
        (_ints(128), Unset(32), 128),
        {1: _ints(128)[::4] + 7},
        r"reads in\[128\]",
    ),
    Bug(
        "memory",
        "unrolled_twice",
        (_ints(63), 63),
        {0: _ints(63, 1)},
        r"a\[63\], but a has 63 elements",
    ),
    Bug(
        "memory",
        "shared_past_end",
        (_ints(64), Unset(64)),
        {1: np.roll(_ints(64), -1)},
        r"reads ring\[64\], but ring has 64 elements",
        block=64,
    ),
    Bug(
        "memory",
        "dynamic_shared_past_end",
        (_ints(64), Unset(64)),
        {1: 11 * _ints(64)[::-1]},
        r"writes pool\[1\d\d\], but pool has 128 elements",
        block=64,
        shared=2 * 64 * 4,
    ),
    Bug(
        "memory",
        "local_past_end",
        (_ints(32), Unset(32)),
        {1: 6 * _ints(32)},
        r"writes mine\[4\], but mine has 4 elements",
    ),
    Bug(
        "memory",
        "misaligned_vector",
        (_ints(4 + 4 * 32), Unset(32)),
        {1: _ints(4 + 4 * 32)[4:].reshape(32, 4).sum(1)},
        r"misaligned",
    ),
    Bug(
        "memory",
        "misaligned_record",
        (_records(), Unset(16)),
        {1: _ints(16, 100)},
        r"misaligned.*multiples of 4",
        block=16,
    ),
    Bug("memory", "null_pointer", (None, Unset(32)), {1: np.ones(32, np.int32)}, r"null"),
    Bug(
        "memory",
        "freed_array",
        (Freed(32), _ints(32), Unset(32)),
        {2: 2 * _ints(32)},
        r"no allocation[^$]*freed",
    ),
    Bug(
        "memory",
        "host_address",
        (0x7F3A_1C00_0000, _ints(32), Unset(32)),
        {2: 3 * _ints(32)},
        r"reads by `.*no allocation.*address 0x7f3a1c000000",
    ),
    Bug(
        "memory",
        "another_threads_array",
        (Unset(64),),
        {0: 10 + _ints(64) % 4},
        r"another thread's own array",
        block=64,
    ),
    Bug(
        "memory",
        "another_blocks_shared_memory",
        (np.zeros(1, np.int64), _zeros(1), Unset(1), Unset(1)),
        {2: _ints(1, 42), 3: _ints(1, 42)},
        r"another block's shared memory",
        grid=2,
    ),
    Bug(
        "memory",
        "atomic_out_of_bounds",
        (_ints(101), _zeros(10), 101),
        {1: np.histogram(_ints(101), 10, (0, 100))[0]},
        r"updates bins\[10\], but bins has 10 elements",
        block=64,
        grid=2,
    ),
    Bug(
        "memory",
        "queue_overflow",
        (_ints(64), Unset(16), _zeros(1), 16),
        {1: np.full(16, 7), 2: np.full(1, 32)},
        r"writes queue\[\d+\], but queue has 16 elements",
        block=64,
    ),
    Bug(
        "memory",
        "negative_hash",
        (_KEYS, _zeros(10), 10),
        {1: np.bincount(_KEYS.view(np.uint32) % 10, minlength=10)},
        r"updates buckets\[-\d\]",
    ),
    Bug(
        "memory",
        "unsigned_below_zero",
        (_SPARSE, Unset(32)),
        {1: _last_set(_SPARSE)},
        r"reads in\[-1\]",
    ),
]
