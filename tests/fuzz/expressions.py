"""Random expressions without undefined behaviour, over what is in scope.

In one full expression nothing is both changed and used elsewhere. Reals are exact: variables and
memory hold whole numbers from 0 to 1023, and only a few of them are summed or multiplied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.fuzz.intrinsics import INTRINSICS, Intrinsic, RealCall
from tests.fuzz.values import Bounded, Divisor, Ldg, Mask, Small, Wrapped
from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    SHORT,
    UCHAR,
    UINT,
    ULLONG,
    Type,
    common,
    promoted,
)

WHOLE = (INT, INT, INT, UINT, UINT, LLONG, ULLONG, SHORT, UCHAR, CHAR, BOOL)
REAL = (FLOAT, DOUBLE)
NUMBERS = (0, 1, 1, 2, 3, 5, 7, 31, 32, 100, 255, 1000, 65_537, 2**31 - 1)


@dataclass(frozen=True)
class Var:
    """Something with a name: a number, or an array whose elements this thread may touch.

    An array has either a `limit` (any index from `base` up to it may be touched), or `cells`: the
    names and offsets of the thread's own elements. `uniform`: alike for all threads of a block.
    """

    name: str
    type: Type
    writable: bool = True
    uniform: bool = False
    limit: str | int = 0
    base: str = ""
    cells: tuple[tuple[str, str], ...] = ()

    @property
    def array(self) -> bool:
        return bool(self.limit or self.cells)


@dataclass
class Reads:
    """Makes expressions over the variables in `scope`; those with effects are `Expressions`."""

    random: Random
    scope: list[Var] = field(default_factory=list)
    functions: list[tuple[st.Function, list[Var]]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    last: int = 0

    def fresh(self, letter: str) -> str:
        self.last += 1
        return f"{letter}{self.last}"

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    # Full expressions.

    def full(self, depth: int = 3) -> ex.Expr:
        """A whole number on its own: nothing has been used or changed yet."""
        self.used, self.changed = set(), set()
        return self.number(depth)

    def of_type(self, of: Type, depth: int = 3) -> ex.Expr:
        """A full expression that may be stored as `of`."""
        value = self.full(depth)
        return Small(of, self.real(depth - 1) if self.chance(40) else value) if of.real else value

    def test(self, depth: int = 2) -> ex.Expr:
        """A condition; what follows a top-level && or || may use what came before."""
        left = self.full(depth)
        if self.chance(25):
            return ex.Logical(BOOL, self.random.choice(("&&", "||")), left, self.full(depth))
        return left

    def uniform(self, depth: int = 2) -> ex.Expr:
        """A full expression alike for all threads of a block."""
        leaves: list[ex.Expr] = [
            ex.Variable(v.type, v.name)
            for v in self.scope
            if v.uniform and not v.array and not v.type.real
        ]
        leaves += [
            self.subscript(v, ex.Literal(INT, self.random.randrange(int(v.limit))))
            for v in self.scope
            if v.uniform and v.limit and not v.type.real
        ]
        left = self.random.choice(leaves)
        if not depth or self.chance(30):
            return left
        right = self.uniform(depth - 1) if self.chance(40) else self.literal()
        return self.safe(self.random.choice(("<", "==", "!=", ">", "+", "^", "&")), left, right)

    # Whole numbers.

    def number(self, depth: int) -> ex.Expr:
        if depth <= 0:
            return self.leaf()
        return self.random.choice(self.numbers())(depth - 1)

    def numbers(self) -> list[Callable[[int], ex.Expr]]:
        """What makes whole numbers, the likelier the oftener."""
        makers = [self.leaf] * 2 + [self.binary] * 6 + [self.element] * 4
        makers += [self.unary, self.compare, self.logical, self.choice, self.cast]
        return [*makers, self.intrinsic, self.extreme, self.from_real]

    def leaf(self, depth: int = 0) -> ex.Expr:
        free = [
            v for v in self.scope if not v.array and v.name not in self.changed and not v.type.real
        ]
        if not free or self.chance(25):
            return self.literal()
        return self.variable(self.random.choice(free))

    def variable(self, var: Var) -> ex.Expr:
        self.used.add(var.name)
        return ex.Variable(var.type, var.name)

    def literal(self) -> ex.Expr:
        of, value = self.random.choice(WHOLE), self.random.choice(NUMBERS)
        value = of.convert(-value if of.signed and self.chance(30) else value)
        return ex.Literal(of, value)

    def binary(self, depth: int) -> ex.Expr:
        op = self.random.choice(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
        return self.safe(op, self.number(depth), self.number(depth - 1))

    @staticmethod
    def safe(op: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
        """`left op right`, with guards where C leaves some operands undefined."""
        if op in ("<<", ">>"):
            of = promoted(left.type)
            right = Mask.of(right, of.bits - 1 if op == ">>" or not of.signed else 7)
            return (
                Wrapped(of, op, left, right)
                if op == "<<" and of.signed
                else ex.Binary.of(op, left, right)
            )
        if op in ("/", "%"):
            return ex.Binary.of(op, left, Divisor.of(right))
        of = common(left.type, right.type)
        if op in ("+", "-", "*") and of.signed:
            return Wrapped(of, op, left, right)
        return ex.Binary.of(op, left, right)

    def compare(self, depth: int) -> ex.Expr:
        op = self.random.choice(("<", ">", "<=", ">=", "==", "!="))
        maker = self.real if self.chance(25) else self.number
        return ex.Binary.of(op, maker(depth), maker(depth - 1))

    def unary(self, depth: int) -> ex.Expr:
        op, node = self.random.choice("-+~!"), self.number(depth)
        of = promoted(node.type)
        if op == "-" and of.signed:
            return Wrapped(of, "-", ex.Literal(of, 0), node)
        return ex.Unary.of(op, node)

    def logical(self, depth: int) -> ex.Expr:
        op = self.random.choice(("&&", "||"))
        return ex.Logical(BOOL, op, self.number(depth), self.number(depth))

    def choice(self, depth: int) -> ex.Expr:
        test, then, other = self.number(depth - 1), self.number(depth), self.number(depth)
        of = common(then.type, other.type) if then.type != other.type else then.type
        return ex.Choice(of, test, then, other)

    def cast(self, depth: int) -> ex.Expr:
        return ex.Cast(self.random.choice(WHOLE), self.number(depth))

    def intrinsic(self, depth: int) -> ex.Expr:
        name = self.random.choice(sorted(INTRINSICS))
        return Intrinsic.of(name, [self.number(depth - 1) for _ in INTRINSICS[name][0]])

    def extreme(self, depth: int) -> ex.Expr:
        of = self.random.choice((INT, UINT, LLONG, ULLONG))
        sides = (ex.Cast(of, self.number(depth - 1)) for _ in range(2))
        return ex.Extreme(of, self.random.choice(("min", "max")), *sides)

    def from_real(self, depth: int) -> ex.Expr:
        return ex.Cast(INT, self.real(depth))

    # Reals.

    def real(self, depth: int) -> ex.Expr:
        """A few exact operations on small whole numbers."""
        of = self.random.choice(REAL)
        one = self.real_leaf(of, depth - 1)
        if depth <= 0 or self.chance(20):
            return one
        kind, two = self.random.randrange(6), self.real_leaf(of, depth - 1)
        if kind == 0:
            return RealCall(of, self.random.choice(("min", "max")), [one, two])
        if kind == 1:
            return RealCall(of, "abs", [ex.Binary.of("-", one, two)])
        if kind == 2:
            return ex.Binary.of("*", one, ex.Literal(of, self.random.choice((0.5, 0.25))))
        if kind == 3:
            return ex.Choice(of, self.number(depth - 1), one, two)
        pair = ex.Binary.of(self.random.choice("+-*"), one, two)
        return ex.Binary.of(self.random.choice("+-"), pair, self.real_leaf(of, 0))

    def real_leaf(self, of: Type, depth: int) -> ex.Expr:
        numbers = [
            v for v in self.scope if v.type == of and not v.array and v.name not in self.changed
        ]
        if numbers and self.chance(50):
            return self.variable(self.random.choice(numbers))
        if self.chance(20):
            return ex.Literal(of, float(self.random.choice((0, 1, 3, 100, 1000))))
        node = self.element_of(REAL, depth - 1) if self.chance(50) else None
        return Small(of, node or self.number(depth))

    # Memory.

    def element(self, depth: int) -> ex.Expr:
        """Read an element of some array of whole numbers."""
        return self.element_of(WHOLE, depth) or self.leaf()

    def element_of(self, types: tuple[Type, ...], depth: int) -> ex.Expr | None:
        free = [v for v in self.scope if v.array and v.type in types and v.name not in self.changed]
        if not free:
            return None
        var = self.random.choice(free)
        self.used.add(var.name)
        place = self.place(var, depth)
        readable = not var.writable and var.uniform and self.chance(15)
        return Ldg(var.type, place) if readable else place

    def place(self, var: Var, depth: int) -> ex.Subscript:
        """An element of an array that this thread may touch."""
        if not var.cells:
            return self.subscript(var, Bounded(INT, self.number(depth), var.limit, var.base))
        name, offset = self.random.choice(var.cells)
        index: ex.Expr = ex.Variable(INT, name)
        return self.subscript(
            var, ex.Binary.of("+", index, self.offset(offset)) if offset else index
        )

    @staticmethod
    def offset(text: str) -> ex.Expr:
        return ex.Literal(INT, int(text)) if text.isdigit() else ex.Variable(INT, text)

    def subscript(self, var: Var, index: ex.Expr) -> ex.Subscript:
        return ex.Subscript(var.type, ex.ArrayName(var.type, var.name), index, self.chance(15))
