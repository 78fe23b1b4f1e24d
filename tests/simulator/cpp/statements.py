"""Random C statements: declarations, branches, loops that end, functions with early returns."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.reference.types import BOOL, TYPES, Type
from tests.simulator.cpp.expressions import Expressions
from tests.simulator.cpp.pieces import ASSIGN, BIT_OR, Helper, Pool, Typed, Variable

#: Kinds of variables that a device function can declare, and those that only a kernel can.
OWN = ("plain", "plain", "plain", "pointed", "array")
OUTSIDE = ("shared", "global")


class Statements(Expressions):
    """Writes random statements.

    `room` gives the name of a new element of an output of some type: where global variables live.
    """

    def __init__(
        self, rng: random.Random, inputs: Sequence[Typed], room: Callable[[Type], str] | None = None
    ) -> None:
        super().__init__(rng, inputs)
        self.room = room
        self.indent = 0
        self._names = 0
        self._lines: list[str] = []

    def put(self, line: str) -> None:
        self._lines.append("    " * self.indent + line)

    def take(self) -> str:
        """The lines so far, as text."""
        text, self._lines = "".join(f"{line}\n" for line in self._lines), []
        return text

    def fresh(self, hint: str) -> str:
        self._names += 1
        return f"{hint}{self._names}"

    # Variables.

    def declare(self, pool: Pool) -> Pool:
        """Declare a variable, and add it to the pool."""
        ctype = self.rng.choice(TYPES)
        kind = self.rng.choice(OWN if self.room is None else OWN + OUTSIDE)
        variable = Variable(self.fresh("m"), ctype, kind)
        if kind == "shared":
            variable = Variable(f"h_{ctype.tag}[threadIdx.x]", ctype, kind)
            if variable in pool.read:
                return pool
        elif kind == "global" and self.room is not None:
            variable = Variable(self.room(ctype), ctype, kind)
        self._begin(variable)
        return Pool((*pool.read, variable), pool.write | {variable})

    def _begin(self, variable: Variable) -> None:
        name, ctype = variable.name, variable.type
        if variable.kind in OUTSIDE:
            self.put(f"{name} = {self._start(ctype)};")
        elif variable.kind == "array":
            values = ", ".join(f"({ctype.name})({self._start(ctype)})" for _ in range(4))
            self.put(f"{ctype.name} {name}[4] = {{{values}}};")
        else:
            self.put(f"{ctype.name} {name} = {self._start(ctype)};")
        if variable.kind == "pointed":
            self.put(f"{ctype.name} *q_{name} = {self.rng.choice(('', f'0; q_{name} = '))}&{name};")

    def _start(self, ctype: Type) -> str:
        same = [v.text for v in self.inputs if v.type == ctype]
        if same and self.rng.random() < 0.7:
            return self.rng.choice(same)
        return self.fitting(ctype, 0, Pool()).text

    # Statements.

    def statements(self, depth: int, pool: Pool, count: int, loops: bool = False) -> None:
        """Some statements; in `loops`, break and continue among them."""
        for _ in range(count):
            kind = self.rng.random()
            if depth > 0 and kind < 0.35:
                self._if(depth - 1, pool, loops)
            elif depth > 0 and kind < 0.6:
                self._loop(depth - 1, pool)
            elif loops and kind < 0.7:
                word = self.rng.choice(("break", "continue"))
                self.put(f"if ({self.expression(2, pool).text}) {word};")
            elif kind < 0.75:
                self._short_if(pool)
            else:
                self.put(self._effect(pool))

    def _effect(self, pool: Pool) -> str:
        maker = self.rng.choice((self._assign, self._compound, self._compound, self._increment))
        value = maker(2, pool)
        return f"(void)({value.text});" if self.rng.random() < 0.1 else f"{value.text};"

    def _short_if(self, pool: Pool) -> None:
        """Branches without braces, where an else belongs to the nearest if."""
        outer, inner = (self.expression(1, pool).text for _ in range(2))
        nested = f"if ({inner}) " if self.rng.random() < 0.5 else ""
        self.put(f"if ({outer}) {nested}{self._effect(pool)}")
        self.put(f"else {self._effect(pool)}")

    def _block(self, depth: int, pool: Pool, loops: bool) -> None:
        self.indent += 1
        if self.rng.random() < 0.3:
            pool = self.declare(pool)
        self.statements(depth, pool, self.rng.randint(1, 3), loops)
        self.indent -= 1

    def _if(self, depth: int, pool: Pool, loops: bool) -> None:
        self.put(f"if ({self.expression(2, pool).text}) {{")
        self._block(depth, pool, loops)
        if self.rng.random() < 0.5:
            self.put("} else {")
            self._block(depth, pool, loops)
        self.put("}")

    def _loop(self, depth: int, pool: Pool) -> None:
        kinds = (self._for, self._for, self._for_two, self._while, self._do, self._forever)
        self.rng.choice(kinds)(depth, pool)
        self.put("}")

    def _turns(self) -> str:
        """How many turns: a literal, the same for all threads, or each thread's own; at most 7."""
        if self.room is None:
            return str(self.rng.randint(0, 4))
        return self.rng.choice(
            (str(self.rng.randint(0, 5)), "(s_i & 7)", "(v_i_0 & 3)", "(v_uc_1 & 7)")
        )

    def _for(self, depth: int, pool: Pool) -> None:
        ctype = self.rng.choice([t for t in TYPES if t != BOOL])
        counter = Variable(self.fresh("j"), ctype)
        name, step = counter.name, self.rng.choice(("{0}++", "++{0}", "{0} += 2", "{0} += 1.0f"))
        self.put(f"for ({ctype.name} {name} = 0; {name} < {self._turns()}; {step.format(name)}) {{")
        self._block(depth, Pool((*pool.read, counter), pool.write), loops=True)

    def _for_two(self, depth: int, pool: Pool) -> None:
        up, down = self.fresh("j"), self.fresh("j")
        self.put(
            f"for (int {up} = 0, {down} = {self._turns()}; {up} < {down}; {up}++, {down}--) {{"
        )
        self._block(depth, pool, loops=True)

    def _while(self, depth: int, pool: Pool) -> None:
        left = self.fresh("w")
        self.put(f"int {left} = {self._turns()};")
        self.put(f"while ({left}{self.rng.choice(('-- > 0', '--'))}) {{")
        self._block(depth, pool, loops=True)

    def _do(self, depth: int, pool: Pool) -> None:
        left = self.fresh("w")
        self.put(f"unsigned char {left} = {self._turns()};")
        self.put("do {")
        self._block(depth, pool, loops=True)
        again = self.operand(self.expression(1, pool), BIT_OR)
        self.put(f"}} while ({left} && {left}-- > 1 && {again}); {{")

    def _forever(self, depth: int, pool: Pool) -> None:
        left = self.fresh("w")
        self.put(f"long {left} = {self._turns()};")
        self.put(f"{self.rng.choice(('for (;;)', 'while (true)'))} {{ if (!{left}--) break;")
        self._block(depth, pool, loops=True)

    # Device functions.

    def function(self) -> str:
        """A device function with loops and early returns; those before it may be called."""
        result, by_reference = self.rng.choice(TYPES), self.rng.random() < 0.3
        parameters = tuple(Variable(self.fresh("a"), self.rng.choice(TYPES)) for _ in range(2))
        head = ", ".join(
            f"{v.type.name} {'&' if by_reference and not at else ''}{v.name}"
            for at, v in enumerate(parameters)
        )
        helper = Helper(self.fresh("f"), result, tuple(v.type for v in parameters), by_reference)
        self.put(f"__device__ {result.name} {helper.name}({head}) {{")
        self.indent += 1
        self._function_body(result, Pool(parameters, frozenset(parameters)))
        self.indent -= 1
        self.put("}")
        self.helpers.append(helper)
        return self.take()

    def _function_body(self, result: Type, pool: Pool) -> None:
        if self.rng.random() < 0.4:
            pool = self.declare(pool)
            self._function_loop(result, pool)
        if self.rng.random() < 0.4:
            self._early_return(result, pool)
        self._return(result, 3, pool)

    def _function_loop(self, result: Type, pool: Pool) -> None:
        name = self.fresh("j")
        self.put(f"for (int {name} = 0; {name} < {self.rng.randint(1, 4)}; {name}++) {{")
        self.indent += 1
        self.statements(0, pool, 2, loops=True)
        if self.rng.random() < 0.5:
            self._early_return(result, pool)
        self.indent -= 1
        self.put("}")

    def _early_return(self, result: Type, pool: Pool) -> None:
        self.put(f"if ({self.expression(1, pool).text})")
        self.indent += 1
        self._return(result, 1, pool)
        self.indent -= 1

    def _return(self, result: Type, depth: int, pool: Pool) -> None:
        self.put(f"return {self.operand(self.fitting(result, depth, pool), ASSIGN)};")
