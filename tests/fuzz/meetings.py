"""Random statements in which threads meet: exchanges among lanes, atomics in any order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.fuzz.expressions import Var
from tests.fuzz.statements import EXCHANGED, Context, Statements, counting
from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.exchanges import FULL, CasLoop, Claim, Shuffle, Split, Ticket, Vote, WarpSync
from tests.reference.guards import Atomic, Bounded, Mask
from tests.reference.types import DOUBLE, FLOAT, INT, LLONG, UINT, ULLONG, Type

#: For each type, which updates CUDA offers; those of one family commute.
FAMILIES: dict[Type, tuple[str, ...]] = {
    INT: ("add", "min", "max", "and", "or", "xor"),
    UINT: ("add", "min", "max", "and", "or", "xor", "inc", "dec", "addmod", "mulmod"),
    LLONG: ("min", "max", "and", "or", "xor"),
    ULLONG: ("add", "min", "max", "and", "or", "xor", "addmod", "mulmod"),
    FLOAT: ("add",),
    DOUBLE: ("add",),
}
MODULI = (7, 61, 1021, 65_521)


@dataclass
class Meetings(Statements):
    """Makes such statements.

    `updates` are arrays that atomics of one family may change now. `tickets` and `claims` are
    global arrays for `Ticket` and `Claim`, with what has been drawn of them; `sinks` are what they
    leave.
    """

    updates: dict[str, tuple[Var, str]] = field(default_factory=dict)
    tickets: list[tuple[Var, int, Var | None]] = field(default_factory=list)
    claims: list[Var] = field(default_factory=list)
    xors: list[Var] = field(default_factory=list)
    sums: list[Var] = field(default_factory=list)
    #: Whether every warp of the kernel is whole.
    whole_warps: bool = False

    def families(self, of: Type, shared: bool = False) -> tuple[str, ...]:
        """Families of updates, with a bound or modulus where they need one."""
        if not self.portable:
            return ("add",) if of in (INT, UINT) and not shared else ()
        modulus = self.random.choice(MODULI)
        named = FAMILIES.get(of, ())
        return tuple(
            f"{name}:{modulus}" if name in ("inc", "dec", "addmod", "mulmod") else name
            for name in named
        )

    def makers(self, context: Context) -> list:
        makers = super().makers(context)
        if self.updates:
            makers += [self.update] * 9
        if self.tickets and self.xors:
            makers.append(self.ticket)
        if self.claims and self.sums:
            makers.append(self.claim)
        if context.whole and self.portable:
            makers += [self.vote, self.shuffle, self.shuffle, self.split]
            if context.depth > 0:
                makers += [self.together] * 2
        return makers

    # Atomics.

    def update(self, context: Context) -> list[st.Stmt]:
        name = self.random.choice(sorted(self.updates))
        var, family = self.updates[name]
        kind, _, bound = family.partition(":")
        self.used, self.changed = {name}, set()
        if not self.portable:
            return [st.Evaluate(Atomic(var.type, "Add", self.apart(var), self.number(2)))]
        value, target = self.operand(var.type), self.place(var, 1)
        swaps = var.type in (INT, UINT, ULLONG, FLOAT) and kind != "dec" and self.chance(30)
        if swaps or kind in ("addmod", "mulmod"):
            return [CasLoop(self.fresh(""), kind, target, value, int(bound or 1))]
        if kind in ("inc", "dec"):
            value = ex.Literal(UINT, int(bound))
        if kind == "add" and var.type in (INT, UINT) and self.chance(30):
            kind = "sub"
        return [st.Evaluate(Atomic(var.type, kind.capitalize(), target, value))]

    def apart(self, var: Var) -> ex.Expr:
        """A cell that no compiler sees to be the same for all lanes: those atomics are merged."""
        lane = ex.Binary.of("&", ex.Special(UINT, "threadIdx.x"), ex.Literal(INT, 7))
        index = ex.Binary.of("+", self.number(1), lane)
        return self.subscript(var, Bounded(INT, index, var.limit, var.base))

    def operand(self, of: Type) -> ex.Expr:
        """What an atomic adds; reals stay small enough for any number of sums to be exact."""
        value = self.number(2)
        return ex.Cast(of, Mask.of(value, 15)) if of.real else value

    def ticket(self, context: Context) -> list[st.Stmt]:
        at = self.random.randrange(len(self.tickets))
        var, cell, marks = self.tickets[at]
        if cell >= int(var.limit):
            return self.update(context) if self.updates else self.evaluate(context)
        self.tickets[at] = (var, cell + 1, None)
        sink = self.random.choice(self.xors)
        place = ex.Literal(INT, self.random.randrange(int(sink.limit)))
        counter = ex.Subscript(UINT, ex.ArrayName(UINT, var.name), ex.Literal(INT, cell))
        left = ex.Subscript(UINT, ex.ArrayName(UINT, sink.name), place)
        made = Ticket(self.fresh(""), counter, left, self.random.choice((3, 2_654_435_761)))
        if marks:
            made.marks, made.length = marks.name, int(marks.limit)
        return [made]

    def claim(self, context: Context) -> list[st.Stmt]:
        var, sink = self.random.choice(self.claims), self.random.choice(self.sums)
        self.used, self.changed = set(), set()
        target = ex.Subscript(
            UINT, ex.ArrayName(UINT, var.name), Bounded(INT, self.number(2), var.limit)
        )
        # One sink for all: which of two claims comes first is open.
        left = ex.Subscript(UINT, ex.ArrayName(UINT, sink.name), ex.Literal(INT, 0))
        return [Claim(target, 3, 900, left)]

    # Lanes.

    def vote(self, context: Context, bits: int = FULL) -> list[st.Stmt]:
        kind, test = self.random.choice(("ballot", "any", "all")), self.full(2)
        made = Vote(UINT if kind == "ballot" else INT, kind, self.fresh("b"), test, bits=bits)
        self.scope.append(Var(made.name, made.type))
        return [made]

    def shuffle(self, context: Context) -> list[st.Stmt]:
        """Every lane reads another one; a warp cut short has no lanes above its last."""
        kind = self.random.choice(("", "_up", "_down", "_xor") if self.whole_warps else ("", "_up"))
        of, width = self.random.choice(EXCHANGED), 32
        if self.whole_warps and self.chance(40):
            width = self.random.choice((2, 4, 8, 16))
        value, number, name = self.of_type(of, 2), self.number(2), self.fresh("s")
        limit = "live" if width == 32 else width
        place = Mask.of(number, 31) if kind else Bounded(INT, number, limit)
        whole = kind in ("_down", "_xor") or width < 32
        self.scope.append(Var(name, of))
        return [Shuffle(of, kind, name, value, place, width, whole)]

    def first_lane(self, bits: int) -> list[st.Stmt]:
        of, name = self.random.choice(EXCHANGED), self.fresh("s")
        made = Shuffle(of, "", name, self.of_type(of, 2), None, bits=bits)
        self.scope.append(Var(name, of))
        return [made]

    def split(self, context: Context) -> list[st.Stmt]:
        """Some lanes exchange values while the others do something else."""
        bits = self.random.choice((0x55555555, 0x0000FFFF, 0x80000001, 0xFFFFFFFE, 0x0F0F00FF))
        return [Split(bits, self.side(bits, context), self.side(bits ^ FULL, context))]

    def side(self, bits: int, context: Context) -> st.Body:
        outside, made = len(self.scope), self.statement(context.inner())
        kind = self.random.randrange(4)
        if kind == 0:
            made.append(WarpSync(bits))
        elif kind == 1:
            made += self.first_lane(bits)
        else:
            made += self.vote(context, bits)
        made += self.evaluate(context)
        del self.scope[outside:]
        return st.Body(made)

    def together(self, context: Context) -> list[st.Stmt]:
        """A branch or loop on which the threads of every warp agree."""
        inner = context.inner(whole="warp")
        if self.chance(50):
            warp = ex.Binary.of("/", ex.Variable(INT, "tid"), ex.Literal(INT, 32))
            test = (
                ex.Binary.of("&", warp, ex.Literal(INT, 1)) if self.chance(50) else self.uniform()
            )
            return [st.If(test, self.body(inner), self.body(inner) if self.chance(40) else None)]
        name, outside = self.fresh("k"), len(self.scope)
        self.scope.append(Var(name, INT, writable=False))
        body = self.body(replace(inner, loop=False))
        del self.scope[outside:]
        turns = self.uniform()
        if self.chance(50):
            turns = ex.Binary.of("+", ex.Cast(UINT, turns), ex.Variable(INT, "warp"))
        return [counting(name, Mask.of(turns, 3), body)]
