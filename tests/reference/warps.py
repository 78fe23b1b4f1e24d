"""A machine that runs random kernels warp by warp, and counts.

Lanes that part meet again where the statement ends. Every node of an expression is evaluated for
all active threads of a warp before the next node, so that each access is one request of the warp.
Values and memory are those of the scalar machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.exchanges import Fill, Phase
from tests.reference.expressions import Cells, Expr, Place, Thread, read, write
from tests.reference.guards import Atomic, Call
from tests.reference.program import Kernel, Program
from tests.reference.threads import Oracle
from tests.reference.types import Type
from tests.simulator.helpers import conflicts

Threads = list[Thread]
Run = Generator[Any, Any, Threads]


@dataclass
class Given(Expr):
    """A value that has been computed already."""

    value: Any

    def eval(self, t: Thread) -> Any:
        return self.value


@dataclass
class Warp:
    """One warp; `counts` gathers what it does, `size` is how many lanes a warp has."""

    size: int
    counts: Counter[str]
    loops: list[dict[str, Threads]] = field(default_factory=list)

    # Requests.

    def request(self, kind: str, of: Type, threads: Threads, places: list[Place]) -> None:
        """Note one access of the active threads; their own arrays are not memory."""
        size = of.dtype.itemsize
        for space in ("global", "shared"):
            mine = [
                (t, id(s), at * size)
                for t, (s, at) in zip(threads, places, strict=True)
                if isinstance(s, Cells) and s.space == space
            ]
            for thread, _, _ in mine:
                thread.work += 1
            if mine:
                self.counts[f"{space} {kind} requests"] += 1
                self.counts[f"{space} {kind} lanes"] += len(mine)
                if space == "shared":
                    pairs = [(t.lane, byte) for t, _, byte in mine]
                    self.counts["bank conflicts"] += conflicts([pairs], size, self.size)
                else:
                    touched = Counter((which, byte) for _, which, byte in mine)
                    passes: Counter[Any] = Counter()
                    for (which, byte), lanes in touched.items():
                        turns = lanes if kind == "atomic" else 1
                        passes[which, byte // 32] = max(passes[which, byte // 32], turns)
                    self.counts[f"global {kind} sectors"] += passes.total()

    def load(self, of: Type, threads: Threads, places: list[Place]) -> list[Any]:
        self.request("load", of, threads, places)
        return [read(place) for place in places]

    def store(self, of: Type, threads: Threads, places: list[Place], values: list[Any]) -> None:
        self.request("store", of, threads, places)
        for place, value in zip(places, values, strict=True):
            write(place, value)

    def step(self, threads: Threads) -> None:
        self.counts["warp steps"] += 1
        self.counts["thread steps"] += len(threads)

    # Expressions: the values of all active threads, in their order.

    def value(self, node: Expr, threads: Threads) -> list[Any]:
        if not threads:
            return []
        special: dict[type, Callable[[Any, Threads], list[Any]]] = {
            ex.Variable: self.element,
            ex.Subscript: self.element,
            ex.Logical: self.logical,
            ex.Choice: self.choice,
            ex.Assign: self.assign,
            ex.Increment: self.increment,
            ex.Address: lambda n, ts: self.places(n.of, ts),
            Atomic: self.atomic,
            Call: self.call,
        }
        kinds = (kind for kind in type(node).__mro__ if kind in special)
        return special.get(next(kinds, Expr), self.combine)(node, threads)

    def combine(self, node: Expr, threads: Threads) -> list[Any]:
        """Nodes that need all their operands, whoever asks."""
        copied, columns = copy(node), []
        for name, part in vars(node).items():
            parts = part if isinstance(part, list) else [part]
            if all(isinstance(one, Expr) for one in parts):
                given = [Given(one.type, None) for one in parts]
                setattr(copied, name, given if part is parts else given[0])
                columns += zip(given, [self.value(one, threads) for one in parts], strict=True)
        results = []
        for at, thread in enumerate(threads):
            for one, values in columns:
                one.value = values[at]
            results.append(copied.eval(thread))
        return results

    def places(self, node: Any, threads: Threads) -> list[Place]:
        if isinstance(node, ex.Variable):
            return [t.frame[node.name] for t in threads]
        bases = self.value(node.base, threads)
        indices = self.value(node.index, threads)
        return [(s, at + int(i)) for (s, at), i in zip(bases, indices, strict=True)]

    def element(self, node: Any, threads: Threads) -> list[Any]:
        return self.load(node.type, threads, self.places(node, threads))

    def logical(self, node: ex.Logical, threads: Threads) -> list[Any]:
        left = [bool(v) for v in self.value(node.left, threads)]
        asked = [t for t, v in zip(threads, left, strict=True) if v != (node.op == "||")]
        right = iter(self.value(node.right, asked))
        return [v if v == (node.op == "||") else bool(next(right)) for v in left]

    def choice(self, node: ex.Choice, threads: Threads) -> list[Any]:
        tests = [bool(v) for v in self.value(node.test, threads)]
        sides = {
            side: iter(
                self.value(part, [t for t, v in zip(threads, tests, strict=True) if v == side])
            )
            for side, part in ((True, node.then), (False, node.other))
        }
        found = [next(sides[v]) for v in tests]
        return [v if isinstance(v, tuple) else node.type.convert(v) for v in found]

    def assign(self, node: ex.Assign, threads: Threads) -> list[Any]:
        places = self.places(node.target, threads)
        values = self.value(node.value, threads)
        if node.op:
            old = self.load(node.type, threads, places)
            values = [node.changed(a, b) for a, b in zip(old, values, strict=True)]
        elif not isinstance(values[0], tuple):
            values = [node.type.convert(v, node.value.type) for v in values]
        self.store(node.type, threads, places, values)
        return values

    def increment(self, node: ex.Increment, threads: Threads) -> list[Any]:
        places = self.places(node.target, threads)
        old = self.load(node.type, threads, places)
        new = [node.changed(v) for v in old]
        self.store(node.type, threads, places, new)
        return new if node.prefix else old

    def atomic(self, node: Atomic, threads: Threads) -> list[Any]:
        places = self.places(node.target, threads)
        values = self.value(node.value, threads)
        self.request("atomic", node.type, threads, places)
        return [node.change(p, v) for p, v in zip(places, values, strict=True)]

    def call(self, node: Call, threads: Threads) -> list[Any]:
        function = threads[0].functions[node.name]
        frames: list[dict[str, Any]] = [{} for _ in threads]
        for parameter, argument in zip(function.parameters, node.arguments, strict=True):
            if parameter.mode == "reference":
                bound = self.places(argument, threads)
            else:
                values = self.value(argument, threads)
                bound = [([parameter.bound(v, argument.type)], 0) for v in values]
            for frame, place in zip(frames, bound, strict=True):
                frame[parameter.name] = place
        outer, loops, self.loops = [t.frame for t in threads], self.loops, []
        for thread, frame in zip(threads, frames, strict=True):
            thread.frame = frame
        for _ in self.run(function.body, threads):
            raise AssertionError("a barrier in a device function")
        self.loops = loops
        for thread, frame in zip(threads, outer, strict=True):
            thread.frame = frame
        return [t.result for t in threads]

    # Statements: who goes on after them.

    def run(self, node: st.Stmt, threads: Threads) -> Run:
        if not threads:
            return []
        return (yield from getattr(self, f"_{type(node).__name__}")(node, threads))

    def _Body(self, node: st.Body, threads: Threads) -> Run:  # noqa: N802
        for statement in node.statements:
            threads = yield from self.run(statement, threads)
        return threads

    def _Evaluate(self, node: st.Evaluate, threads: Threads) -> Run:  # noqa: N802
        self.value(node.expression, threads)
        self.step(threads)
        return threads
        yield

    def _Declare(self, node: st.Declare, threads: Threads) -> Run:  # noqa: N802
        values = [0] * len(threads) if node.value is None else self.value(node.value, threads)
        for thread, value in zip(threads, values, strict=True):
            thread.frame[node.name] = ([node.bound(value)], 0)
        if node.value is not None:
            self.step(threads)
        return threads
        yield

    def _DeclareArray(self, node: st.DeclareArray, threads: Threads) -> Run:  # noqa: N802
        columns = [self.value(v, threads) for v in node.values]
        for at, thread in enumerate(threads):
            thread.frame[node.name] = (node.elements([c[at] for c in columns]), 0)
        self.step(threads)
        return threads
        yield

    def _If(self, node: st.If, threads: Threads) -> Run:  # noqa: N802
        yes, no = self._split(node.test, threads)
        yes = yield from self.run(node.then, yes)
        if node.other is not None:
            no = yield from self.run(node.other, no)
        return in_order(yes + no)

    def _split(self, test: Expr, threads: Threads) -> tuple[Threads, Threads]:
        holds = self.value(test, threads)
        self.step(threads)
        pairs = list(zip(threads, holds, strict=True))
        return [t for t, v in pairs if v], [t for t, v in pairs if not v]

    def _Loop(self, node: st.Loop, threads: Threads) -> Run:  # noqa: N802
        if node.start is not None:
            yield from self.run(node.start, threads)
        done: Threads = []
        first = node.kind == "do"
        while threads:
            if node.test is not None and not first:
                threads, left = self._split(node.test, threads)
                done += left
            first = False
            self.loops.append({"break": [], "continue": []})
            threads = yield from self.run(node.body, threads)
            leaving = self.loops.pop()
            threads = in_order(threads + leaving["continue"])
            done += leaving["break"]
            if node.step is not None and threads:
                self.value(node.step, threads)
                self.step(threads)
        return in_order(done)

    def _Switch(self, node: st.Switch, threads: Threads) -> Run:  # noqa: N802
        entered = list(zip(threads, self.value(node.test, threads), strict=True))
        self.step(threads)
        last, inside = len(node.cases) - 1, self.loops[-1:]
        leaving: dict[str, Threads] = {"break": []}
        leaving["continue"] = inside[0]["continue"] if inside else []
        live: Threads = []
        for at, (body, ends) in enumerate(zip(node.cases, node.breaks, strict=True)):
            live = in_order(live + [t for t, value in entered if min(int(value), last) == at])
            self.loops.append(leaving)
            live = yield from self.run(body, live)
            if ends and live:
                live = yield from self.run(st.Jump("break"), live)
            self.loops.pop()
        return in_order(live + leaving["break"])

    def _Phase(self, node: Phase, threads: Threads) -> Run:  # noqa: N802
        for part in node.parts():
            threads = yield from self.run(part, threads)
        return threads

    def _Fill(self, node: Fill, threads: Threads) -> Run:  # noqa: N802
        return (yield from self.run(node.loop, threads))

    def _Jump(self, node: st.Jump, threads: Threads) -> Run:  # noqa: N802
        self.step(threads)
        self.loops[-1][node.word] += threads
        return []
        yield

    def _Return(self, node: st.Return, threads: Threads) -> Run:  # noqa: N802
        if node.value is not None and node.type is not None:
            for thread, value in zip(threads, self.value(node.value, threads), strict=True):
                thread.result = node.type.convert(value, node.value.type)
        self.step(threads)
        return []
        yield

    def _Barrier(self, node: st.Barrier, threads: Threads) -> Run:  # noqa: N802
        mine = [True] * len(threads)
        if node.test is not None:
            mine = [node.predicate(v) for v in self.value(node.test, threads)]
        votes = yield mine
        if node.test is not None:
            for thread in threads:
                thread.frame[node.name] = ([node.result(votes)], 0)
        self.step(threads)
        return threads


def in_order(threads: Threads) -> Threads:
    return sorted(threads, key=lambda t: t.place)


def count(program: Program, warp_size: int, fuel: int) -> Counter[str]:
    """Run a program on fresh memory, and say what its warps did."""
    counts: Counter[str] = Counter()
    oracle = Oracle(program, fuel=fuel)
    for at in program.order:
        for block in range(program.kernels[at].blocks):
            kernel = program.kernels[at]
            count_block(kernel, oracle.threads(kernel, block), warp_size, counts)
    return +counts


def count_block(kernel: Kernel, threads: Threads, size: int, counts: Counter[str]) -> None:
    for thread in threads:
        thread.lane = thread.place % size
    groups = [threads[i : i + size] for i in range(0, len(threads), size)]
    warps = [(Warp(size, counts), group) for group in groups]
    for _ in kernel.declarations:
        for warp, group in warps:
            warp.step(group)
    counts["barriers"] += in_lockstep([(warp.run(kernel.body, g), None) for warp, g in warps])
    counts.update(f"threads that did {t.work}" for t in threads)
    counts.update(f"warps that did {sum(t.work for t in group)}" for group in groups)
    counts[f"blocks that did {sum(t.work for t in threads)}"] += 1


def in_lockstep(live: list[tuple[Run, Any]]) -> int:
    """Resume all until none is left, each as far as its next barrier; how many there were."""
    barriers = 0
    while live:
        waiting = []
        for run, reply in live:
            try:
                waiting.append((run, run.send(reply)))
            except StopIteration:
                continue
        votes = [vote for _, mine in waiting for vote in mine]
        live = [(run, votes) for run, _ in waiting]
        barriers += bool(live)
    return barriers
