"""Random small programs: a list of statements that all threads of a launch meet in one order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

WARP = 4
PLACES, ELEMENTS, MOST = 3, 4, 7
READS, WRITES, CACHED = "load", "store", "cached load"
LOOKS, TELLS, POLLS = "volatile load", "volatile store", "volatile poll"
ATOMIC, EXCHANGES, TRIES, BLOCKWISE = "atomic", "exchange", "atomic poll", "atomic of the block"
WIDE, WIDE_LOOKS = "wide atomic", "wide volatile load"
#: How each is written. Polls are loops that only memory can end by their text; they end at once,
#: for nothing is ever -1.
ACCESSES = {
    READS: "sink += {at};",
    WRITES: "{at} = {value};",
    CACHED: "sink += __ldg(&{at});",
    LOOKS: "sink += *(volatile int *)&{at};",
    TELLS: "*(volatile int *)&{at} = {value};",
    POLLS: "while (*(volatile int *)&{at} == -1);",
    ATOMIC: "found = atomicAdd(&{at}, 1);",
    EXCHANGES: "atomicExch(&{at}, {value});",
    TRIES: "while (atomicCAS(&{at}, -1, -2) == -1);",
    BLOCKWISE: "found = atomicAdd_block(&{at}, 1);",
    WIDE: "found = atomicAdd((unsigned long long *)&{wide}, 1ull);",
    WIDE_LOOKS: "sink += *(volatile long long *)&{wide};",
}
#: Atomics whose results tell in which order they were served.
COUNTING = (ATOMIC, BLOCKWISE, WIDE)
PAIRS = (WIDE, WIDE_LOOKS)
HEARD = (ATOMIC, EXCHANGES, TRIES, BLOCKWISE, LOOKS, POLLS, POLLS)
FENCES = {"__threadfence": "grid", "__threadfence_block": "block"}
#: The barrier of a cluster, whole and in its two parts.
CLUSTER, ARRIVES, WAITS = "cluster barrier", "cluster arrival", "cluster wait"
MEETINGS = {CLUSTER: "c.sync();", ARRIVES: "c.barrier_arrive();", WAITS: "c.barrier_wait();"}


@dataclass(frozen=True)
class Statement:
    """What one line does: `who` has a bit for every thread of the launch that does it.

    `places` has the element that each thread accesses; the `value` stored is this number, or the
    thread's own for None; `mask` is of a synchronisation or a vote inside warps. In a cluster
    `homes` has a bit for every thread: the rank of the block whose shared memory it accesses.
    """

    kind: str
    who: int = 0
    array: str = ""
    places: tuple[int, ...] = ()
    value: int | None = None
    mask: int = 0
    homes: int | None = None

    def text(self, number: int) -> str:
        """The line, which is the program's with this number."""
        if self.kind == "barrier":
            return "__syncthreads();"
        if self.kind == "warp":
            return f"if ({self.mask} >> lane & 1) __syncwarp({self.mask});"
        if self.kind == "vote":
            return f"if ({self.mask} >> lane & 1) sink += __ballot_sync({self.mask}, 1);"
        if self.kind in MEETINGS:
            return MEETINGS[self.kind]
        if self.kind in FENCES:
            return f"if ({self.who} >> me & 1) {self.kind}();"
        packed = sum(place << 2 * thread for thread, place in enumerate(self.places))
        place = f"({packed}ull >> 2 * me) & 3"
        array = self.array
        if array == "s" and self.homes is not None:
            array = f"c.map_shared_rank(s, {self.homes} >> me & 1)"
        access = ACCESSES[self.kind].format(
            at=f"{array}[{place}]",
            wide=f"{array}[{place} & 2]",
            value="me" if self.value is None else self.value,
        )
        keep = f" out[{MOST + 1} * me + {number}] = found;" if self.kind in COUNTING else ""
        return f"if ({self.who} >> me & 1) {{ {access}{keep} }}"


