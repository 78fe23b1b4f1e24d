"""The race checker: accesses of one launch in, pairs that nothing orders out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import Memory
from simulator.execute.wave import Wave
from simulator.ir.events import (
    ADDRESS,
    FENCE,
    MBARRIER,
    MEMORY,
    SHARED,
    TEXEL,
    UNITS,
    VIEW,
    EventSite,
    Operand,
    Plan,
)
from simulator.observe.sanitizers.accesses import AccessBatch, Epochs
from simulator.observe.sanitizers.conflicts import (
    ATOMIC_LOAD,
    ATOMIC_RMW,
    ATOMIC_STORE,
    BLOCK_RMW,
    CACHED_LOAD,
    OWN_RMW,
    READ,
    WRITE,
    Coding,
    Conflicts,
    Numbers,
    Question,
    Rows,
    Table,
    conflicts,
    kind_of,
    stale,
)
from simulator.observe.sanitizers.departures import Departures, LateAccess
from simulator.observe.sanitizers.planned import SYNC
from simulator.observe.sanitizers.stale_reads import StaleReads

__all__ = ["Race", "RaceAccess", "RaceChecker"]


@dataclass(frozen=True)
class RaceAccess:
    """One of two accesses of a race.

    Which thread, counted through the launch with every block padded to whole warps, and where.
    """

    site: EventSite
    thread: int
    kind: int


@dataclass(frozen=True)
class Race:
    """Accesses of two threads to one `address`, unordered; `same` if both wrote one value.

    `wave` is the number of the wave for shared memory, None for global; `unsure` if a fence may
    order them after all.
    """

    address: int
    first: RaceAccess
    second: RaceAccess
    same: bool
    count: int = 1
    wave: int | None = None
    unsure: bool = False


#: Bits of the time of an access in its wave.
_WAVE = 40


class PlannedRaces:
    """What a kernel's plan says of races.

    Attributes
    ----------
    sites : list of EventSite
        All sites of the kernel.
    strong : list of Operand
        The atomic and volatile accesses.
    synced : bool
        Whether anything is synchronised.
    replays : bool
        Whether only the replay decides: fences, memory orders and barriers in memory order, and
        polls excuse.
    anywhere : bool
        Whether something is changed of which only a run tells where it is.
    shared_changes : bool
        Whether shared memory may be changed.
    changed_views : set of str
        The views that are changed.
    grain : int
        What all sizes are multiples of.
    stale : bool
        Whether textures or surfaces may be read when they have been changed.
    """

    def __init__(self, plan: Plan) -> None:
        operands = [o for block in plan.blocks for o in block.operands]
        touching = [o for o in operands if o.form in MEMORY or o.form == MBARRIER]
        changing = [o for o in touching if o.site.kind != "load"]
        self.sites = plan.sites
        self.synced = any(o.form in SYNC for o in operands)
        strong = [o for o in touching if kind_of(o.site) in (ATOMIC_RMW, ATOMIC_LOAD, ATOMIC_STORE)]
        released = any(kind_of(o.site) == ATOMIC_STORE for o in strong) and any(
            o.site.polls for o in strong
        )
        self.strong = strong
        self.replays = released or any(o.form == FENCE or o.site.order for o in operands)
        self.anywhere = any(o.form in (ADDRESS, TEXEL, MBARRIER) for o in changing)
        self.changed_views = {o.base for o in changing if o.form == VIEW}
        self.grain = reduce(gcd, (o.site.size for o in touching), 8)
        self.shared_changes = any(o.form == SHARED for o in changing) or self.anywhere
        fetches = any(o.form == TEXEL and o.site.kind == "load" for o in touching)
        self.stale = fetches and bool(changing)


class RaceChecker:
    """Collects which threads access which locations in one launch.

    Parameters
    ----------
    memory : Memory
        The device's.
    planned : PlannedRaces
        What the kernel's plan says.
    """

    def __init__(self, memory: Memory, planned: PlannedRaces) -> None:
        self.memory = memory
        self.planned = planned
        self.sites = planned.sites
        self.grain = planned.grain
        #: Whether only the replay decides, also because sizes divide.
        self.replays = planned.replays
        self.sized = False
        self._stale = StaleReads() if planned.stale else None
        self.wave: Wave | None = None
        self.waves = 0

    def start(self, wave: Wave, epochs: Epochs) -> None:
        """Begin a wave of blocks."""
        self.wave = wave
        self.epochs = epochs
        self.waves += 1
        if self.waves == 1:
            self.coding = Coding(wave.warp_size, 1 << len(self.sites).bit_length())
            self._divisor = wave.warp_size * self.coding.sites if self.planned.synced else 0
            self._global = Table(self._divisor)
            self._changed = self._changed_ranges(wave)
            self.sized = self._sizes_differ(wave)
            self.replays |= self.sized
        self._shared = Table(self._divisor)
        self._departures = Departures(wave, epochs) if wave.cluster_blocks > 1 else None
        views = {o for o, base in wave.bases.items() if self._touched(base)}
        self._views = set(wave.bases) if self.planned.anywhere else views

    def _changed_ranges(self, wave: Wave) -> list[tuple[int, int]]:
        """List the allocations that named arrays of the kernel may change."""
        found = {self.memory.find(wave.bases[base]) for base in self.planned.changed_views}
        return [(a.start, a.end) for a in found if a is not None]

    def _sizes_differ(self, wave: Wave) -> bool:
        """Return whether atomics and volatile accesses of two sizes may touch one array."""
        sizes: dict[object, set[int]] = defaultdict(set)
        for operand in self.planned.strong:
            sizes[self._array_of(operand, wave)].add(operand.site.size)
        anywhere = sizes.pop(None, set())
        return any(len(one | anywhere) > 1 for one in (*sizes.values(), anywhere))

    def _array_of(self, operand: Operand, wave: Wave) -> object:
        """Return what identifies the array of an operand; None if that may be any."""
        if operand.form == ADDRESS:
            return None
        if operand.form != VIEW:
            return operand.form, operand.site.offset
        allocation = self.memory.find(wave.bases[operand.base])
        return operand.form, allocation.start if allocation else operand.base

    def _touched(self, address: int) -> bool:
        return any(start <= address < end for start, end in self._changed)

    def wants(self, operand: Operand) -> bool:
        """Return whether accesses of an operand can take part in a race."""
        if operand.site.space == "local":
            return False
        if operand.form == VIEW:
            return operand.base in self._views
        if operand.form == SHARED:
            return self.planned.shared_changes
        return self.planned.anywhere or bool(self._changed) or self.planned.shared_changes

    def add(self, access: AccessBatch) -> None:
        """Add the accesses of one operand."""
        wave = self.wave
        assert wave is not None
        if access.site.space == "shared":
            self._file(self._shared, access)
        elif access.site.space == "global":
            self._file(self._global, access)
        else:
            shared = (access.address >= wave.shared_start) & (access.address < wave.shared_end)
            if shared.any():
                self._file(self._shared, access.only(shared))
                if self._departures is not None:
                    self._departures.add(access.only(shared))
            rest = ~shared & ~wave.is_local(access.address)
            if not self.planned.anywhere:
                rest &= self._in_changed(access.address)
            if rest.any():
                self._file(self._global, access.only(rest))

    def _in_changed(self, address: Numbers) -> NDArray[np.bool_]:
        result = np.zeros(address.shape, np.bool_)
        for start, end in self._changed:
            result |= (address >= start) & (address < end)
        return result

    def _file(self, table: Table, access: AccessBatch) -> None:
        wave, site = self.wave, access.site
        assert wave is not None
        who = self.coding.accessor(access.segment, access.lanes % wave.warp_size, site.id)
        first = access.address // self.grain
        kind = kind_of(site)
        if self._stale is not None and table is self._global:
            self._file_in_time(self._stale, access, who)
        values = None
        if kind in (WRITE, ATOMIC_STORE) and access.stored is not None:
            values = split(access.stored, self.grain)
        elif self.sized and kind in (ATOMIC_RMW, ATOMIC_LOAD):
            values = np.full((first.size, max(1, site.size // self.grain)), site.size, np.int64)
        kinds = _filed(site, table is self._global, wave.cluster_blocks > 1)
        for part in range(max(1, site.size // self.grain)):
            bits = None if values is None else values[:, part]
            for filed in kinds:
                table.add(filed, Rows(first + part, who, bits, bits))

    def _file_in_time(self, stale: StaleReads, access: AccessBatch, who: Numbers) -> None:
        """File accesses with their places in the order in which they were done."""
        reads = access.site.kind == "load"
        if reads and access.site.space not in UNITS:
            return
        time, first = access.time + (self.waves << _WAVE), access.address // self.grain
        for part in range(max(1, access.site.size // self.grain)):
            stale.add(reads, first + part, who, time)

    def end_wave(self, confirm: Confirm) -> Iterator[Race]:
        """Find the races in the shared memory of the wave that ends."""
        yield from self._found(self._shared, confirm, self.waves - 1)

    def late(self) -> Iterator[LateAccess]:
        """Find the accesses to shared memory of blocks of the wave that may have ended before.

        Where there are fences and flags, threads may wait by these: then none is reported.
        """
        if self._departures is not None and not self.replays:
            yield from self._departures.late()

    def end(self, confirm: Confirm) -> Iterator[Race]:
        """Find the races in global memory."""
        if self.waves:
            yield from self._found(self._global, confirm, None)

    def _found(self, table: Table, confirm: Confirm, wave: int | None) -> Iterator[Race]:
        if wave is None:
            late = [] if self._stale is None else self._stale.found()
            yield from self._examples([*stale(table), *late], wave)
        assert self.wave is not None
        cluster = self.wave.cluster_blocks
        question = Question(self.planned.synced, wave is not None, self.sized, cluster)
        found = list(conflicts(table, self.coding, self.epochs, question))
        if not found:
            return
        if self.replays or self.epochs.partial:
            confirmed = confirm(np.unique(np.concatenate([f.location for f in found])), wave)
            if confirmed is not None:
                yield from confirmed
                return
            for race in self._examples(found, wave):
                yield replace(race, unsure=True)
            return
        yield from self._examples(found, wave)

    def _examples(self, found: list[Conflicts], wave: int | None) -> Iterator[Race]:
        if not found:
            return
        harmful = np.concatenate([f.location[~f.same] for f in found])
        for part in found:
            yield from self._races(part, harmful, wave)

    def _races(self, found: Conflicts, harmful: Numbers, wave: int | None) -> Iterator[Race]:
        """One example for every pair of sites, of threads as far apart as there are."""
        keep = self._closeness(found).argsort(kind="stable")
        if harmful.size and found.same.any():
            keep = keep[(~found.same | ~np.isin(found.location, harmful))[keep]]
        location, first, second = found.location[keep], found.first[keep], found.second[keep]
        same = found.same[keep]
        sites = self.coding.sites
        pair = (first % sites * sites + second % sites) * 2 + same
        shared = None if wave is None else self.wave
        _, heads, which = np.unique(pair, return_index=True, return_inverse=True)
        for number, at in enumerate(heads.tolist()):
            one, other = self._race_access(int(first[at]), found.kinds[0]), int(second[at])
            yield Race(
                int(location[at]) * self.grain,
                one,
                self._race_access(other, found.kinds[1]),
                bool(same[at]),
                elements(location[which == number] * self.grain, one.site, shared),
                wave,
            )

    def _closeness(self, found: Conflicts) -> Numbers:
        """0 for threads of two blocks, 1 for two warps of a block, 2 for lanes of a warp."""
        segments = self.epochs.tables()
        warp, block = segments.warp, segments.block
        one, other = (self.coding.segment(who) for who in (found.first, found.second))
        closeness: Numbers = np.add(
            block[one] == block[other], warp[one] == warp[other], dtype=np.int64
        )
        return closeness

    def _race_access(self, who: int, kind: int) -> RaceAccess:
        site = self.sites[who % self.coding.sites]
        kind = kind if kind == CACHED_LOAD else kind_of(site)
        lane = who // self.coding.sites % self.coding.width
        warp = self.epochs.tables().warp[who // (self.coding.sites * self.coding.width)]
        return RaceAccess(site, int(warp) * self.coding.width + lane, kind)


def _filed(site: EventSite, in_global: bool, clustered: bool) -> tuple[int, ...]:
    """Return the kinds that accesses of a site count as in bulk."""
    kind = kind_of(site)
    if kind == ATOMIC_STORE:  # which is nothing better unless the replay says so
        return (WRITE,)
    if kind == ATOMIC_RMW and site.scope == "thread":
        return (OWN_RMW,)
    narrow = site.scope == "block" and (in_global or clustered)
    if kind == ATOMIC_RMW and narrow:
        return (BLOCK_RMW,)
    if kind == ATOMIC_LOAD and narrow:  # which is nothing better unless the replay says so
        return (READ,)
    cached = site.read_only and site.space not in UNITS and in_global
    return (READ, CACHED_LOAD) if kind == READ and cached else (kind,)


#: Returns the races among possible conflicts at some locations, exactly; None if it cannot say.
Confirm = Callable[[Numbers, "int | None"], "Iterator[Race] | None"]


def elements(addresses: Numbers | list[int], site: EventSite, shared: Wave | None) -> int:
    """Return how many elements of `site` these bytes are in.

    In shared memory, that of the wave `shared`, the same variable of two blocks is one.
    """
    offset = np.asarray(addresses)
    if shared is not None:
        offset = (offset - shared.shared_start) % shared.shared_pitch
    return int(np.unique(offset // site.size).size)


def split(stored: NDArray[Any], grain: int) -> Numbers:
    """Split stored values into one number a lane and grain of memory.

    Examples
    --------
    >>> split(np.array([1 << 32], np.int64), 4).tolist()
    [[0, 1]]
    """
    flat = np.ascontiguousarray(stored)
    return flat.view(f"u{grain}").reshape(flat.size, -1).astype(np.int64)
