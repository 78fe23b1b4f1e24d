"""What a run has cost, counters that are made for limits alone, and limits that are exceeded."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpubfs.grading.failures import location_of
from gpubfs.grading.outcome import Failure
from gpubfs.search.counters import described, value
from simulator.ir import tree
from simulator.ir.tree import walk
from simulator.observe.counters import Counter, Most, Site, Sum
from simulator.read import read
from simulator.source import Source, Span, render


@dataclass(frozen=True)
class Part:
    """One launch of a run: what to call it, and its counters by name."""

    called: str
    counters: Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """What a run has cost.

    Attributes
    ----------
    counters : mapping
        The counters by name.
    sites : sequence of Site
        The sites of the source.
    called : str
        What was run.
    parts : sequence of Part
        The launches.
    """

    counters: Mapping[str, Any]
    sites: Sequence[Site] = ()
    called: str = ""
    parts: Sequence[Part] = ()


def with_reading_atomics(cost: Cost, unchanged: Collection[str]) -> Cost:
    """Return a cost in which atomics on arrays that nothing has changed are loads, too.

    They read, and that is all they do: whoever writes ``atomicOr(p, 0)`` for ``*p`` gets no way
    around limits on loads. As atomics they count all the same.

    Parameters
    ----------
    cost : Cost
        The cost.
    unchanged : collection of str
        The labels of the arrays that hold at the end what they held at the start.

    Examples
    --------
    >>> span = Span(Source("atomicOr(p, 0)", "k.cu"), 1, 1, 1, 15)
    >>> site = Site(span, "atomic", "p", requests=3, sectors=40, memory="level")
    >>> cost = Cost({"load_requests": 2, "load_sectors": 8, "atomic_requests": 3}, [site])
    >>> with_reading_atomics(cost, {"level"}).counters
    {'load_requests': 5, 'load_sectors': 48, 'atomic_requests': 3}
    >>> with_reading_atomics(cost, {"offsets"}) == cost
    True
    """
    atomics = [s for s in cost.sites if s.kind == "atomic" and s.memory in unchanged]
    if not atomics:
        return cost
    loads = [dataclasses.replace(site, kind="load") for site in atomics]
    counters = dict(cost.counters)
    for name, row in described().items():
        if name in counters and isinstance(row.sites, Sum) and row.sites.kinds == ("load",):
            counters[name] += row.sites(loads)
    return dataclasses.replace(cost, counters=counters, sites=[*cost.sites, *loads])


#: Functions that write nothing, besides those whose names begin like these.
HARMLESS = tuple("min max abs __popc __ffs __clz __brev __ldg __shfl __ballot".split())


def merged_loads(sites: Sequence[Site]) -> int:
    """Return the load requests that are left when equal ones of a loop are one.

    Parameters
    ----------
    sites : sequence of Site
        The sites of a run; their spans lead to the file, which is read again.
    """
    most: dict[tuple[object, ...], int] = {}
    for site in sites:
        if site.kind != "load":
            continue
        loop = _loop_around(site.span)
        if loop is not None and _unchanged(site.span, loop):
            continue
        location = None if loop is None else (loop.span.line, loop.span.column)
        key = (site.span.source.name, location, "".join(site.span.text.split()))
        most[key] = max(most.get(key, 0), site.requests)
    return sum(most.values())


def _loop_around(span: Span) -> tree.Loop | None:
    """Return the innermost loop in whose every iteration a span is executed."""
    around = [loop for loop in _loops_of(span.source) if _is_repeated_in(span, loop)]
    return max(around, key=lambda loop: (loop.span.line, loop.span.column), default=None)


def _is_repeated_in(span: Span, loop: tree.Loop) -> bool:
    starts = any(_within(span, part.span) for part in loop.start)
    return _within(span, loop.span) and not starts


def _within(inner: Span, outer: Span) -> bool:
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _unchanged(span: Span, loop: tree.Loop) -> bool:
    """Return whether a load gives the same in each iteration: nothing it depends on is written."""
    parts = [node for node in walk(loop) if not any(node is part for part in loop.start)]
    written = {_written_name(node) for node in parts} - {None}
    if "" in written:
        return False
    declared = {node.symbol.name for node in parts if isinstance(node, tree.Declaration)}
    names = {
        node.name for node in parts if isinstance(node, tree.Name) and _within(node.span, span)
    }
    return not names & (written | declared)


def _written_name(node: tree.Node) -> str | None:
    """Return the variable that a node writes, "" for memory, None if it writes nothing."""
    if isinstance(node, tree.Call):
        return None if node.name.startswith(HARMLESS) else ""
    if isinstance(node, tree.Assign | tree.CompoundAssign | tree.Increment):
        return node.target.name if isinstance(node.target, tree.Name) else ""
    return None


@lru_cache(maxsize=8)
def _loops_of(source: Source) -> tuple[tree.Loop, ...]:
    """Return the loops of a file; it has been read before, with the headers beside it."""
    folder = Path(source.name).parent
    files = (file for file in folder.iterdir() if file.suffix in (".cu", ".cuh"))
    unit = read(source, {}, {file.name: file.read_text(encoding="utf-8") for file in files})
    nodes = (node for item in unit.items for node in walk(item))
    return tuple(n for n in nodes if isinstance(n, tree.Loop) and n.span.source.name == source.name)


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
    """Return a counter of a run, one of `DERIVED` among them; None if it was not counted.

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


