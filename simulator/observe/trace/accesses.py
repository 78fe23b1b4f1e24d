"""What memory sees of one warp in one step: addresses, sectors, and who is served after whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.ir.events import (
    ALWAYS,
    FOUND,
    MEMORY,
    SERVED,
    STORED,
    SWAPPED,
    WHOLE_WARPS,
    EventSite,
    Operand,
)
from simulator.observe.counters.counters import SECTOR
from simulator.observe.counters.requests import Passes, Requests, conflicts
from simulator.observe.counters.sites import KINDS
from simulator.observe.trace.recorder import CHANGING
from simulator.observe.trace.steps import Lanes, TracedLaunch, TracedStep


@dataclass(frozen=True)
class Access:
    """One memory operation of one warp.

    Attributes
    ----------
    site : Site
        Where it stands; `site.kind` is load, store or atomic.
    shared : bool
        Whether it goes to shared memory, of its block or of another one of the cluster.
    lanes : int64 array
        The lanes of the warp that take part, counted in it.
    addresses : int64 array
        The byte that each of them begins at.
    found : array or None
        What each lane finds there, of loads and atomics.
    stored : array or None
        What each lane stores, of stores.
    swapped : bool array or None
        Whether each lane's compare-and-swap swapped.
    order : int64 array
        Indices of `lanes` in the order in which lanes with one address are served; of those that
        store to it, whose value stands there comes last.
    sectors : int
        Sectors that move, as the counters count them; 0 in shared memory.
    conflicts : int
        Extra passes over the banks of the own block's shared memory.
    merged : bool
        Whether a GPU's compiler lets one lane do an atomic for all.
    """

    site: EventSite
    shared: bool
    lanes: Lanes
    addresses: Lanes
    found: NDArray[Any] | None
    stored: NDArray[Any] | None
    swapped: NDArray[np.bool_] | None
    order: Lanes
    sectors: int
    conflicts: int
    merged: bool

    def groups(self) -> list[tuple[int, Lanes]]:
        """List the addresses, ascending, and the indices of the lanes at each, as served."""
        ordered = self.addresses[self.order]
        return [(int(a), self.order[ordered == a]) for a in np.unique(self.addresses)]


def accesses(launch: TracedLaunch, step: TracedStep, warp: int) -> list[Access]:
    """List the memory operations that a warp does in a step, in their order.

    Threads' own arrays are registers to a GPU engineer, and left out.

    Parameters
    ----------
    launch : TracedLaunch
        The launch.
    step : TracedStep
        One of its steps.
    warp : int
        The warp, counted in the step's wave.

    Returns
    -------
    list of Access
        One an operation; several where its lanes go to memory of several kinds.
    """
    if not any(operand.form in MEMORY for operand in step.block.operands):
        return []
    part = launch.part(step, warp)
    pairs = list(zip(step.block.operands, step.operands, strict=True))
    found, reader, changes = [], _Reader(launch, step, part), iter(step.written)
    for at, (operand, value) in enumerate(pairs):
        if operand.form in MEMORY:
            left = next(changes)[1][part] if operand.site.kind in CHANGING else None
            found += reader.accesses(operand, value, pairs[at + 1 : at + 4], left)
    return found


class _Reader:
    """Reads one step for one warp, which has a `part` of its lanes."""

    def __init__(self, launch: TracedLaunch, step: TracedStep, part: slice) -> None:
        self.launch = launch
        self.step = step
        self.wave = launch.waves[step.wave]
        self.part = part
        self.lanes = step.lanes[part]

    def accesses(
        self,
        operand: Operand,
        value: Any,
        following: list[tuple[Operand, Any]],
        left: NDArray[np.uint8] | None,
    ) -> list[Access]:
        """One memory operation, or one for each kind of memory that its lanes go to.

        What was logged `following` it are values; `left` are the bytes that it has left.
        """
        wave = self.wave
        address = wave.addresses(operand, self.lanes, self.step.of(value, self.part))
        shared = (address >= wave.shared_start) & (address < wave.shared_end)
        slot = (address - wave.shared_start) // max(1, wave.shared_pitch)
        own = shared & (slot == self.lanes // wave.padded)
        rest = ~(shared | wave.is_local(address))
        order = self._order(operand.site, following, left)
        kinds = zip(KINDS, (rest, own, shared & ~own), strict=True)
        return [
            self._access(operand.site, address, lanes, kind, following, order)
            for kind, lanes in reversed(list(kinds))
            if lanes.any()
        ]

    def _access(
        self,
        site: EventSite,
        address: Lanes,
        own: NDArray[np.bool_],
        kind: str,
        following: list[tuple[Operand, Any]],
        order: Lanes,
    ) -> Access:
        """Describe what the lanes that are its `own` do in memory of one of the `KINDS`."""
        lanes, address, shared = self.lanes[own], address[own], bool(kind)
        requests = Requests.of_lanes(np.array([lanes.size]), lanes, self.launch.warp_size)
        merged = self._merged(site, lanes) and not shared
        found, stored, swapped = (
            None if values is None else values[own]
            for values in (self._logged(form, site, following) for form in (FOUND, STORED, SWAPPED))
        )
        return Access(
            site,
            shared,
            lanes % self.launch.warp_size,
            address,
            found,
            stored,
            swapped,
            (np.cumsum(own) - 1)[order[own[order]]],
            0 if shared else self._sectors(site, requests, address, merged),
            self._conflicts(site, requests, address) if kind == "shared_" else 0,
            merged,
        )

    def _logged(self, form: str, site: EventSite, following: list[tuple[Operand, Any]]) -> Any:
        for operand, value in following:
            if operand.form == form and operand.site is site:
                return self.step.of(value, self.part)
        return None

    def _order(
        self, site: EventSite, following: list[tuple[Operand, Any]], left: NDArray[np.uint8] | None
    ) -> Lanes:
        """Return the indices of the lanes in the order in which they are served.

        Of lanes that store to one address, that is all that is known: whose value is there comes
        last.
        """
        for operand, value in following:
            if operand.form == SERVED and operand.site is site:
                mine = (value >= self.part.start) & (value < self.part.stop)
                served: Lanes = value[mine] - self.part.start
                return served
        stored = self._logged(STORED, site, following)
        if stored is None or left is None or stored.dtype.itemsize != left.shape[1]:
            return np.arange(self.lanes.size)
        held = np.ascontiguousarray(stored).view(np.uint8).reshape(left.shape) == left
        return np.argsort(held.all(axis=1), kind="stable")

    def _merged(self, site: EventSite, lanes: Lanes) -> bool:
        whole = lanes.size == self.launch.warp_size
        return site.merged == ALWAYS or (site.merged == WHOLE_WARPS and whole)

    def _sectors(self, site: EventSite, requests: Requests, address: Lanes, merged: bool) -> int:
        if site.kind != "atomic":
            return len({*(address // SECTOR).tolist()})
        return Passes.of(requests, address, SECTOR).sectors(np.array([not merged]))

    def _conflicts(self, site: EventSite, requests: Requests, address: Lanes) -> int:
        if site.kind == "atomic":
            return 0
        byte = (address - self.wave.shared_start) % max(1, self.wave.shared_pitch)
        return conflicts(requests, byte, site.size, self.launch.warp_size)
