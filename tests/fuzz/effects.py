"""Random expressions that change something: assignments, increments, calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz.expressions import Reads, Var
from tests.fuzz.values import Call, Divisor, Mask
from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.types import BOOL, INT, Type


@dataclass
class Expressions(Reads):
    """Makes expressions with effects, too."""

    def numbers(self) -> list[Callable[[int], ex.Expr]]:
        return [*super().numbers(), self.change, self.change, self.call]

    def target(self, depth: int, of: Type | None = None, real: bool = False) -> ex.Expr | None:
        """Something to change in this full expression; from here on nothing else may touch it."""
        free = [
            v
            for v in self.scope
            if v.writable
            and v.name not in self.used | self.changed
            and of in (None, v.type)
            and (real or not v.type.real)
        ]
        if not free:
            return None
        var = self.random.choice(free)
        self.changed.add(var.name)
        return self.place(var, depth) if var.array else ex.Variable(var.type, var.name)

    def change(self, depth: int) -> ex.Expr:
        """An assignment, compound assignment or increment of a whole number."""
        target = self.target(depth)
        if target is None:
            return self.leaf()
        of = target.type
        wraps = of != BOOL and not (of.signed and of.bits >= 32)
        if wraps and self.chance(30):
            return ex.Increment(of, self.random.choice(("++", "--")), self.chance(50), target)
        ops = ["", "", "&", "|", "^"] + (["+", "-", "*"] if wraps else [])
        ops += [">>", "/", "%"] if of != BOOL else []
        return self.compound(self.random.choice(ops), target, self.number(depth))

    @staticmethod
    def compound(op: str, target: ex.Expr, value: ex.Expr) -> ex.Expr:
        of = target.type
        if op == ">>":
            value = Mask.of(value, 7)
        elif op in ("/", "%"):
            value = Divisor.of(ex.Cast(of, value))
        elif op:
            value = ex.Cast(of, value)
        return ex.Assign(of, op, target, value)

    # Calls.

    def call(self, depth: int) -> ex.Expr:
        """A call of a device function that gives a value."""
        usable = [f for f in self.functions if f[0].result is not None]
        made = self.call_of(*self.random.choice(usable), depth) if usable else None
        return made or self.leaf()

    def call_of(self, function: st.Function, needs: list[Var], depth: int) -> ex.Expr | None:
        before, arguments = (set(self.used), set(self.changed)), []
        for parameter, need in zip(function.parameters, needs, strict=True):
            argument = self.argument(parameter, need, depth)
            if argument is None:
                self.used, self.changed = before
                return None
            arguments.append(argument)
        return Call(function.result or INT, function.name, arguments)

    def argument(self, parameter: st.Parameter, need: Var, depth: int) -> ex.Expr | None:
        if parameter.mode == "reference":
            return self.target(depth, parameter.type)
        if parameter.mode == "value":
            return self.number(depth)
        return self.pointer(need)

    def pointer(self, need: Var) -> ex.Expr | None:
        """A pointer to at least as many elements as a function wants."""
        busy = self.changed | (self.used if need.writable else set())
        free = [
            v
            for v in self.scope
            if v.type == need.type and v.array and v.name not in busy
            if v.writable or not need.writable
            if need.limit == 1 or (isinstance(v.limit, int) and v.limit >= int(need.limit))
        ]
        if not free:
            return None
        var = self.random.choice(free)
        (self.changed if need.writable else self.used).add(var.name)
        if var.limit and not var.base:
            return ex.ArrayName(var.type, var.name)
        return ex.Address(var.type, self.place(var, 0))
