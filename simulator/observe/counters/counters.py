"""Count: what a launch did, as a GPU engineer looks at it.

Reads logged basic blocks, never a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from simulator.observe.counters.work import Work
from simulator.source import Span

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
