"""Random statements of one thread: assignments, declarations, branches and loops with bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.fuzz.expressions import REAL, WHOLE, Expressions, Var, first
from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.blocks import Aim
from tests.reference.guards import Mask, Small
from tests.reference.types import BOOL, FLOAT, INT, LLONG, UCHAR, UINT, ULLONG, Type


@dataclass(frozen=True)
class Context:
    """Where a statement stands.

    `whole`: all threads of the "block", or of the "warp", come here together; "" if they may not.
    `returns` says whether a return may stand here, `result` what it gives.
    """

    depth: int = 2
    whole: str = ""
    loop: bool = False
    returns: bool = False
    result: Type | None = None

    def inner(self, **changes: object) -> Context:
        """The context one level further in, where threads may be apart."""
        return replace(self, **{"depth": self.depth - 1, "whole": "", **changes})  # type: ignore[arg-type]


class ReadPointer(st.Parameter):
    """A pointer through which a function only reads."""

    def c(self) -> str:
        return f"const {super().c()}"


class Statements(Expressions):
    """Makes statements in a context."""

    def body(self, context: Context, most: int = 3) -> st.Body:
        """A block; what it declares ends with it."""
        outside = len(self.scope)
        statements: list[st.Stmt] = []
        for _ in range(self.random.randint(1, most)):
            statements += self.statement(context)
            if isinstance(statements[-1], (st.Jump, st.Return)):
                break
        else:
            statements += self.observe(self.scope[outside:], self.scope[:outside])
        del self.scope[outside:]
        return st.Body(statements)

    def observe(self, inner: list[Var], outer: list[Var]) -> list[st.Stmt]:
        """Let a number be seen in something that outlives it."""
        numbers = [v for v in inner if not v.array and not v.type.real]
        seen = [v for v in outer if v.writable and v.type in WHOLE and v.type != BOOL]
        if not numbers or not seen:
            return []
        var, target = self.random.choice(numbers), self.random.choice(seen)
        self.used, self.changed = {var.name}, {target.name}
        place = self.place(target, 0) if target.array else ex.Variable(target.type, target.name)
        return [st.Evaluate(self.compound("^", place, ex.Variable(var.type, var.name)))]

    def statement(self, context: Context) -> list[st.Stmt]:
        return self.random.choice(self.makers(context))(context)

    def makers(self, context: Context) -> list:
        makers = [self.evaluate] * 5 + [self.declare] * 2 + [self.real_assignment] * 2
        makers += [self.declare_array, self.call_statement, self.late]
        makers += [self.pointer, self.pointer_variable, self.redirected]
        if context.depth > 0:
            makers += [self.branch] * 3 + [self.counted, self.counted, self.fuelled, self.switch]
            makers += [self.block]
        if context.loop:
            makers += [self.jump] * 2
        if context.returns:
            makers += [self.give_back]
        return makers

    # Without control flow.

    def evaluate(self, context: Context) -> list[st.Stmt]:
        self.used, self.changed = set(), set()
        node = self.change(3)
        if self.changed and self.chance(15):
            node = ex.Comma(node.type, node, self.change(2))
        return [st.Evaluate(node)] if self.changed else self.declare(context)

    def real_assignment(self, context: Context) -> list[st.Stmt]:
        self.used, self.changed = set(), set()
        target = self.target(1, self.random.choice(REAL), real=True)
        if target is None:
            return self.evaluate(context)
        value = Small(target.type, self.real(2)) if self.portable else self.value(2)
        return [st.Evaluate(ex.Assign(target.type, "", target, value))]

    def declare(self, context: Context) -> list[st.Stmt]:
        of = self.random.choice((*WHOLE, *REAL))
        value, name = self.of_type(of), self.fresh("x")
        self.scope.append(Var(name, of))
        return [st.Declare(of, name, value)]

    def declare_array(self, context: Context) -> list[st.Stmt]:
        of = self.random.choice((INT, INT, UINT, LLONG, UCHAR, FLOAT))
        name, length = self.fresh("l"), self.random.choice((2, 4, 8))
        values = [self.of_type(of, 1) for _ in range(self.random.randint(0, length))]
        self.scope.append(Var(name, of, limit=length))
        return [st.DeclareArray(of, name, [ex.Cast(of, v) for v in values], length)]

    def late(self, context: Context) -> list[st.Stmt]:
        """A variable that both sides of a branch set."""
        of, name, test = self.random.choice((INT, UINT, LLONG, FLOAT)), self.fresh("x"), self.test()
        target = ex.Variable(of, name)
        values = [self.of_type(of, 2) for _ in range(2)]
        sides = [st.Body([st.Evaluate(ex.Assign(of, "", target, value))]) for value in values]
        self.scope.append(Var(name, of))
        return [st.Declare(of, name, None), st.If(test, *sides)]

    # Pointers.

    def pointed(self, lasting: bool) -> tuple[Var, Var] | None:
        """Two arrays, or one twice, into which a pointer may point; perhaps even in later phases.

        Not one of a thread's own and one in memory, though: what NVRTC makes of such a pointer did
        not always write the memory on an H200 (`regressions/own_or_memory.cu` is such a kernel).
        """
        arrays = [v for v in self.scope if isinstance(v.limit, int) and v.limit >= 4]
        arrays = [v for v in arrays if not v.targets and not (lasting and v.passing)]
        if self.portable:
            arrays = [v for v in arrays if not v.name.startswith("q")]
        if not arrays:
            return None
        one = self.random.choice(arrays)
        alike = [v for v in arrays if v.type == one.type]
        if self.portable:
            alike = [v for v in alike if is_own(v) == is_own(one)]
        return one, self.random.choice(alike)

    def pointer(self, context: Context) -> list[st.Stmt]:
        """A pointer into an array, or into one of two, perhaps moved, and used once."""
        pair = self.pointed(lasting=False)
        if pair is None:
            return self.declare(context)
        (one, two), of, name = pair, pair[0].type, self.fresh("p")
        writable, start = one.writable and two.writable, first(one)
        if self.chance(40):
            start = Aim(of, self.full(1), start, first(two))
        self.used, self.changed = {one.name, two.name}, set()
        base = ex.Variable(of, name)
        made: list[st.Stmt] = [st.Declare(of, name, start, not writable, star=True)]
        if self.chance(40):
            made.append(st.Evaluate(ex.Increment(of, "++", self.chance(50), base)))
        place = ex.Subscript(of, base, self.index(Var(name, of, limit=2), 1), self.chance(50))
        if writable and self.chance(70):
            value = self.number(1)
            value = Small(of, value) if of.real and self.portable else ex.Cast(of, value)
            return [*made, st.Evaluate(ex.Assign(of, "", place, value))]
        seen = self.fresh("x")
        self.scope.append(Var(seen, of))
        return [*made, st.Declare(of, seen, place)]

    def pointer_variable(self, context: Context) -> list[st.Stmt]:
        """A pointer that lives on, into one of two arrays."""
        pair = self.pointed(lasting=True)
        if pair is None:
            return self.declare(context)
        (one, two), name = pair, self.fresh("p")
        writable, targets = one.writable and two.writable, frozenset(v.name for v in pair)
        self.scope.append(Var(name, one.type, writable, limit=4, targets=targets))
        return [st.Declare(one.type, name, first(one), not writable, star=True)]

    def redirected(self, context: Context) -> list[st.Stmt]:
        """Let such a pointer point to the other of its arrays, or to either of the two."""
        known = {v.name: v for v in self.scope}
        pointers = [v for v in self.scope if v.targets and v.targets <= known.keys()]
        if not pointers:
            return self.pointer_variable(context)
        var = self.random.choice(pointers)
        sides = [first(known[n]) for n in sorted(var.targets)]
        value = self.random.choice(sides)
        if self.chance(30):
            value = Aim(var.type, self.full(2), sides[0], sides[-1])
        return [st.Evaluate(ex.Assign(var.type, "", ex.Variable(var.type, var.name), value))]

    def call_statement(self, context: Context) -> list[st.Stmt]:
        if not self.functions:
            return self.evaluate(context)
        self.used, self.changed = set(), set()
        call = self.call_of(*self.random.choice(self.functions), 2)
        return [st.Evaluate(call)] if call else self.evaluate(context)

    # Control flow.

    def block(self, context: Context) -> list[st.Stmt]:
        return [self.body(context.inner(whole=context.whole))]

    def branch(self, context: Context) -> list[st.Stmt]:
        test = self.test()
        then = self.body(context.inner())
        return [st.If(test, then, self.body(context.inner()) if self.chance(50) else None)]

    def switch(self, context: Context) -> list[st.Stmt]:
        """Two to four cases, some of which fall through; break and continue may stand inside."""
        count, inner = self.random.randint(2, 4), context.inner()
        test = Mask.of(self.full(2), 3)
        cases = [self.body(inner, 2) for _ in range(count)]
        return [st.Switch(test, cases, [self.chance(60) for _ in range(count)])]

    def counted(self, context: Context) -> list[st.Stmt]:
        """A for loop with a counter that only the loop moves."""
        name, outside = self.fresh("k"), len(self.scope)
        self.used, self.changed = set(), set()
        bound: ex.Expr = ex.Literal(INT, self.random.randint(1, 3))
        if self.chance(60):
            bound = Mask.of(self.number(2), 3)
        self.scope.append(Var(name, INT, writable=False))
        body = self.body(context.inner(loop=True))
        del self.scope[outside:]
        return [counting(name, bound, body, self.random.randint(1, 2))]

    def fuelled(self, context: Context) -> list[st.Stmt]:
        """while, do and endless loops that a falling counter ends."""
        name, kind = self.fresh("w"), self.random.choice(("while", "do", "for"))
        fuel, outside = ex.Variable(INT, name), len(self.scope)
        start = st.Declare(INT, name, ex.Cast(INT, Mask.of(self.full(2), 3)))
        fall = ex.Increment(INT, "--", kind == "do", fuel)
        test: ex.Expr = ex.Binary.of(">", fall, ex.Literal(INT, 0))
        if kind != "for" and self.chance(60):
            test = ex.Logical(BOOL, "&&", test, self.full(2))
        self.scope.append(Var(name, INT, writable=False))
        body = self.body(context.inner(loop=True))
        if kind == "for":
            stop = st.If(ex.Unary.of("!", test), st.Body([st.Jump("break")]), None)
            body = st.Body([stop, *body.statements])
        del self.scope[outside:]
        return [start, st.Loop(kind, None, None if kind == "for" else test, None, body)]

    def jump(self, context: Context) -> list[st.Stmt]:
        word = st.Jump(self.random.choice(("break", "continue")))
        return [word] if self.chance(20) else [st.If(self.test(), st.Body([word]), None)]

    def give_back(self, context: Context) -> list[st.Stmt]:
        back = st.Return(context.result, self.full(2) if context.result else None)
        return [back] if self.chance(20) else [st.If(self.test(), st.Body([back]), None)]

    # Functions.

    def function(self) -> None:
        """Add a device function to those that can be called."""
        reals = () if self.portable else (FLOAT,)
        of = self.random.choice((INT, INT, UINT, LLONG, None, *reals))
        needs, parameters = [], []
        for _ in range(self.random.randint(1, 3)):
            mode = self.random.choice(("value", "value", "reference", "pointer"))
            kind = self.random.choice((INT, INT, UINT, LLONG, ULLONG, UCHAR, *reals))
            limit = self.random.choice((1, 4)) if mode == "pointer" else 0
            need = Var(self.fresh("q"), kind, mode != "pointer" or self.chance(50), limit=limit)
            needs.append(need)
            maker = st.Parameter if need.writable else ReadPointer
            parameters.append(maker(kind, need.name, mode))
        outside, self.scope = self.scope, list(needs)
        body = self.body(Context(returns=True, result=of))
        body.statements += self.give_back(Context(returns=True, result=of))
        if of is not None:
            last = self.random.choice(needs)
            value: ex.Expr = self.place(last, 0) if last.array else self.full(2)
            body.statements.append(st.Return(of, value))
        self.scope = outside
        self.functions.append((st.Function(self.fresh("f"), of, parameters, body), needs))


def is_own(var: Var) -> bool:
    """Whether a variable or array is a thread's own; parameters may refer to either."""
    return not var.array or var.name.startswith("l")


def counting(name: str, bound: ex.Expr, body: st.Body, stride: int = 1) -> st.Loop:
    """`for (int name = 0; name < bound; name += stride) …`."""
    counter = ex.Variable(INT, name)
    start = st.Declare(INT, name, ex.Literal(INT, 0))
    step: ex.Expr = ex.Increment(INT, "++", False, counter)
    if stride > 1:
        step = ex.Assign(INT, "+", counter, ex.Literal(INT, stride))
    return st.Loop("for", start, ex.Binary.of("<", counter, bound), step, body)


#: Types that a vote's or an exchange's operand may have.
EXCHANGED = (INT, UINT, LLONG, ULLONG, FLOAT)
