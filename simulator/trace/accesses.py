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
            made = _Reader(launch, step, part).access(operand, value, pairs[at + 1 : at + 4])
            found += [made] if made is not None else []
    return found


class _Reader:
    """Reads one step for one warp, which has a `part` of its lanes."""

    def __init__(self, launch: TracedLaunch, step: Step, part: slice) -> None:
        self.launch = launch
        self.step = step
        self.wave = launch.waves[step.wave]
        self.part = part
        self.lanes = step.lanes[part]

    def access(
        self, operand: Operand, value: Any, behind: list[tuple[Operand, Any]]
    ) -> Access | None:
        """One memory operation; what was logged `behind` it tells of values."""
        lanes, site, wave = self.lanes, operand.site, self.wave
        address = wave.addresses(operand, lanes, self.step.of(value, self.part))
        private = wave.is_local(address)
        if not lanes.size or private.all():
            return None
        shared = bool(((address >= wave.shared_start) & (address < wave.shared_end)).any())
        turns = Turns.of((lanes,), self.launch.warp_size)
        merged = self._merged(site) and not shared
        return Access(
            site,
            shared,
            lanes % self.launch.warp_size,
            address,
            self._behind(FOUND, site, behind),
            self._behind(STORED, site, behind),
            self._behind(SWAPPED, site, behind),
            self._order(site, behind),
            0 if shared else self._sectors(site, turns, address, merged),
            self._conflicts(site, turns, address) if shared else 0,
            merged,
        )

    def _behind(self, form: str, site: Site, behind: list[tuple[Operand, Any]]) -> Any:
        for operand, value in behind:
            if operand.form == form and operand.site is site:
                return self.step.of(value, self.part)
        return None

    def _order(self, site: Site, behind: list[tuple[Operand, Any]]) -> Lanes:
        """The places of the warp's lanes in the order in which they are served."""
        for operand, value in behind:
            if operand.form == SERVED and operand.site is site:
                mine = (value >= self.part.start) & (value < self.part.stop)
                served: Lanes = value[mine] - self.part.start
                return served
        return np.arange(self.lanes.size)

    def _merged(self, site: Site) -> bool:
        whole = self.lanes.size == self.launch.warp_size
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
