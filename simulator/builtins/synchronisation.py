"""Barriers of a block, fences, and what else bears on when threads run: sleep, trap, the clock."""

from __future__ import annotations

from simulator.builtins import lowerings
from simulator.builtins.row import Row
from simulator.ir.tree import NO_VALUE

ROWS = (
    Row("void __syncthreads()", lowerings.Barrier("all")),
    Row("int __syncthreads_count(int predicate)", lowerings.Barrier("count")),
    Row("int __syncthreads_and(int predicate)", lowerings.Barrier("and")),
    Row("int __syncthreads_or(int predicate)", lowerings.Barrier("or")),
    Row("void __threadfence()", lowerings.Fence()),
    Row("void __threadfence_block()", lowerings.Fence("block")),
    Row("void __threadfence_system()", lowerings.Fence()),
    Row("void __nanosleep(unsigned nanoseconds)", lowerings.Sleep()),
    Row("void __trap()", lowerings.Trap()),
    Row("long clock()", lowerings.Clock()),
    Row("long long clock64()", lowerings.Clock()),
)

#: Calls that the checker makes: of `assert`, which takes an expression's text, too, and others.
CALLS: dict[str, lowerings.Lowering] = {
    "assert": lowerings.Assertion(),
    NO_VALUE: lowerings.MissingValue(),
    "group grid sync": lowerings.GridBarrier(),
    "group cluster sync": lowerings.ClusterBarrier(),
    "group cluster arrive": lowerings.ClusterBarrier(waits=False),
    "group cluster wait": lowerings.ClusterBarrier(arrives=False),
}
