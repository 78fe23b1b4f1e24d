"""Random programs in what CUDA C and C++ share: one text for the simulator and a C++ compiler.

A program is one kernel of many units. Each unit declares a few variables, evaluates an expression
or runs some loops, and stores its result and its variables, every thread in columns of its own.
Operands are literals, parameters (one value for all threads) and elements of arrays (one a thread).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.reference.types import BOOL, DOUBLE, FLOAT, TYPES, Type
from tests.simulator.cpp.expressions import COORDINATES
from tests.simulator.cpp.pieces import ASSIGN, POSTFIX, UNARY, Pool, Typed, Variable
from tests.simulator.cpp.statements import Statements

#: Columns of every input, and threads a block.
COLUMNS, THREADS = 2, 64

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
    """A random program: its device functions, its units, and what they store."""

    functions: str = ""
    units: list[str] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    columns: dict[Type, int] = field(default_factory=lambda: dict.fromkeys(TYPES, 0))

    def room(self, ctype: Type) -> str:
        """The next output of a type, as an lvalue."""
        column = self.columns[ctype]
        self.columns[ctype] += 1
        self.stored.append(Stored(len(self.units), ctype, column))
        return f"out_{ctype.tag}[{column} * n + i]"

    @property
    def text(self) -> str:
        """The whole source."""
        ins = ", ".join(f"const {t.name} *in_{t.tag}, {t.name} s_{t.tag}" for t in TYPES)
        outs = ", ".join(f"{t.name} *out_{t.tag}" for t in TYPES)
        shared = "".join(f"    __shared__ {t.name} h_{t.tag}[{THREADS}];\n" for t in TYPES)
        own = "".join(
            f"    const {t.name} v_{t.tag}_{c} = in_{t.tag}[{c} * n + i];\n"
            for t in TYPES
            for c in range(COLUMNS)
        )
        return (
            f"{PREAMBLE}{self.functions}"
            f'extern "C" __global__ void kernel({ins}, {outs}, int n) {{\n'
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n"
            f"{shared}{own}{''.join(self.units)}}}\n"
        )


def program(seed: int, expressions: int, loops: int, functions: int = 4) -> Program:
    """A random program with so many units that are one expression, and so many with loops."""
    rng = random.Random(seed)
    made = Program()
    outside = Statements(rng, COORDINATES)
    made.functions = "".join(outside.function() for _ in range(functions))
    inside = Statements(rng, [*COORDINATES, *_leaves()], made.room)
    inside.helpers = outside.helpers
    for unit in range(expressions + loops):
        made.units.append(_unit(inside, made, looped=unit >= expressions))
    return made


def _leaves() -> Iterator[Typed]:
    """What a kernel can read: values of its thread, of all threads, and elements of arrays."""
    for ctype in TYPES:
        yield from (Typed(f"v_{ctype.tag}_{column}", ctype) for column in range(COLUMNS))
        yield Typed(f"s_{ctype.tag}", ctype)
        if ctype.rank % 2:
            yield Typed(f"in_{ctype.tag}[n + i]", ctype, POSTFIX)
        else:
            yield Typed(f"*(in_{ctype.tag} + i)", ctype, UNARY)


def _unit(writer: Statements, made: Program, looped: bool) -> str:
    rng = writer.rng
    writer.indent = 1
    writer.put("{")
    writer.indent = 2
    pool = Pool()
    for _ in range(rng.randint(1, 3) + looped):
        pool = writer.declare(pool)
    if looped:
        writer.statements(2, pool, 3)
    result = rng.choice(TYPES)
    value = writer.fitting(result, 1 if looped else rng.randint(1, 5), pool)
    writer.put(f"{made.room(result)} = {writer.operand(value, ASSIGN)};")
    for variable in pool.read:
        if variable.kind != "global":
            writer.put(f"{made.room(variable.type)} = {_element(variable, rng)};")
    writer.indent = 1
    writer.put("}")
    return writer.take()


def _element(variable: Variable, rng: random.Random) -> str:
    return f"{variable.name}[{rng.randrange(4)}]" if variable.kind == "array" else variable.name


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
    edges = np.array([0, 1, info.max if info.min == 0 else -1, info.min, info.max, 2, 7], dtype)
    bits = rng.integers(0, 1 << 64, count, np.uint64, endpoint=False).astype(dtype)
    shift = rng.integers(0, dtype.itemsize * 8, count).astype(dtype)
    kind = rng.random(count)
    small = np.where(kind < 0.7, bits >> shift, bits)
    return np.where(kind < 0.3, rng.choice(edges, count), small)


def _real_inputs(
    dtype: np.dtype[np.generic], rng: np.random.Generator, count: int
) -> NDArray[np.generic]:
    with np.errstate(all="ignore"):
        edges = rng.choice(np.array(_REALS), count).astype(dtype)
        small = (rng.integers(-160, 160, count) / 4).astype(dtype)
        wide = (rng.standard_normal(count) * 10.0 ** rng.integers(-20, 20, count)).astype(dtype)
    kind = rng.random(count)
    return np.where(kind < 0.25, edges, np.where(kind < 0.6, small, wide))
