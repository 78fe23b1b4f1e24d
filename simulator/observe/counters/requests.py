"""Requests in bulk: which lanes of which warps made them, and how far their addresses spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.observe.log import column

Lanes = NDArray[np.int64]
BANKS, WORD = 32, 4
#: Bytes of a line of the L1 cache.
LINE = 128


@dataclass
class Requests:
    """What warps ask of memory in executions of one basic block.

    `sizes` says how many lanes each execution has; `lanes` are those of all end to end, and `heads`
    the indices in it where a warp's request begins, which `fresh` marks.
    """

    sizes: NDArray[np.int64]
    lanes: Lanes
    fresh: NDArray[np.bool_]
    heads: Lanes
    _request: Lanes | None = None

    @classmethod
    def of(cls, sizes: NDArray[np.int64], lanes: Lanes, warp_size: int) -> Requests:
        """Find the requests of executions with so many lanes each; `lanes` has those of all."""
        warps = lanes // warp_size if warp_size & (warp_size - 1) else lanes >> log2(warp_size)
        starts = np.cumsum(sizes[:-1])
        fresh = np.empty(lanes.size, np.bool_)
        fresh[:1] = True
        np.not_equal(warps[1:], warps[:-1], out=fresh[1:])
        fresh[starts[starts < lanes.size]] = True
        return cls(sizes, lanes, fresh, fresh.nonzero()[0])

    def only(self, keep: NDArray[np.bool_]) -> Requests:
        """Keep the same requests with only some of their lanes."""
        request = self.request[keep]
        fresh = np.ones(request.size, np.bool_)
        np.not_equal(request[1:], request[:-1], out=fresh[1:])
        return Requests(np.array([request.size]), self.lanes[keep], fresh, fresh.nonzero()[0])

    @property
    def request(self) -> Lanes:
        """The number of each lane's request."""
        if self._request is None:
            self._request = np.cumsum(self.fresh) - 1
        return self._request

    def column(self, values: tuple[Any, ...]) -> NDArray[Any]:
        """One operand of all executions end to end."""
        return column(values, self.sizes)


def log2(size: int) -> int:
    """Compute the logarithm of a power of two."""
    return size.bit_length() - 1


def distinct(requests: Requests, values: NDArray[np.int64]) -> int:
    """Count different values, summed over requests."""
    if requests.heads.size == values.size:
        return int(values.size)
    step = np.diff(values)
    inner = ~requests.fresh[1:]
    if not ((step < 0) & inner).any():
        return int(1 + np.count_nonzero((step != 0) | requests.fresh[1:]))
    key = _keys(requests, values)
    key.sort()
    return int(1 + np.count_nonzero(key[1:] != key[:-1]))


def lines_of_pairs(requests: Requests, address: NDArray[np.int64]) -> int:
    """Count what a GPU counts of accesses that pass by its L1 cache.

    That is for each two neighbouring lanes the lines that they access, one or two, as an H200 has
    shown with copies of 16 bytes at distances from 0 to 128 bytes.
    """
    lines, pairs = address >> log2(LINE), requests.lanes >> 1
    alike = (np.diff(lines) == 0) & (np.diff(pairs) == 0) & ~requests.fresh[1:]
    return int(lines.size - np.count_nonzero(alike))


def _keys(requests: Requests, values: NDArray[np.int64]) -> NDArray[Any]:
    """One number for each pair of request and value, as narrow as it may be.

    Narrow ones sort faster.
    """
    low = values.min()
    bits = int(values.max() - low).bit_length()
    total = bits + int(requests.heads.size).bit_length()
    if total <= 31:
        narrow: NDArray[Any] = (values - low).astype(np.int32)
        narrow |= requests.request.astype(np.int32) << np.int32(bits)
        return narrow
    wide: NDArray[Any] = values - low
    if total > 63:
        wide = np.unique(values, return_inverse=True)[1]
        bits = int(wide.max()).bit_length()
    wide |= requests.request << bits
    return wide


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
        order = np.lexsort((address, requests.request))
        address, request = address[order], requests.request[order]
        lanes, heads = _runs(_changes(address) | _changes(request))
        sectors, request = address[heads] // sector, request[heads]
        starts = _runs(_changes(sectors) | _changes(request))[1]
        return cls(np.maximum.reduceat(lanes, starts), request[starts], int(lanes.max()))

    def sectors(self, alone: NDArray[np.bool_]) -> int:
        """Sectors of all requests, where those that are not `alone` go as one lane."""
        counted = alone[self.request]
        return int(self.each[counted].sum() + np.count_nonzero(~counted))


def _changes(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; the first one does."""
    fresh = np.ones(values.size, np.bool_)
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return fresh


def _runs(fresh: NDArray[np.bool_]) -> tuple[Lanes, Lanes]:
    """How long runs are, and where they begin."""
    heads = fresh.nonzero()[0]
    return np.diff(heads, append=fresh.size), heads


def most_alike(requests: Requests, values: NDArray[np.int64]) -> int:
    """Count the largest number of lanes of one request that have the same value."""
    if requests.heads.size == values.size:
        return 1
    key = _keys(requests, values)
    key.sort()
    return int(_runs(_changes(key))[0].max())


def conflicts(requests: Requests, byte: NDArray[np.int64], size: int, warp_size: int) -> int:
    """Count extra passes over banks: 8-byte accesses go by half warps, 16-byte ones by quarters.

    Lanes of one pass that ask for the same word are served together; different words of one bank
    need a pass each.
    """
    parts = max(1, size // WORD)
    group = requests.request
    words = byte // WORD
    if parts > 1:
        group = group * parts + requests.lanes % warp_size * parts // warp_size
    heads = np.append(0, (group[1:] != group[:-1]).nonzero()[0] + 1)
    low, high = np.minimum.reduceat(words, heads), np.maximum.reduceat(words, heads)
    wide = high - low + parts > BANKS  # fewer words than banks in a row cannot collide
    if not wide.any():
        return 0
    sizes = np.diff(heads, append=words.size)
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
