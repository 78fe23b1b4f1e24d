"""What a run has cost: its counters, in all, for each place of the source and for each launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.observe.counters import Site


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
        The places of the source.
    called : str
        What was run.
    parts : sequence of Part
        The launches.
    """

    counters: Mapping[str, Any]
    sites: Sequence[Site] = ()
    called: str = ""
    parts: Sequence[Part] = ()
