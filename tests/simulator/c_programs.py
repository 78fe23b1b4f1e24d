"""Random programs in the language that CUDA C and C++ share: one text for the simulator and for a C++ compiler.

A program is one kernel of many units. Each unit declares a few variables, evaluates an expression or
runs some loops, and stores its result and its variables, every thread in columns of its own. Operands
are literals, parameters (one value for all threads) and elements of arrays (one a thread).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.simulator.c_expressions import (
    ASSIGN,
    BIT_OR,
    COORDINATES,
    Expressions,
    Helper,
    Pool,
    Typed,
    Variable,
)
from tests.simulator.c_types import BOOL, DOUBLE, FLOAT, INT, TYPES, UINT, Type

COLUMNS = 2

PREAMBLE = """\
__device__ float within_f(float value, float low, float high) {
    return value > low ? value < high ? value : high : low;
}
__device__ double within_d(double value, double low, double high) {
    if (value > low) {
        if (value < high) return value;
        return high;
    }
    return low;
}
"""


@dataclass(frozen=True)
class Stored:
    """Where a unit stores one value: column `column` of the outputs of `type`."""

    unit: int
    type: Type
    column: int


@dataclass
class Program:
    """A random program: its helpers, its units, and what they store."""

    helpers: str
    units: list[str]
    stored: list[Stored]
    columns: dict[Type, int]

    @property
    def text(self) -> str:
        """The whole source."""
        parameters = ", ".join(f"const {t.name} *in_{t.tag}, {t.name} s_{t.tag}" for t in TYPES)
        outputs = ", ".join(f"{t.name} *out_{t.tag}" for t in TYPES)
        leaves = "\n".join(
            f"    const {t.name} v_{t.tag}_{c} = in_{t.tag}[{c} * n + i];"
            for t in TYPES
            for c in range(COLUMNS)
        )
        return (
            f"{PREAMBLE}{self.helpers}"
            f'extern "C" __global__ void kernel({parameters}, {outputs}, int n) {{\n'
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n"
            f"{leaves}\n{''.join(self.units)}}}\n"
        )

    def only(self, unit: int) -> Program:
        """The same program with one unit alone."""
        units = [text if at == unit else "" for at, text in enumerate(self.units)]
        return Program(self.helpers, units, self.stored, self.columns)


@dataclass
class Writer(Expressions):
    """Writes statements, with the names and indentation that they need."""

    rng: random.Random
    inputs: list[Typed]
    indent: int = 1
    names: int = 0
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.rng, self.inputs)

    def put(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def take(self) -> str:
        """The lines so far, as text."""
        text, self.lines = "".join(f"{line}\n" for line in self.lines), []
        return text

    def fresh(self, hint: str) -> str:
        self.names += 1
        return f"{hint}{self.names}"

    def declare(self, pool: Pool) -> Pool:
        """Declare a variable, and add it to the pool."""
        ctype = self.rng.choice(TYPES)
        kind = self.rng.choice(("plain", "plain", "plain", "pointed", "array"))
        variable = Variable(self.fresh("m"), ctype, kind)
        if kind == "array":
            values = ", ".join(f"({ctype.name})({self._start(ctype)})" for _ in range(4))
            self.put(f"{ctype.name} {variable.name}[4] = {{{values}}};")
        else:
            self.put(f"{ctype.name} {variable.name} = {self._start(ctype)};")
        if kind == "pointed":
            self.put(f"{ctype.name} *q_{variable.name} = &{variable.name};")
        return Pool((*pool.read, variable), pool.write | {variable})

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
            else:
                self._evaluate(pool)

    def _evaluate(self, pool: Pool) -> None:
        maker = self.rng.choice((self._assign, self._compound, self._compound, self._increment))
        value = maker(2, pool)
        self.put(f"(void)({value.text});" if self.rng.random() < 0.1 else f"{value.text};")

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
        self.rng.choice((self._for, self._for, self._while, self._do, self._forever))(depth, pool)

    def _turns(self) -> str:
        """How many turns: a literal, the same for all threads, or each thread's own; at most 7."""
        return self.rng.choice(
            (str(self.rng.randint(0, 5)), "(s_i & 7)", "(v_i_0 & 3)", "(v_uc_1 & 7)")
        )

    def _for(self, depth: int, pool: Pool) -> None:
        ctype = self.rng.choice([t for t in TYPES if t != BOOL])
        counter = Variable(self.fresh("j"), ctype)
        name, step = counter.name, self.rng.choice(("{0}++", "++{0}", "{0} += 2", "{0} += 1.0f"))
        self.put(f"for ({ctype.name} {name} = 0; {name} < {self._turns()}; {step.format(name)}) {{")
        self._block(depth, Pool((*pool.read, counter), pool.write), loops=True)
        self.put("}")

    def _while(self, depth: int, pool: Pool) -> None:
        left = self.fresh("w")
        self.put(f"int {left} = {self._turns()};")
        self.put(f"while ({left}{self.rng.choice(('-- > 0', '--'))}) {{")
        self._block(depth, pool, loops=True)
        self.put("}")

    def _do(self, depth: int, pool: Pool) -> None:
        left = self.fresh("w")
        self.put(f"unsigned char {left} = {self._turns()};")
        self.put("do {")
        self._block(depth, pool, loops=True)
        again = self.operand(self.expression(1, pool), BIT_OR)
        self.put(f"}} while ({left} && {left}-- > 1 && {again});")

    def _forever(self, depth: int, pool: Pool) -> None:
        left = self.fresh("w")
        self.put(f"long {left} = {self._turns()};")
        self.put(self.rng.choice(("for (;;) {", "while (true) {")))
        self.indent += 1
        self.put(f"if (!{left}--) break;")
        self.indent -= 1
        self._block(depth, pool, loops=True)
        self.put("}")

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
        pool = Pool(parameters, frozenset(parameters))
        self.indent += 1
        if self.rng.random() < 0.4:
            pool = self.declare(pool)
            self._function_loop(result, pool)
        if self.rng.random() < 0.4:
            test = self.expression(1, pool).text
            self.put(f"if ({test}) return {self.fitting(result, 2, pool).text};")
        self.put(f"return {self.fitting(result, 3, pool).text};")
        self.indent -= 1
        self.put("}")
        self.helpers.append(helper)
        return self.take()

    def _function_loop(self, result: Type, pool: Pool) -> None:
        name = self.fresh("j")
        self.put(f"for (int {name} = 0; {name} < {self.rng.randint(1, 4)}; {name}++) {{")
        self.indent += 1
        self.statements(0, pool, 2, loops=True)
        if self.rng.random() < 0.5:
            self.put(f"if ({self.expression(1, pool).text}) return {self.fitting(result, 1, pool).text};")
        self.indent -= 1
        self.put("}")


