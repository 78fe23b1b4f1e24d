"""Random phases of a block: who may touch what until the next barrier, and loops of phases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tests.fuzz.expressions import Var
from tests.fuzz.extras import Extras
from tests.fuzz.statements import Context, counting
from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.blocks import THREAD_PARAMETERS, BlockCall, LastBlock
from tests.reference.exchanges import Phase, WarpSync
from tests.reference.guards import Mask, Own
from tests.reference.types import INT, UINT, Type

#: Primes above every number of threads: multiplying by one permutes the threads of any launch.
SCALES = (1, 1, 2053, 4099, 8209)


@dataclass(frozen=True)
class Block:
    """An array that the threads of a block use in phases: shared, or a piece of a global one."""

    name: str
    type: Type
    length: int
    shared: bool


@dataclass
class Phases(Extras):
    """Makes phases over the arrays in `arena`; `turns` are the counters of loops around them."""

    arena: list[Block] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    #: Functions that a whole block calls, with the arrays that they work on.
    meetings: list[tuple[st.Function, Block]] = field(default_factory=list)
    #: Whether some block may have ended: then none knows that it is the last.
    left: bool = False
    inside: bool = False

    @contextmanager
    def visible(self, added: list[Var], updates: dict[str, tuple[Var, str]]) -> Iterator[None]:
        """More in scope for a while, among what the while declares itself."""
        outer = self.updates
        self.scope += added
        self.updates = outer | updates
        yield
        self.updates = outer
        self.scope[:] = [v for v in self.scope if v not in added]

    def own(self, who: str, count: str | int, base: str = "") -> st.Declare:
        """The declaration of where this thread's cell is."""
        scale = self.random.choice((1, 3, 5, 31) if count == 32 else SCALES)
        turn = self.random.choice(self.turns) if self.turns and self.chance(60) else ""
        place = Own(INT, who, count, scale, self.random.choice((0, 0, 1, 7, 16)), turn, base)
        return st.Declare(INT, self.fresh("o"), place)

    # Phases.

    def phase(self, context: Context, last: bool = False) -> list[st.Stmt]:
        """A phase; the last of a kernel has no barrier, so threads may return."""
        cells, added, updates, warps = self.roles()
        numbers = [v for v in self.scope if not v.array]
        whole, returns = "" if last else context.whole, last or not self.portable
        inside = replace(context, whole=whole, returns=returns, loop=False)
        statements: list[st.Stmt] = []
        with self.visible(added, updates):
            for _ in range(self.random.randint(1, 3)):
                statements += self.statement(inside)
            if warps and not last:
                statements += self.warp_phases(self.random.choice(warps))
            for _ in range(3 if last else 1):
                statements += self.observe(numbers, [v for v in self.scope if v.array])
            end = None if last else self.barrier()
        self.scope += self.votes(end)
        return [Phase(cells, st.Body(statements), end)]

    def roles(self) -> tuple[list[st.Declare], list[Var], dict[str, tuple[Var, str]], list[Block]]:
        """What each array is in a phase."""
        cells, added, updates, warps = [], [], {}, []
        for block in self.arena:
            role = self.random.choice(("read", "own", "own", "update", "warp"))
            if role == "warp" and block.shared and self.portable:
                warps.append(block)
            elif role == "update" and self.families(block.type, block.shared):
                family = self.random.choice(self.families(block.type, block.shared))
                updates[block.name] = (self.readable(block), family)
            elif role == "own":
                own = self.own("tid", "T", "" if block.shared else "seg")
                cells.append(own)
                added.append(Var(block.name, block.type, cells=((own.name, ""),)))
            else:
                added.append(self.readable(block))
        return cells, added, updates, warps

    @staticmethod
    def readable(block: Block) -> Var:
        if block.shared:
            return Var(block.name, block.type, False, limit=block.length, passing=True)
        return Var(block.name, block.type, writable=False, limit="T", base="seg")

    def barrier(self) -> st.Stmt:
        if self.chance(70):
            return st.Barrier()
        kind = self.random.choice(("count", "and", "or"))
        return st.Barrier(kind, self.fresh("u"), ex.Cast(INT, self.full(2)))

    def votes(self, end: st.Stmt | None) -> list[Var]:
        """The variable that has the result of a barrier's vote."""
        if isinstance(end, st.Barrier) and end.test is not None:
            return [Var(end.name, INT, writable=False, uniform=True)]
        return []

    def warp_phases(self, block: Block) -> list[st.Stmt]:
        """The lanes of each warp write cells of their own and, synchronised, read each other's."""
        made: list[st.Stmt] = []
        for _ in range(self.random.randint(1, 2)):
            own = self.own("lane", 32, "first")
            mine = Var(block.name, block.type, cells=((own.name, ""),))
            made.append(self.warp_phase([own], mine))
            read = Var(block.name, block.type, writable=False, limit="live", base="first")
            made.append(self.warp_phase([], read))
        return made

    def warp_phase(self, cells: list[st.Declare], var: Var) -> st.Stmt:
        with self.visible([var], {}):
            statements = [s for _ in range(2) for s in self.statement(Context(1, "block"))]
            target = self.place(var, 0) if var.writable else None
            if target is not None:
                value = self.of_type(var.type, 2)
                statements.append(st.Evaluate(ex.Assign(var.type, "", target, value)))
        return Phase(cells, st.Body(statements), WarpSync())

    # Sequences of phases: the whole block goes through them together.

    def sequence(self, depth: int, most: int) -> list[st.Stmt]:
        made: list[st.Stmt] = []
        makers: list[Callable[[int], list[st.Stmt]]] = [self.one_phase] * 4 + [self.agreed]
        if depth > 0:
            makers += [self.repeated] * 2 + [self.either]
            makers += [self.leave] if not self.inside else []
        if self.meetings:
            makers.append(self.meeting)
        for _ in range(self.random.randint(1, most)):
            made += self.random.choice(makers)(depth)
        return made

    def one_phase(self, depth: int) -> list[st.Stmt]:
        return self.phase(Context(2, "block"))

    def agreed(self, depth: int) -> list[st.Stmt]:
        """A variable alike for the whole block."""
        name, value = self.fresh("u"), self.uniform()
        self.scope.append(Var(name, value.type, writable=False, uniform=True))
        return [st.Declare(value.type, name, value)]

    def leave(self, depth: int) -> list[st.Stmt]:
        """One block ends early."""
        self.left = True
        test = ex.Binary.of("==", ex.Variable(INT, "bid"), ex.Literal(INT, 1))
        return [st.If(test, st.Body([st.Return(None, None)]), None)]

    # Functions that the whole block calls.

    def block_function(self, block: Block) -> None:
        """A function that works in phases on a shared array."""
        maker = Phases(self.random, functions=self.functions, last=self.last)
        cells = st.Parameter(block.type, maker.fresh("c"), "pointer")
        value = st.Parameter(self.random.choice((INT, UINT)), maker.fresh("q"))
        maker.whole_warps, maker.inside = self.whole_warps, True
        maker.arena = [Block(cells.name, block.type, block.length, True)]
        maker.scope = [Var(n, INT, writable=False) for n in ("tid", "lane")]
        maker.scope += [Var("T", INT, False, uniform=True), Var(value.name, value.type)]
        body = maker.sequence(1, 2)
        seen = maker.fresh("x")
        with maker.visible([maker.readable(maker.arena[0])], {}):
            declared = st.Declare(INT, seen, ex.Cast(INT, maker.number(2)))
        body += [Phase([], st.Body([declared]), st.Barrier())]
        body += [st.Return(INT, ex.Variable(INT, seen))]
        name = maker.fresh("g")
        made = st.Function(name, INT, [cells, value, *THREAD_PARAMETERS], st.Body(body))
        self.meetings.append((made, block))
        self.last = maker.last

    def meeting(self, depth: int) -> list[st.Stmt]:
        """Call such a function."""
        function, block = self.random.choice(self.meetings)
        value, name = self.full(2), self.fresh("x")
        self.scope.append(Var(name, INT))
        array = ex.ArrayName(block.type, block.name)
        return [BlockCall(INT, name, function.name, [array, value])]

    def last_block(self) -> list[st.Stmt]:
        """The blocks' numbers, added up by the last of them."""
        return [LastBlock(self.fresh(""), self.full(2))]

    def inner(self, depth: int, turn: str = "") -> st.Body:
        outside = len(self.scope)
        self.turns += [turn] if turn else []
        self.scope += [Var(turn, INT, writable=False, uniform=True)] if turn else []
        body = self.sequence(depth - 1, 2)
        if turn and self.chance(40):
            word = st.Jump(self.random.choice(("break", "continue")))
            body.append(st.If(self.uniform(), st.Body([word]), None))
            body += self.phase(Context(1, "block"))
        del self.scope[outside:]
        self.turns[len(self.turns) - bool(turn) :] = []
        return st.Body(body)

    def repeated(self, depth: int) -> list[st.Stmt]:
        """A loop of phases."""
        turn, bound = self.fresh("r"), Mask.of(self.uniform(), 3)
        limit = ex.Literal(INT, self.random.randint(1, 3)) if self.chance(50) else bound
        return [counting(turn, limit, self.inner(depth, turn))]

    def either(self, depth: int) -> list[st.Stmt]:
        """Phases on one side of a branch that the whole block takes."""
        test, then = self.uniform(), self.inner(depth)
        return [st.If(test, then, self.inner(depth) if self.chance(50) else None)]
