"""cuRAND's functions for kernels against a GPU: 10,000 numbers of each from five starts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator

XORWOW, PHILOX = "curandStateXORWOW_t", "curandStatePhilox4_32_10_t"
#: Seed, subsequence and offset.
STARTS = [
    (0, 0, 0),
    (1234, 7, 0),
    (42, 100000, 13),
    (0xDEADBEEFCAFEBABE, 2**33, 2**40 + 5),
    (2**64 - 1, 2**64 - 1, 2**64 - 1),
]
THREADS, CALLS = 500, 20
#: Calls, the type of their results, and how far these may be apart: 0 is bit for bit.
NEAR, WIDE = 2.0**-18, 1e-13
BOTH = {
    "curand(&s)": ("unsigned", 0.0),
    "curand_uniform(&s)": ("float", 0.0),
    "curand_uniform_double(&s)": ("double", 0.0),
    "curand_normal(&s)": ("float", NEAR),
    "curand_normal2(&s)": ("float2", NEAR),
    "curand_log_normal(&s, 0.5f, 0.25f)": ("float", NEAR),
    "curand_log_normal2(&s, 0.5f, 0.25f)": ("float2", NEAR),
    "curand_normal_double(&s)": ("double", WIDE),
    "curand_normal2_double(&s)": ("double2", WIDE),
    "curand_log_normal_double(&s, 0.5, 0.25)": ("double", WIDE),
    "curand_log_normal2_double(&s, 0.5, 0.25)": ("double2", WIDE),
}
FOURS = {
    "curand4(&s)": ("uint4", 0.0),
    "curand_uniform4(&s)": ("float4", 0.0),
    "curand_uniform2_double(&s)": ("double2", 0.0),
    "curand_normal4(&s)": ("float4", NEAR),
    "curand_log_normal4(&s, 0.5f, 0.25f)": ("float4", NEAR),
}
CASES = [
    *((XORWOW, call, *rest) for call, rest in BOTH.items()),
    *((PHILOX, call, *rest) for call, rest in (BOTH | FOURS).items()),
]
DTYPES = {"unsigned": "u4", "uint4": "u4", "float": "f4", "double": "f8"}


def dtype(ctype: str) -> str:
    return DTYPES.get(ctype) or DTYPES[ctype.rstrip("24")]


def program(state: str, call: str, ctype: str) -> str:
    """Threads draw from subsequences that follow one another, after as many numbers as they are."""
    return f"""#include <curand_kernel.h>
extern "C" __global__ void k(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, {ctype} *out) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {state} s;
  curand_init(seed, subsequence + i, offset, &s);
  for (int k = 0; k < i % 4; k++) curand(&s);
  if (i % 5 == 0) skipahead(i, &s);
  if (i % 7 == 0) skipahead_sequence(i, &s);
  for (int k = 0; k < {CALLS}; k++) out[{CALLS} * i + k] = {call};
}}"""


def header_options() -> tuple[str, ...]:
    """Where cuRAND's header is, if it came with a package of Python's."""
    try:
        from cuda.pathfinder import find_nvidia_header_directory
    except ImportError:
        return ()
    folders = [find_nvidia_header_directory(name) for name in ("curand", "cudart")]
    return tuple(f"-I{folder}" for folder in folders if folder)


def drawn(machine: Any, code: str, start: tuple[int, int, int], out: Any, options: Any = ()) -> Any:
    kernel = machine.RawKernel(code, "k", options=options)
    kernel((THREADS // 100,), (100,), (*map(np.uint64, start), out))
    return out.get()


@pytest.fixture(scope="module")
def cupy() -> Any:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    code, out = program(XORWOW, "curand(&s)", "unsigned"), cupy.zeros(THREADS * CALLS, "u4")
    try:
        drawn(cupy, code, STARTS[0], out, header_options())
    except cupy.cuda.compiler.CompileException as error:
        if "could not open" in str(error) or "cannot open" in str(error):
            pytest.skip("curand_kernel.h is not there: pip install nvidia-curand")
        raise
    return cupy


@pytest.mark.gpu
@pytest.mark.parametrize(("state", "call", "ctype", "apart"), CASES)
def test_numbers_are_those_of_a_gpu(
    cupy: Any, state: str, call: str, ctype: str, apart: float
) -> None:
    code, many = program(state, call, ctype), int(ctype[-1]) if ctype[-1] in "24" else 1
    for start in STARTS:
        ours = drawn(simulator, code, start, simulator.zeros(THREADS * CALLS * many, dtype(ctype)))
        out = cupy.zeros(THREADS * CALLS * many, dtype(ctype))
        theirs = drawn(cupy, code, start, out, header_options())
        if apart:
            np.testing.assert_allclose(ours, theirs, rtol=4 * apart, atol=4 * apart)
        else:
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("state", "call", "ctype", "apart"), CASES)
def test_the_programs_are_legal(state: str, call: str, ctype: str, apart: float) -> None:
    many = int(ctype[-1]) if ctype[-1] in "24" else 1
    out = simulator.zeros(THREADS * CALLS * many, dtype(ctype))
    assert len(set(drawn(simulator, program(state, call, ctype), STARTS[1], out).tolist())) > 9000
