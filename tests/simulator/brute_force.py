"""Count requests and their cost by brute force, one warp and one lane at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

from tests.simulator.launching import Triple, triple

SECTOR, BANKS, WORD = 32, 32, 4

# The grid as a student would walk it.


@dataclass(frozen=True)
class Lane:
    """One thread: coordinates, place in its block and in the whole grid, its warp and lane."""

    block: Triple
    thread: Triple
    place: int
    everywhere: int
    warp: int
    lane: int


def lanes(grid: Any, block: Any, warp_size: int = 32) -> Iterator[Lane]:
    """All threads in CUDA's order: x runs fastest, blocks are cut into warps."""
    grid, block = triple(grid), triple(block)
    size = block[0] * block[1] * block[2]
    per_block = -(-size // warp_size)
    for number, where in enumerate(product(*(range(n) for n in grid[::-1]))):
        for place, thread in enumerate(product(*(range(n) for n in block[::-1]))):
            warp = number * per_block + place // warp_size
            yield Lane(
                where[::-1],  # type: ignore[arg-type]
                thread[::-1],  # type: ignore[arg-type]
                place,
                number * size + place,
                warp,
                place % warp_size,
            )


def warps(grid: Any, block: Any, warp_size: int = 32) -> list[list[Lane]]:
    """The threads of each warp."""
    every = lanes(grid, block, warp_size)
    return [list(group) for _, group in groupby(every, key=lambda lane: lane.warp)]


# Requests: for each, the byte addresses of its lanes.


def requests_of(
    groups: Iterable[list[Lane]],
    address: Callable[[Lane], int],
    active: Callable[[Lane], bool] = lambda lane: True,
) -> list[list[int]]:
    """One list of byte addresses a warp that has active lanes."""
    found = [[address(lane) for lane in group if active(lane)] for group in groups]
    return [request for request in found if request]


def sectors(requests: Iterable[list[int]], size: int = 4) -> int:
    """Distinct 32-byte sectors of each request, summed."""
    return sum(
        len({byte // SECTOR for at in request for byte in range(at, at + size)})
        for request in requests
    )


def conflicts(groups: Iterable[list[tuple[int, int]]], size: int, warp_size: int = 32) -> int:
    """Extra passes: `groups` has (lane, byte) pairs of each request."""
    phases = max(1, size // WORD)
    extra = 0
    for group in groups:
        for phase in range(phases):
            words: dict[int, set[int]] = {}
            for lane, byte in group:
                if lane * phases // warp_size == phase:
                    for word in range(byte // WORD, (byte + size - 1) // WORD + 1):
                        words.setdefault(word % BANKS, set()).add(word)
            extra += max((len(w) for w in words.values()), default=1) - 1
    return extra


def gini(values: list[int]) -> float:
    """Gini's coefficient by its definition: mean absolute difference over twice the mean."""
    total, n = sum(values), len(values)
    return sum(abs(a - b) for a in values for b in values) / (2 * n * total) if total else 0.0
