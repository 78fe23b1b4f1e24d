"""Sites: what each location of the source where warps access memory or branch adds up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.source import Span

#: What launches add up, in the order of JSON, and what they take the most of.
SUMS = ("requests", "sectors", "lanes", "bank_conflicts", "cas_failed", "divergent")
FIGURES = (*SUMS[:-1], "same_address_max", "divergent")
#: What stands before the kinds of accesses to global, shared and distributed shared memory.
KINDS = ("", "shared_", "distributed_")


@dataclass
class Site:
    """The counters of one location in the source.

    Attributes
    ----------
    span : Span
        Where it stands.
    kind : str
        load, store or atomic, or one of these with `shared_` or `distributed_` in front, for shared
        memory of the own block or of another one of the cluster; texture_load, surface_load,
        surface_store; product, branch or barrier.
    array : str
        The name of what is accessed.
    requests, sectors, lanes, bank_conflicts, cas_failed, same_address_max, divergent : int
        What was counted.
    size : int
        Bytes of one element.
    passed : int
        How often a block or the grid passed the barrier, where a GPU counted that.
    memory : str
        Of atomics on global memory, the label of the allocation that was reached first, whatever
        the source calls it.
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
    size: int = field(default=0, compare=False)
    passed: int = field(default=0, compare=False)
    memory: str = field(default="", compare=False)

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
        """What makes two sites the same location."""
        return (self.span.source.name, self.line, self.column, self.kind, self.array, self.text)

    def __add__(self, other: Site) -> Site:
        both = replace(self)
        both.add(other)
        return both

    def add(self, other: Site) -> None:
        """Add what another one has counted.

        Parameters
        ----------
        other : Site
            Of the same location.
        """
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.same_address_max = max(self.same_address_max, other.same_address_max)

    def as_dict(self) -> dict[str, Any]:
        """Return location and counters, ready for JSON.

        Returns
        -------
        dict
            Line, column, text and file of the source, and each counter by name.
        """
        return {
            "file": self.span.source.name,
            "line": self.line,
            "column": self.column,
            "text": self.text,
            "array": self.array,
            "kind": self.kind,
            **{name: getattr(self, name) for name in FIGURES},
        }


def merge_sites(sites: Iterable[Site]) -> list[Site]:
    """Add up the sites of each location, in the order of the source."""
    merged: dict[tuple[Any, ...], Site] = {}
    # Launches of one kernel have the very same spans, which are compared sooner than their texts.
    near: dict[tuple[int, str, str], Site] = {}
    every = list(sites)
    for site in every:
        at = id(site.span), site.kind, site.array
        own = near.get(at) or merged.get(site.key)
        if own is None:
            own = merged[site.key] = replace(site)
        else:
            own.add(site)
        near[at] = own
    return sorted(merged.values(), key=lambda s: (s.span.source.name, s.line, s.column, s.kind))


@dataclass(frozen=True)
class Sum:
    """What sites of some kinds add up to: a function of sites that says which of them it reads.

    Parameters
    ----------
    part : str
        The field of `Site` that is added.
    kinds : tuple of str
        The kinds of sites.
    by_size : bool
        Whether to multiply it by the bytes of one element.

    Examples
    --------
    >>> from simulator.source import Source, Span
    >>> span = Span(Source("a[i]", "k.cu"), 1, 1, 1, 5)
    >>> Sum("requests", ("load",))([Site(span, "load", "a", requests=3), Site(span, "branch", "")])
    3
    """

    part: str
    kinds: tuple[str, ...]
    by_size: bool = False

    def of(self, site: Site) -> int:
        """Read it off one site."""
        return self._read((site,))[0] if site.kind in self.kinds else 0

    def _read(self, sites: Iterable[Site]) -> list[int]:
        """Read it off those sites that are of its kinds."""
        part, kinds = self.part, self.kinds
        if self.by_size:
            return [getattr(one, part) * one.size for one in sites if one.kind in kinds]
        return [getattr(one, part) for one in sites if one.kind in kinds]

    def __call__(self, sites: Iterable[Site]) -> int:
        """Add it up."""
        return sum(self._read(sites))


class Most(Sum):
    """The most that any site of some kinds has."""

    def __call__(self, sites: Iterable[Site]) -> int:
        """Find the largest."""
        return max(self._read(sites), default=0)