def program(seed: int, expressions: int, loops: int, helpers: int = 4) -> Program:
    """A random program with so many units that are one expression, and so many with loops."""
    rng = random.Random(seed)
    writer = Writer(rng, list(COORDINATES), 0)
    functions = "".join(writer.function() for _ in range(helpers))
    writer.inputs += [
        *(Typed(f"v_{t.tag}_{c}", t) for t in TYPES for c in range(COLUMNS)),
        *(Typed(f"s_{t.tag}", t) for t in TYPES),
    ]
    result = Program(functions, [], [], dict.fromkeys(TYPES, 0))
    for unit in range(expressions + loops):
        writer.indent = 1
        result.units.append(_unit(writer, result, unit, looped=unit >= expressions))
    return result


def _unit(writer: Writer, program: Program, unit: int, looped: bool) -> str:
    writer.put("{")
    writer.indent += 1
    pool = Pool()
    for _ in range(writer.rng.randint(1, 3) + looped):
        pool = writer.declare(pool)
    if looped:
        writer.statements(2, pool, 3)
    result = writer.rng.choice(TYPES)
    value = writer.fitting(result, 1 if looped else writer.rng.randint(1, 5), pool)
    writer.put(f"{_store(program, unit, result)} = {writer.operand(value, ASSIGN)};")
    for variable in pool.read:
        element = f"{variable.name}[{writer.rng.randrange(4)}]" if variable.kind == "array" else variable.name
        writer.put(f"{_store(program, unit, variable.type)} = {element};")
    writer.indent -= 1
    writer.put("}")
    return writer.take()


def _store(program: Program, unit: int, ctype: Type) -> str:
    """The next output of a type, as an lvalue."""
    column = program.columns[ctype]
    program.columns[ctype] += 1
    program.stored.append(Stored(unit, ctype, column))
    return f"out_{ctype.tag}[{column} * n + i]"


# Inputs.

_REALS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e9, -3e9, 1e19, 1e-40, -1e38, np.inf, -np.inf, np.nan)


def inputs(ctype: Type, rng: np.random.Generator, count: int) -> NDArray[np.generic]:
    """Random values of a type, its edges often among them."""
    dtype = np.dtype(ctype.code)
    if ctype == BOOL:
        return rng.integers(0, 2, count).astype(dtype)
    if ctype in (FLOAT, DOUBLE):
        return _real_inputs(dtype, rng, count)
    info = np.iinfo(dtype)
    edges = np.array([0, 1, -1 & info.max if info.min == 0 else -1, info.min, info.max, 2, 7], dtype)
    bits = rng.integers(0, 1 << 64, count, np.uint64, endpoint=False).astype(dtype)
    shift = rng.integers(0, dtype.itemsize * 8, count).astype(dtype)
    kind = rng.random(count)
    return np.where(kind < 0.3, rng.choice(edges, count), np.where(kind < 0.7, bits >> shift, bits))


def _real_inputs(dtype: np.dtype, rng: np.random.Generator, count: int) -> NDArray[np.generic]:
    with np.errstate(all="ignore"):
        edges = rng.choice(np.array(_REALS), count).astype(dtype)
        small = rng.integers(-40, 40, count).astype(dtype) / dtype.type(4)
        wide = (rng.standard_normal(count) * 10.0 ** rng.integers(-20, 20, count)).astype(dtype)
    kind = rng.random(count)
    return np.where(kind < 0.25, edges, np.where(kind < 0.6, small, wide))


__all__ = ["COLUMNS", "INT", "UINT", "Program", "Stored", "inputs", "program"]
