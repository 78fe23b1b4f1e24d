"""Requests in bulk: which lanes of which warps made them, and how far their addresses spread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.observe.log import Executions, column

Lanes = NDArray[np.int64]
BANKS, WORD = 32, 4
#: Bytes of a line of the L1 cache.
LINE = 128


class Requests:
    """What warps ask of memory in executions of one basic block.

    Parameters
    ----------
    sizes : int64 array
        How many lanes each execution has.
    count : int
        How many all have.
    heads : int64 array
        Where in the lanes of all, end to end, a warp's request begins.
    lanes : callable
        Returns these lanes, ascending in each execution.
    ranges : list of (int, int), optional
        For each execution its first lane and how many there are, where none is left out between.
    """

    def __init__(
        self,
        sizes: NDArray[np.int64],
        count: int,
        heads: Lanes,
        lanes: Callable[[], Lanes],
        ranges: list[tuple[int, int]] | None = None,
    ) -> None:
        self.sizes = sizes
        self.count = count
        self.heads = heads
        self._lanes = lanes
        self._ranges = ranges

    @classmethod
    def of(cls, executions: Executions, warp_size: int) -> Requests:
        """Find the requests of executions."""
        ranges = executions.ranges()
        if ranges is None:
            return cls.of_lanes(*executions.sizes_and_lanes(), warp_size)
        heads, start = [], 0
        for first, count in ranges:
            own = np.arange(start - first % warp_size, start + count, warp_size)
            own[0] = start
            heads.append(own)
            start += count
        sizes = np.array([count for _, count in ranges])
        whole = np.concatenate(heads)
        return cls(sizes, start, whole, lambda: executions.sizes_and_lanes()[1], ranges)

    @classmethod
    def of_lanes(cls, sizes: NDArray[np.int64], lanes: Lanes, warp_size: int) -> Requests:
        """Find the requests of executions with so many lanes each; `lanes` has those of all."""
        warps = lanes // warp_size if warp_size & (warp_size - 1) else lanes >> log2(warp_size)
        starts = np.cumsum(sizes[:-1])
        fresh = changes(warps)
        fresh[starts[starts < lanes.size]] = True
        return cls(sizes, lanes.size, fresh.nonzero()[0], lambda: lanes)

    def only(self, keep: NDArray[np.bool_]) -> Requests:
        """Keep the same requests with only some of their lanes."""
        request, lanes = self.request[keep], self.lanes[keep]
        heads = changes(request).nonzero()[0]
        return Requests(np.array([lanes.size]), lanes.size, heads, lambda: lanes)

    @cached_property
    def lanes(self) -> Lanes:
        """The lanes of all executions end to end."""
        return self._lanes()

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """How many lanes each request has."""
        return _lengths(self.heads, self.count)

    @cached_property
    def request(self) -> Lanes:
        """The number of each lane's request."""
        return np.repeat(np.arange(self.heads.size), self.spans)

    def column(self, values: tuple[Any, ...]) -> NDArray[Any]:
        """One operand of all executions end to end."""
        return column(values, self.sizes)

    def add_to(self, amounts: NDArray[np.int64], each: int) -> None:
        """Add a number to the amount of each lane, as often as the lane is there."""
        for first, count in self._ranges or ():
            amounts[first : first + count] += each
        if self._ranges is not None:
            return
        if self.count * _SPARSE < amounts.size:
            np.add.at(amounts, self.lanes, each)
        else:
            amounts += each * np.bincount(self.lanes, minlength=amounts.size)

    def divided(self, test: NDArray[np.bool_]) -> int:
        """Count the requests of which some lanes pass a test, and others do not."""
        if not 0 < np.count_nonzero(test) < test.size:
            return 0
        if test.size == _WORD_BITS * self.heads.size and int(self.spans.max()) == _WORD_BITS:
            words = np.packbits(test).view(np.uint32)
            return int(np.count_nonzero(words) - np.count_nonzero(words == ~np.uint32(0)))
        some, all_of_them = (
            np.count_nonzero(f.reduceat(test, self.heads)) for f in (np.logical_or, np.logical_and)
        )
        return int(some - all_of_them)


#: By how much fewer lanes are than amounts where they are added to one by one.
_SPARSE = 16
_WORD_BITS = 32


def log2(size: int) -> int:
    """Compute the logarithm of a power of two."""
    return size.bit_length() - 1


def distinct(requests: Requests, values: NDArray[Any]) -> int:
    """Count different values, summed over requests."""
    if requests.heads.size == values.size:
        return int(values.size)
    fresh, ascending = _steps(requests, values)
    if ascending:
        return int(np.count_nonzero(fresh))
    key = _keys(requests, values)[0]
    key.sort()
    return int(np.count_nonzero(changes(key)))


def _steps(requests: Requests, values: NDArray[Any]) -> tuple[NDArray[np.bool_], bool]:
    """Mark where requests and values change; whether values ascend within each request."""
    fresh = changes(values)
    fresh[requests.heads] = True
    down = np.empty(values.size, np.bool_)
    down[:1] = False
    np.less(values[1:], values[:-1], out=down[1:])
    down[requests.heads] = False
    return fresh, not down.any()


def lines_of_pairs(requests: Requests, address: NDArray[np.int64]) -> int:
    """Count what a GPU counts of accesses that pass by its L1 cache.

    That is for each two neighbouring lanes the lines that they access, one or two, as an H200 has
    shown with copies of 16 bytes at distances from 0 to 128 bytes.
    """
    fresh = changes(address >> log2(LINE)) | changes(requests.lanes >> 1)
    fresh[requests.heads] = True
    return int(np.count_nonzero(fresh))


