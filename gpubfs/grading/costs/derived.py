"""Counters for limits alone: what an exercise may ask for, however a student writes it.

A compiler makes one load of two equal ones, and no branch of an `if` that only chooses a number.
The simulator counts statements as they are written; a limit that should be about the hardware is
set on one of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpubfs.grading.costs.cost import Cost
from gpubfs.grading.costs.merging import merged_loads
from gpubfs.search.counters import value

#: What only drivers are held to: launches, divided by the levels that were found.
PER_LEVEL = "launches_per_level"
#: And levels that no launch was announced for, by a driver that announces them at all.
LEFT_OUT = "levels_left_out"


def _idle(cost: Cost) -> float | None:
    efficiency = value(cost.counters, "simt_efficiency")
    return None if efficiency is None else 1 - float(efficiency)


def _merged(cost: Cost) -> int | None:
    counted = value(cost.counters, "load_requests") is not None
    return merged_loads(cost.sites) if counted and cost.sites else None


#: `idle_share` is the share of lanes that were not active, averaged over the statements of warps;
#: `merged_load_requests` are the load requests of which none can be made one with another.
DERIVED: dict[str, Callable[[Cost], float | None]] = {
    "idle_share": _idle,
    "merged_load_requests": _merged,
}


def value_of(name: str, cost: Cost) -> Any:
    """A counter of a run, one of `DERIVED` among them; None if it was not counted.

    Examples
    --------
    >>> value_of("idle_share", Cost({"simt_efficiency": 0.75}))
    0.25
    """
    return DERIVED[name](cost) if name in DERIVED else value(cost.counters, name)
