"""Expressions of CUDA C on the simulator, in each of the ways in which it holds operands."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simulator
from tests.reference.types import BOOL, FLOAT, UINT, ULLONG, Type

Results = list[NDArray[Any]]
#: What to compute: its type, and an expression with the operands as {0}, {1} …
Wanted = Sequence[tuple[Type, str]]
#: The operands: a type and a value a row.
Operands = Sequence[tuple[Type, Sequence[Any]]]


def written(value: Any, ctype: Type) -> str:
    """`value` as a constant expression of C."""
    if not ctype.real:
        return _integer(int(value), ctype)
    suffix = "f" if ctype == FLOAT else ""
    if math.isnan(value):
        return f"(0.0{suffix} / 0.0{suffix})"
    sign = "-" if math.copysign(1, value) < 0 else ""
    if math.isinf(value):
        return f"({sign}1e999{suffix})"
    return f"({sign}{float(abs(value)).hex()}{suffix})"


def _integer(value: int, ctype: Type) -> str:
    if ctype == BOOL:
        return "true" if value else "false"
    suffix = {UINT: "u", ULLONG: "ull"}.get(ctype, "ull" if value >> 63 > 0 else "ll")
    text = f"{value}{suffix}" if value > -(1 << 63) else "-9223372036854775807ll - 1"
    return f"(({ctype.name})({text}))"


def evaluate(
    wanted: Wanted, operands: Mapping[str, tuple[Type, Any]], rows: int, outside: str = ""
) -> Results:
    """The values of expressions over named operands.

    An operand that is an array has an element a thread; any other is a parameter that all share.
    `outside` is what the program declares besides the kernel.
    """
    lanes = {name for name, (_, value) in operands.items() if isinstance(value, np.ndarray)}
    parameters, loads, arguments = [], [], []
    for name, (ctype, value) in operands.items():
        parameters.append(
            f"const {ctype.name} *in_{name}" if name in lanes else f"{ctype.name} {name}"
        )
        loads.append(f"{ctype.name} {name} = in_{name}[i];" if name in lanes else "")
        arguments.append(simulator.asarray(value) if name in lanes else value)
    out = [simulator.zeros(rows, ctype.code) for ctype, _ in wanted]
    parameters += [f"{ctype.name} *out{at}" for at, (ctype, _) in enumerate(wanted)]
    stores = [f"out{at}[i] = {text};" for at, (_, text) in enumerate(wanted)]
    source = (
        f'{outside}extern "C" __global__ void k({", ".join(parameters)}) {{\n'
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + "\n".join(loads + stores) + "\n}"
    )
    _kernel(source)((1,), (rows,), (*arguments, *out))
    return [array.get() for array in out]


@lru_cache(maxsize=16)
def _kernel(source: str) -> simulator.RawKernel:
    return simulator.RawKernel(source, "k")


def by_lane(wanted: Wanted, operands: Operands) -> Results:
    """Every thread has operands of its own."""
    rows = len(operands[0][1])
    named = {f"x{at}": (t, np.array(v, t.code)) for at, (t, v) in enumerate(operands)}
    return evaluate([(t, text.format(*named)) for t, text in wanted], named, rows)


def by_parameter(wanted: Wanted, operands: Operands) -> Results:
    """All threads share the operands: one launch a row."""
    named = [f"x{at}" for at in range(len(operands))]
    texts = [(t, text.format(*named)) for t, text in wanted]
    parts = [
        evaluate(
            texts,
            {n: (t, _number(v[row], t)) for n, (t, v) in zip(named, operands, strict=True)},
            1,
        )
        for row in range(len(operands[0][1]))
    ]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def by_literal(wanted: Wanted, operands: Operands) -> Results:
    """The operands are constants of the source."""
    rows = len(operands[0][1])
    texts = [
        (t, text.format(*(written(v[row], of) for of, v in operands)))
        for t, text in wanted
        for row in range(rows)
    ]
    parts = evaluate(texts, {}, 1)
    return [np.concatenate(parts[at : at + rows]) for at in range(0, len(parts), rows)]


def by_constant(wanted: Wanted, operands: Operands) -> Results:
    """The operands are constants that the program declares; no constant is NaN, for C++."""
    rows = len(operands[0][1])
    names, outside = [], ""
    for row in range(rows):
        texts = [written(values[row], t) for t, values in operands]
        named = [f"c{at}_{row}" if "/" not in text else text for at, text in enumerate(texts)]
        for (t, _), name, text in zip(operands, named, texts, strict=True):
            outside += f"const {t.name} {name} = {text};\n" if name != text else ""
        names.append(named)
    parts = evaluate(
        [(t, text.format(*named)) for t, text in wanted for named in names], {}, 1, outside
    )
    return [np.concatenate(parts[at : at + rows]) for at in range(0, len(parts), rows)]


def by_mixture(wanted: Wanted, operands: Operands) -> Results:
    """The first operand is a constant, the others are the threads' own."""
    (first, values), *others = operands
    named = {f"x{at}": (t, np.array(v, t.code)) for at, (t, v) in enumerate(others, 1)}
    rows = len(values)
    texts = [
        (t, text.format(written(values[row], first), *named))
        for t, text in wanted
        for row in range(rows)
    ]
    parts = evaluate(texts, named, rows)
    return [
        np.array([parts[at * rows + row][row] for row in range(rows)], t.code)
        for at, (t, _) in enumerate(wanted)
    ]


def _number(value: Any, ctype: Type) -> Any:
    return np.dtype(ctype.code).type(value)


#: The ways to hold operands that suit any number of them; a mixture needs two.
WAYS = {
    "lanes": by_lane,
    "parameters": by_parameter,
    "literals": by_literal,
    "constants": by_constant,
}
MIXED_WAYS = WAYS | {"mixture": by_mixture}


def same(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Where two arrays have the same bits; not-a-numbers are all one."""
    bits = np.dtype(f"u{left.dtype.itemsize}")
    equal: NDArray[np.bool_] = left.view(bits) == right.view(bits)
    if left.dtype.kind == "f":
        equal |= np.isnan(left) & np.isnan(right)
    return equal


def pairs(left: list[Any], right: list[Any]) -> tuple[list[Any], list[Any]]:
    """Every value of one list with every value of the other, as two columns."""
    columns = tuple(zip(*itertools.product(left, right), strict=True))
    return list(columns[0]), list(columns[1])


def check(
    way: str, result: Type, text: str, operands: Operands, reference: Callable[..., Any]
) -> None:
    """A row's result is what `reference` makes of the row's operands."""
    (got,) = MIXED_WAYS[way]([(result, text)], operands)
    with np.errstate(all="ignore"):
        rows = list(zip(*(values for _, values in operands), strict=True))
        expected = np.array([reference(*row) for row in rows], result.code)
    wrong = (~same(got, expected)).nonzero()[0]
    assert not wrong.size, (
        f"{text} of {rows[wrong[0]]}: {got[wrong[0]]!r}, not {expected[wrong[0]]!r}"
    )
