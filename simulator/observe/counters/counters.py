"""Count: what a launch did, as a GPU engineer looks at it.

Reads logged basic blocks, never a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.source import Span

# How evenly work is spread.
#
# A distribution kept as a histogram, exact and small however many threads there are.


def _empty() -> NDArray[np.int64]:
    return np.empty(0, np.int64)


@dataclass(frozen=True)
class Work:
    """Memory operations per thread (or warp, or block) as a histogram.

    Attributes
    ----------
    values : ndarray of int64, shape (k,)
        The amounts that occur, ascending.
    counts : ndarray of int64, shape (k,)
        How many threads have each amount.

    Examples
    --------
    >>> work = Work.of(np.array([0, 0, 4, 4]))
    >>> work.maximum, work.mean, work.imbalance, work.gini
    (4, 2.0, 2.0, 0.5)
    """

    values: NDArray[np.int64] = field(default_factory=_empty)
    counts: NDArray[np.int64] = field(default_factory=_empty)

    @classmethod
    def of(cls, amounts: NDArray[Any]) -> Work:
        """The distribution of `amounts`, one a thread."""
        values, counts = np.unique(amounts, return_counts=True)
        return cls(values.astype(np.int64), counts.astype(np.int64))

    def __add__(self, other: Work) -> Work:
        values, place = np.unique(np.append(self.values, other.values), return_inverse=True)
        counts = np.bincount(place, np.append(self.counts, other.counts), values.size)
        return Work(values, counts.astype(np.int64))

    @property
    def threads(self) -> int:
        """How many threads (or warps, or blocks) there are."""
        return int(self.counts.sum())

    @property
    def total(self) -> int:
        """All operations together."""
        return int((self.values * self.counts).sum())

    @property
    def maximum(self) -> int:
        """The most that one has."""
        return int(self.values[-1]) if self.values.size else 0

    @property
    def mean(self) -> float:
        """The average."""
        return self.total / self.threads if self.threads else 0.0

    @property
    def imbalance(self) -> float:
        """Maximum over mean: 1 is perfect balance; 0 where there is no work."""
        return self.maximum / self.mean if self.total else 0.0

    @property
    def gini(self) -> float:
        """Gini's coefficient: 0 when all have the same, towards 1 when one has everything."""
        if not self.total:
            return 0.0
        weight = self.values * self.counts
        below = np.cumsum(weight) - weight / 2
        return float(1 - 2 * (below * self.counts).sum() / (self.total * self.threads))

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON, with the histogram."""
        return {
            "maximum": self.maximum,
            "mean": self.mean,
            "imbalance": self.imbalance,
            "gini": self.gini,
            "total": self.total,
            "histogram": {str(v): int(c) for v, c in zip(self.values, self.counts, strict=True)},
        }


SECTOR = 32


def _counter(meaning: str, merge: str = "sum") -> Any:
    return field(default=0, metadata={"meaning": meaning, "merge": merge})


@dataclass(frozen=True)
class Counters:
    """The counters of one launch, or of several together (`+`).

    A *request* is one execution of one memory instruction by one warp with at least one active
    lane; a *sector* is an aligned 32-byte piece of memory. Bytes are what the lanes asked for.
    Steps are C statements.

    Examples
    --------
    >>> coalesced = Counters(load_requests=1, load_sectors=4)
    >>> both = coalesced + Counters(load_requests=1, load_sectors=32)
    >>> both.load_sectors, both.sectors_per_request
    (36, 18.0)
    """

    load_requests: int = _counter("warp-level global loads")
    load_sectors: int = _counter("32-byte sectors that global loads touched")
    load_bytes: int = _counter("bytes that lanes asked for in global loads")
    store_requests: int = _counter("warp-level global stores")
    store_sectors: int = _counter("32-byte sectors that global stores touched")
    store_bytes: int = _counter("bytes that lanes wrote in global stores")
    atomic_requests: int = _counter("warp-level global atomics")
    atomic_sectors: int = _counter(
        "visits of global atomics to 32-byte sectors, one for each lane with the same address"
    )
    atomic_lanes: int = _counter("lane-level global atomics")
    same_address_max: int = _counter("most lanes of one atomic request on one address", "max")
    hottest_ops: int = _counter("atomics on the busiest address of one launch", "max")
    hottest_address: str | None = field(
        default=None, metadata={"meaning": "that address, as array and index", "merge": "hottest"}
    )
    cas_failed: int = _counter("compare-and-swaps that did not swap")
    shared_requests: int = _counter("warp-level shared memory accesses")
    bank_conflicts: int = _counter("extra passes of shared loads and stores over the banks")
    warp_steps: int = _counter("statements executed by warps")
    thread_steps: int = _counter("statements executed by threads")
    branches: int = _counter("branches executed by warps")
    divergent_branches: int = _counter("branches whose lanes disagreed")
    barriers: int = _counter("block-wide barriers passed")
    grid_syncs: int = _counter("barriers of a whole grid passed")
    device_launches: int = _counter("launches by kernels")
    warp_size: int = field(default=32, metadata={"meaning": "lanes of a warp", "merge": "max"})
    work: Work = field(default_factory=Work, metadata={"meaning": "memory operations a thread"})
    work_per_warp: Work = field(
        default_factory=Work, metadata={"meaning": "memory operations a warp"}
    )
    work_per_block: Work = field(
        default_factory=Work, metadata={"meaning": "memory operations a block"}
    )

    def __add__(self, other: Counters) -> Counters:
        merged: dict[str, Any] = {}
        for item in fields(self):
            mine, its = getattr(self, item.name), getattr(other, item.name)
            rule = item.metadata.get("merge", "sum")
            if rule == "hottest":
                merged[item.name] = its if other.hottest_ops > self.hottest_ops else mine
            else:
                merged[item.name] = max(mine, its) if rule == "max" else mine + its
        return Counters(**merged)

    @property
    def sectors_per_request(self) -> float:
        """Global load sectors a request: 4 is a coalesced 4-byte access, 32 the worst."""
        return _ratio(self.load_sectors, self.load_requests)

    @property
    def load_efficiency(self) -> float:
        """Bytes asked for over bytes moved by global loads.

        Above 1 where lanes share what they load.
        """
        return _ratio(self.load_bytes, SECTOR * self.load_sectors)

    @property
    def simt_efficiency(self) -> float:
        """Share of a warp's lanes that are active, averaged over statements."""
        return _ratio(self.thread_steps, self.warp_size * self.warp_steps)

    def as_dict(self) -> dict[str, Any]:
        """All counters and ratios by name, ready for JSON."""
        plain: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("work", "work_per_warp", "work_per_block"):
            plain[name] = plain[name].as_dict()
        for name in ("sectors_per_request", "load_efficiency", "simt_efficiency"):
            plain[name] = getattr(self, name)
        return plain


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True)
class Site:
    """The counters of one place in the source.

    `kind` is load, store, atomic, shared_load, shared_store, shared_atomic, branch or barrier.
    """

    span: Span
    kind: str
    array: str
    requests: int = 0
    sectors: int = 0
    lanes: int = 0
    bank_conflicts: int = 0
    cas_failed: int = 0
    same_address_max: int = 0
    divergent: int = 0

    @property
    def line(self) -> int:
        """Line in the source, from 1."""
        return self.span.line

    @property
    def column(self) -> int:
        """Column in the source, from 1."""
        return self.span.column

    @property
    def text(self) -> str:
        """The expression."""
        return self.span.text

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two sites the same place."""
        return (self.span.source.name, self.line, self.column, self.kind, self.array, self.text)

    def __add__(self, other: Site) -> Site:
        sums = {
            name: getattr(self, name) + getattr(other, name)
            for name in (
                "requests",
                "sectors",
                "lanes",
                "bank_conflicts",
                "cas_failed",
                "divergent",
            )
        }
        most = max(self.same_address_max, other.same_address_max)
        return replace(self, **sums, same_address_max=most)

    def as_dict(self) -> dict[str, Any]:
        """Place and counters, ready for JSON."""
        return {
            "file": self.span.source.name,
            "line": self.line,
            "column": self.column,
            "text": self.text,
            "array": self.array,
            "kind": self.kind,
            **{f.name: getattr(self, f.name) for f in fields(self)[3:]},
        }


def merge_sites(sites: list[Site]) -> list[Site]:
    """One entry a place, in the order of the source."""
    merged: dict[tuple[Any, ...], Site] = {}
    for site in sites:
        merged[site.key] = merged[site.key] + site if site.key in merged else site
    return sorted(merged.values(), key=lambda s: (s.span.source.name, s.line, s.column, s.kind))
