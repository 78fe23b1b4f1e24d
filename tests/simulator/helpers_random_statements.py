"""Random statements, functions and whole kernels; `program` is the entrance."""

from __future__ import annotations

from random import Random

from tests.simulator import helpers_expressions as ex
from tests.simulator import helpers_statements as st
from tests.simulator.helpers_random import (
    COUNTERS,
    INPUTS,
    SLOTS,
    Context,
    Expressions,
    Var,
    narrowed,
    pointer_to,
)
from tests.simulator.helpers_types import (
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    TYPES,
    UCHAR,
    UINT,
    ULLONG,
)

LARGEST_BLOCK = 64


class Statements(Expressions):
    """Random statements in a context.

    `wandering`: some computed pointer may lead to a thread's own array.
    """

    wandering = False

    def body(self, context: Context, least: int = 1) -> st.Body:
        """A block; what it declares ends with it."""
        outside = len(self.scope)
        statements: list[st.Stmt] = []
        for _ in range(self.random.randint(least, 4)):
            statements += self.statement(context)
            if isinstance(statements[-1], (st.Jump, st.Return)):
                break
        else:
            statements += self.observe(outside)
        del self.scope[outside:]
        return st.Body(statements)

    def observe(self, outside: int) -> list[st.Stmt]:
        """Let some of what the block declared be seen outside."""
        inner = [v for v in self.scope[outside:] if not v.length]
        seen = [v for v in self.scope[:outside] if v.writable]
        if not inner or not seen or self.chance(30):
            return []
        self.used, self.changed = set(), set()
        target = self.target(0, self.random.choice(seen).type)
        var = self.random.choice(inner)
        if target is None or var.name in self.changed:
            return []
        value: ex.Expr = ex.Variable(var.type, var.name)
        value = self.whole_of(value) if target.type.bits < 32 else value
        return [
            st.Evaluate(ex.Assign(target.type, self.random.choice(("+", "-", "")), target, value))
        ]

    def statement(self, context: Context) -> list[st.Stmt]:
        makers = [self.evaluate] * 4 + [self.declare] * 3 + [self.declare_array]
        makers += [self.pointer, self.call_statement, self.late]
        if context.depth > 0:
            makers += [self.branch] * 4 + [self.loop] * 3 + [self.block]
        if context.kernel:
            makers += [self.atomic]
        if context.kernel and context.uniform:
            makers += [self.barrier, self.exchange]
        if self.may_jump(context):
            makers += [self.jump] * 2
        if context.depth < 3 or not context.kernel:
            makers += [self.give_back]
        return self.random.choice(makers)(context)

    def evaluate(self, context: Context) -> list[st.Stmt]:
        self.used, self.changed = set(), set()
        node = self.change(3)
        if self.chance(15):
            node = ex.Comma(node.type, node, self.change(2))
        return [st.Evaluate(node)]

    def declare(self, context: Context) -> list[st.Stmt]:
        of = self.random.choice((INT, *TYPES))
        value = self.full()
        value = self.whole_of(value) if of.bits < 32 else value
        name = self.fresh("v")
        self.scope.append(Var(name, of))
        return [st.Declare(of, name, value)]

    def late(self, context: Context) -> list[st.Stmt]:
        """A variable that both sides of a branch set."""
        of = self.random.choice((INT, UINT, LLONG, FLOAT))
        name, test = self.fresh("v"), self.test()
        target = ex.Variable(of, name)
        sides = [st.Body([st.Evaluate(ex.Assign(of, "", target, self.full(2)))]) for _ in range(2)]
        self.scope.append(Var(name, of))
        return [st.Declare(of, name, None), st.If(test, *sides)]

    def declare_array(self, context: Context) -> list[st.Stmt]:
        of = self.random.choice((INT, INT, UINT, LLONG, UCHAR, FLOAT))
        name, length = self.fresh("a"), self.random.choice((2, 4, 8))
        values = [self.full(1) for _ in range(self.random.randint(0, length))]
        values = [ex.Cast(of, self.whole_of(v) if of.bits < 32 else v) for v in values]
        self.scope.append(Var(name, of, length, private=True))
        return [st.DeclareArray(of, name, values, length)]

    def pointer(self, context: Context) -> list[st.Stmt]:
        """A pointer into an array, or into one of two, used and moved."""
        arrays = [v for v in self.scope if v.length >= 4]
        if not arrays:
            return self.declare(context)
        var = self.random.choice(arrays)
        others = [v for v in arrays if v.type == var.type]
        name, value = self.fresh("p"), pointer_to(var)
        writable, test = var.writable, self.full(1)
        if self.chance(40):
            other = self.random.choice(others)
            value = ex.Choice(var.type, test, value, pointer_to(other))
            writable = writable and other.writable
            self.wandering |= var.private or other.private
        made: list[st.Stmt] = [st.Declare(var.type, name, value, star=True)]
        base, of = ex.Variable(var.type, name), var.type
        if self.chance(40):
            self.wandering |= var.private
            made.append(st.Evaluate(ex.Increment(of, "++", self.chance(50), base)))
        self.used, self.changed = {v.name for v in others}, set()
        place = ex.Subscript(of, base, self.masked(1, 1), self.chance(50))
        if writable and self.chance(70):
            value = ex.Cast(of, self.whole_of(self.number(1)))
            made.append(st.Evaluate(ex.Assign(of, "", place, value)))
        else:
            seen = self.fresh("v")
            made.append(st.Declare(of, seen, place))
            self.scope.append(Var(seen, of))
        return made

    def call_statement(self, context: Context) -> list[st.Stmt]:
        if not self.functions:
            return self.evaluate(context)
        self.used, self.changed = set(), set()
        call = self.call_of(*self.random.choice(self.functions), 2)
        return [st.Evaluate(call)] if call else self.evaluate(context)

    def atomic(self, context: Context) -> list[st.Stmt]:
        value = self.full(2)
        target = ex.Subscript(INT, ex.ArrayName(INT, "counters"), self.masked(1, COUNTERS - 1))
        return [st.Evaluate(ex.Atomic(INT, "atomicAdd", target, self.whole_of(value)))]

    # Barriers.

    def barrier(self, context: Context) -> list[st.Stmt]:
        if self.chance(50):
            return [st.Barrier()]
        name, test = self.fresh("v"), self.full(2)
        self.scope.append(Var(name, INT, uniform=True, writable=False))
        return [st.Barrier(self.random.choice(("count", "and", "or")), name, self.whole_of(test))]

    def exchange(self, context: Context) -> list[st.Stmt]:
        """Every thread shows a value in shared memory and reads a neighbour's."""
        name, value = self.fresh("v"), self.whole_of(self.full(2))
        mine = ex.Subscript(INT, ex.ArrayName(INT, "shown"), ex.Variable(INT, "tid"))
        step = ex.Literal(INT, self.random.randint(1, 40))
        place = ex.Binary.of("+", ex.Variable(INT, "tid"), step)
        place = ex.Binary.of("&", place, ex.Literal(INT, LARGEST_BLOCK - 1))
        theirs = ex.Subscript(INT, ex.ArrayName(INT, "shown"), place)
        self.scope.append(Var(name, INT))
        return [
            st.Evaluate(ex.Assign(INT, "", mine, value)),
            st.Barrier(),
            st.Declare(INT, name, theirs),
            st.Barrier(),
        ]

    # Control flow.

    def block(self, context: Context) -> list[st.Stmt]:
        return [self.body(narrowed(context))]

    def branch(self, context: Context) -> list[st.Stmt]:
        uniform = self.chance(30)
        test = self.uniform() if uniform else self.test()
        inner = narrowed(context, uniform=context.uniform and uniform)
        then = self.body(inner)
        return [st.If(test, then, self.body(inner) if self.chance(50) else None)]

    def loop(self, context: Context) -> list[st.Stmt]:
        maker = self.random.choice((self.counted, self.counted, self.fuelled))
        return maker(context)

    def counted(self, context: Context) -> list[st.Stmt]:
        """A for loop with a counter that only the loop moves."""
        uniform, name = self.chance(30), self.fresh("k")
        counter = ex.Variable(INT, name)
        self.used, self.changed = set(), set()
        bound = ex.Literal(INT, self.random.randint(1, 3)) if uniform else self.masked(2, 3)
        outside = len(self.scope)
        self.scope.append(Var(name, INT, writable=False, uniform=uniform))
        moves = (
            ex.Increment(INT, "++", self.chance(50), counter),
            ex.Assign(INT, "+", counter, ex.Literal(INT, self.random.randint(1, 2))),
        )
        body = self.body(self.inside(context, uniform))
        del self.scope[outside:]
        start = st.Declare(INT, name, ex.Literal(INT, 0))
        test = ex.Binary.of("<", counter, bound)
        return [st.Loop("for", start, test, self.random.choice(moves), body)]

    def inside(self, context: Context, uniform: bool) -> Context:
        collective = uniform and context.uniform
        return narrowed(context, loop=collective, uniform=collective)

    def fuelled(self, context: Context) -> list[st.Stmt]:
        """while, do and endless loops that a falling counter ends."""
        name, kind = self.fresh("w"), self.random.choice(("while", "do", "for"))
        fuel = ex.Variable(INT, name)
        start = st.Declare(INT, name, ex.Literal(INT, self.random.randint(0, 3)))
        fall = ex.Increment(INT, "--", kind == "do", fuel)
        test: ex.Expr = ex.Binary.of(">", fall, ex.Literal(INT, 0))
        outside = len(self.scope)
        self.scope.append(Var(name, INT, writable=False))
        self.used, self.changed = set(), {name}
        if kind != "for" and self.chance(60):
            test = ex.Logical(test.type, "&&", test, self.number(2))
        body = self.body(self.inside(context, False))
        if kind == "for":
            stop = st.If(ex.Unary.of("!", test), st.Body([st.Jump("break")]), None)
            body = st.Body([stop, *body.statements])
        del self.scope[outside:]
        return [start, st.Loop(kind, None, None if kind == "for" else test, None, body)]

    def may_jump(self, context: Context) -> bool:
        return context.loop is not None and (context.uniform or not context.loop)

    def jump(self, context: Context) -> list[st.Stmt]:
        word = st.Jump(self.random.choice(("break", "continue")))
        if self.chance(20):
            return [word]
        test = self.uniform() if context.loop else self.test()
        return [st.If(test, st.Body([word]), None)]

    def give_back(self, context: Context) -> list[st.Stmt]:
        value = self.full(2) if context.result else None
        if value is not None and context.result and context.result.bits < 32:
            value = self.whole_of(value)
        back = st.Return(context.result, value)
        if self.chance(20):
            return [back]
        return [st.If(self.test(), st.Body([back]), None)]


