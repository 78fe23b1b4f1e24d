"""What memory sees of one warp in one step: addresses, sectors, and who is served after whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.count.counters import SECTOR
from simulator.count.requests import Passes, Turns, conflicts
from simulator.plan import ALWAYS, FOUND, SERVED, STORED, SWAPPED, WHOLE_WARPS, Operand, Site
from simulator.trace.recorder import MEMORY
from simulator.trace.steps import Lanes, Step, TracedLaunch


@dataclass(frozen=True)
class Access:
    """One memory operation of one warp.

    Attributes
    ----------
    site : Site
        Where it stands; `site.kind` is load, store or atomic.
    shared : bool
        Whether it goes to shared memory.
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
        The places of `lanes` in the order in which lanes with one address are served.
    sectors : int
        Sectors that move, as the counters count them; 0 in shared memory.
    conflicts : int
        Extra passes over the banks of shared memory.
    merged : bool
        Whether a GPU's compiler lets one lane do an atomic for all.
    """

    site: Site
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
        """The addresses, ascending, and the places of the lanes at each, as they are served."""
        ordered = self.addresses[self.order]
        return [(int(a), self.order[ordered == a]) for a in np.unique(self.addresses)]


def accesses(launch: TracedLaunch, step: Step, warp: int) -> list[Access]:
    """The memory operations that a warp does in a step, in their order.

    Threads' own arrays are registers to a GPU engineer, and left out.
    """
    part = launch.part(step, warp)
    pairs = list(zip(step.block.operands, step.operands, strict=True))
    found = []
    for at, (operand, value) in enumerate(pairs):
        if operand.form in MEMORY:
            found += _Reader(launch, step, part).accesses(operand, value, pairs[at + 1 : at + 4])
    return found


class _Reader:
    """Reads one step for one warp, which has a `part` of its lanes."""

    def __init__(self, launch: TracedLaunch, step: Step, part: slice) -> None:
        self.launch = launch
        self.step = step
        self.wave = launch.waves[step.wave]
        self.part = part
        self.lanes = step.lanes[part]

    def accesses(
        self, operand: Operand, value: Any, behind: list[tuple[Operand, Any]]
    ) -> list[Access]:
        """One memory operation, or one for each memory if its lanes go to both.

        What was logged `behind` it tells of values.
        """
        wave = self.wave
        address = wave.addresses(operand, self.lanes, self.step.of(value, self.part))
        shared = (address >= wave.shared_start) & (address < wave.shared_end)
        rest = ~(shared | wave.is_local(address))
        return [
            self._access(operand.site, address, own, own is shared, behind)
            for own in (shared, rest)
            if own.any()
        ]

    def _access(
        self,
        site: Site,
        address: Lanes,
        own: NDArray[np.bool_],
        shared: bool,
        behind: list[tuple[Operand, Any]],
    ) -> Access:
        """What the lanes that are its `own` do."""
        lanes, address = self.lanes[own], address[own]
        turns = Turns.of((lanes,), self.launch.warp_size)
        merged = self._merged(site, lanes) and not shared
        found, stored, swapped = (
            None if values is None else values[own]
            for values in (self._behind(form, site, behind) for form in (FOUND, STORED, SWAPPED))
        )
        return Access(
            site,
            shared,
            lanes % self.launch.warp_size,
            address,
            found,
            stored,
            swapped,
            self._order(site, own, behind),
            0 if shared else self._sectors(site, turns, address, merged),
            self._conflicts(site, turns, address) if shared else 0,
            merged,
        )

    def _behind(self, form: str, site: Site, behind: list[tuple[Operand, Any]]) -> Any:
        for operand, value in behind:
            if operand.form == form and operand.site is site:
                return self.step.of(value, self.part)
        return None

    def _order(
        self, site: Site, own: NDArray[np.bool_], behind: list[tuple[Operand, Any]]
    ) -> Lanes:
        """The places of the access's lanes in the order in which they are served."""
        served: Lanes = np.arange(self.lanes.size)
        for operand, value in behind:
            if operand.form == SERVED and operand.site is site:
                mine = (value >= self.part.start) & (value < self.part.stop)
                served = value[mine] - self.part.start
        place: Lanes = np.cumsum(own) - 1
        return place[served[own[served]]]

    def _merged(self, site: Site, lanes: Lanes) -> bool:
        whole = lanes.size == self.launch.warp_size
        return site.merged == ALWAYS or (site.merged == WHOLE_WARPS and whole)

    def _sectors(self, site: Site, turns: Turns, address: Lanes, merged: bool) -> int:
        if site.kind != "atomic":
            return int(np.unique(address // SECTOR).size)
        return Passes.of(turns, address, SECTOR).sectors(np.array([not merged]))

    def _conflicts(self, site: Site, turns: Turns, address: Lanes) -> int:
        if site.kind == "atomic":
            return 0
        byte = (address - self.wave.shared_start) % max(1, self.wave.shared_pitch)
        return conflicts(turns, byte, site.size, self.launch.warp_size)
