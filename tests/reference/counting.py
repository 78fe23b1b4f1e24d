"""What the warps of a program did, from what their threads did one at a time."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.reference.expressions import Event, Thread
from tests.reference.threads import Oracle
from tests.simulator.brute_force import conflicts


def count(oracle: Oracle, size: int) -> Counter[str]:
    """The counters of what a reference machine has run, on warps of `size` lanes."""
    counts = Counter({"barriers": oracle.barriers})
    for kernel, threads in oracle.recorded or ():
        warps = [threads[i : i + size] for i in range(0, len(threads), size)]
        declared = len(kernel.declarations)
        counts["warp steps"] += declared * len(warps)
        counts["thread steps"] += declared * len(threads)
        for warp in warps:
            count_warp(warp, size, counts)
        counts.update(f"threads that did {work([t])}" for t in threads)
        counts.update(f"warps that did {work(warp)}" for warp in warps)
        counts[f"blocks that did {work(threads)}"] += 1
    return +counts


def work(threads: list[Thread]) -> int:
    """How often threads used memory."""
    return sum(e.cells is not None for t in threads for e in t.events or ())


def count_warp(warp: list[Thread], size: int, counts: Counter[str]) -> None:
    """Add what a warp did: events of several lanes with one key are one step or request."""
    together: dict[Any, list[tuple[int, Event]]] = {}
    for lane, thread in enumerate(warp):
        for event in thread.events or ():
            together.setdefault(event.key, []).append((lane, event))
    for events in together.values():
        if events[0][1].cells is None:
            counts["warp steps"] += 1
            counts["thread steps"] += len(events)
        for space in ("global", "shared"):
            mine = [
                (lane, e) for lane, e in events if e.cells is not None and e.cells.space == space
            ]
            if mine:
                count_request(f"{space} {events[0][1].key[-1]}", mine, size, counts)


def count_request(
    kind: str, events: list[tuple[int, Event]], size: int, counts: Counter[str]
) -> None:
    """Add one request of some lanes."""
    counts[f"{kind} requests"] += 1
    counts[f"{kind} lanes"] += len(events)
    pairs = [(lane, e.at * e.size) for lane, e in events]
    if kind.startswith("shared"):
        counts["bank conflicts"] += conflicts([pairs], events[0][1].size, size)
        return
    touched = Counter((id(e.cells), e.at * e.size) for _, e in events)
    passes: Counter[Any] = Counter()
    for (array, byte), lanes in touched.items():
        sector = array, byte // 32
        passes[sector] = max(passes[sector], lanes if kind.endswith("atomic") else 1)
    counts[f"{kind} sectors"] += passes.total()