def function(maker: Statements) -> None:
    """Add a device function to those that `maker` can call."""
    of = maker.random.choice((INT, INT, UINT, LLONG, FLOAT, None))
    needs, parameters = [], []
    for _ in range(maker.random.randint(1, 3)):
        mode = maker.random.choice(("value", "value", "reference", "pointer"))
        kind = maker.random.choice((INT, INT, FLOAT, LLONG, UCHAR))
        name = maker.fresh("q")
        length = maker.random.choice((1, 4)) if mode == "pointer" else 0
        writable = maker.chance(50) or mode != "pointer"
        needs.append(Var(name, kind, length, writable, private=True))
        parameters.append(st.Parameter(kind, name, mode))
    outside, maker.scope = maker.scope, list(needs)
    body = maker.body(Context(2, result=of, kernel=False))
    body.statements += maker.give_back(Context(0, result=of, kernel=False))
    if of is not None:
        body.statements.append(st.Return(of, ex.Literal(INT, maker.random.randint(0, 9))))
    maker.scope = outside
    name = maker.fresh("f")
    maker.functions.append((st.Function(name, of, parameters, body), needs))


def program(random: Random) -> st.Program:
    """A whole kernel: `k(inputs…, outputs…, counters, numbers…)`."""
    maker = Statements(random)
    for _ in range(random.randint(0, 2)):
        function(maker)
    kinds = random.sample((INT, UINT, LLONG, ULLONG, UCHAR, FLOAT, DOUBLE), 2)
    parameters, outputs = [st.Parameter(INT, "counters", "pointer")], (INT, *kinds)
    for at, of in enumerate(kinds):
        maker.scope.append(Var(f"in{at}", of, INPUTS, writable=False))
        parameters.append(st.Parameter(of, f"in{at}", "pointer"))
    for at, of in enumerate(outputs):
        maker.scope.append(Var(f"out{at}", of, SLOTS, own=True))
        parameters.append(st.Parameter(of, f"out{at}", "pointer"))
    for name, of in (("n", INT), ("m", UINT)):
        maker.scope.append(Var(name, of, writable=False, uniform=True))
        parameters.append(st.Parameter(of, name))
    head = [declared(*pair) for pair in ((("tid"), tid()), ("gid", gid()))]
    shown = ex.Subscript(INT, ex.ArrayName(INT, "shown"), ex.Variable(INT, "tid"))
    head += shared_start(shown)
    maker.scope += [Var("tid", INT, writable=False), Var("gid", INT, writable=False)]
    body = maker.body(Context(3, uniform=True), least=3)
    body.statements[:0] = head
    functions = [f for f, _ in maker.functions]
    shared = {"shown": (INT, LARGEST_BLOCK)}
    return st.Program(functions, parameters, shared, body, maker.wandering)


