"""Random number generators as cuRAND has them: their steps, over arrays of lanes.

XORWOW is Marsaglia's "Xorshift RNGs" (Journal of Statistical Software 8/14, 2003), Philox4x32-10
that of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). How cuRAND seeds
them, and how many numbers lie between its subsequences, follows its documentation and header.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Lanes = Any
Words = NDArray[np.uint32]
#: A linear map of bits: for each byte of the words and each value of it, the words that it gives.
Table = NDArray[np.uint32]

# XORWOW: a counter, and five words that a linear map over bits takes on from number to number.

#: What the counter adds with each number.
WEYL = 362437
#: Numbers between two subsequences, as a power of two.
SUBSEQUENCE = 67
_OCTETS = 20


def xorwow_step(d: Lanes, *v: Lanes) -> tuple[Lanes, ...]:
    """Return the next number, and the state behind it.

    Examples
    --------
    >>> words = [123456789, 362436069, 521288629, 88675123, 5783321]
    >>> number, *_ = xorwow_step(*(np.array([x], np.uint32) for x in [6615241, *words]))
    >>> number.tolist()
    [246875399]
    """
    d = d + np.uint32(WEYL)
    last = _next_word(v[0], v[4])
    return last + d, d, *v[1:], last


def _next_word(first: Lanes, last: Lanes) -> Lanes:
    mixed = first ^ (first >> np.uint32(2))
    return (last ^ (last << np.uint32(4))) ^ (mixed ^ (mixed << np.uint32(1)))


def xorwow_seeded(seed: Lanes, subsequence: Lanes, offset: Lanes) -> tuple[Lanes, ...]:
    """Return the state that a seed begins with, moved on by subsequences and numbers."""
    low = (seed.astype(np.uint32) ^ np.uint32(0xAAD26B49)) * np.uint32(1099087573)
    high = (seed >> np.uint64(32)).astype(np.uint32) ^ np.uint32(0xF7DCEFDD)
    high = high * np.uint32(2591861531)
    words = (
        np.uint32(123456789) + low,
        np.uint32(362436069) ^ low,
        np.uint32(521288629) + high,
        np.uint32(88675123) ^ high,
        np.uint32(5783321) + low,
    )
    moved = xorwow_subsequences(subsequence, np.uint32(6615241) + high + low, *words)
    return xorwow_ahead(offset, *moved)


def xorwow_ahead(count: Lanes, d: Lanes, *v: Lanes) -> tuple[Lanes, ...]:
    """Return the state `count` numbers later."""
    moved = _moved(np.stack(v, axis=-1), count, 0)
    return d + count.astype(np.uint32) * np.uint32(WEYL), *moved.T


def xorwow_subsequences(count: Lanes, d: Lanes, *v: Lanes) -> tuple[Lanes, ...]:
    """Return the state `count` subsequences later, whose lengths are multiples of 2**32."""
    return d, *_moved(np.stack(v, axis=-1), count, SUBSEQUENCE).T


def _moved(words: Words, count: Lanes, power: int) -> Words:
    """Apply the map `count` times `2**power` times to each row of words."""
    moved, count = words.copy(), np.broadcast_to(count, len(words))
    for bit in range(int(count.max()).bit_length()):
        odd = count >> np.uint64(bit) & np.uint64(1) == 1
        moved[odd] = _applied(_table(power + bit), moved[odd])
    return moved


def _applied(table: Table, words: Words) -> Words:
    """Apply a map to each row of words, byte by byte."""
    octets = np.ascontiguousarray(words.astype("<u4", copy=False)).view(np.uint8)
    moved: Words = table[0][octets[:, 0]]
    for at in range(1, _OCTETS):
        moved ^= table[at][octets[:, at]]
    return moved


@lru_cache(maxsize=SUBSEQUENCE + 64)
def _table(power: int) -> Table:
    """Return the map, applied `2**power` times: what each byte of the words gives."""
    bits = np.packbits(np.eye(8 * _OCTETS, dtype=np.uint8), axis=1, bitorder="little").view("<u4")
    if power:
        half = _table(power - 1)
        moved = _applied(half, _applied(half, bits.astype(np.uint32)))
    else:
        last = _next_word(bits[:, :1], bits[:, 4:])
        moved = np.concatenate([bits[:, 1:], last], axis=1).astype(np.uint32)
    found: Table = np.zeros((_OCTETS, 256, 5), np.uint32)
    for bit, rows in enumerate(moved.reshape(_OCTETS, 8, 1, 5).swapaxes(0, 1)):
        found[:, 1 << bit : 2 << bit] = found[:, : 1 << bit] ^ rows
    return found


# Philox: a counter of 128 bits, encrypted with a key of 64; each counter gives four numbers.

_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_STEPS = np.uint32(0x9E3779B9), np.uint32(0xBB67AE85)
_ROUNDS = 10


def philox(x: Lanes, y: Lanes, z: Lanes, w: Lanes, *key: Lanes) -> tuple[Lanes, ...]:
    """Return the four numbers of a counter.

    Examples
    --------
    >>> zeros = [np.zeros(1, np.uint32)] * 6
    >>> [hex(int(word[0])) for word in philox(*zeros)]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    first, second = key
    for _ in range(_ROUNDS):
        low, high = _MULTIPLIERS[0] * x, _MULTIPLIERS[1] * z
        x, z = _high(high) ^ y ^ first, _high(low) ^ w ^ second
        y, w = high.astype(np.uint32), low.astype(np.uint32)
        first, second = first + _KEY_STEPS[0], second + _KEY_STEPS[1]
    return x, y, z, w


