"""The bulk arithmetic behind the counters: logged basic blocks in, sums a site out.

Lanes are counted long after they ran, a quarter of a million at a time, because NumPy's cost is the
call and not the element.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import within
from simulator.execute.observer import LaunchObserver
from simulator.execute.wave import Wave
from simulator.ir.events import (
    ADDRESS,
    ALWAYS,
    BARRIER,
    CLUSTER_WAIT,
    CONDITION,
    FETCH,
    GRID,
    PRODUCT,
    SHARED,
    SWAPPED,
    TARGET,
    TEXEL,
    VIEW,
    WHOLE_WARPS,
    BasicBlock,
    Operand,
)
from simulator.ir.events import EventSite as PlanSite
from simulator.observe.counters.amounts import Amounts
from simulator.observe.counters.counters import DECLARED, SECTOR, Counters
from simulator.observe.counters.description import COUNTERS
from simulator.observe.counters.requests import (
    Lanes,
    Passes,
    Requests,
    conflicts,
    distinct,
    lines_of_pairs,
    log2,
    most_alike,
    occurrences,
)
from simulator.observe.counters.sites import KINDS, Site, Sum
from simulator.observe.counters.work import Work
from simulator.observe.log import Decoder, Executions

#: By how many bits an index is more than its sector's, by the size of an element.
_SHIFTS = {1 << size: log2(SECTOR) - size for size in range(log2(SECTOR) + 1)}
#: The operands of barriers: each lane that comes to one counts.
_WAITS = (BARRIER, CLUSTER_WAIT, GRID)


class _Lanes:
    """Lanes that executed basic blocks together: what each has done and met there."""

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self.accesses = 0
        self.waits = dict.fromkeys(_WAITS, 0)

    def file(self, tally: Tally) -> None:
        """Add it to what the tally has of each lane."""
        if self.accesses:
            tally.done.add(self.requests, self.accesses)
        for form, times in self.waits.items():
            if times:
                self.requests.add_to(tally.waits(form), times)


@dataclass
class Tally(LaunchObserver):
    """Read the log of one launch, wave by wave, and give its counters."""

    warp_size: int
    sums: dict[tuple[int, str], Site] = field(default_factory=dict)
    hot: list[tuple[PlanSite, NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=list)
    warp_steps: int = 0
    thread_steps: int = 0
    barriers: int = 0
    cluster_syncs: int = 0
    grid_syncs: int = 0
    work: Work = field(default_factory=Work)
    work_per_warp: Work = field(default_factory=Work)
    work_per_block: Work = field(default_factory=Work)

    def start(self, wave: Wave) -> None:
        """Begin a new wave of blocks."""
        self.wave = wave
        self.decoder = Decoder()
        self.done = Amounts(wave)
        self._waits: dict[str, NDArray[np.int64]] = {}

    def waits(self, form: str) -> NDArray[np.int64]:
        """Return at how many barriers of a form each lane of the wave has been."""
        if form not in self._waits:
            self._waits[form] = np.zeros(self.wave.lane_count, np.int64)
        return self._waits[form]

    def finish_wave(self) -> None:
        """File the work of the wave's threads, which are done."""
        wave = self.wave
        work, per_warp, per_block = self.done.spread()
        self.work += work
        self.work_per_warp += per_warp
        self.work_per_block += per_block
        # All threads of a block pass the same barriers, but those that have returned.
        self.barriers += self._most_waits(BARRIER, wave.padded)
        self.cluster_syncs += self._most_waits(CLUSTER_WAIT, wave.padded * wave.cluster_blocks)
        self.grid_syncs += self._most_waits(GRID, wave.lane_count)

    def _most_waits(self, form: str, width: int) -> int:
        """Add up over groups of lanes at how many barriers any of the group has been."""
        if form not in self._waits:
            return 0
        return int(self._waits[form].reshape(-1, width).max(axis=1).sum())

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        """Count logged basic blocks."""
        known: dict[Any, _Lanes] = {}
        for number, executions in self.decoder.executions(log).items():
            self._block(blocks[number], executions, known)
        for lanes in known.values():
            lanes.file(self)

    def _block(self, block: BasicBlock, executions: Executions, known: dict[Any, _Lanes]) -> None:
        """Count executions of a basic block; `known` lanes are those of blocks before it."""
        _, *operands = executions.columns
        key = executions.key
        lanes = known.get(key)
        if lanes is None:
            lanes = known[key] = _Lanes(Requests.of(executions, self.warp_size))
        requests = lanes.requests
        if not requests.count:
            return
        self.warp_steps += block.statements * requests.heads.size
        self.thread_steps += block.statements * requests.count
        lanes.accesses += block.accesses
        for operand, column in zip(block.operands, operands, strict=True):
            if operand.form in _WAITS:
                lanes.waits[operand.form] += 1
            if operand.form in _CONSUMERS:
                _CONSUMERS[operand.form](self, operand, requests, column)

    def _sums(self, site: PlanSite, space: str) -> Site:
        """Find what a site adds up to, in one memory space."""
        found = self.sums.get((site.id, space))
        if found is None:
            found = Site(site.span, space + site.kind, site.array, size=site.size)
            self.sums[site.id, space] = found
        return found

    # One consumer a form of operand.

    def _viewed(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        site, base = operand.site, self.wave.bases[operand.base]
        index = requests.column(column)
        shift = _SHIFTS.get(site.stride)
        if shift is None or base % SECTOR or site.kind == "atomic" or site.past_l1:
            address = base + index.astype(np.int64, copy=False) * site.stride
            self._global(site, requests, address)
            return
        sums = self._reached(site, requests, base + int(index[0]) * site.stride)
        sums.sectors += distinct(requests, index >> shift)

    def _reached(self, site: PlanSite, requests: Requests, address: int) -> Site:
        """Count requests to global memory, the first of which is to an address."""
        sums = self._sums(site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.count
        if not sums.array:
            sums.array = self.wave.label(address)
        return sums

    def _global(self, site: PlanSite, requests: Requests, address: NDArray[np.int64]) -> None:
        sums = self._reached(site, requests, int(address[0]))
        if site.kind == "atomic":
            passes = Passes.of(requests, address, SECTOR)
            sums.sectors += passes.sectors(self._unmerged(site, requests))
            sums.same_address_max = max(sums.same_address_max, passes.most)
            self.hot.append((site, *occurrences(address)))
            if not sums.memory:
                sums.memory = self.wave.label(int(address[0]))
        elif site.past_l1:
            sums.sectors += lines_of_pairs(requests, address)
        else:
            sums.sectors += distinct(requests, address >> log2(SECTOR))

    def _unmerged(self, site: PlanSite, requests: Requests) -> NDArray[np.bool_]:
        """Mark the requests in which each lane does its own atomic."""
        if site.merged == WHOLE_WARPS:
            return requests.spans < self.warp_size
        return np.full(requests.heads.size, site.merged != ALWAYS)

    def _shared(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        site = operand.site
        offset = self.wave.shared_offset(site.offset)
        self._banks(site, requests, offset + requests.column(column).astype(np.int64) * site.stride)

    def _banks(self, site: PlanSite, requests: Requests, byte: NDArray[np.int64]) -> None:
        sums = self._sums(site, "shared_")
        sums.requests += requests.heads.size
        sums.lanes += requests.count
        if site.kind != "atomic":
            sums.bank_conflicts += conflicts(requests, byte, site.size, self.warp_size)
        else:
            sums.same_address_max = max(sums.same_address_max, most_alike(requests, byte))
            slot = requests.lanes // self.wave.padded + self.wave.first_block
            keys = -1 - ((slot << 32) | byte)
            self.hot.append((site, *occurrences(keys)))

    def _addressed(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        address = requests.column(column)
        wave = self.wave
        low, high = int(address.min()), int(address.max())
        if wave.shared_start <= low and high < wave.shared_end:
            byte = address - wave.own_shared[requests.lanes]
            if within(byte, wave.shared_pitch - 1):
                self._banks(operand.site, requests, byte)
                return
        own = ((wave.shared_start, wave.shared_end), *wave.locals)
        if not any(low < end and high >= start for start, end in own):
            self._global(operand.site, requests, address)
            return
        shared = (address >= wave.shared_start) & (address < wave.shared_end)
        private = wave.is_local(address)
        if private.any():  # registers as far as a GPU engineer cares: no memory operation
            self.done.add(requests.only(private), -1)
        if shared.any():
            slot, byte = np.divmod(address[shared] - wave.shared_start, max(1, wave.shared_pitch))
            own_lanes = requests if shared.all() else requests.only(shared)
            self._in_blocks(operand.site, own_lanes, slot, byte)
        rest = ~(shared | private)
        if rest.any():
            self._global(operand.site, requests.only(rest), address[rest])

    def _in_blocks(
        self, site: PlanSite, requests: Requests, slot: Lanes, byte: NDArray[np.int64]
    ) -> None:
        """Count accesses to the shared memory of blocks: the lanes' own, and others of clusters."""
        away = slot != requests.lanes // self.wave.padded
        if not away.any():
            self._banks(site, requests, byte)
            return
        if not away.all():
            self._banks(site, requests.only(~away), byte[~away])
        self._distributed(site, requests.only(away), slot[away], byte[away])

    def _distributed(
        self, site: PlanSite, requests: Requests, slot: Lanes, byte: NDArray[np.int64]
    ) -> None:
        sums = self._sums(site, "distributed_")
        sums.requests += requests.heads.size
        sums.lanes += requests.count
        if site.kind == "atomic":
            place = (slot + self.wave.first_block << 32) | byte
            sums.same_address_max = max(sums.same_address_max, most_alike(requests, place))
            self.hot.append((site, *occurrences(-1 - place)))

    def _fetched(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, f"{operand.site.space}_")
        sums.requests += requests.heads.size
        sums.lanes += requests.count

    def _product(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.count

    def _texels(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, f"{operand.site.space}_")
        sums.sectors += distinct(requests, requests.column(column) >> log2(SECTOR))

    def _condition(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.count
        if not isinstance(column[0], np.ndarray):  # rule 6 of branches, at `log_condition`
            return
        sums.divergent += requests.divided(requests.column(column))

    def _target(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.count
        label = requests.column(column)
        first, last = (f.reduceat(label, requests.heads) for f in (np.minimum, np.maximum))
        sums.divergent += int(np.count_nonzero(first != last))

    def _swapped(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        known = (space for space in KINDS if (operand.site.id, space) in self.sums)
        space = next(known, "")  # where its accesses were counted
        swapped = int(np.count_nonzero(requests.column(column)))
        self._sums(operand.site, space).cas_failed += requests.count - swapped

    def _barrier(self, operand: Operand, requests: Requests, column: tuple[Any, ...]) -> None:
        sums = self._sums(operand.site, "")
        sums.requests += requests.heads.size
        sums.lanes += requests.count

    # Results.

    def sites(self) -> list[Site]:
        """List the counters of every site that was reached."""
        return list(self.sums.values())

    def totals(self) -> dict[str, int]:
        """Add up what there is so far, by the counters' names; what is 0 may be missing."""
        found = {"warp_steps": self.warp_steps, "thread_steps": self.thread_steps, "cas_failed": 0}
        for site in self.sums.values():
            for name, part in _parts(site.kind):
                found[name] = found.get(name, 0) + part.of(site)
        return found

    def counters(self, **others: Any) -> Counters:
        """Give the counters of the launch, with `others` that were counted beside them."""
        name, ops = self._hottest()
        return Counters.of(
            self.sites(),
            hottest_address=name,
            hottest_ops=ops,
            warp_steps=self.warp_steps,
            thread_steps=self.thread_steps,
            barriers=self.barriers,
            cluster_syncs=self.cluster_syncs,
            grid_syncs=self.grid_syncs,
            warp_size=self.warp_size,
            work=self.work,
            work_per_warp=self.work_per_warp,
            work_per_block=self.work_per_block,
            **others,
        )

    def _hottest(self) -> tuple[str | None, int]:
        if not self.hot:
            return None, 0
        keys, index = np.unique(np.concatenate([k for _, k, _ in self.hot]), return_inverse=True)
        totals = np.bincount(index, np.concatenate([c for _, _, c in self.hot]))
        best = int(np.argmax(totals))
        key = int(keys[best])
        site = next(s for s, k, _ in self.hot if key in k)
        return self._name(site, key), int(totals[best])

    def _name(self, site: PlanSite, key: int) -> str:
        if key >= 0:
            return self.wave.element(key, site.stride or site.size, site.array)
        block, byte = divmod(-1 - key, 1 << 32)
        offset = self.wave.shared_offset(site.offset)
        index = (byte - offset) // (site.stride or site.size)
        return f"{site.array or 'shared'}[{index}] of block {block}"


@cache
def _parts(kind: str) -> tuple[tuple[str, Sum], ...]:
    """List the declared counters to which sites of a kind are added, and how."""
    rows = [(name, COUNTERS[name].sites) for name in DECLARED if COUNTERS[name].merge == "sum"]
    return tuple((n, part) for n, part in rows if isinstance(part, Sum) and kind in part.kinds)


_CONSUMERS = {
    VIEW: Tally._viewed,
    SHARED: Tally._shared,
    ADDRESS: Tally._addressed,
    FETCH: Tally._fetched,
    TEXEL: Tally._texels,
    PRODUCT: Tally._product,
    CONDITION: Tally._condition,
    TARGET: Tally._target,
    SWAPPED: Tally._swapped,
    BARRIER: Tally._barrier,
}
