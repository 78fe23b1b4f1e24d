"""Barriers of a block, fences, and what else bears on when threads run: sleep, trap, the clock."""

from __future__ import annotations

from simulator.builtins.lowerings import (
    Assertion,
    Barrier,
    Clock,
    Fence,
    GridBarrier,
    Lowering,
    MissingValue,
    Sleep,
    Trap,
)
from simulator.builtins.row import Row
from simulator.ir.tree import NO_VALUE

ROWS = (
    Row("void __syncthreads()", Barrier("all")),
    Row("int __syncthreads_count(int predicate)", Barrier("count")),
    Row("int __syncthreads_and(int predicate)", Barrier("and")),
    Row("int __syncthreads_or(int predicate)", Barrier("or")),
    Row("void __threadfence()", Fence()),
    Row("void __threadfence_block()", Fence("block")),
    Row("void __threadfence_system()", Fence()),
    Row("void __nanosleep(unsigned nanoseconds)", Sleep()),
    Row("void __trap()", Trap()),
    Row("long clock()", Clock()),
    Row("long long clock64()", Clock()),
)

#: Calls that the checker makes: of `assert`, which takes an expression's text, too, and others.
CALLS: dict[str, Lowering] = {
    "assert": Assertion(),
    NO_VALUE: MissingValue(),
    "group grid sync": GridBarrier(),
}
