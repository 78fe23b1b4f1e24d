"""Random expressions over what is in scope; in one, nothing is both changed and used elsewhere.

Those of portable programs are the same on every machine: nothing that C leaves undefined, and reals
are exact: variables and memory hold whole numbers from 0 to 1023, of which only a few are summed or
multiplied. The others may mix all types, and overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.guards import Bounded, Call, Divisor, Ldg, Mask, Small, Wrapped, whole
from tests.reference.intrinsics import INTRINSICS, Intrinsic, RealCall
from tests.reference.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULLONG,
    Type,
    common,
    promoted,
)

WHOLE = (INT, INT, INT, UINT, UINT, LLONG, ULLONG, SHORT, UCHAR, SCHAR, BOOL)
REAL = (FLOAT, DOUBLE)
NUMBERS = (0, 1, 1, 2, 3, 5, 7, 31, 32, 100, 255, 1000, 65_537, 2**31 - 1)
REALS = (0.0, 1.0, -1.5, 0.25, 3.0, 1e10, -3e9, 7.75)
#: What an index may be cast to.
INDICES = (UCHAR, UINT, LLONG, ULLONG, INT)


@dataclass(frozen=True)
class Var:
    """Something with a name: a number, or an array whose elements this thread may touch.

    An array has either a `limit` (any index from `base` up to it may be touched), or `cells`: the
    names and offsets of the thread's own elements. `uniform`: alike for all threads of a block. A
    pointer variable has the arrays into which it may point as `targets`. `passing`: what threads
    may do with an array changes at barriers.
    """

    name: str
    type: Type
    writable: bool = True
    uniform: bool = False
    limit: str | int = 0
    base: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    targets: frozenset[str] = frozenset()
    passing: bool = False

    @property
    def array(self) -> bool:
        return bool(self.limit or self.cells)

    @property
    def names(self) -> frozenset[str]:
        """Everything that may change or be read when this is."""
        return self.targets | {self.name}


@dataclass
class Expressions:
    """Makes expressions over the variables in `scope`."""

    random: Random
    scope: list[Var] = field(default_factory=list)
    functions: list[tuple[st.Function, list[Var]]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    last: int = 0
    portable: bool = True

    def fresh(self, letter: str) -> str:
        self.last += 1
        return f"{letter}{self.last}"

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    # Full expressions.

    def full(self, depth: int = 3) -> ex.Expr:
        """A number on its own: nothing has been used or changed yet."""
        self.used, self.changed = set(), set()
        return self.value(depth)

    def of_type(self, of: Type, depth: int = 3) -> ex.Expr:
        """A full expression that may be stored as `of`."""
        value = self.full(depth)
        if of.real and self.portable:
            return Small(of, self.real(depth - 1) if self.chance(40) else value)
        return self.into(of, value)

    @staticmethod
    def into(of: Type, value: ex.Expr) -> ex.Expr:
        """A value that C converts to `of` by itself."""
        return whole(value) if of.bits < 32 else value

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
        leaves += [ex.Special(UINT, f"{n}.x") for n in ("blockIdx", "blockDim", "gridDim")]
        left = self.random.choice(leaves)
        if not depth or self.chance(30):
            return left
        right = self.uniform(depth - 1) if self.chance(40) else whole(self.literal())
        return self.safe(self.random.choice(("<", "==", "!=", ">", "+", "^", "&")), left, right)

    # Numbers.

    def value(self, depth: int) -> ex.Expr:
        """A number, in portable programs a whole one."""
        if depth <= 0:
            return self.leaf()
        return self.random.choice(self.numbers())(depth - 1)

    def number(self, depth: int) -> ex.Expr:
        """A whole number."""
        return whole(self.value(depth))

    def numbers(self) -> list[Callable[[int], ex.Expr]]:
        """What makes numbers, the likelier the oftener."""
        makers = [self.leaf] * 2 + [self.binary] * 6 + [self.element] * 4
        makers += [self.unary, self.compare, self.logical, self.choice, self.cast]
        makers += [self.extreme, self.change, self.change, self.call]
        return [*makers, self.intrinsic, self.from_real] if self.portable else makers

    def leaf(self, depth: int = 0) -> ex.Expr:
        free = [v for v in self.scope if not v.array and v.name not in self.changed]
        free = [v for v in free if not (self.portable and v.type.real)]
        if not free or self.chance(25):
            return self.literal()
        return self.variable(self.random.choice(free))

    def variable(self, var: Var) -> ex.Expr:
        self.used.add(var.name)
        return ex.Variable(var.type, var.name)

    def literal(self) -> ex.Expr:
        of = self.random.choice(WHOLE if self.portable else (*WHOLE, *REAL, *REAL))
        if of.real:
            return ex.Literal(of, self.random.choice(REALS))
        value = self.random.choice(NUMBERS)
        return ex.Literal(of, of.convert(-value if of.signed and self.chance(30) else value))

    def binary(self, depth: int) -> ex.Expr:
        op = self.random.choice(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
        left, right = self.value(depth), self.value(depth - 1)
        if op == "/" and not self.portable and self.chance(30):
            return ex.Binary.of("/", ex.Cast(self.random.choice(REAL), left), right)
        return self.safe(op, left, right)

    def safe(self, op: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
        """`left op right`, with guards where C leaves some operands undefined."""
        if op not in ("+", "-", "*", *ex.COMPARE):
            left, right = whole(left), whole(right)
        if op in ("<<", ">>"):
            return self.shift(op, left, right)
        if op in ("/", "%"):
            return ex.Binary.of(op, left, Divisor.of(right))
        of = common(left.type, right.type)
        guarded = self.portable or self.chance(20)
        if op in ("+", "-", "*") and of.signed and not of.real and guarded:
            return Wrapped(of, op, left, right)
        return ex.Binary.of(op, left, right)

    def shift(self, op: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
        of = promoted(left.type)
        right = Mask.of(right, of.bits - 1 if op == ">>" or not of.signed else 7)
        if op == "<<" and of.signed and self.portable:
            return Wrapped(of, op, left, right)
        return ex.Binary.of(op, left, right)

    def compare(self, depth: int) -> ex.Expr:
        op = self.random.choice(("<", ">", "<=", ">=", "==", "!="))
        maker = self.real if self.portable and self.chance(25) else self.value
        return ex.Binary.of(op, maker(depth), maker(depth - 1))

    def unary(self, depth: int) -> ex.Expr:
        op, node = self.random.choice("-+~!"), self.value(depth)
        node = whole(node) if op == "~" else node
        of = promoted(node.type)
        if op == "-" and of.signed and self.portable:
            return Wrapped(of, "-", ex.Literal(of, 0), node)
        return ex.Unary.of(op, node)

    def logical(self, depth: int) -> ex.Expr:
        op = self.random.choice(("&&", "||"))
        return ex.Logical(BOOL, op, self.value(depth), self.value(depth))

    def choice(self, depth: int) -> ex.Expr:
        test, then, other = self.value(depth - 1), self.value(depth), self.value(depth)
        of = common(then.type, other.type) if then.type != other.type else then.type
        return ex.Choice(of, test, then, other)

    def cast(self, depth: int) -> ex.Expr:
        of = self.random.choice(WHOLE if self.portable else (*WHOLE, *REAL))
        return ex.Cast(of, self.into(of, self.value(depth)))

    def intrinsic(self, depth: int) -> ex.Expr:
        name = self.random.choice(sorted(INTRINSICS))
        return Intrinsic.of(name, [self.number(depth - 1) for _ in INTRINSICS[name][0]])

    def extreme(self, depth: int) -> ex.Expr:
        of = self.random.choice((INT, UINT, LLONG, ULLONG))
        sides = (ex.Cast(of, self.value(depth - 1)) for _ in range(2))
        return ex.Extreme(of, self.random.choice(("min", "max")), *sides)

    def from_real(self, depth: int) -> ex.Expr:
        return ex.Cast(INT, self.real(depth))

    # Exact reals.

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
            return ex.Choice(of, self.value(depth - 1), one, two)
        pair = ex.Binary.of(self.random.choice("+-*"), one, two)
        return ex.Binary.of(self.random.choice("+-"), pair, self.real_leaf(of, 0))

    def real_leaf(self, of: Type, depth: int) -> ex.Expr:
        numbers = [v for v in self.scope if v.type == of and not v.array]
        numbers = [v for v in numbers if v.name not in self.changed]
        if numbers and self.portable and self.chance(50):
            return self.variable(self.random.choice(numbers))
        if self.chance(20):
            return ex.Literal(of, float(self.random.choice((0, 1, 3, 100, 1000))))
        node = self.element_of(REAL, depth - 1) if self.chance(50) else None
        return Small(of, node or self.value(depth))

    # Memory.

    def element(self, depth: int) -> ex.Expr:
        """Read an element of some array."""
        return self.element_of(WHOLE if self.portable else WHOLE + REAL, depth) or self.leaf()

    def element_of(self, types: tuple[Type, ...], depth: int) -> ex.Expr | None:
        free = [v for v in self.scope if v.array and not v.names & self.changed]
        free = [v for v in free if v.type in types]
        if not free:
            return None
        var = self.random.choice(free)
        self.used |= var.names
        place = self.place(var, depth)
        readable = not var.writable and var.uniform and self.chance(15)
        return Ldg(var.type, place) if readable else place

    def place(self, var: Var, depth: int) -> ex.Subscript:
        """An element of an array that this thread may touch."""
        if not var.cells:
            return self.subscript(var, self.index(var, depth))
        name, offset = self.random.choice(var.cells)
        index: ex.Expr = ex.Variable(INT, name)
        index = ex.Binary.of("+", index, self.offset(offset)) if offset else index
        return self.subscript(var, index)

    def index(self, var: Var, depth: int) -> ex.Expr:
        """Any index below an array's limit; where that is a power of 2, perhaps masked and cast."""
        masked = isinstance(var.limit, int) and not var.limit & (var.limit - 1)
        cast = self.random.choice(INDICES) if masked and self.chance(50) else None
        return Bounded(INT, self.number(depth), var.limit, var.base, cast)

    @staticmethod
    def offset(text: str) -> ex.Expr:
        return ex.Literal(INT, int(text)) if text.isdigit() else ex.Variable(INT, text)

    def subscript(self, var: Var, index: ex.Expr) -> ex.Subscript:
        return ex.Subscript(var.type, ex.ArrayName(var.type, var.name), index, self.chance(15))

    # Effects.

    def target(self, depth: int, of: Type | None = None, real: bool = False) -> ex.Expr | None:
        """Something to change in this full expression; from here on nothing else may touch it."""
        free = [
            v
            for v in self.scope
            if v.writable
            and not v.names & (self.used | self.changed)
            and of in (None, v.type)
            and (real or not self.portable or not v.type.real)
        ]
        if not free:
            return None
        var = self.random.choice(free)
        self.changed |= var.names
        return self.place(var, depth) if var.array else ex.Variable(var.type, var.name)

    def change(self, depth: int) -> ex.Expr:
        """An assignment, compound assignment or increment, of a whole number if portable."""
        target = self.target(depth)
        if target is None:
            return self.leaf()
        of = target.type
        wraps = not self.portable or (of != BOOL and not (of.signed and of.bits >= 32))
        if wraps and of != BOOL and self.chance(30):
            return ex.Increment(of, self.random.choice(("++", "--")), self.chance(50), target)
        ops = ["", "", "+", "-", "*"] if wraps else ["", ""]
        ops += [] if of.real else ["&", "|", "^"]
        ops += [] if of.real or (of == BOOL and self.portable) else [">>", "/", "%"]
        ops += [] if of.real or self.portable else ["<<"]
        return self.compound(self.random.choice(ops), target, self.value(depth))

    def compound(self, op: str, target: ex.Expr, value: ex.Expr) -> ex.Expr:
        of = target.type
        if op in (">>", "<<"):
            value = Mask.of(value, 7)
        elif op in ("/", "%"):
            value = Divisor.of(ex.Cast(of, whole(value)))
        elif op and self.portable:
            value = ex.Cast(of, value)
        elif of.bits < 32 or op in ("&", "|", "^"):
            value = whole(value)
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
            return self.into(parameter.type, self.value(depth))
        return self.passed(need)

    def passed(self, need: Var) -> ex.Expr | None:
        """A pointer to at least as many elements as a function wants."""
        busy = self.changed | (self.used if need.writable else set())
        free = [
            v
            for v in self.scope
            if v.type == need.type and (v.array or need.limit == 1) and not v.names & busy
            if v.writable or (v.array and not need.writable)
            if need.limit == 1 or (isinstance(v.limit, int) and v.limit >= int(need.limit))
        ]
        if not free:
            return None
        var = self.random.choice(free)
        (self.changed if need.writable else self.used).update(var.names)
        if not var.array:
            return ex.Address(var.type, ex.Variable(var.type, var.name))
        return first(var) if need.limit != 1 else self.spot(var)

    def spot(self, var: Var) -> ex.Expr:
        """A pointer to an element."""
        if var.limit and not var.base and self.chance(50):
            return ex.ArrayName(var.type, var.name)
        return ex.Address(var.type, self.place(var, 0))


def first(var: Var) -> ex.Expr:
    """A pointer to the first element of an array that this thread may touch."""
    array = ex.ArrayName(var.type, var.name)
    return ex.Step(var.type, array, ex.Variable(INT, var.base)) if var.base else array
