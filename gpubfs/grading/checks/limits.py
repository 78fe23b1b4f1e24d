"""What a run that is right has cost, held against an exercise's limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gpubfs.grading.checks.failures import pointed
from gpubfs.grading.costs.cost import Cost, Part
from gpubfs.grading.costs.derived import part_of, value_of
from gpubfs.grading.outcome import Failure
from gpubfs.search.counters import value
from simulator.source import render

if TYPE_CHECKING:
    from simulator.observe.counters import Site

#: How many places are shown.
MOST = 3


def over_limit(limits: Mapping[str, float], cost: Cost) -> Failure | None:
    """The first counter that is more than it may be, and what has the most of it.

    That is the launch, where there are several, and the places of the source.
    """
    for name, most in limits.items():
        found = value_of(name, cost)
        if found is None:
            words = f"{name} was not counted"
            return Failure("limit", words, cost.called, general=words)
        if found > most:
            return _over(name, found, most, cost)
    return None


def _over(name: str, found: float, most: float, cost: Cost) -> Failure:
    shown = _number(found)
    right = f"the result is right, but {name} is"
    where = "\n".join(filter(None, [largest(name, cost.parts), dearest(name, cost.sites)]))
    return Failure(
        "limit",
        f"{right} {shown}, more than {most:,}",
        cost.called,
        f"at most {most:,}",
        shown,
        where,
        place="\n".join(pointed(site.span) for _, site in _dearest(name, cost.sites)[:1]),
        general=f"{right} above its limit",
    )


def largest(counter: str, parts: Sequence[Part]) -> str:
    """Which of several launches has the most of a counter; "" if there is one, or none has any.

    Examples
    --------
    >>> first, second = Part("f<<<1, 32>>>(a)", {"branches": 2}), Part("g", {"branches": 40})
    >>> largest("branches", [first, second])
    'most of it in launch 2 of 2, g: 40'
    """
    counted = [value(part.counters, counter) or 0 for part in parts]
    if len(parts) < 2 or not any(counted):
        return ""
    at = max(range(len(parts)), key=counted.__getitem__)
    found = _number(counted[at])
    return f"most of it in launch {at + 1} of {len(parts)}, {parts[at].called}: {found}"


def _number(count: float) -> str:
    """A counter's value as feedback shows it."""
    return f"{count:,.2f}" if isinstance(count, float) else f"{count:,}"


def dearest(counter: str, sites: Sequence[Site]) -> str:
    """The places with the largest parts of a counter, as lines of the source; "" if none has one.

    Examples
    --------
    >>> from simulator.observe.counters import Site
    >>> from simulator.source import Source, Span
    >>> span = Span(Source("int x = a[i];", "k.cu"), 1, 9, 1, 13)
    >>> print(dearest("load_sectors", [Site(span, "load", "a", sectors=40)]))
    k.cu:1:9: cost: 40 of 40 load_sectors
        int x = a[i];
                ^~~~
    """
    parts = _dearest(counter, sites)
    all_of_it = sum(count for count, _ in parts)
    return "\n".join(
        render("cost", f"{count:,} of {all_of_it:,} {counter}", site.span)
        for count, site in parts[:MOST]
    )


def _dearest(counter: str, sites: Sequence[Site]) -> list[tuple[int, Site]]:
    """The places that have a part of a counter, with that part, the largest first."""
    part = part_of(counter)
    parts = [(part.of(site), site) for site in sites] if part else []
    return sorted((pair for pair in parts if pair[0]), key=lambda pair: -pair[0])
