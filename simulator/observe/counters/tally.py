"""The bulk arithmetic behind the counters: logged basic blocks in, sums a site out.

Lanes are counted long after they ran, a quarter of a million at a time, because NumPy's cost is the
call and not the element.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.observer import LaunchObserver
from simulator.execute.wave import Wave
from simulator.ir.events import (
    ADDRESS,
    ALWAYS,
    BARRIER,
    CONDITION,
    GRID,
    SHARED,
    SWAPPED,
    TARGET,
    VIEW,
    WHOLE_WARPS,
    BasicBlock,
    Operand,
)
from simulator.ir.events import EventSite as PlanSite
from simulator.observe.counters.counters import SECTOR, Counters, Site, Work
from simulator.observe.counters.requests import (
    Passes,
    Requests,
    conflicts,
    distinct,
    log2,
    most_alike,
)
from simulator.observe.log import Decoder, Executions


@dataclass
class Sums:
    """What one site adds up to, in one memory space."""

    requests: int = 0
    sectors: int = 0
    lanes: int = 0
    bank_conflicts: int = 0
    cas_failed: int = 0
    same_address_max: int = 0
    divergent: int = 0
    array: str = ""


@dataclass
class Tally(LaunchObserver):
    """Consumes the log of one launch, wave by wave, and gives its counters."""

    warp_size: int
    sums: dict[tuple[int, str], Sums] = field(default_factory=lambda: defaultdict(Sums))
    hot: list[tuple[PlanSite, NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=list)
    plan_sites: dict[int, PlanSite] = field(default_factory=dict)
    warp_steps: int = 0
    thread_steps: int = 0
    barriers: int = 0
    grid_syncs: int = 0
    load_bytes: int = 0
    store_bytes: int = 0
    work: Work = field(default_factory=Work)
    work_per_warp: Work = field(default_factory=Work)
    work_per_block: Work = field(default_factory=Work)

    def start(self, wave: Wave) -> None:
        """A new wave of blocks begins."""
        self.wave = wave
        self.decoder = Decoder()
        self.done = np.zeros(wave.lane_count, np.int64)
        self.passed = np.zeros(wave.lane_count, np.int64)
        self.met = np.zeros(wave.lane_count, np.int64)

    def finish_wave(self) -> None:
        """The wave's threads are done: file their work."""
        wave = self.wave
        rows = self.done.reshape(wave.slots, wave.padded)[:, : wave.threads]
        self.work += Work.of(rows)
        pad = -wave.threads % wave.warp_size
        per_warp = np.pad(rows, ((0, 0), (0, pad))).reshape(-1, wave.warp_size).sum(axis=1)
        self.work_per_warp += Work.of(per_warp)
        self.work_per_block += Work.of(rows.sum(axis=1))
        self.grid_syncs += int(self.met.max())
        # All threads of a block pass the same barriers, but those that have returned.
        self.barriers += int(self.passed.reshape(wave.slots, wave.padded).max(axis=1).sum())

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        """Count logged basic blocks."""
        for number, executions in self.decoder.executions(log).items():
            self._block(blocks[number], executions)

    def _block(self, block: BasicBlock, executions: Executions) -> None:
        arrays, *operands = executions.columns
        requests = Requests.of(*executions.sizes_and_lanes(arrays), self.warp_size)
        if not requests.lanes.size:
            return
        self.warp_steps += block.statements * requests.heads.size
        self.thread_steps += block.statements * requests.lanes.size
        if block.accesses:
            self.done += block.accesses * np.bincount(requests.lanes, minlength=self.done.size)
        for operand, column in zip(block.operands, operands, strict=True):
            if operand.form in _CONSUMERS:
                _CONSUMERS[operand.form](self, operand, requests, column)

    def _sums(self, site: PlanSite, space: str) -> Sums:
        self.plan_sites[site.id] = site
        return self.sums[site.id, space]

    # One consumer a form of operand.

    def _viewed(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        site = operand.site
        index = requests.column(column)
        address = self.wave.bases[operand.base] + index.astype(np.int64, copy=False) * site.stride
        self._global(site, requests, address)

    def _global(self, site: PlanSite, requests: Requests, address: NDArray[np.int64]) -> None:
        sums = self._sums(site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.lanes.size
        if site.kind == "atomic":
            passes = Passes.of(requests, address, SECTOR)
            sums.sectors += passes.sectors(self._unmerged(site, requests))
            sums.same_address_max = max(sums.same_address_max, passes.most)
            self.hot.append((site, *np.unique(address, return_counts=True)))
        else:
            sums.sectors += distinct(requests, address >> log2(SECTOR))
        if not site.array and not sums.array:
            sums.array = self.wave.label(int(address[0]))

    def _unmerged(self, site: PlanSite, requests: Requests) -> NDArray[np.bool_]:
        """The requests in which each lane does its own atomic."""
        if site.merged == WHOLE_WARPS:
            return np.diff(requests.heads, append=requests.lanes.size) < self.warp_size
        return np.full(requests.heads.size, site.merged != ALWAYS)

    def _shared(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        site = operand.site
        offset = self.wave.shared_offset(site.offset)
        self._banks(site, requests, offset + requests.column(column).astype(np.int64) * site.stride)

    def _banks(self, site: PlanSite, requests: Requests, byte: NDArray[np.int64]) -> None:
        sums = self._sums(site, "shared_")
        sums.requests += requests.heads.size
        sums.lanes += requests.lanes.size
        if site.kind != "atomic":
            sums.bank_conflicts += conflicts(requests, byte, site.size, self.warp_size)
        else:
            sums.same_address_max = max(sums.same_address_max, most_alike(requests, byte))
            slot = requests.lanes // self.wave.padded + self.wave.first_block
            keys = -1 - ((slot << 32) | byte)
            self.hot.append((site, *np.unique(keys, return_counts=True)))

    def _addressed(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        address = requests.column(column)
        wave = self.wave
        shared = (address >= wave.shared_start) & (address < wave.shared_end)
        private = wave.is_local(address)
        if private.any():  # registers as far as a GPU engineer cares: no memory operation
            self.done -= np.bincount(requests.lanes[private], minlength=self.done.size)
        if shared.any():
            byte = (address[shared] - wave.shared_start) % max(1, wave.shared_pitch)
            self._banks(operand.site, requests.only(shared), byte)
        rest = ~(shared | private)
        if rest.all():
            self._global(operand.site, requests, address)
        elif rest.any():
            self._global(operand.site, requests.only(rest), address[rest])

    def _condition(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.lanes.size
        if isinstance(column[0], np.ndarray):
            taken = np.add.reduceat(requests.column(column).astype(np.int64), requests.heads)
            size = np.diff(requests.heads, append=requests.lanes.size)
            sums.divergent += int(np.count_nonzero((taken > 0) & (taken < size)))

    def _target(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.lanes.size
        label = requests.column(column)
        first, last = (f.reduceat(label, requests.heads) for f in (np.minimum, np.maximum))
        sums.divergent += int(np.count_nonzero(first != last))

    def _swapped(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        space = "shared_" if operand.site.space == "shared" else ""
        swapped = int(np.count_nonzero(requests.column(column)))
        self._sums(operand.site, space).cas_failed += requests.lanes.size - swapped

    def _barrier(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.lanes.size
        self.passed += np.bincount(requests.lanes, minlength=self.passed.size)

    def _grid(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        self.met += np.bincount(requests.lanes, minlength=self.met.size)

    # Results.

    def sites(self) -> list[Site]:
        """The counters of every place that was reached."""
        result = []
        for (number, space), sums in self.sums.items():
            plan = self.plan_sites[number]
            facts = {k: v for k, v in vars(sums).items() if k != "array"}
            result.append(Site(plan.span, space + plan.kind, plan.array or sums.array, **facts))
        return result

    def totals(self) -> dict[str, int]:
        """What the sites add up to so far, by the counters' names; none that is 0 need be there."""
        found: dict[str, int] = defaultdict(int)
        found["warp_steps"], found["thread_steps"] = self.warp_steps, self.thread_steps
        for (number, space), sums in self.sums.items():
            plan = self.plan_sites[number]
            found["cas_failed"] += sums.cas_failed
            if plan.kind == "branch":
                found["branches"] += sums.requests
                found["divergent_branches"] += sums.divergent
            elif space:
                found["shared_requests"] += sums.requests
                found["bank_conflicts"] += sums.bank_conflicts
            elif plan.kind in ("load", "store", "atomic"):
                found[f"{plan.kind}_requests"] += sums.requests
                found[f"{plan.kind}_sectors"] += sums.sectors
                if plan.kind == "atomic":
                    found["atomic_lanes"] += sums.lanes
                else:
                    found[f"{plan.kind}_bytes"] += sums.lanes * plan.size
        return found

    def counters(self) -> Counters:
        """The counters of the launch."""
        name, ops = self._hottest()
        return Counters(
            **self.totals(),
            same_address_max=max((s.same_address_max for s in self.sums.values()), default=0),
            hottest_address=name,
            hottest_ops=ops,
            barriers=self.barriers,
            grid_syncs=self.grid_syncs,
            warp_size=self.warp_size,
            work=self.work,
            work_per_warp=self.work_per_warp,
            work_per_block=self.work_per_block,
        )

    def _hottest(self) -> tuple[str | None, int]:
        if not self.hot:
            return None, 0
        keys, place = np.unique(np.concatenate([k for _, k, _ in self.hot]), return_inverse=True)
        totals = np.bincount(place, np.concatenate([c for _, _, c in self.hot]))
        best = int(np.argmax(totals))
        key = int(keys[best])
        site = next(s for s, k, _ in self.hot if key in k)
        return self._name(site, key), int(totals[best])

    def _name(self, site: PlanSite, key: int) -> str:
        if key >= 0:
            return self.wave.element(key, site.stride or site.size, site.array)
        block, byte = divmod(-1 - key, 1 << 32)
        offset = self.wave.shared_offset(site.offset)
        place = (byte - offset) // (site.stride or site.size)
        return f"{site.array or 'shared'}[{place}] of block {block}"


_CONSUMERS = {
    VIEW: Tally._viewed,
    SHARED: Tally._shared,
    ADDRESS: Tally._addressed,
    CONDITION: Tally._condition,
    TARGET: Tally._target,
    SWAPPED: Tally._swapped,
    BARRIER: Tally._barrier,
    GRID: Tally._grid,
}
