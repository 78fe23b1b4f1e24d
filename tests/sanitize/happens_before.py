"""Which accesses of a small program race, by the definition and one by one.

`verdicts` walks the program's statements thread by thread, draws an edge wherever CUDA orders two
events, and looks at every pair of accesses whether a path leads from one to the other. Where no
path does, accesses that are volatile may be a message after all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from tests.sanitize.small_programs import (
    ARRIVES,
    ATOMIC,
    BLOCKWISE,
    CACHED,
    CLUSTER,
    EXCHANGES,
    FENCES,
    LOOKS,
    PAIRS,
    POLLS,
    READS,
    TELLS,
    TRIES,
    WAITS,
    WARP,
    WIDE,
    WIDE_LOOKS,
    WRITES,
    Program,
    Statement,
)

ATOMICS = {ATOMIC, EXCHANGES, TRIES, BLOCKWISE, WIDE}
VOLATILE_READS = {LOOKS, POLLS, WIDE_LOOKS}
SEES = ATOMICS | VOLATILE_READS
SAYS = ATOMICS | {TELLS}
CHANGES = SAYS | {WRITES}

#: In which order the threads that meet at a statement, given by its number, are served.
Order = Callable[[int, list[int]], list[int]]


@dataclass(frozen=True)
class Event:
    """Something one thread of a block does.

    `before` are the events that are known to come before it, but for what it learns itself from the
    location; `after` are all. `waited` are those that its thread has waited for the traces of.
    `released` are the places for which a fence lies between it and what its thread did there last,
    with whom the fence is for.
    """

    thread: int
    block: int
    kind: str
    places: tuple[tuple[object, ...], ...]
    value: int
    before: frozenset[int]
    after: frozenset[int]
    waited: frozenset[int]
    released: frozenset[tuple[tuple[object, ...], str]]


class Walk:
    """Threads in the order of a lockstep schedule: statement after statement, lane after lane."""

    def __init__(self, program: Program, order: Order) -> None:
        self.program = program
        self.events: list[Event] = []
        self.latest: dict[int, set[int]] = {t: set() for t in self._everyone()}
        self.waited: dict[int, set[int]] = {t: set() for t in self._everyone()}
        self.fenced: dict[tuple[int, str], list[set[int]]] = {}
        self.since: dict[int, list[tuple[str, object]]] = {t: [] for t in self._everyone()}
        self.told: list[tuple[object, str, int, set[int]]] = []
        self.traces: list[tuple[object, set[int]]] = []
        for number, statement in enumerate(program.statements):
            self._step(statement, lambda threads, at=number: order(at, threads))

    def _everyone(self) -> range:
        return range(self.program.blocks * self.program.threads)

    def _block(self, thread: int) -> int:
        return thread // self.program.threads

    def _step(self, statement: Statement, order: Callable[[list[int]], list[int]]) -> None:
        if statement.kind == "barrier":
            for block in range(self.program.blocks):
                self._meet([t for t in self._everyone() if self._block(t) == block])
        elif statement.kind == "warp":
            self._warps(statement.mask)
        elif statement.kind == CLUSTER:
            self._meet(list(self._everyone()))
        elif statement.kind == ARRIVES:
            self.arrived = self._together(list(self._everyone()))
        elif statement.kind == WAITS:
            self._learn_all(list(self._everyone()), *self.arrived)
        elif statement.kind != "vote":  # which orders nothing
            for thread in order([t for t in self._everyone() if statement.who >> t & 1]):
                if statement.kind in FENCES:
                    self._fence(thread, FENCES[statement.kind])
                else:
                    self._access(statement, thread)

    def _warps(self, mask: int) -> None:
        warps: dict[tuple[int, int], list[int]] = {}
        for thread in self._everyone():
            place = thread % self.program.threads
            if mask >> place % WARP & 1:
                warps.setdefault((self._block(thread), place // WARP), []).append(thread)
        for members in warps.values():
            self._meet(members)

    def _meet(self, threads: list[int]) -> None:
        self._learn_all(threads, *self._together(threads))

    def _together(self, threads: list[int]) -> tuple[list[set[int]], dict[str, list[set[int]]]]:
        """What some threads know, and what they have fenced for whom."""
        known = [set().union(*(sets[t] for t in threads)) for sets in (self.latest, self.waited)]
        fenced = {
            scope: [known for t in threads for known in self.fenced.get((t, scope), [])]
            for scope in ("block", "grid")
        }
        return known, fenced

    def _learn_all(
        self, threads: list[int], known: list[set[int]], fenced: dict[str, list[set[int]]]
    ) -> None:
        for thread in threads:
            for sets, more in zip((self.latest, self.waited), known, strict=True):
                sets[thread] |= more
            for scope, more_fenced in fenced.items():
                self.fenced.setdefault((thread, scope), []).extend(more_fenced)

    def _fence(self, thread: int, scope: str) -> None:
        for one in ("block", "grid") if scope == "grid" else ("block",):
            self.fenced.setdefault((thread, one), []).append(set(self.latest[thread]))
            self.since[thread].append(("fence", one))

    def _access(self, statement: Statement, thread: int) -> None:
        block, kind = self._block(thread), statement.kind
        first = statement.places[thread] & (2 if kind in PAIRS else 3)
        numbers = (first, first + 1) if kind in PAIRS else (first,)
        home = block if statement.homes is None else statement.homes >> thread & 1
        places = tuple(("a", n) if statement.array == "a" else ("s", home, n) for n in numbers)
        before, waited = frozenset(self.latest[thread]), frozenset(self.waited[thread])
        if kind in SEES:
            self._learn(kind, thread, places[0])
        self.events.append(
            Event(
                thread,
                block,
                kind,
                places,
                thread if statement.value is None else statement.value,
                before,
                frozenset(self.latest[thread]),
                waited,
                frozenset(self._released(thread, places)),
            )
        )
        self.latest[thread].add(len(self.events) - 1)
        self.waited[thread].add(len(self.events) - 1)
        self.since[thread] += [("access", place) for place in places]
        if kind in SAYS:
            self._tell(kind, thread, places[0])

    def _released(
        self, thread: int, places: tuple[tuple[object, ...], ...]
    ) -> set[tuple[tuple[object, ...], str]]:
        found = set()
        for place in places:
            done = self.since[thread]
            touched = [at for at, what in enumerate(done) if what == ("access", place)]
            for what, scope in done[touched[-1] if touched else 0 :]:
                if what == "fence":
                    found.add((place, str(scope)))
        return found

    def _learn(self, kind: str, thread: int, where: object) -> None:
        for place, scope, block, known in self.told:
            far = scope == "grid" and kind != BLOCKWISE
            if place == where and (far or block == self._block(thread)):
                self.latest[thread] |= known
        if kind in (POLLS, TRIES):
            for place, trace in self.traces:
                if place == where:
                    self.waited[thread] |= trace

    def _tell(self, kind: str, thread: int, where: object) -> None:
        for scope in ("block",) if kind == BLOCKWISE else ("block", "grid"):
            told = list(self.fenced.get((thread, scope), []))
            if ("fence", scope) in self.since[thread]:  # a write behind a fence tells of itself
                told.append({len(self.events) - 1})
            self.told += [(where, scope, self._block(thread), known) for known in told]
        self.traces.append((where, self.latest[thread] | self.waited[thread]))


def verdicts(program: Program, order: Order = lambda _, threads: threads) -> dict[str, str]:
    """For each array: "race", "harmless" (equal writes only) or "clean"."""
    clashes: dict[tuple[object, ...], set[str]] = {}
    events = Walk(program, order).events
    for first, second in combinations(range(len(events)), 2):
        a, b = events[first], events[second]
        for place in set(a.places) & set(b.places):
            if {a.kind, b.kind} & {CACHED} and {a.kind, b.kind} & CHANGES:
                clashes.setdefault(place, set()).add("race")  # in whichever order, by whomever
            elif a.thread != b.thread:
                both = {a.kind, b.kind} <= SEES | SAYS
                if first not in (b.before if both else b.after):
                    late = first in b.waited
                    clashes.setdefault(place, set()).add(_clash(a, b, place, late))
    result = dict.fromkeys("as", "clean")
    for where, how in clashes.items():
        array = str(where[0])
        if "race" in how:
            result[array] = "race"
        elif result[array] == "clean" and "harmless" in how:
            result[array] = "harmless"
    return result


def _clash(a: Event, b: Event, place: tuple[object, ...], late: bool) -> str:
    """What two accesses without a path between them do to each other; `a` came first."""
    kinds = {a.kind, b.kind}
    if not kinds & CHANGES:
        return ""
    if kinds <= {WRITES, TELLS}:
        return "harmless" if a.value == b.value else "race"
    if kinds & {WRITES, READS, CACHED}:
        return "race"
    if a.places != b.places or (BLOCKWISE in kinds and a.block != b.block):
        return "race"
    if TELLS not in kinds:
        return ""
    tell, heard = (a, b) if a.kind == TELLS else (b, a)
    if heard.kind in (POLLS, TRIES):
        return ""
    if heard.kind not in (LOOKS, EXCHANGES):  # adds to what it finds
        return "race"
    near = (place, "block") in tell.released and a.block == b.block
    if not near and (place, "grid") not in tell.released:
        return "race"
    return "race" if heard is b and heard.kind == LOOKS and late else ""