def shared_start(shown: ex.Subscript) -> list[st.Stmt]:
    """Every element of the shared array is set before anyone looks."""
    counter = ex.Variable(INT, "s")
    place = ex.Subscript(INT, ex.ArrayName(INT, "shown"), counter)
    fill = st.Evaluate(ex.Assign(INT, "", place, ex.Literal(INT, 1)))
    size = extent("blockDim")
    start = st.Declare(INT, "s", ex.Variable(INT, "tid"))
    test = ex.Binary.of("<", counter, ex.Literal(INT, LARGEST_BLOCK))
    loop = st.Loop("for", start, test, ex.Assign(INT, "+", counter, size), st.Body([fill]))
    return [loop, st.Barrier()]


def declared(name: str, value: ex.Expr) -> st.Stmt:
    return st.Declare(INT, name, value)


def special(name: str, axis: str) -> ex.Expr:
    return ex.Special(UINT, f"{name}.{axis}")


def extent(name: str) -> ex.Expr:
    """All threads of a block, or all blocks."""
    plane = ex.Binary.of("*", special(name, "x"), special(name, "y"))
    return ex.Binary.of("*", plane, special(name, "z"))


def linear(place: str, size: str) -> ex.Expr:
    """x + X * (y + Y * z)."""
    inner = ex.Binary.of("*", special(size, "y"), special(place, "z"))
    inner = ex.Binary.of("+", special(place, "y"), inner)
    outer = ex.Binary.of("*", special(size, "x"), inner)
    return ex.Binary.of("+", special(place, "x"), outer)


def tid() -> ex.Expr:
    return linear("threadIdx", "blockDim")


def gid() -> ex.Expr:
    block = ex.Binary.of("*", linear("blockIdx", "gridDim"), extent("blockDim"))
    return ex.Binary.of("+", ex.Variable(INT, "tid"), block)
