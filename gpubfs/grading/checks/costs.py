"""What a run that is right has cost, held against an exercise's limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpubfs.counters import value
from gpubfs.grading.outcome import Failure
from simulator.source import render

if TYPE_CHECKING:
    from simulator.count import Site

#: The counters that places of the source have a part of: of what kind these are, and what is added.
PARTS = {
    **{f"{kind}_requests": ((kind,), "requests") for kind in ("load", "store", "atomic")},
    **{f"{kind}_sectors": ((kind,), "sectors") for kind in ("load", "store", "atomic")},
    "atomic_lanes": (("atomic",), "lanes"),
    "cas_failed": (("atomic", "shared_atomic"), "cas_failed"),
    "shared_requests": (("shared_load", "shared_store", "shared_atomic"), "requests"),
    "divergent_branches": (("branch",), "divergent"),
}
#: What only drivers are held to: launches, divided by the levels that were found.
PER_LEVEL = "launches_per_level"
#: How many places are shown.
MOST = 3


@dataclass(frozen=True)
class Cost:
    """What a run has cost: its counters by name, and the places of the source."""

    counters: Mapping[str, Any]
    sites: Sequence[Site] = ()


def over_limit(limits: Mapping[str, float], cost: Cost) -> Failure | None:
    """The first counter that is more than it may be, and which places have the most of it."""
    for name, most in limits.items():
        found = value(cost.counters, name)
        if found is None:
            return Failure("limit", f"{name} was not counted")
        if found > most:
            shown = f"{found:,.2f}" if isinstance(found, float) else f"{found:,}"
            words = f"the result is right, but {name} is {shown}, more than {most:,}"
            where = dearest(name, cost.sites)
            return Failure("limit", words, "", f"at most {most:,}", shown, where)
    return None


def dearest(counter: str, sites: Sequence[Site]) -> str:
    """The places with the largest parts of a counter, as lines of the source; "" if none has one.

    Examples
    --------
    >>> from simulator.count import Site
    >>> from simulator.source import Source, Span
    >>> span = Span(Source("int x = a[i];", "k.cu"), 1, 9, 1, 13)
    >>> print(dearest("load_sectors", [Site(span, "load", "a", sectors=40)]))
    k.cu:1:9: cost: 40 of 40 load_sectors
        int x = a[i];
                ^~~~
    """
    kinds, part = PARTS.get(counter, ((), ""))
    parts = [(getattr(site, part), site) for site in sites if site.kind in kinds]
    first = sorted(parts, key=lambda pair: -pair[0])[:MOST]
    all_of_it = sum(count for count, _ in parts)
    return "\n".join(
        render("cost", f"{count:,} of {all_of_it:,} {counter}", site.span)
        for count, site in first
        if count
    )
