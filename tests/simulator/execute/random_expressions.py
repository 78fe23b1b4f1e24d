"""Random kernels without races and undefined behaviour: every machine must compute the same.

A thread writes its own variables, its four elements of every output array, its element of shared
arrays between barriers, and counters by atomics whose order does not matter. In one full expression
nothing is both changed and used elsewhere. Loops have bounds, indices are masked, divisors are
positive, shifts are short.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.types import (
    DOUBLE,
    FLOAT,
    INT,
    INTEGERS,
    LLONG,
    TYPES,
    UCHAR,
    UINT,
    ULLONG,
    Type,
    common,
)

INPUTS, SLOTS, COUNTERS = 16, 4, 8


@dataclass(frozen=True)
class Var:
    """Something with a name: a number (`length` 0) or `length` elements behind an array or pointer.

    `own` says that a thread's elements start at `gid * SLOTS`. A pointer variable has the arrays
    that it may point to as `targets`.
    """

    name: str
    type: Type
    length: int = 0
    writable: bool = True
    uniform: bool = False
    own: bool = False
    targets: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Everything that may change or be read when this is."""
        return self.targets | {self.name}


@dataclass(frozen=True)
class Context:
    """Where a statement stands.

    `loop` is None outside loops, else whether it is collective (all threads of the block make the
    same turns); `uniform`: all threads of the block that still run come here together.
    """

    depth: int
    loop: bool | None = None
    uniform: bool = False
    result: Type | None = None
    kernel: bool = True


