"""The functions that CUDA brings: one row each, in one file a family.

A row has a function's signature, and its lowering: the NumPy code that executes it, and what the
stages and the counting build must know of it. Every stage asks the row, none knows a name.
`add` and `function` add rows from outside.
"""

from simulator.builtins import (
    atomics,
    bits,
    clusters,
    complex_numbers,
    copies,
    curand,
    directed,
    groups,
    launches,
    math,
    matrices,
    memory,
    memory_barriers,
    narrow,
    ordered_atomics,
    promises,
    simd,
    special,
    synchronisation,
    textures,
    warp,
)
from simulator.builtins.lowerings import Atomic, Composite, Elementwise, Lowering, WarpFunction
from simulator.builtins.registry import ROWS, add, bring, function, lowering_of, version
from simulator.builtins.row import Row

for _family in (
    atomics,
    bits,
    clusters,
    copies,
    directed,
    launches,
    math,
    matrices,
    memory,
    memory_barriers,
    ordered_atomics,
    promises,
    simd,
    special,
    synchronisation,
    textures,
    warp,
):
    bring(_family.ROWS)
bring(narrow.rows(ROWS))
bring(complex_numbers.rows(ROWS))
bring(curand.rows(ROWS))
for _calls in (
    complex_numbers.CALLS,
    copies.CALLS,
    groups.CALLS,
    matrices.CALLS,
    synchronisation.CALLS,
):
    bring((), _calls)

__all__ = [
    "ROWS",
    "Atomic",
    "Composite",
    "Elementwise",
    "Lowering",
    "Row",
    "WarpFunction",
    "add",
    "function",
    "lowering_of",
    "version",
]
