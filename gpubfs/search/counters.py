"""The counters of a run: those of its launches added up, and those that only a whole run has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpubfs.host import Host, Launch
    from simulator.observe.counters import Counter, Counters, Site

#: What a run has besides the counters of its launches: name, unit, meaning, group, and the counter
#: that it is shown before.
OF_RUNS = (
    ("launches", "launches", "launches from the host", "control", "device_launches"),
    ("host_reads", "reads", "reads for which the host waited", "control", "grid_syncs"),
    ("bytes_allocated", "bytes", "allocated memory, graph included", "device memory", ""),
    ("bytes_peak", "bytes", "most that was allocated at one time", "device memory", ""),
    ("bytes_by_name", "bytes", "allocated under each name", "", ""),
)


@cache
def _library() -> ModuleType:
    """Give the simulator's descriptions of counters, with those of runs among them."""
    from simulator.observe import counters  # `gpubfs list` does not wait for the simulator

    why = "the host counts it"
    for name, unit, meaning, group, before in OF_RUNS:
        row = counters.Counter(name, unit, meaning, group, before=before, not_in_nsight=why)
        counters.add(replace(row, scope=counters.RUN))
    return counters


def described() -> Mapping[str, Counter]:
    """Give the descriptions of all counters, by their names."""
    found: Mapping[str, Counter] = _library().COUNTERS
    return found


def shown() -> tuple[Counter, ...]:
    """List the counters that tables show, in their order."""
    found: tuple[Counter, ...] = _library().shown()
    return found


def add(counter: Counter) -> Counter:
    """Add a counter; see `simulator.observe.counters.add`.

    Its formula may use the counters of a whole run, too, such as ``launches``.

    Parameters
    ----------
    counter : simulator.observe.counters.Counter
        Its description.

    Returns
    -------
    Counter
        The same.

    Raises
    ------
    SimulatorError
        If a field is missing or makes no sense, or there is a counter of this name already.

    Examples
    --------
    >>> import gpubfs
    >>> from simulator.observe.counters import Counter, remove
    >>> about = "atomics", "atomics of single threads in a launch, on average", "atomics"
    >>> made = add(Counter("atomics_per_launch", *about, formula="atomic_lanes / launches"))
    >>> gpubfs.run("scan-free", "toy").counters["atomics_per_launch"] > 1
    True
    >>> remove("atomics_per_launch")
    """
    added: Counter = _library().add(counter)
    return added


def collect(host: Host, launches: Iterable[Launch]) -> dict[str, Any]:
    """Give all counters of a run in the order of tables, None for what its machine cannot count.

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
    tops = [counter.name.partition(".")[0] for counter in shown()]
    uncounted = [name for name in described() if name in host.uncounted]
    found = dict.fromkeys(tops) | device | dict.fromkeys(uncounted) | own
    for row in described().values():
        if row.formula and row.scope == "run":
            found[row.name] = row.value(lambda name: value(found, name))
    return found


def total(parts: Iterable[Counters | None]) -> Counters | None:
    """Add up counters; None if there are none or some launch was not counted."""
    counted = list(parts)
    some = [part for part in counted if part is not None]
    return type(some[0]).total(some) if some and len(some) == len(counted) else None


def merged_sites(launches: Iterable[Launch]) -> tuple[Site, ...] | None:
    """Add up the sites of each location over all launches; None if nothing was counted."""
    together = []
    for launch in launches:
        if launch.sites is None:
            return None
        together += launch.sites
    return tuple(_library().merge_sites(together))


def value(values: Mapping[str, Any], name: str) -> Any:
    """Find the counter called `name`, whose dots lead into nested ones; None if not counted.

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
    """Give data as JSON has it: no NumPy types, and None for what is not a finite number."""
    if isinstance(data, Mapping):
        return {str(key): plain(part) for key, part in data.items()}
    if hasattr(data, "as_dict"):
        return plain(data.as_dict())
    if hasattr(data, "tolist"):
        return plain(data.tolist())
    if isinstance(data, list | tuple):
        return [plain(part) for part in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
