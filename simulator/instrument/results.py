"""From the numbers that an instrumented build leaves behind to sites and counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.instrument.rewrite import COUNTED, Counted
from simulator.ir.events import ALWAYS, WHOLE_WARPS
from simulator.observe.counters import Counters, Site, Work
from simulator.observe.counters.sites import FIGURES, KINDS

#: The counters of a row, in the order of counting.cuh.
FACTS = (
    *("requests", "sectors", "lanes", "bank_conflicts", "same_address_max", "cas_failed"),
    *("divergent", "passed", "address", "whole"),
)
SLOTS = len(FACTS)


def gathered(
    places: Sequence[Counted],
    counts: NDArray[np.uint64],
    work: NDArray[np.uint32],
    block: int,
    warp_size: int,
    named: Callable[[int], str] = lambda address: "",
    merged: Mapping[int, str] = MappingProxyType({}),
) -> tuple[Counters, list[Site]]:
    """Give the counters of one launch, in total and of every site that was reached.

    Parameters
    ----------
    places : sequence of Counted
        What the rows of `counts` stand for.
    counts : uint64 array
        The array `gb_counts`.
    work : uint32 array of shape (threads,)
        Memory operations of each thread.
    block, warp_size : int
        Threads of a block and of a warp.
    named : callable
        The name of the array that an address is in.
    merged : mapping
        The rows of atomics that the compiler of the kernel as it was would merge, and when.
    """
    rows = counts.astype(np.int64).reshape(-1, len(KINDS), SLOTS)
    sites: list[Site] = []
    for place, spaces in zip(places, rows, strict=False):
        for kind, row in zip(KINDS, spaces, strict=True):
            facts = dict(zip(FACTS, map(int, row), strict=True))
            if facts["requests"]:
                facts["sectors"] -= _spared(facts, merged.get(place.number, ""), warp_size)
                sites.append(_site(place, kind, facts, named))
    spread = _spread(work, block, warp_size)
    counters = Counters.of(sites, on_gpu=True, warp_size=warp_size, **spread)
    return counters, [s for s in sites if s.kind not in ("cluster barrier", "grid barrier")]


def _spared(facts: Mapping[str, int], merged: str, warp_size: int) -> int:
    """Count the visits to sectors that an atomic is spared if one lane does it for all."""
    if merged == ALWAYS:
        return facts["sectors"] - facts["requests"] if facts["sectors"] else 0
    return facts["whole"] * (warp_size - 1) if merged == WHOLE_WARPS else 0


def _site(place: Counted, kind: str, facts: dict[str, int], named: Callable[[int], str]) -> Site:
    counted: dict[str, Any] = {name: facts[name] for name in (*FIGURES, "passed")}
    kind = f"{kind}{place.kind}" if place.kind in COUNTED else place.kind
    array = place.array or (named(facts["address"]) if facts["address"] else "")
    return Site(place.span, kind, array, size=place.size, **counted)


def _spread(work: NDArray[np.uint32], block: int, warp_size: int) -> dict[str, Any]:
    """Say how evenly the memory operations are spread over threads, warps and blocks."""
    each = work.astype(np.int64).reshape(-1, block)
    padded = np.pad(each, ((0, 0), (0, -block % warp_size)))
    warps = padded.reshape(-1, warp_size).sum(axis=1)
    return {
        "work": Work.of(each.ravel()),
        "work_per_warp": Work.of(warps),
        "work_per_block": Work.of(each.sum(axis=1)),
    }
