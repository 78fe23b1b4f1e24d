"""What memory sees of one warp in one step: addresses, sectors, and who is served after whom."""

from __future__ import annotations

from collections.abc import Mapping
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
        # The first of each form, of those that are logged of this operation.
        logged = {o.form: v for o, v in reversed(following) if o.site is operand.site}
        order = self._order(logged, left)
        return [
            self._access(operand.site, address, own, kind, logged, order)
            for kind, own in self._kinds(address)
        ]

    def _kinds(self, address: Lanes) -> list[tuple[str, NDArray[np.bool_] | None]]:
        """Return of which `KINDS` the memory is, and which lanes go to each; None for all."""
        wave = self.wave
        shared = (address >= wave.shared_start) & (address < wave.shared_end)
        if not wave.locals and not shared.any():
            return [(KINDS[0], None)] if address.size else []
        slot = (address - wave.shared_start) // max(1, wave.shared_pitch)
        own = shared & (slot == self.lanes // wave.padded)
        rest = ~(shared | wave.is_local(address))
        kinds = zip(KINDS, (rest, own, shared & ~own), strict=True)
        return [(kind, lanes) for kind, lanes in reversed(list(kinds)) if lanes.any()]

    def _access(
        self,
        site: EventSite,
        address: Lanes,
        own: NDArray[np.bool_] | None,
        kind: str,
        logged: Mapping[str, Any],
        order: Lanes,
    ) -> Access:
        """Describe what the lanes that are its `own` do in memory of one of the `KINDS`."""
        lanes, shared = self.lanes, bool(kind)
        found, stored, swapped = (self._values(logged, form) for form in (FOUND, STORED, SWAPPED))
        if own is not None:
            lanes, address = lanes[own], address[own]
            order = (np.cumsum(own) - 1)[order[own[order]]]
            found, stored, swapped = (
                None if values is None else values[own] for values in (found, stored, swapped)
            )
        merged = self._merged(site, lanes) and not shared
        return Access(
            site,
            shared,
            lanes % self.launch.warp_size,
            address,
            found,
            stored,
            swapped,
            order,
            0 if shared else self._sectors(site, lanes, address, merged),
            self._conflicts(site, lanes, address) if kind == "shared_" else 0,
            merged,
        )

    def _values(self, logged: Mapping[str, Any], form: str) -> Any:
        """Return what is logged of one form for each lane of the warp; None for nothing."""
        return self.step.of(logged[form], self.part) if form in logged else None

    def _order(self, logged: Mapping[str, Any], left: NDArray[np.uint8] | None) -> Lanes:
        """Return the indices of the lanes in the order in which they are served.

        Of lanes that store to one address, that is all that is known: whose value is there comes
        last.
        """
        if SERVED in logged:
            value = logged[SERVED]
            mine = (value >= self.part.start) & (value < self.part.stop)
            served: Lanes = value[mine] - self.part.start
            return served
        stored = self._values(logged, STORED)
        if stored is None or left is None or stored.dtype.itemsize != left.shape[1]:
            return np.arange(self.lanes.size)
        held = np.ascontiguousarray(stored).view(np.uint8).reshape(left.shape) == left
        return np.argsort(held.all(axis=1), kind="stable")

    def _merged(self, site: EventSite, lanes: Lanes) -> bool:
        whole = lanes.size == self.launch.warp_size
        return site.merged == ALWAYS or (site.merged == WHOLE_WARPS and whole)

    def _requests(self, lanes: Lanes) -> Requests:
        return Requests.of_lanes(np.array([lanes.size]), lanes, self.launch.warp_size)

    def _sectors(self, site: EventSite, lanes: Lanes, address: Lanes, merged: bool) -> int:
        if site.kind != "atomic":
            return len({*(address // SECTOR).tolist()})
        return Passes.of(self._requests(lanes), address, SECTOR).sectors(np.array([not merged]))

    def _conflicts(self, site: EventSite, lanes: Lanes, address: Lanes) -> int:
        if site.kind == "atomic":
            return 0
        byte = (address - self.wave.shared_start) % max(1, self.wave.shared_pitch)
        return conflicts(self._requests(lanes), byte, site.size, self.launch.warp_size)
