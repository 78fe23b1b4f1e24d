"""The words of sanitizers' faults: which array and thread, which lanes, how it is mended."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from simulator.execute.memory import Memory
from simulator.execute.wave import Wave, block_coordinates, coordinates
from simulator.ir.events import BARRIERS, MBARRIER, MEMORY, UNITS, EventSite, SharedArray
from simulator.observe.sanitizers.accesses import History
from simulator.observe.sanitizers.conflicts import (
    ATOMIC_LOAD,
    ATOMIC_RMW,
    ATOMIC_STORE,
    CACHED_LOAD,
    READ,
    WRITE,
    kind_of,
)
from simulator.observe.sanitizers.departures import LateAccess
from simulator.observe.sanitizers.init import UninitializedRead
from simulator.observe.sanitizers.race import Race, RaceAccess
from simulator.source import Fault, FaultAccess, Note, called_from

_VERBS = {
    READ: "reads",
    WRITE: "writes",
    ATOMIC_RMW: "updates",
    ATOMIC_LOAD: "reads",
    ATOMIC_STORE: "writes",
    CACHED_LOAD: "reads",
}
_IN_WARP = (
    "Lanes of a warp are not ordered by themselves: put __syncwarp() between the two. Votes,\n"
    "matches, reductions and shuffles order no memory."
)
_IN_BLOCK = "Put a __syncthreads() between the two that all threads of the block pass."
_SAME_STATEMENT = (
    "Any of them may win: give every thread an element of its own, let one thread write, or use\n"
    "an atomic function."
)
_IN_CLUSTER = (
    "Blocks of a cluster run at the same time: put a sync() of the cluster between the two, that\n"
    "all its threads pass. A __syncthreads() orders the threads of one block only."
)
_STAY = (
    "Shared memory is gone with its block: let all threads of the cluster pass a sync() of the\n"
    "cluster behind the last access to what another block has."
)
_IN_GRID = (
    "Blocks of one launch run in any order: update by an atomic function, or let another launch\n"
    "do what comes after."
)
_PLAIN = (
    "Only one side is atomic or volatile: let the other be so, too, or let a barrier come between."
)
_VOLATILE = "`volatile` orders nothing between threads, and what one adds another may overwrite."
_POLLED = (
    "A flag is waited for in a loop, or written behind a __threadfence(); for all else use an\n"
    "atomic function."
)
_IN_BLOCKS = (
    "`atomicAdd_block` and its kin are atomic among the threads of one block only: use the\n"
    "function without `_block`."
)
_IN_SCOPE = (
    "The scope `cuda::thread_scope_block` is that of one block: take `cuda::thread_scope_device`."
)
_OWN_SCOPE = (
    "What has the scope `cuda::thread_scope_thread` is atomic for nobody else: take\n"
    "`cuda::thread_scope_block` or `cuda::thread_scope_device`."
)
_BY_ORDER = (
    "An atomic orders other accesses only where the writer stores with memory_order_release and\n"
    "the reader that finds it loads with memory_order_acquire, in a scope that has both threads."
)
_BY_PHASE = (
    "A barrier in memory orders what comes before an arrival, and what comes behind a wait for\n"
    "the phase of this arrival: does one of the two threads not arrive, or not wait?"
)
_SIZES = (
    "Accesses of different sizes are not atomic for each other: let all that access these bytes\n"
    "use one type."
)
_READ_ONLY = (
    "`__ldg` is for data that nobody writes while the kernel runs, for its cache may hold what\n"
    "was there before: read without it, or let another launch write."
)
_BY_TEXTURE = (
    "Textures and surfaces are read through caches that need not see what the same kernel writes,\n"
    "be it the same thread: let another launch write."
)
_BY_FLAG = (
    "If a flag or a lock is to order them: __threadfence(), then set or free it by an atomic\n"
    "function or as volatile; the other side must look at it in the same way."
)
_EMPTY = {
    "global": "Fill it from the host (zeros, full, asarray) or by a launch that comes before.",
    "shared": "Shared memory begins with nonsense: let the threads fill it, then __syncthreads().",
    "local": "Give it a value where it is declared; `= {0}` sets all elements of an array.",
}


@dataclass(frozen=True)
class FaultContext:
    """Where a fault plays: kernel, launch and memory."""

    kernel: str
    wave: Wave
    memory: Memory
    history: History
    shifts: Mapping[str, int]
    shared: Sequence[SharedArray] = ()

    def has_flags(self) -> bool:
        """Whether the kernel does anything by which threads may synchronise."""
        sites = self._sites(MEMORY)
        return any(site.volatile or site.order or site.kind == "atomic" for site in sites)

    def has_orders(self) -> bool:
        """Whether the kernel has atomics with memory orders."""
        return any(site.order for site in self._sites(MEMORY))

    def has_phases(self) -> bool:
        """Whether threads meet at barriers in memory."""
        return any(True for _ in self._sites({MBARRIER}))

    def _sites(self, forms: Collection[str]) -> Iterator[EventSite]:
        operands = (o for block in self.history.blocks for o in block.operands)
        return (o.site for o in operands if o.form in forms)

    def who(self, thread: int) -> str:
        """Block and thread of a thread counted through the launch, blocks padded to warps."""
        block, index = divmod(thread, self.wave.padded)
        return (
            f"block {block_coordinates(block, self.wave.grid, self.wave.cluster)}, "
            f"thread {coordinates(index, self.wave.block)}"
        )

    def verb(self, access: RaceAccess, what: str) -> str:
        """Say what an access does with `what`."""
        volatile = access.site.volatile and access.site.kind != "atomic"
        how = " by __ldg" if access.kind == CACHED_LOAD else " (volatile)" * volatile
        how = f" by a {access.site.space}" if access.site.space in UNITS else how
        verb = "writes" if access.site.kind == "store" else _VERBS[access.kind]
        return f"{verb}{how} {what}".strip()

    def space(self, site: EventSite, address: int) -> str:
        """Return which memory an address lies in."""
        wave = self.wave
        if site.space in UNITS:
            return "global"
        if site.space not in ("generic", BARRIERS):
            return site.space
        if wave.shared_start <= address < wave.shared_end:
            return "shared"
        return "local" if any(a <= address < b for a, b in wave.locals) else "global"

    def element(self, site: EventSite, address: int) -> str:
        """Name the array and index at an address, as the source does at `site`."""
        wave, space = self.wave, self.space(site, address)
        step = site.stride or site.size
        if space == "shared":
            slot, byte = divmod(address - wave.shared_start, max(1, wave.shared_pitch))
            block = f" of block {wave.block_index(slot)}" if wave.cluster_blocks > 1 else ""
            if not site.array:
                return self._shared_element(byte) + block
            return _indexed(site.array, (byte - wave.shared_offset(site.offset)) // step) + block
        if space == "local":
            start, end = next((a, b) for a, b in wave.locals if a <= address < b)
            own = (end - start) // wave.lane_count
            if own == site.size:
                return site.array or "a local variable"
            byte = (address - start) % own
            index = (byte - site.offset) // step
            if step == site.size:  # an array, or one that is a member
                return f"{site.array or 'a local array'}[{index}]"
            return _indexed(site.array, index)
        if site.view in wave.bases:
            index = (address - wave.bases[site.view]) // step - self.shifts.get(site.view, 0)
            return _indexed(site.array, index)
        found = self.memory.find(address) if site.space in UNITS else None
        if found is not None and found.label:
            return f"byte {address - found.start} of {found.label}"
        return wave.element(address, site.size, "")

    def _shared_element(self, byte: int) -> str:
        """Name the element of a shared array at a byte of its block's memory."""
        found = self._shared_array(byte)
        if found is None:
            return "shared memory"
        start, array = found
        return _indexed(array.name, (byte - start) // array.dtype.itemsize)

    def _shared_array(self, byte: int) -> tuple[int, SharedArray] | None:
        """Find the array at a byte of a block's shared memory, and where it begins."""
        starts = [(self.wave.shared_offset(one.offset), one) for one in self.shared]
        below = [(start, one) for start, one in starts if start <= byte]
        return max(below, key=lambda pair: pair[0], default=None)

    def names(self, site: EventSite, address: int) -> set[str]:
        """All names of the array at an address: the source's, the host's."""
        found = {site.array.split(".")[0]}
        space = self.space(site, address)
        if space == "global":
            found.add(self.wave.label(address))
        elif space == "shared" and not site.array:
            byte = (address - self.wave.shared_start) % max(1, self.wave.shared_pitch)
            array = self._shared_array(byte)
            found |= {array[1].name} if array is not None else set()
        return found - {""}

    def row(self, access: RaceAccess, address: int) -> str:
        """Draw the active lanes of the access's warp; empty if they are not known any more."""
        moment = self.history.active(access.site, access.thread, address)
        if moment is None:
            return ""
        return f"active lanes of the warp: {self._drawn(moment[1].tolist(), access.thread)}"

    def _drawn(self, lanes: list[int], thread: int) -> str:
        size = self.wave.warp_size
        active = {lane % size for lane in lanes if lane // size == thread // size}
        return "".join("#" if lane in active else "." for lane in range(size))

    def in_order(self, race: Race) -> tuple[RaceAccess, RaceAccess]:
        """Return the accesses of a race, the later one first."""
        accesses = race.first, race.second
        moments = [self.history.active(s.site, s.thread, race.address) for s in accesses]
        if moments[0] is None or moments[1] is None or moments[0][0] >= moments[1][0]:
            return accesses
        return accesses[1], accesses[0]


def _indexed(array: str, index: int) -> str:
    """Write an element of an array; of an array of structures, as C writes it."""
    name, dot, member = array.partition(".")
    return f"{name}[{index}]{dot}{member}"


def race_message(scene: FaultContext, race: Race, later: RaceAccess, earlier: RaceAccess) -> str:
    """Say what happened, in one sentence."""
    name = scene.element(later.site, race.address)
    others = race.count - 1
    reads = CACHED_LOAD in (race.first.kind, race.second.kind)
    why = "its cache need not see that" if reads else "nothing orders the two"
    more = f" (and {others:,} more element{'s' if others > 1 else ''})" if others else ""
    return (
        f"kernel {scene.kernel}: race on {name}{more}: {scene.who(later.thread)} "
        f"{scene.verb(later, 'what')} {scene.who(earlier.thread)} {scene.verb(earlier, '')}, and "
        f"{why}"
    )


def race_fault(scene: FaultContext, race: Race) -> Fault:
    """Make the fault for two accesses that nothing orders."""
    later, earlier = scene.in_order(race)
    row = scene.row(later, race.address)
    note = f"here {scene.who(earlier.thread)} {scene.verb(earlier, 'it')}"
    if other := scene.row(earlier, race.address):
        note += f"; {other}"
    hint = "\n".join(filter(None, [row, _remedy(scene, later, earlier)]))
    message = race_message(scene, race, later, earlier)
    calls = (*_called(later.site), (note, earlier.site.span), *_called(earlier.site))
    fault = Fault(message, later.site.span, hint, calls, "race")
    sides = (_accessed(scene, side, race.address) for side in (later, earlier))
    return _located(fault, *sides)


def _accessed(scene: FaultContext, access: RaceAccess, address: int) -> FaultAccess:
    """Return an access with who does what at the address."""
    element = scene.element(access.site, address)
    words = f"{scene.who(access.thread)} {scene.verb(access, element)}"
    return FaultAccess(access.site.span, access.thread, address, words)


def _located(fault: Fault, *accesses: FaultAccess) -> Fault:
    """Return the fault with the accesses at which it shows."""
    fault.lanes = (accesses[0].lane,)
    fault.accesses = accesses
    return fault


def _remedy(scene: FaultContext, later: RaceAccess, earlier: RaceAccess) -> str:
    kinds = {later.kind, earlier.kind}
    if CACHED_LOAD in kinds:
        cached = next(one for one in (later, earlier) if one.kind == CACHED_LOAD)
        return _BY_TEXTURE if cached.site.space in UNITS else _READ_ONLY
    if not kinds & {ATOMIC_RMW, ATOMIC_LOAD, ATOMIC_STORE}:
        return _remedy_of_plain(scene, later, earlier)
    if "thread" in (later.site.scope, earlier.site.scope):
        return _OWN_SCOPE
    if kinds & {READ, WRITE}:
        return _PLAIN
    padded = scene.wave.padded
    apart = later.thread // padded != earlier.thread // padded
    if apart and "block" in (later.site.scope, earlier.site.scope):
        return _IN_SCOPE if later.site.order or earlier.site.order else _IN_BLOCKS
    if later.site.size != earlier.site.size:
        return _SIZES
    if apart:
        return f"{_VOLATILE}\n{_POLLED}"
    return f"{_VOLATILE}\n{_remedy_of_plain(scene, later, earlier)}"


def _remedy_of_plain(scene: FaultContext, later: RaceAccess, earlier: RaceAccess) -> str:
    size, padded = scene.wave.warp_size, scene.wave.padded
    in_warp = later.thread // size == earlier.thread // size
    if later.site is earlier.site:
        remedy = _SAME_STATEMENT
    elif in_warp:
        remedy = _IN_WARP
    else:
        remedy = _between_warps(scene.wave, later.thread // padded, earlier.thread // padded)
    if scene.has_phases():
        remedy = f"{remedy}\n{_BY_PHASE}"
    if in_warp or not scene.has_flags():
        return remedy
    return f"{remedy}\n{_BY_ORDER if scene.has_orders() else _BY_FLAG}"


def _between_warps(wave: Wave, one: int, other: int) -> str:
    """Return what orders threads of two warps, whose blocks are given."""
    if one == other:
        return _IN_BLOCK
    return _IN_CLUSTER if one // wave.cluster_blocks == other // wave.cluster_blocks else _IN_GRID


def late_fault(scene: FaultContext, found: LateAccess) -> Fault:
    """Make the fault for an access to shared memory whose block may have ended."""
    thread = found.lane + scene.wave.first_block * scene.wave.padded
    access = RaceAccess(found.site, thread, kind_of(found.site))
    message = (
        f"kernel {scene.kernel}: race on {scene.element(found.site, found.address)}: "
        f"{scene.who(thread)} {scene.verb(access, 'it')}, and nothing keeps that block from ending "
        "before"
    )
    hint = "\n".join(filter(None, [scene.row(access, found.address), _STAY]))
    fault = Fault(message, found.site.span, hint, _called(found.site), "race")
    return _located(fault, _accessed(scene, access, found.address))


def uninitialized_fault(scene: FaultContext, found: UninitializedRead) -> Fault:
    """Make the fault for a read of memory that nothing has written."""
    wave, site = scene.wave, found.site
    thread = found.lane + wave.first_block * wave.padded
    space = scene.space(site, found.address)
    verb = "updates" if site.kind == "atomic" else "reads"
    message = (
        f"kernel {scene.kernel}, {scene.who(thread)}, lane {found.lane % wave.warp_size} {verb} "
        f"{scene.element(site, found.address + found.byte)}, which nothing has written"
    )
    access = RaceAccess(site, thread, kind_of(site))
    hint = "\n".join(filter(None, [scene.row(access, found.address), _EMPTY[space]]))
    fault = Fault(message, site.span, hint, _called(site), "init")
    return _located(fault, _accessed(scene, access, found.address))


def _called(site: EventSite) -> tuple[Note, ...]:
    """Return the call that led to a site in a header."""
    return called_from(site.span, site.calls)
