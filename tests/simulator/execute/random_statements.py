"""Random statements over the variables that are in scope."""

from __future__ import annotations

from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.types import (
    FLOAT,
    INT,
    LLONG,
    TYPES,
    UCHAR,
    UINT,
)
from tests.simulator.execute.random_expressions import (
    COUNTERS,
    Context,
    Expressions,
    Var,
    narrowed,
    pointer_to,
)

LARGEST_BLOCK = 64
LANE = ex.Special(UINT, "threadIdx.x")


class Statements(Expressions):
    """Random statements in a context."""

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
        if target is None or var.names & self.changed:
            return []
        value: ex.Expr = ex.Variable(var.type, var.name)
        value = self.whole_of(value) if target.type.bits < 32 else value
        return [
            st.Evaluate(ex.Assign(target.type, self.random.choice(("+", "-", "")), target, value))
        ]

    def statement(self, context: Context) -> list[st.Stmt]:
        makers = [self.evaluate] * 4 + [self.declare] * 3 + [self.declare_array]
        makers += [self.pointer, self.pointer_variable, self.redirect, self.call_statement]
        makers += [self.late]
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
        self.scope.append(Var(name, of, length))
        return [st.DeclareArray(of, name, values, length)]

    def pointer(self, context: Context) -> list[st.Stmt]:
        """A pointer into an array, or into one of two, used and moved."""
        arrays = [v for v in self.scope if v.length >= 4 and not v.targets]
        if not arrays:
            return self.declare(context)
        var = self.random.choice(arrays)
        others = [v for v in self.scope if v.length >= 4 and v.type == var.type]
        name, value = self.fresh("p"), pointer_to(var)
        writable, test = var.writable, self.full(1)
        if self.chance(40):
            other = self.random.choice([v for v in others if not v.targets])
            value = ex.Choice(var.type, test, value, pointer_to(other))
            writable = writable and other.writable
        made: list[st.Stmt] = [st.Declare(var.type, name, value, star=True)]
        base, of = ex.Variable(var.type, name), var.type
        if self.chance(40):
            made.append(st.Evaluate(ex.Increment(of, "++", self.chance(50), base)))
        self.used, self.changed = {n for v in others for n in v.names}, set()
        place = ex.Subscript(of, base, self.masked(1, 1), self.chance(50))
        if writable and self.chance(70):
            value = ex.Cast(of, self.whole_of(self.number(1)))
            made.append(st.Evaluate(ex.Assign(of, "", place, value)))
        else:
            seen = self.fresh("v")
            made.append(st.Declare(of, seen, place))
            self.scope.append(Var(seen, of))
        return made

    def pointer_variable(self, context: Context) -> list[st.Stmt]:
        """A pointer that lives on, into one of two arrays."""
        arrays = [v for v in self.scope if v.length >= 4 and not v.targets]
        if not arrays:
            return self.declare(context)
        one = self.random.choice(arrays)
        two = self.random.choice([v for v in arrays if v.type == one.type])
        var = Var(
            self.fresh("p"),
            one.type,
            4,
            one.writable and two.writable,
            targets=frozenset({one.name, two.name}),
        )
        self.scope.append(var)
        return [st.Declare(one.type, var.name, pointer_to(one), star=True)]

    def redirect(self, context: Context) -> list[st.Stmt]:
        """Let such a pointer point to the other of its arrays, or to either of the two."""
        names = {v.name: v for v in self.scope}
        pointers = [v for v in self.scope if v.targets]
        if not pointers:
            return self.pointer_variable(context)
        var = self.random.choice(pointers)
        sides = [pointer_to(names[n]) for n in sorted(var.targets)]
        value = self.random.choice(sides)
        if self.chance(30):
            value = ex.Choice(var.type, self.full(2), sides[0], sides[-1])
        return [st.Evaluate(ex.Assign(var.type, "", ex.Variable(var.type, var.name), value))]

    def call_statement(self, context: Context) -> list[st.Stmt]:
        if not self.functions:
            return self.evaluate(context)
        self.used, self.changed = set(), set()
        call = self.call_of(*self.random.choice(self.functions), 2)
        return [st.Evaluate(call)] if call else self.evaluate(context)

    def atomic(self, context: Context) -> list[st.Stmt]:
        value = self.full(2)
        # No index that the compiler sees to be the same for all lanes: those atomics are merged.
        apart = ex.Binary.of("&", LANE, ex.Literal(INT, self.random.randrange(COUNTERS)))
        index = ex.Binary.of("+", self.masked(1, COUNTERS - 1), apart)
        index = ex.Binary.of("&", index, ex.Literal(INT, COUNTERS - 1))
        target = ex.Subscript(INT, ex.ArrayName(INT, "counters"), index)
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