#: Sums over sites by which counters are seen that are none themselves.
SEEN_BY = {
    "merged_load_requests": "load_requests",
    "idle_share": "divergent_branches",
    "warp_steps": "divergent_branches",
}


def part_of(name: str) -> Sum | None:
    """Return what a site has of a counter; None if that is no sum over sites."""
    row = described().get(SEEN_BY.get(name, name))
    count = row.sites if row else None
    return count if isinstance(count, Sum) and not isinstance(count, Most) else None


def _called(counter: str) -> str:
    """Return what the sites of a counter have parts of; those of merged loads are called so."""
    return counter if counter == "merged_load_requests" else SEEN_BY.get(counter, counter)


#: How many sites are shown.
MAX_SITES = 3


def exceeded_limit(limits: Mapping[str, float], cost: Cost) -> Failure | None:
    """Return the first counter that is more than it may be, and what has the most of it.

    That is the launch, where there are several, and the sites of the source.
    """
    for name, most in limits.items():
        found = value_of(name, cost)
        if found is None:
            words = f"{name} was not counted"
            return Failure("limit", words, cost.called, general=words)
        if found > most:
            return over(name, found, most, cost)
    return None


def over(name: str, found: float, most: float, cost: Cost, because: str = "") -> Failure:
    """Return that a counter is more than it may be; `because` says what that depends on."""
    shown = _number(found)
    right = f"the result is right, but {name} is"
    where = "\n".join(
        filter(None, [largest_launch(name, cost.parts), most_expensive(name, cost.sites)])
    )
    return Failure(
        "limit",
        f"{right} {shown}, more than {most:,}{because}",
        cost.called,
        f"at most {most:,}",
        shown,
        where,
        location="\n".join(location_of(site.span) for _, site in by_cost(name, cost.sites)[:1]),
        general=f"{right} above its limit",
    )


def largest_launch(counter: str, parts: Sequence[Part]) -> str:
    """Return which of several launches has most of a counter; "" for one, or if none has any.

    Examples
    --------
    >>> first, second = Part("f<<<1, 32>>>(a)", {"branches": 2}), Part("g", {"branches": 40})
    >>> largest_launch("branches", [first, second])
    'most of it in launch 2 of 2, g: 40'
    """
    counted = [value(part.counters, counter) or 0 for part in parts]
    if len(parts) < 2 or not any(counted):
        return ""
    at = max(range(len(parts)), key=counted.__getitem__)
    found = _number(counted[at])
    share = "most" if 2 * counted[at] > sum(counted) else "the largest part"
    return f"{share} of it in launch {at + 1} of {len(parts)}, {parts[at].called}: {found}"


def _number(count: float) -> str:
    """Return a counter's value as feedback shows it."""
    return f"{count:,.2f}" if isinstance(count, float) else f"{count:,}"


def most_expensive(counter: str, sites: Sequence[Site]) -> str:
    """Return the sites with the largest parts of a counter, as source lines; "" if none has one.

    Examples
    --------
    >>> from simulator.observe.counters import Counter, Most, Site, Sum
    >>> from simulator.source import Source, Span
    >>> span = Span(Source("int x = a[i];", "k.cu"), 1, 9, 1, 13)
    >>> print(most_expensive("load_sectors", [Site(span, "load", "a", sectors=40)]))
    k.cu:1:9: cost: 40 of 40 load_sectors
        int x = a[i];
                ^~~~
    """
    parts = by_cost(counter, sites)
    all_of_it = sum(count for count, _ in parts)
    return "\n".join(
        render("cost", f"{count:,} of {all_of_it:,} {_called(counter)}", site.span)
        for count, site in parts[:MAX_SITES]
    )


def first_exceeded(limits: Mapping[str, float], cost: Cost) -> str | None:
    """Return the name of the first counter that is over its limit; None if none is."""
    over = (name for name, most in limits.items() if (value_of(name, cost) or 0) > most)
    return next(over, None)


def by_cost(counter: str, sites: Sequence[Site]) -> list[tuple[int, Site]]:
    """Return the sites that have a part of a counter, with that part, the largest first."""
    part = part_of(counter)
    parts = [(part.of(site), site) for site in sites] if part else []
    return sorted((pair for pair in parts if pair[0]), key=lambda pair: -pair[0])
