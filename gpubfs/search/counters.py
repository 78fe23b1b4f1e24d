"""The counters of a run: their names, groups, units and meanings, and how they are added up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpubfs.host import Host, Launch
    from simulator.observe.counters import Counters, Site


@dataclass(frozen=True)
class Counter:
    """One counter.

    Attributes
    ----------
    name : str
        Its key; a dot leads into a nested one, as in ``work.maximum``.
    group, unit, meaning : str
        How tables present it.
    """

    name: str
    group: str
    unit: str
    meaning: str


def _group(group: str, *rows: tuple[str, str, str]) -> tuple[Counter, ...]:
    return tuple(Counter(name, group, unit, meaning) for name, unit, meaning in rows)


#: Every counter that tables show, in their order.
CATALOGUE: tuple[Counter, ...] = (
    *_group(
        "global memory",
        ("load_requests", "requests", "loads, each by one warp"),
        ("load_sectors", "sectors", "32-byte pieces that they touched"),
        ("sectors_per_request", "ratio", "4 is a coalesced 4-byte access, 32 the worst"),
        ("load_efficiency", "%", "bytes asked for of bytes in those sectors"),
        ("store_requests", "requests", "stores, each by one warp"),
        ("store_sectors", "sectors", "32-byte pieces that they touched"),
    ),
    *_group(
        "atomics",
        ("atomic_requests", "requests", "global atomics, each by one warp"),
        ("atomic_sectors", "sectors", "visits to 32-byte pieces, lanes at one address one by one"),
        ("atomic_lanes", "lanes", "atomic operations of single threads"),
        ("same_address_max", "lanes", "most lanes of one request at one address"),
        ("hottest_address", "", "where the most atomics of one launch went"),
        ("hottest_ops", "lanes", "how many"),
        ("cas_failed", "lanes", "compare-and-swaps that did not swap"),
    ),
    *_group(
        "shared memory",
        ("shared_requests", "requests", "shared accesses, each by one warp"),
        ("bank_conflicts", "passes", "extra passes that 32 banks force"),
    ),
    *_group(
        "execution",
        ("warp_steps", "statements", "executed by warps"),
        ("thread_steps", "statements", "executed by threads"),
        ("simt_efficiency", "%", "lanes that were active, on average"),
        ("branches", "branches", "taken by warps"),
        ("divergent_branches", "branches", "whose lanes disagreed"),
    ),
    *_group(
        "balance",
        ("work.maximum", "accesses", "of the busiest thread of a launch"),
        ("work.mean", "accesses", "per thread"),
        ("work.imbalance", "ratio", "busiest thread to mean; 1 is even"),
        ("work.gini", "0 to 1", "inequality of threads; 0 is even"),
        ("work_per_warp.imbalance", "ratio", "busiest warp to mean"),
        ("work_per_block.imbalance", "ratio", "busiest block to mean"),
    ),
    *_group(
        "control",
        ("launches", "launches", "from the host"),
        ("device_launches", "launches", "from kernels"),
        ("host_reads", "reads", "for which the host waited"),
        ("grid_syncs", "barriers", "over a whole grid"),
        ("barriers", "barriers", "over a block"),
    ),
    *_group(
        "device memory",
        ("bytes_allocated", "bytes", "graph included"),
        ("bytes_peak", "bytes", "at one time"),
    ),
)

#: Counters whose values are fractions that tables print as percentages.
PERCENTAGES = frozenset({"load_efficiency", "simt_efficiency"})


def collect(host: Host, launches: Iterable[Launch]) -> dict[str, Any]:
    """All counters of a run in the catalogue's order, None for those that its machine cannot count.

    Parameters
    ----------
    host : Host
        The host that ran the technique.
    launches : iterable of Launch
        Its launches.
    """
    own = {
        "launches": host.launches,
        "host_reads": host.host_reads,
        "bytes_allocated": sum(host.bytes_by_name.values()),
        "bytes_peak": host.bytes_peak,
        "bytes_by_name": dict(host.bytes_by_name),
    }
    counted = total(launch.counters for launch in launches)
    device = {} if counted is None else plain(counted)
    tops = [counter.name.partition(".")[0] for counter in CATALOGUE]
    return dict.fromkeys(tops) | device | dict.fromkeys(host.blind) | own


def total(parts: Iterable[Counters | None]) -> Counters | None:
    """The sum of counters; None if there are none or some launch was not counted."""
    result: Counters | None = None
    for part in parts:
        if part is None:
            return None
        result = part if result is None else result + part
    return result


def merged_sites(launches: Iterable[Launch]) -> tuple[Site, ...] | None:
    """The sites of all launches, those of one place added up; None if nothing was counted."""
    from simulator.observe.counters import merge_sites

    together = []
    for launch in launches:
        if launch.sites is None:
            return None
        together += launch.sites
    return tuple(merge_sites(together))


def value(values: Mapping[str, Any], name: str) -> Any:
    """The counter called `name`, whose dots lead into nested ones; None if it was not counted.

    Examples
    --------
    >>> value({"work": {"maximum": 7}}, "work.maximum"), value({"work": None}, "work.maximum")
    (7, None)
    """
    found: Any = values
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def plain(data: Any) -> Any:
    """The same data as JSON has it: no NumPy types, and None for what is not a finite number."""
    if isinstance(data, Mapping):
        return {str(key): plain(part) for key, part in data.items()}
    if hasattr(data, "as_dict"):
        return plain(data.as_dict())
    if hasattr(data, "tolist"):
        return plain(data.tolist())
    if isinstance(data, list | tuple):
        return [plain(part) for part in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
