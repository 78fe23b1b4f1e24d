"""The words of sanitizers' faults: which array and thread, which lanes, how it is mended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.execute.geometry import Wave, coordinates
from simulator.execute.memory import Memory
from simulator.ir.events import SharedArray, Site
from simulator.observe.sanitizers.conflicts import CACHED, LOOK, READ, TELL, UPDATE, WRITE
from simulator.observe.sanitizers.history import History
from simulator.observe.sanitizers.init import Unwritten
from simulator.observe.sanitizers.race import Meeting, Side
from simulator.source import Fault, Note, called_from

_VERBS = {
    READ: "reads",
    WRITE: "writes",
    UPDATE: "updates",
    LOOK: "reads",
    TELL: "writes",
    CACHED: "reads",
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
_SIZES = (
    "Accesses of different sizes are not atomic for each other: let all that access these bytes\n"
    "use one type."
)
_READ_ONLY = (
    "`__ldg` is for data that nobody writes while the kernel runs, for its cache may hold what\n"
    "was there before: read without it, or let another launch write."
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
class Scene:
    """Where a fault plays: kernel, launch and memory."""

    kernel: str
    wave: Wave
    memory: Memory
    history: History
    shifts: Mapping[str, int]
    shared: Sequence[SharedArray] = ()

    def has_flags(self) -> bool:
        """Whether the kernel does anything by which threads may tell each other something."""
        sites = (o.site for block in self.history.blocks for o in block.operands)
        return any(site.volatile or site.kind == "atomic" for site in sites)

    def who(self, thread: int) -> str:
        """Block and thread of a thread counted through the launch, blocks padded to warps."""
        block, place = divmod(thread, self.wave.padded)
        return (
            f"block {coordinates(block, self.wave.grid)}, "
            f"thread {coordinates(place, self.wave.block)}"
        )

    def verb(self, side: Side, what: str) -> str:
        """What a side does with `what`."""
        volatile = side.site.volatile and side.site.kind != "atomic"
        how = " by __ldg" if side.kind == CACHED else " (volatile)" * volatile
        return f"{_VERBS[side.kind]}{how} {what}".strip()

    def space(self, site: Site, address: int) -> str:
        """Which memory an address lies in."""
        wave = self.wave
        if site.space != "generic":
            return site.space
        if wave.shared_start <= address < wave.shared_end:
            return "shared"
        return "local" if any(a <= address < b for a, b in wave.locals) else "global"

    def element(self, site: Site, address: int) -> str:
        """The array and index at an address, as the source says it at `site`."""
        wave, space = self.wave, self.space(site, address)
        step = site.stride or site.size
        if space == "shared":
            byte = (address - wave.shared_start) % max(1, wave.shared_pitch)
            if not site.array:
                return self._shared_element(byte)
            return _indexed(site.array, (byte - wave.shared_offset(site.offset)) // step)
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
        return wave.element(address, site.size, "")

    def _shared_element(self, byte: int) -> str:
        """The element of a shared array at a byte of its block's memory, reached by a pointer."""
        starts = [(self.wave.shared_offset(one.offset), one) for one in self.shared]
        below = [(start, one) for start, one in starts if start <= byte]
        if not below:
            return "shared memory"
        start, array = max(below, key=lambda pair: pair[0])
        return _indexed(array.name, (byte - start) // array.dtype.itemsize)

    def names(self, site: Site, address: int) -> set[str]:
        """All names of the array at an address: the source's, the host's."""
        found = {site.array.split(".")[0]}
        if self.space(site, address) == "global":
            found.add(self.wave.label(address))
        return found - {""}

    def row(self, side: Side, address: int) -> str:
        """The active lanes of the side's warp, drawn; empty if that is not known any more."""
        moment = self.history.active(side.site, side.thread, address)
        if moment is None:
            return ""
        return f"active lanes of the warp: {self._drawn(moment[1].tolist(), side.thread)}"

    def _drawn(self, lanes: list[int], thread: int) -> str:
        size = self.wave.warp_size
        active = {lane % size for lane in lanes if lane // size == thread // size}
        return "".join("#" if place in active else "." for place in range(size))

    def in_order(self, meeting: Meeting) -> tuple[Side, Side]:
        """The sides of a meeting, the later one first."""
        sides = meeting.first, meeting.second
        moments = [self.history.active(s.site, s.thread, meeting.address) for s in sides]
        if moments[0] is None or moments[1] is None or moments[0][0] >= moments[1][0]:
            return sides
        return sides[1], sides[0]


def _indexed(array: str, index: int) -> str:
    """An element of an array; of a member of an array of structures, as C writes it."""
    name, dot, member = array.partition(".")
    return f"{name}[{index}]{dot}{member}"


def race_message(scene: Scene, meeting: Meeting, later: Side, earlier: Side) -> str:
    """What happened, in one sentence."""
    name = scene.element(later.site, meeting.address)
    others = meeting.count - 1
    reads = CACHED in (meeting.first.kind, meeting.second.kind)
    why = "its cache need not see that" if reads else "nothing orders the two"
    more = f" (and {others:,} more element{'s' if others > 1 else ''})" if others else ""
    return (
        f"kernel {scene.kernel}: race on {name}{more}: {scene.who(later.thread)} "
        f"{scene.verb(later, 'what')} {scene.who(earlier.thread)} {scene.verb(earlier, '')}, and "
        f"{why}"
    )


def race_fault(scene: Scene, meeting: Meeting) -> Fault:
    """The fault for two accesses that nothing orders."""
    later, earlier = scene.in_order(meeting)
    row = scene.row(later, meeting.address)
    note = f"here {scene.who(earlier.thread)} {scene.verb(earlier, 'it')}"
    if other := scene.row(earlier, meeting.address):
        note += f"; {other}"
    hint = "\n".join(filter(None, [row, _remedy(scene, later, earlier)]))
    message = race_message(scene, meeting, later, earlier)
    calls = (*_called(later.site), (note, earlier.site.span), *_called(earlier.site))
    return Fault(message, later.site.span, hint, calls, "race")


def _remedy(scene: Scene, later: Side, earlier: Side) -> str:
    kinds = {later.kind, earlier.kind}
    if CACHED in kinds:
        return _READ_ONLY
    if not kinds & {UPDATE, LOOK, TELL}:
        return _remedy_of_plain(scene, later, earlier)
    if kinds & {READ, WRITE}:
        return _PLAIN
    padded = scene.wave.padded
    apart = later.thread // padded != earlier.thread // padded
    if apart and "block" in (later.site.scope, earlier.site.scope):
        return _IN_BLOCKS
    if later.site.size != earlier.site.size:
        return _SIZES
    if apart:
        return f"{_VOLATILE}\n{_POLLED}"
    return f"{_VOLATILE}\n{_remedy_of_plain(scene, later, earlier)}"


def _remedy_of_plain(scene: Scene, later: Side, earlier: Side) -> str:
    size, padded = scene.wave.warp_size, scene.wave.padded
    in_warp = later.thread // size == earlier.thread // size
    if later.site is earlier.site:
        remedy = _SAME_STATEMENT
    elif in_warp:
        remedy = _IN_WARP
    else:
        remedy = _IN_BLOCK if later.thread // padded == earlier.thread // padded else _IN_GRID
    return remedy if in_warp or not scene.has_flags() else f"{remedy}\n{_BY_FLAG}"


def unwritten_fault(scene: Scene, found: Unwritten) -> Fault:
    """The fault for a read of memory that nothing has written."""
    wave, site = scene.wave, found.site
    thread = found.lane + wave.first_block * wave.padded
    space = scene.space(site, found.address)
    verb = "updates" if site.kind == "atomic" else "reads"
    message = (
        f"kernel {scene.kernel}, {scene.who(thread)}, lane {found.lane % wave.warp_size} {verb} "
        f"{scene.element(site, found.address + found.byte)}, which nothing has written"
    )
    row = scene.row(Side(site, thread, READ), found.address)
    hint = "\n".join(filter(None, [row, _EMPTY[space]]))
    return Fault(message, site.span, hint, _called(site), "init")


def _called(site: Site) -> tuple[Note, ...]:
    """The call that led to a place in a header."""
    return called_from(site.span, site.calls)