@dataclass
class Expressions:
    """Random expressions over the variables in `scope`."""

    random: Random
    scope: list[Var] = field(default_factory=list)
    functions: list[tuple[st.Function, list[Var]]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    names: int = 0

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    # Full expressions.

    def full(self, depth: int = 3) -> ex.Expr:
        """An expression on its own: nothing has been used or changed yet."""
        self.used, self.changed = set(), set()
        return self.number(depth)

    def test(self, depth: int = 2) -> ex.Expr:
        """A condition; the sides of a top-level && or || may follow on each other's effects."""
        left = self.full(depth)
        if self.chance(25):
            return ex.Logical(
                INTEGERS[-1], self.random.choice(("&&", "||")), left, self.full(depth)
            )
        return left

    def uniform(self, depth: int = 2) -> ex.Expr:
        """A condition that all threads of a block agree on."""
        self.used, self.changed = set(), set()
        names = [v for v in self.scope if v.uniform and not v.length]
        leaves: list[ex.Expr] = [ex.Variable(v.type, v.name) for v in names]
        leaves += [self.constant_element(v) for v in self.scope if v.uniform and v.length]
        leaves += [ex.Special(UINT, f"{n}.x") for n in ("blockIdx", "blockDim", "gridDim")]
        left = self.random.choice(leaves)
        if not depth or self.chance(30):
            return left
        right = self.uniform(depth - 1) if self.chance(40) else self.literal()
        return ex.Binary.of(
            self.random.choice(("<", "==", "!=", ">", "+", "^")), *self.whole2(left, right)
        )

    def whole2(self, *sides: ex.Expr) -> tuple[ex.Expr, ...]:
        return tuple(self.whole_of(s) for s in sides)

    # Numbers.

    def number(self, depth: int) -> ex.Expr:
        if depth <= 0:
            return self.leaf()
        makers = (
            [self.leaf] * 2
            + [self.binary] * 5
            + [self.element] * 3
            + [self.unary, self.compare, self.logical, self.choice, self.cast, self.extreme]
            + [self.change] * 2
            + [self.call] * 2
        )
        return self.random.choice(makers)(depth - 1)

    def whole(self, depth: int) -> ex.Expr:
        return self.whole_of(self.number(depth))

    @staticmethod
    def whole_of(node: ex.Expr) -> ex.Expr:
        return ex.Cast(INT, node) if node.type.real else node

    def masked(self, depth: int, mask: int) -> ex.Expr:
        """An index from 0 to `mask`, of any integer type."""
        node: ex.Expr = ex.Binary.of("&", self.whole(depth), ex.Literal(INT, mask))
        if self.chance(20):
            node = ex.Literal(INT, self.random.randint(0, mask))
        if self.chance(20):
            node = ex.Cast(self.random.choice((UCHAR, UINT, LLONG, ULLONG, INT)), node)
        return node

    def leaf(self, depth: int = 0) -> ex.Expr:
        names = [v for v in self.scope if not v.length and v.name not in self.changed]
        if not names or self.chance(25):
            return self.literal()
        var = self.random.choice(names)
        self.used.add(var.name)
        return ex.Variable(var.type, var.name)

    def literal(self) -> ex.Expr:
        of = self.random.choice((INT, INT, INT, *TYPES))
        if of.real:
            return ex.Literal(of, self.random.choice((0.0, 1.0, -1.5, 0.25, 3.0, 1e10, 7.75)))
        return ex.Literal(
            of, of.convert(self.random.choice((0, 1, 2, 3, 5, -1, 7, 100, 255, -1000)))
        )

    def binary(self, depth: int) -> ex.Expr:
        op = self.random.choice(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
        left, right = self.number(depth), self.number(depth - 1)
        if op in "+-*":
            return ex.Binary.of(op, left, right)
        if op == "/" and self.chance(30):
            return ex.Binary.of("/", ex.Cast(self.random.choice((FLOAT, DOUBLE)), left), right)
        left, right = self.whole2(left, right)
        if op in ("/", "%"):
            right = ex.Binary.of(
                "+", ex.Binary.of("&", right, ex.Literal(INT, 7)), ex.Literal(INT, 1)
            )
        if op in ("<<", ">>"):
            right = ex.Binary.of("&", right, ex.Literal(INT, 7))
        return ex.Binary.of(op, left, right)

    def compare(self, depth: int) -> ex.Expr:
        op = self.random.choice(("<", ">", "<=", ">=", "==", "!="))
        return ex.Binary.of(op, self.number(depth), self.number(depth - 1))

    def unary(self, depth: int) -> ex.Expr:
        op = self.random.choice("-+~!")
        node = self.number(depth)
        return ex.Unary.of(op, self.whole_of(node) if op == "~" else node)

    def logical(self, depth: int) -> ex.Expr:
        op = self.random.choice(("&&", "||"))
        return ex.Logical(INTEGERS[-1], op, self.number(depth), self.number(depth))

    def choice(self, depth: int) -> ex.Expr:
        test, then, other = self.number(depth - 1), self.number(depth), self.number(depth)
        of = common(then.type, other.type) if then.type != other.type else then.type
        return ex.Choice(of, test, then, other)

    def cast(self, depth: int) -> ex.Expr:
        of, node = self.random.choice(TYPES), self.number(depth)
        return ex.Cast(of, self.whole_of(node) if of.bits < 32 else node)

    def extreme(self, depth: int) -> ex.Expr:
        of = self.random.choice((INT, UINT, LLONG))
        sides = (ex.Cast(of, self.number(depth - 1)) for _ in range(2))
        return ex.Extreme(of, self.random.choice(("min", "max")), *sides)

    # Memory.

    def element(self, depth: int) -> ex.Expr:
        """Read an element of some array."""
        arrays = [v for v in self.scope if v.length and not v.names & self.changed]
        if not arrays:
            return self.leaf()
        var = self.random.choice(arrays)
        self.used |= var.names
        return self.subscript(var, depth)

    def constant_element(self, var: Var) -> ex.Expr:
        """An element of an array of inputs that is the same for all threads."""
        index = ex.Literal(INT, self.random.randrange(var.length))
        return ex.Subscript(var.type, ex.ArrayName(var.type, var.name), index)

    def subscript(self, var: Var, depth: int) -> ex.Subscript:
        index = self.masked(depth, var.length - 1)
        if var.own:
            index = ex.Binary.of("+", start_of_own(), index)
        return ex.Subscript(var.type, ex.ArrayName(var.type, var.name), index, self.chance(20))

    def target(self, depth: int, of: Type | None = None) -> ex.Expr | None:
        """Something to change in this full expression; from here on nothing else may touch it."""
        free = [
            v
            for v in self.scope
            if v.writable and not v.names & (self.used | self.changed) and of in (None, v.type)
        ]
        if not free:
            return None
        var = self.random.choice(free)
        self.changed |= var.names
        return self.subscript(var, depth) if var.length else ex.Variable(var.type, var.name)

    def change(self, depth: int) -> ex.Expr:
        """An assignment, compound assignment or increment."""
        target = self.target(depth)
        if target is None:
            return self.leaf()
        if self.chance(40) and target.type.bits > 1:
            return ex.Increment(
                target.type, self.random.choice(("++", "--")), self.chance(50), target
            )
        ops = ("", "", "+", "-", "*") if target.type.real else ("", "", *"+-*&|^", "<<", ">>")
        op, value = self.random.choice(ops), self.number(depth)
        narrow = target.type.bits < 32 or op in ("&", "|", "^", "<<", ">>")
        value = self.whole_of(value) if narrow else value
        if op in ("<<", ">>"):
            value = ex.Binary.of("&", value, ex.Literal(INT, 7))
        return ex.Assign(target.type, op, target, value)

    # Calls.

    def call(self, depth: int) -> ex.Expr:
        """A call of a device function that gives a value."""
        usable = [f for f in self.functions if f[0].result is not None]
        made = self.call_of(*self.random.choice(usable), depth) if usable else None
        return made or self.leaf()

    def call_of(self, function: st.Function, needs: list[Var], depth: int) -> st.Call | None:
        before = set(self.used), set(self.changed)
        arguments = []
        for parameter, need in zip(function.parameters, needs, strict=True):
            argument = self.argument(parameter, need, depth)
            if argument is None:
                self.used, self.changed = before
                return None
            arguments.append(argument)
        return st.Call(function.result or INT, function, arguments)

    def argument(self, parameter: st.Parameter, need: Var, depth: int) -> ex.Expr | None:
        if parameter.mode == "reference":
            return self.target(depth, parameter.type)
        if parameter.mode == "value":
            node = self.number(depth)
            return self.whole_of(node) if parameter.type.bits < 32 else node
        busy = self.changed | (self.used if need.writable else set())
        free = [
            v
            for v in self.scope
            if v.type == need.type
            and not v.names & busy
            and (v.length >= need.length or (not v.length and need.length == 1))
            and (v.writable or not need.writable)
        ]
        free = [v for v in free if v.length or v.writable]
        if not free:
            return None
        var = self.random.choice(free)
        (self.changed if need.writable else self.used).update(var.names)
        return pointer_to(var)


def pointer_to(var: Var) -> ex.Expr:
    """The thread's elements of an array, or a variable's address, as a pointer."""
    if not var.length:
        return ex.Address(var.type, ex.Variable(var.type, var.name))
    array = ex.ArrayName(var.type, var.name)
    return ex.Step(var.type, array, start_of_own()) if var.own else array


def start_of_own() -> ex.Expr:
    """Where a thread's elements of an output array start."""
    return ex.Binary.of("*", ex.Variable(INT, "gid"), ex.Literal(INT, SLOTS))


def narrowed(context: Context, **changes: object) -> Context:
    """The context one level further in."""
    return replace(context, depth=context.depth - 1, **changes)  # type: ignore[arg-type]