def _keys(requests: Requests, values: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """One number for each pair of request and value, as narrow as it may be; a value's bits in it.

    Narrow ones sort faster.
    """
    low, high = int(values.min()), int(values.max())
    bits = (high - low).bit_length()
    total = bits + int(requests.heads.size).bit_length()
    if total <= 31:
        narrow: NDArray[Any] = (values - low).astype(np.int32)
        narrow |= requests.request.astype(np.int32) << np.int32(bits)
        return narrow, bits
    wide: NDArray[Any] = values.astype(np.int64) - low
    if total > 63:
        wide = np.unique(values, return_inverse=True)[1]
        bits = int(wide.max()).bit_length()
    wide |= requests.request << bits
    return wide, bits


def _sorted(requests: Requests, values: NDArray[np.int64]) -> tuple[Lanes, NDArray[np.int64]]:
    """Sort the requests of all lanes and their values by both."""
    key, bits = _keys(requests, values)
    low = int(values.min())
    if (int(values.max()) - low).bit_length() != bits:  # too many for one number
        order = np.lexsort((values, requests.request))
        return requests.request[order], values[order]
    key.sort()
    return (key >> bits).astype(np.int64), (key & ((1 << bits) - 1)).astype(np.int64) + low


@dataclass(frozen=True)
class Passes:
    """How atomics are served: lanes of a request with one address one after another.

    `each` is how often a request goes to a sector, for all its sectors end to end, `request` whose
    they are, and `most` the largest number of lanes of one request with the same address.
    """

    each: NDArray[np.int64]
    request: Lanes
    most: int

    @classmethod
    def of(cls, requests: Requests, address: NDArray[np.int64], sector: int) -> Passes:
        """Find the passes of requests over sectors of `sector` bytes."""
        if requests.heads.size == address.size:
            return cls(np.ones(address.size, np.int64), requests.request, 1)
        fresh, ascending = _steps(requests, address)
        request = requests.request
        if not ascending:
            request, address = _sorted(requests, address)
            fresh = changes(address) | changes(request)
        lanes, heads = _runs(fresh)
        sectors, request = address[heads] // sector, request[heads]
        starts = _runs(changes(sectors) | changes(request))[1]
        return cls(np.maximum.reduceat(lanes, starts), request[starts], int(lanes.max()))

    def sectors(self, alone: NDArray[np.bool_]) -> int:
        """Sectors of all requests, where those that are not `alone` go as one lane."""
        counted = alone[self.request]
        return int(self.each[counted].sum() + np.count_nonzero(~counted))


def changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; the first one does."""
    fresh = np.empty(values.size, np.bool_)
    fresh[:1] = True
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return fresh


def _runs(fresh: NDArray[np.bool_]) -> tuple[Lanes, Lanes]:
    """How long runs are, and where they begin."""
    heads = fresh.nonzero()[0]
    return _lengths(heads, fresh.size), heads


def _lengths(heads: Lanes, end: int) -> Lanes:
    """How long the runs are that begin at `heads`, the last of which goes on to `end`."""
    lengths = np.empty(heads.size, np.int64)
    np.subtract(heads[1:], heads[:-1], out=lengths[:-1])
    if heads.size:
        lengths[-1] = end - heads[-1]
    return lengths


def most_alike(requests: Requests, values: NDArray[np.int64]) -> int:
    """Count the largest number of lanes of one request that have the same value."""
    if requests.heads.size == values.size:
        return 1
    fresh, ascending = _steps(requests, values)
    if not ascending:
        key = _keys(requests, values)[0]
        key.sort()
        fresh = changes(key)
    return int(_runs(fresh)[0].max())


def occurrences(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the values that occur, ascending, and how often each does."""
    if values.size and values[0] == values[-1] and (values == values[0]).all():
        return values[:1], np.array([values.size])
    ascending = np.sort(values)
    counts, heads = _runs(changes(ascending))
    return ascending[heads], counts


def conflicts(requests: Requests, byte: NDArray[np.int64], size: int, warp_size: int) -> int:
    """Count extra passes over banks: 8-byte accesses go by half warps, 16-byte ones by quarters.

    Lanes of one pass that ask for the same word are served together; different words of one bank
    need a pass each.
    """
    parts = max(1, size // WORD)
    words = byte >> log2(WORD)
    heads = requests.heads
    if parts == 1 and heads.size == words.size:
        return 0
    if parts > 1:
        group = requests.request * parts + requests.lanes % warp_size * parts // warp_size
        heads = changes(group).nonzero()[0]
    low, high = np.minimum.reduceat(words, heads), np.maximum.reduceat(words, heads)
    wide = high - low + parts > BANKS  # fewer words than banks in a row cannot collide
    if not wide.any():
        return 0
    sizes = _lengths(heads, words.size)
    chosen = np.repeat(wide, sizes)
    owner = np.repeat(np.cumsum(wide) - 1, sizes)[chosen]
    return _passes(owner, words[chosen], parts) - int(np.count_nonzero(wide))


def _passes(owner: NDArray[np.int64], words: NDArray[np.int64], parts: int) -> int:
    """Sum passes over the banks over owners: the most different words in one bank."""
    if parts > 1:
        owner = np.repeat(owner, parts)
        words = (words[:, None] + np.arange(parts)).ravel()
    bits = int(words.max()).bit_length()
    key = np.sort((owner << bits) | words)
    key = key[np.append(True, key[1:] != key[:-1])]
    owner, words = key >> bits, key & ((1 << bits) - 1)
    load = np.bincount(owner * BANKS + words % BANKS, minlength=(int(owner[-1]) + 1) * BANKS)
    return int(load.reshape(-1, BANKS).max(axis=1).sum())
