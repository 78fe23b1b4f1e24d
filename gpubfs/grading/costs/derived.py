"""Counters for limits alone: what an exercise may ask for, however a student writes it.

A compiler makes one load of two equal ones, and no branch of an `if` that only chooses a number.
The simulator counts statements as they are written; a limit that should be about the hardware is
set on one of these.
"""

from __future__ import annotations

from typing import Any

from gpubfs.grading.costs.cost import Cost
from gpubfs.grading.costs.merging import merged_loads
from gpubfs.search.counters import described, value
from simulator.observe.counters import Counter, Most, Sum

#: What only drivers are held to: launches, divided by the levels that were found.
PER_LEVEL = "launches_per_level"
#: And levels that no launch was announced for, by a driver that announces them at all.
LEFT_OUT = "levels_left_out"

#: What limits may name besides the counters of launches and runs.
DERIVED = {
    row.name: row
    for row in (
        Counter(
            "idle_share",
            "share",
            "lanes that were not active, averaged over the statements of warps",
            formula="1 - simt_efficiency",
        ),
        Counter(
            "merged_load_requests",
            "requests",
            "load requests of which none can be made one with another",
            sites=merged_loads,
        ),
    )
}


def value_of(name: str, cost: Cost) -> Any:
    """Find a counter of a run, one of `DERIVED` among them; None if it was not counted.

    Examples
    --------
    >>> value_of("idle_share", Cost({"simt_efficiency": 0.75}))
    0.25
    """
    row = DERIVED.get(name)
    if row is None:
        return value(cost.counters, name)
    if row.sites is None:
        return row.value(lambda part: value(cost.counters, part))
    counted = value(cost.counters, "load_requests") is not None
    return row.sites(cost.sites) if counted and cost.sites else None


def part_of(name: str) -> Sum | None:
    """Say what a site has of a counter; None if that is no sum over sites."""
    row = described().get("load_requests" if name == "merged_load_requests" else name)
    count = row.sites if row else None
    return count if isinstance(count, Sum) and not isinstance(count, Most) else None
