"""Barriers of a block, fences, and what else bears on when threads run: sleep, trap, the clock."""

from __future__ import annotations

from simulator.builtins.lowerings import Barrier, Effect, Fence, GridBarrier, Lowering
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
    Row("void __nanosleep(unsigned nanoseconds)", Effect("sleep", idles=True)),
    Row("void __trap()", Effect("trap", returns=False)),
    Row("long clock()", Effect("clock", draws=True)),
    Row("long long clock64()", Effect("clock", draws=True)),
)

#: Calls that the checker makes: of `assert`, which takes an expression's text, too, and others.
CALLS: dict[str, Lowering] = {
    "assert": Effect("assert"),
    NO_VALUE: Effect("no value"),
    "group grid sync": GridBarrier(),
}
