"""Planted bugs with memory orders, barriers in memory and pipelines."""

from __future__ import annotations

import numpy as np

from tests.sanitize.planted import Bug, Unset

_NUMBERS = np.arange(7, 135, dtype=np.int32)
_STAGES = np.arange(512, dtype=np.int32)
_TURNED = _NUMBERS.reshape(2, 64)[:, ::-1].reshape(-1)
_SUMMED = _STAGES.reshape(2, 4, 64).sum(1)
_ROUNDS = np.where(np.arange(64) % 3 == 0, 2, 3).astype(np.int32)


def _one(of: str = "int32") -> np.ndarray:
    return np.zeros(1, of)


def _message(name: str, says: str = r"race on data\[0\]") -> Bug:
    return Bug("race", name, (_one(), Unset(1), _one()), {2: np.array([42])}, says, grid=2)


def _tile(
    name: str,
    says: str,
    sanitizer: str = "race",
    given: np.ndarray = _NUMBERS,
    result: np.ndarray = _TURNED,
) -> Bug:
    return Bug(sanitizer, name, (given, Unset(128)), {1: result}, says, grid=2, block=64)


def _after_rounds() -> np.ndarray:
    value = np.arange(64)
    for number in range(3):
        value = value + np.where(number < _ROUNDS, np.roll(value, -1), 0)
    return value


def _locked(times: int) -> int:
    number = 0
    for _ in range(times):
        number = 3 * number + 1
    return number


_EVEN = np.repeat((_NUMBERS.reshape(2, 64) % 2 == 0).sum(1), 64)

ORDERS = [
    Bug(
        "race",
        "message_overwritten",
        (_one(), Unset(1), _one()),
        {0: np.array([2]), 2: np.array([42])},
        r"race on data\[0\]",
        grid=3,
    ),
    _message("swap_that_fails_relaxed"),
    Bug(
        "race",
        "swap_that_fails_releases_nothing",
        (np.zeros(2, np.int32), Unset(1), _one()),
        {0: np.array([5, 1]), 2: np.array([42])},
        r"race on data\[0\]",
        grid=2,
    ),
    _tile("counter_of_thread_scope", r"(?s)race on count\b.*thread_scope_thread", result=_EVEN),
    Bug(
        "race",
        "memory_barrier_of_block_scope",
        (np.zeros(2, np.uint64), _one(), Unset(2), np.zeros(2, np.int32)),
        {2: np.array([7, 8]), 3: np.array([8, 7])},
        r"race on (data|state|meeting)\b",
        grid=2,
    ),
    _tile("token_of_the_last_phase", r"race on tile\["),
    _message("message_relaxed_store"),
    _message("message_relaxed_load"),
    _message("message_of_block_scope", r"race on (data|flag)\[0\]"),
    _message("message_fence_of_block"),
    Bug(
        "race",
        "last_block_relaxed",
        (_NUMBERS, Unset(4), _one("uint32"), _one()),
        {3: _NUMBERS.sum(keepdims=True)},
        r"race on sums\[",
        grid=4,
    ),
    Bug(
        "race",
        "ticket_lock_relaxed",
        (_one("uint32"), _one("uint32"), _one("uint32")),
        {0: np.array([6]), 2: np.array([_locked(6)])},
        r"race on number\[0\]",
        grid=6,
    ),
    _tile("barrier_not_waited_for", r"race on tile\["),
    Bug(
        "race",
        "split_overwrites",
        (_NUMBERS, Unset(32)),
        {1: _NUMBERS.reshape(4, 32).sum(0)[::-1]},
        r"race on buffer\[",
        block=64,
    ),
    # Elsewhere a warp may come to the barrier before it is made, which is a fault of its own.
    Bug(
        "race",
        "barrier_made_too_late",
        (_NUMBERS, Unset(128)),
        {1: _TURNED},
        r"race on bar\b",
        grid=2,
        block=64,
        schedules=("lockstep",),
    ),
    _tile(
        "pipeline_refilled_too_early",
        r"race on buffer\b",
        given=_STAGES,
        result=_SUMMED[:, ::-1].ravel(),
    ),
    _tile("pipeline_read_too_early", r"race on buffer\b", given=_STAGES, result=_SUMMED.ravel()),
    _tile("copy_for_a_barrier_read_too_early", r"race on tile\b"),
    _tile("memory_barrier_for_one_too_many", r"at which 64 of 65 threads arrive", "sync"),
    _tile("memory_barrier_never_made", r"nobody has initialised", "sync"),
    Bug(
        "sync",
        "memory_barrier_left",
        (_ROUNDS, Unset(64)),
        {1: _after_rounds()},
        r"a wait at a barrier",
        block=64,
    ),
    _tile("phase_that_nobody_ends", r"livelock: \d+ threads? waits? in this loop", "livelock"),
]