def _high(product: Lanes) -> Lanes:
    return (product >> np.uint64(32)).astype(np.uint32)


def philox_seeded(seed: Lanes, subsequence: Lanes, offset: Lanes) -> tuple[Lanes, ...]:
    """Return counter, numbers, key and place that a seed begins with, moved on."""
    nothing = np.zeros(seed.shape, np.uint64)
    counter, place = _halves(nothing, subsequence), nothing.astype(np.uint32)
    return philox_ahead(offset, *counter, *_halves(seed), place)


def philox_ahead(count: Lanes, *state: Lanes) -> tuple[Lanes, ...]:
    """Return the state `count` numbers later; a state is a counter, a key, and a place."""
    first, second, place = state[4:]
    place = place + (count & np.uint64(3)).astype(np.uint32)
    counter = _advanced(state[:4], (count >> np.uint64(2)) + (place > 3))
    numbers = philox(*counter, first, second)
    return *counter, *numbers, first, second, place & np.uint32(3)


def philox_subsequences(count: Lanes, *state: Lanes) -> tuple[Lanes, ...]:
    """Return counter and numbers `count` subsequences, of 2**64 counters each, later."""
    low, high = _joined(state[:4])
    counter = _halves(low, high + count)
    return *counter, *philox(*counter, *state[4:])


def philox_following(*state: Lanes) -> tuple[Lanes, ...]:
    """Return the next counter, and its numbers, of a counter and a key."""
    counter = _advanced(state[:4], np.ones(state[0].shape, np.uint64))
    return *counter, *philox(*counter, *state[4:])


def _advanced(counter: Lanes, count: Lanes) -> tuple[Lanes, ...]:
    low, high = _joined(counter)
    after = low + count
    return _halves(after, high + (after < low))


def _joined(words: Lanes) -> tuple[Lanes, Lanes]:
    x, y, z, w = (word.astype(np.uint64) for word in words)
    return x | y << np.uint64(32), z | w << np.uint64(32)


def _halves(*longs: Lanes) -> tuple[Lanes, ...]:
    return tuple(half for one in longs for half in (one.astype(np.uint32), _high(one)))
