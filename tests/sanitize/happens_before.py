"""Random small programs, and which of their accesses race, by the definition and one by one.

A program is a list of statements that all threads of a launch meet in the same order. Its text is
for the simulator; `verdicts` walks the same list thread by thread, draws an edge wherever CUDA
orders two events, and looks at every pair of accesses whether a path leads from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from hypothesis import strategies as st

WARP = 4
PLACES = 3
READS, WRITES = "load", "store"
ATOMIC, LOOKS, TELLS = "atomic", "volatile load", "volatile store"
ACCESSES = {
    READS: "sink += {array}[{place}];",
    WRITES: "{array}[{place}] = {value};",
    ATOMIC: "atomicAdd(&{array}[{place}], 1);",
    LOOKS: "sink += *(volatile int *)&{array}[{place}];",
    TELLS: "*(volatile int *)&{array}[{place}] = {value};",
}
FENCES = {"__threadfence": "grid", "__threadfence_block": "block"}


@dataclass(frozen=True)
class Statement:
    """What one line does: `who` has a bit for every thread of the launch that does it.

    `places` has the element that each thread accesses; the `value` stored is this number, or the
    thread's own for None; `mask` is of a synchronisation inside warps.
    """

    kind: str
    who: int = 0
    array: str = ""
    places: tuple[int, ...] = ()
    value: int | None = None
    mask: int = 0

    def text(self) -> str:
        """The line."""
        if self.kind == "barrier":
            return "__syncthreads();"
        if self.kind == "warp":
            return f"if ({self.mask} >> lane & 1) __syncwarp({self.mask});"
        if self.kind in FENCES:
            return f"if ({self.who} >> me & 1) {self.kind}();"
        packed = sum(place << 2 * thread for thread, place in enumerate(self.places))
        value = "me" if self.value is None else self.value
        access = ACCESSES[self.kind].format(
            array=self.array, place=f"({packed}ull >> 2 * me) & 3", value=value
        )
        return f"if ({self.who} >> me & 1) {{ {access} }}"


@dataclass(frozen=True)
class Program:
    """Statements, and the launch that they are for."""

    blocks: int
    threads: int
    statements: tuple[Statement, ...]

    def text(self) -> str:
        """The kernel."""
        body = "\n".join(f"  {statement.text()}" for statement in self.statements)
        return (
            'extern "C" __global__ void k(int *a, int *out) {\n'
            f"  __shared__ int s[{PLACES}];\n"
            "  int me = blockIdx.x * blockDim.x + threadIdx.x, sink = 0;\n"
            f"  int lane = threadIdx.x % {WARP};\n{body}\n"
            "  out[me] = sink;\n}\n"
        )


@st.composite
def programs(draw: st.DrawFn, kinds: tuple[str, ...]) -> Program:
    """Programs whose statements are of these kinds, in any order."""
    blocks, threads = draw(st.integers(1, 2)), draw(st.integers(1, 8))
    count = draw(st.integers(1, 7))
    statements = (_statement(draw, kinds, blocks * threads) for _ in range(count))
    return Program(blocks, threads, tuple(statements))


@st.composite
def messages(draw: st.DrawFn) -> Program:
    """One thread hands an element over to another, more or less well.

    A store, a fence, a flag that is set and looked at, a load; barriers and synchronisation of
    warps around them; some of it left out or in the wrong place.
    """
    blocks, threads = draw(st.integers(1, 2)), draw(st.integers(2, 6))
    every = blocks * threads
    one, other = draw(st.permutations(range(every)).map(lambda order: order[:2]))
    helper = draw(st.sampled_from([one, other, *range(every)]))
    tellers, listeners = st.sampled_from([one, one, helper]), st.sampled_from([other, helper])
    data, flag = draw(st.permutations(range(PLACES)).map(lambda order: order[:2]))
    array, flags = draw(st.sampled_from("aaas")), draw(st.sampled_from("aaas"))

    def act(kind: str, thread: int, where: str = "", place: int = 0) -> Statement:
        return Statement(kind, 1 << thread, where, (place,) * every)

    steps = [
        act(WRITES, one, array, data),
        _meeting(draw),
        act(draw(st.sampled_from(["__threadfence", *FENCES])), draw(tellers)),
        act(draw(st.sampled_from([ATOMIC, TELLS])), draw(tellers), flags, flag),
        act(draw(st.sampled_from([ATOMIC, LOOKS])), draw(listeners), flags, flag),
        _meeting(draw),
        act(draw(st.sampled_from([READS, READS, WRITES, ATOMIC])), other, array, data),
    ]
    if draw(st.integers(0, 2)) == 0:
        steps = [steps[0], _meeting(draw), steps[1], steps[-1]]
    elif draw(st.booleans()):
        del steps[draw(st.integers(0, len(steps) - 1))]
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(steps) - 2))
        steps[at : at + 2] = reversed(steps[at : at + 2])
    return Program(blocks, threads, tuple(step for step in steps if step.kind != "nothing"))


def _meeting(draw: st.DrawFn) -> Statement:
    """Perhaps a barrier, perhaps a synchronisation of some lanes of each warp."""
    kind = draw(st.sampled_from(["nothing", "nothing", "barrier", "warp"]))
    return Statement(kind, mask=draw(st.integers(1, 15)) if kind == "warp" else 0)


def _statement(draw: st.DrawFn, kinds: tuple[str, ...], every: int) -> Statement:
    kind = draw(st.sampled_from(kinds))
    who = draw(st.integers(0, (1 << every) - 1) | st.just((1 << every) - 1))
    if kind == "warp":
        return Statement(kind, mask=draw(st.integers(1, 15) | st.just(15)))
    if kind not in ACCESSES:
        return Statement(kind, who)
    places = draw(st.lists(st.integers(0, PLACES - 1), min_size=every, max_size=every))
    value = draw(st.none() | st.just(7))
    return Statement(kind, who, draw(st.sampled_from("as")), tuple(places), value)


# The definition.


@dataclass(frozen=True)
class Event:
    """Something one thread does; `after` are the events that are known to come before it."""

    thread: int
    kind: str
    where: tuple[object, ...]
    value: int
    after: frozenset[int]


class Walk:
    """Threads in the order of the lockstep schedule: statement after statement, lane after lane."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.events: list[Event] = []
        self.latest: dict[int, set[int]] = {t: set() for t in self._everyone()}
        self.fenced: dict[tuple[int, str], list[set[int]]] = {}
        self.fencers: set[tuple[int, str]] = set()
        self.told: list[tuple[tuple[object, ...], str, int, set[int]]] = []
        for statement in program.statements:
            self._step(statement)

    def _everyone(self) -> range:
        return range(self.program.blocks * self.program.threads)

    def _block(self, thread: int) -> int:
        return thread // self.program.threads

    def _step(self, statement: Statement) -> None:
        if statement.kind == "barrier":
            for block in range(self.program.blocks):
                self._meet([t for t in self._everyone() if self._block(t) == block])
        elif statement.kind == "warp":
            self._warps(statement.mask)
        else:
            for thread in self._everyone():
                if statement.who >> thread & 1:
                    self._act(statement, thread)

    def _warps(self, mask: int) -> None:
        warps: dict[tuple[int, int], list[int]] = {}
        for thread in self._everyone():
            place = thread % self.program.threads
            if mask >> place % WARP & 1:
                warps.setdefault((self._block(thread), place // WARP), []).append(thread)
        for members in warps.values():
            self._meet(members)

    def _meet(self, threads: list[int]) -> None:
        together = set().union(*(self.latest[t] for t in threads))
        for thread in threads:
            self.latest[thread] = set(together)
        for scope in ("block", "grid"):
            fenced = [known for t in threads for known in self.fenced.get((t, scope), [])]
            for thread in threads:
                self.fenced[thread, scope] = list(fenced)

    def _act(self, statement: Statement, thread: int) -> None:
        block = self._block(thread)
        if statement.kind in FENCES:
            scope = FENCES[statement.kind]
            scopes = ("block", "grid") if scope == "grid" else ("block",)
            for one in scopes:
                self.fencers.add((thread, one))
                self.fenced.setdefault((thread, one), []).append(set(self.latest[thread]))
            return
        place = statement.places[thread]
        where = ("a", place) if statement.array == "a" else ("s", block, place)
        if statement.kind in (ATOMIC, LOOKS):
            for told, scope, teller, known in self.told:
                if told == where and (scope == "grid" or teller == block):
                    self.latest[thread] |= known
        value = thread if statement.value is None else statement.value
        seen = frozenset(self.latest[thread])
        self.events.append(Event(thread, statement.kind, where, value, seen))
        self.latest[thread].add(len(self.events) - 1)
        if statement.kind in (ATOMIC, TELLS):
            for scope in ("block", "grid"):
                told = list(self.fenced.get((thread, scope), []))
                if (thread, scope) in self.fencers:  # a write behind a fence tells of itself
                    told.append({len(self.events) - 1})
                self.told += [(where, scope, block, known) for known in told]


def verdicts(program: Program) -> dict[str, str]:
    """For each array: "race", "harmless" (equal plain writes only) or "clean"."""
    clashes: dict[tuple[object, ...], set[str]] = {}
    events = Walk(program).events
    for first, second in combinations(range(len(events)), 2):
        a, b = events[first], events[second]
        if a.thread != b.thread and a.where == b.where and first not in b.after:
            how = _clash(a, b)
            if how:
                clashes.setdefault(a.where, set()).add(how)
    result = dict.fromkeys("as", "clean")
    for where, how in clashes.items():
        array = str(where[0])
        if "race" in how:
            result[array] = "race"
        elif result[array] == "clean":
            result[array] = "harmless"
    return result


def _clash(a: Event, b: Event) -> str:
    kinds = {a.kind, b.kind}
    if kinds == {WRITES}:
        return "harmless" if a.value == b.value else "race"
    if WRITES in kinds:
        return "race"
    return "race" if READS in kinds and kinds & {ATOMIC, TELLS} else ""