@dataclass(frozen=True)
class Program:
    """Statements, and the launch that they are for."""

    blocks: int
    threads: int
    statements: tuple[Statement, ...]
    cluster: bool = False

    def text(self) -> str:
        """The kernel; `out` takes what a thread's atomics find, a place a statement."""
        lines = (statement.text(number) for number, statement in enumerate(self.statements))
        body = "\n".join(f"  {line}" for line in lines)
        dims = ""
        if self.cluster:
            dims = f"__cluster_dims__({self.blocks}) "
            own = "  auto c = cooperative_groups::this_cluster();\n"
            body = f"{own}{body}\n  c.sync();"  # behind which blocks may end
        return (
            "#include <cooperative_groups.h>\n"
            f'extern "C" {dims}__global__ void k(int *a, int *out) {{\n'
            f"  __shared__ __align__(8) int s[{ELEMENTS}];\n"
            "  int me = blockIdx.x * blockDim.x + threadIdx.x, sink = 0, found = 0;\n"
            f"  int lane = threadIdx.x % {WARP};\n{body}\n"
            f"  out[{MOST + 1} * me + {MOST}] = sink;\n}}\n"
        )

    def kinds(self) -> set[str]:
        """What its statements do."""
        return {statement.kind for statement in self.statements}


@st.composite
def programs(draw: st.DrawFn, kinds: tuple[str, ...]) -> Program:
    """Programs whose statements are of these kinds, in any order."""
    blocks, threads = draw(st.integers(1, 2)), draw(st.integers(1, 8))
    count = draw(st.integers(1, MOST))
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
        act(draw(st.sampled_from([WRITES, TELLS])), one, array, data),
        _meeting(draw),
        act(draw(st.sampled_from(["__threadfence", *FENCES])), draw(tellers)),
        act(draw(st.sampled_from([ATOMIC, BLOCKWISE, TELLS, TELLS])), draw(tellers), flags, flag),
        act(draw(st.sampled_from(HEARD)), draw(listeners), flags, flag),
        _meeting(draw),
        act(draw(st.sampled_from([READS, LOOKS, LOOKS, WRITES, ATOMIC])), other, array, data),
    ]
    if draw(st.integers(0, 2)) == 0:
        steps = [steps[0], _meeting(draw), steps[1], steps[-1]]
    elif draw(st.booleans()):
        del steps[draw(st.integers(0, len(steps) - 1))]
    if draw(st.integers(0, 2)) == 0:
        at = draw(st.integers(0, len(steps) - 2))
        steps[at : at + 2] = reversed(steps[at : at + 2])
    return Program(blocks, threads, tuple(step for step in steps if step.kind != "nothing"))


def _meeting(draw: st.DrawFn) -> Statement:
    """Perhaps a barrier, perhaps a synchronisation or a vote of some lanes of each warp."""
    kind = draw(st.sampled_from(["nothing", "nothing", "barrier", "warp", "vote"]))
    return Statement(kind, mask=draw(st.integers(1, 15)) if kind in ("warp", "vote") else 0)


@st.composite
def clusters(draw: st.DrawFn, kinds: tuple[str, ...]) -> Program:
    """Programs of two blocks in one cluster, each arrival with its wait."""
    threads, count, open_ = draw(st.integers(1, 6)), draw(st.integers(1, MOST)), False
    statements = []
    for at in range(count):
        statement = _statement(draw, kinds, 2 * threads)
        kind = statement.kind
        if kind in MEETINGS:
            kind = WAITS if open_ else CLUSTER if kind == WAITS or at == count - 1 else kind
            open_ = kind == ARRIVES
        homes = draw(st.integers(0, (1 << 2 * threads) - 1))
        statements.append(replace(statement, kind=kind, homes=homes))
    if open_:
        statements.append(Statement(WAITS))
    return Program(2, threads, tuple(statements), cluster=True)


def _statement(draw: st.DrawFn, kinds: tuple[str, ...], every: int) -> Statement:
    kind = draw(st.sampled_from(kinds))
    who = draw(st.integers(0, (1 << every) - 1) | st.just((1 << every) - 1))
    if kind in ("warp", "vote"):
        return Statement(kind, mask=draw(st.integers(1, 15) | st.just(15)))
    if kind not in ACCESSES:
        return Statement(kind, who)
    places = draw(st.lists(st.integers(0, PLACES - 1), min_size=every, max_size=every))
    value = draw(st.none() | st.just(7))
    array = "a" if kind == CACHED else draw(st.sampled_from("as"))
    return Statement(kind, who, array, tuple(places), value)
