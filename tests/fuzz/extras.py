"""Random pointers to one of two places, and exchanges that newer GPUs have."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz.expressions import Var
from tests.fuzz.meetings import Meetings
from tests.fuzz.statements import Context, is_own
from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.blocks import Aim
from tests.reference.exchanges import FULL, REDUCED, Match, Reduce
from tests.reference.guards import Atomic, Small
from tests.reference.types import INT, LLONG, UINT, ULLONG, Type


@dataclass
class Extras(Meetings):
    """Makes such statements, too."""

    def makers(self, context: Context) -> list:
        makers = [*super().makers(context), self.aimed]
        if not self.portable:
            return makers
        if self.updates:
            makers.append(self.aimed_update)
        if context.whole:
            makers += [self.match, self.reduce]
        return makers

    # Pointers.

    def aimed(self, context: Context) -> list[st.Stmt]:
        """Write through a pointer to one of two places, perhaps in different memories.

        Not to a thread's own variable or memory, though: see `pointed`.
        """
        free = [v for v in self.scope if v.writable and not v.name.startswith("q")]
        if not free:
            return self.declare(context)
        one = self.random.choice(free)
        alike = [v for v in free if v.type == one.type and is_own(v) == is_own(one)]
        two = self.random.choice(alike)
        self.used, self.changed = set(), {one.name, two.name}
        declared, target = self.pointer_to(one, two)
        self.used, self.changed = set(), {one.name, two.name}
        value: ex.Expr = self.number(2)
        value = Small(one.type, value) if one.type.real and self.portable else value
        write = st.Evaluate(ex.Assign(one.type, "", target, value))
        return [declared, write]

    def pointer_to(self, one: Var, two: Var) -> tuple[st.Stmt, ex.Subscript]:
        """A pointer to a place in one of two, and what it points to."""
        of, name = one.type, self.fresh("p")
        sides = [ex.Address(of, self.to_change(var)) for var in (one, two)]
        value = Aim(of, self.number(1), *sides) if self.chance(70) else sides[0]
        to = ex.Subscript(of, ex.Variable(of, name), ex.Literal(INT, 0), self.chance(70))
        return st.Declare(of, name, value, star=True), to

    def to_change(self, var: Var) -> ex.Expr:
        return self.place(var, 1) if var.array else ex.Variable(var.type, var.name)

    def aimed_update(self, context: Context) -> list[st.Stmt]:
        """An atomic through a pointer into one of two arrays that it may change."""
        one, family = self.updates[self.random.choice(sorted(self.updates))]
        if family not in ("add", "min", "max", "and", "or", "xor"):
            return self.update(context)
        alike = [v for v, kind in self.updates.values() if (v.type, kind) == (one.type, family)]
        self.used, self.changed = set(), set()
        declared, target = self.pointer_to(one, self.random.choice(alike))
        self.used, self.changed = set(), set()
        value = self.operand(one.type)
        change = Atomic(one.type, family.capitalize(), target, value)
        return [declared, st.Evaluate(change)]

    # Lanes.

    def match(self, context: Context, bits: int = FULL) -> list[st.Stmt]:
        value = ex.Binary.of("&", self.full(2), ex.Literal(INT, self.random.choice((0, 1, 3))))
        of: Type = self.random.choice((INT, UINT, LLONG, ULLONG))
        kind, name = self.random.choice(("any", "any", "all")), self.fresh("b")
        self.scope.append(Var(name, UINT))
        return [Match(UINT, kind, name, ex.Cast(of, value), bits=bits)]

    def reduce(self, context: Context, bits: int = FULL) -> list[st.Stmt]:
        kind = self.random.choice(sorted(REDUCED))
        of = UINT if kind in ("and", "or", "xor") else self.random.choice((INT, UINT))
        value, name = self.full(2), self.fresh("b")
        self.scope.append(Var(name, of))
        return [Reduce(of, kind, name, value, bits=bits)]
