"""Every built-in function can be compiled and run, and CUDA has it with the same types."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import simulator
from gpubfs.machines import nvrtc
from simulator.builtins import (
    ROWS,
    Row,
    bits,
    directed,
    math,
    memory,
    promises,
    simd,
    special,
    synchronisation,
    textures,
    warp,
)
from simulator.builtins.lowerings import Access, MakeVector, Operator, Outputs
from simulator.builtins.overloads import OneFloat
from simulator.builtins.promises import Alignment, Assumption, Expectation
from simulator.builtins.registry import LOWERINGS
from simulator.compile.calls import lowered
from simulator.ir.types import DOUBLE, FLOAT, INT, VOID, Pointer
from tests.simulator.launching import source

SHIPPED = [
    row
    for family in (
        bits,
        directed,
        math,
        memory,
        promises,
        simd,
        special,
        synchronisation,
        warp,
    )
    for row in family.ROWS
]
SPECIAL = {
    "atomicCAS": "(p, 1, 2)",
    **{f"__ld{hint}": "(p)" for hint in ("g", "cg", "ca", "cs", "lu", "cv")},
    **{f"__st{hint}": "(p, 3)" for hint in ("wb", "cg", "cs", "wt")},
    "__match_all_sync": "(0xffffffff, 1, (int *)p)",
    "__syncwarp": "()",
    **{f"__is{space}": "(p)" for space in ("Shared", "ClusterShared", "Local", "Global")},
    "__builtin_assume_aligned": "(p, 16)",
    "__cluster_map_shared_rank": "(&s, 0)",
    "__cluster_query_shared_rank": "(&s)",
    **dict.fromkeys(["__cvta_generic_to_shared", "__cvta_generic_to_global"], "(&s)"),
}
#: What must come before a call.
BEFORE = {
    "__trap": "if (*p) ",  # it would end the kernel
    "__builtin_unreachable": "if (*p) ",
    "__cluster_barrier_wait": "__cluster_barrier_arrive(); ",
}


#: Functions that a header brings are called in test_narrow.py and test_complex_numbers.py, those of
#: textures and surfaces in test_textures.py.
ELSEWHERE = {name for name, row in ROWS.items() if not row.is_there(())} | textures.TEMPLATES


def _given(row: Row) -> str:
    """Arguments of the very types that a signature says: pointers lead to a variable."""
    parameters = row.types.parameters
    pointers = {DOUBLE: "&d", FLOAT: "&f", INT: "&i", VOID: "p"}
    return ", ".join(
        pointers[p.type.to] if isinstance(p.type, Pointer) else f"({p.type})1"
        for p in parameters
        if p.default is None
    )


def arguments(name: str, signature: str) -> str:
    plain = re.sub(r"_(block|system)$", "", name)
    if plain in SPECIAL:
        return SPECIAL[plain]
    if plain.startswith("atomic"):
        return "(p, 3)"
    if plain.startswith("__nv_atomic"):
        return "(p, 0)" if "load" in plain else "(0)" if "fence" in plain else "(p, 3, 0)"
    if isinstance(ROWS[name], OneFloat) or isinstance(ROWS[name].lowering, Outputs):
        return f"({_given(ROWS[name])})"
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    count = len([part for part in inside.split(",") if part.strip() and "=" not in part])
    first = "0xffffffff" if "mask" in inside else "1"
    return f"({', '.join([first, *['1'] * (count - 1)][:count])})"


@pytest.mark.parametrize("name", sorted(name for name in ROWS if name not in ELSEWHERE))
def test_every_builtin_runs(name: str) -> None:
    call = name + arguments(name, ROWS[name].signature)
    body = f"__shared__ int s; int i; float f; double d; {BEFORE.get(name, '')}{call};"
    text = f'extern "C" __global__ void k(unsigned *p) {{ {body} }}'
    simulator.RawKernel(text, "k")((1,), (32,), (simulator.zeros(1, "uint32"),))


@pytest.mark.parametrize("name", sorted(LOWERINGS))
def test_every_call_that_is_left_can_be_compiled(name: str) -> None:
    kind = type(LOWERINGS[name])
    left = not issubclass(kind, Access | MakeVector | Operator)
    assert (lowered.dispatch(kind) is not lowered.dispatch(object)) == left


SAME = """
template <class A, class B> struct same { static const bool value = false; };
template <class A> struct same<A, A> { static const bool value = true; };
"""


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
def test_signatures_are_those_of_cuda() -> None:
    """Of functions without overloads, calls have the types that the rows say."""
    tests = []
    for row in SHIPPED:
        if type(row) in (Row, OneFloat, Expectation, Assumption, Alignment):
            given = ", ".join(f"({parameter.type})0" for parameter in row.types.parameters)
            found = f"same<decltype({row.name}({given})), {row.types.result}>"
            tests.append(f'static_assert({found}::value, "{row.name}");')
    text = f"{SAME} __global__ void k() {{ {' '.join(tests)} }}"
    assert nvrtc.compile_text(text, "kernel.cu", Path(".")) == ""


# Functions of programs with names that resemble CUDA's.


@pytest.mark.parametrize(
    ("function", "call", "wanted"),
    [
        ("int __shfl_once(int x) { return x + 1; }", "__shfl_once(a[1])", 3),
        ("int atomicMax(int *p, int x, int y) { return p[0] + x + y; }", "atomicMax(a, 2, 3)", 6),
        ("int atomicSum() { return 4; }", "atomicSum()", 4),
        ("int __syncthreads_sum(int x) { return x; }", "__syncthreads_sum(9)", 9),
    ],
)
def test_functions_of_programs_are_no_built_in_ones(function: str, call: str, wanted: int) -> None:
    text = source("int *a", f"a[0] = {call}; atomicAdd(a + 1, 1);", f"__device__ {function}")
    with simulator.Device() as device, simulator.sanitize("all", device=device):
        a = simulator.arange(1, 3, dtype="int32")
        simulator.RawKernel(text, "k")((1,), (1,), (a,))
        assert a.get()[0] == wanted
