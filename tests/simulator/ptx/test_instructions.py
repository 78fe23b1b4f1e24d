"""Each PTX instruction of values against the reference, on edges and random bits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpubfs.machines import nvrtc
from tests.simulator.launching import run
from tests.simulator.ptx import reference as ref
from tests.simulator.ptx.cases import C_TYPES, EXACT, NEAR, Case

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

THREADS = 128
DTYPES = {"h": "u2", "r": "u4", "l": "u8", "f": "f4", "d": "f8"}
EDGES = {
    "h": [0, 1, 2, 15, 16, 17, 0x7FFF, 0x8000, 0xFFFF],
    "r": [0, 1, 2, 31, 32, 33, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF],
    "l": [0, 1, 2, 63, 64, 65, 2**32, 2**63 - 1, 2**63, 2**64 - 1],
    "f": [0.0, -0.0, 1.0, -1.5, 2.5, 1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan, 2.0**31, 2.0**63],
    "d": [0.0, -0.0, 1.0, -1.5, 2.5, 1e-310, 1e308, np.inf, -np.inf, np.nan, 2.0**31, -(2.0**63)],
}
GROUPS = [EXACT[at : at + 48] for at in range(0, len(EXACT), 48)]


def drawn(letter: str, seed: int) -> Any:
    """Operands of one kind: edges, small numbers, random bits."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(DTYPES[letter])
    found = np.frombuffer(random.bytes(THREADS * dtype.itemsize), dtype).copy()
    half = THREADS // 2
    if letter in "fd":
        found[:half] = (random.normal(size=half) * 10.0 ** random.integers(-3, 4, half)).astype(
            dtype
        )
    else:
        found[:half] = random.integers(0, 70, half)
    chosen = random.choice(THREADS, THREADS // 3, replace=False)
    found[chosen] = random.choice(np.array(EDGES[letter], dtype), chosen.size)
    return found


def kernel(cases: list[Case]) -> str:
    """Every case by every thread: operands come from arrays, a column for each kind and place."""
    parameters = ", ".join(f"const {C_TYPES[c]} *{c}" for c in C_TYPES)
    lines = [
        f"{{ {C_TYPES[case.letters[0]]} result;"
        f" {case.statement('result', *given(case))} {STORE[case.letters[0]]} }}".replace(
            "AT", str(at)
        )
        for at, case in enumerate(cases)
    ]
    body = "\n".join(lines)
    return (
        f'extern "C" __global__ void k({parameters}, unsigned long long *out) {{\n'
        f"int t = threadIdx.x;\n{body}\n}}"
    )


def given(case: Case) -> Iterator[str]:
    for place, letter in enumerate(case.letters[1:]):
        yield f"{letter}[{THREADS} * {place} + t]"


STORE = {
    **dict.fromkeys("hrl", f"out[{THREADS} * AT + t] = result;"),
    "f": f"out[{THREADS} * AT + t] = __float_as_uint(result);",
    "d": f"out[{THREADS} * AT + t] = __double_as_longlong(result);",
}


def operands() -> dict[str, Any]:
    return {c: np.stack([drawn(c, 10 * ord(c) + place) for place in range(4)]) for c in DTYPES}


def wanted(case: Case, arrays: dict[str, Any]) -> Iterator[int]:
    """What the reference makes of each thread's operands."""
    bits = {c: a if c not in "fd" else a.view(f"u{a.itemsize}") for c, a in arrays.items()}
    for t in range(THREADS):
        values = [int(bits[c][place, t]) for place, c in enumerate(case.letters[1:])]
        size = {"h": 16, "r": 32, "l": 64, "f": 32, "d": 64}[case.letters[0]]
        yield ref.masked(case.meaning(*values), size)


def same(case: Case, found: int, bits: int) -> bool:
    """Whether a result is right; one NaN is like another."""
    if case.letters[0] in "fd":
        view = ref.single if case.letters[0] == "f" else ref.double
        if view(found) != view(found):
            return view(bits) != view(bits)
    return found == bits


@pytest.mark.parametrize("cases", GROUPS, ids=lambda cases: cases[0].text)
def test_instructions_mean_what_the_manual_says(cases: list[Case]) -> None:
    arrays = operands()
    given_arrays = [a.reshape(-1) for a in arrays.values()]
    out = np.zeros(THREADS * len(cases), "u8")
    found = run(kernel(cases), *given_arrays, out, block=THREADS).arrays[-1]
    for case, row in zip(cases, found.reshape(-1, THREADS).tolist(), strict=True):
        for thread, (one, bits) in enumerate(zip(row, wanted(case, arrays), strict=True)):
            values = [
                hex(int(arrays[c][p, thread].view(f"u{arrays[c].itemsize}")))
                for p, c in enumerate(case.letters[1:])
            ]
            assert same(case, one, bits), (case.text, values, hex(one), hex(bits))


@pytest.mark.parametrize("text", NEAR)
def test_approximations_are_near(text: str) -> None:
    x = np.linspace(0.25, 6, THREADS).astype("f4")
    body = f'float r; asm("{text} %0, %1;" : "=f"(r) : "f"(x[threadIdx.x])); y[threadIdx.x] = r;'
    code = f'extern "C" __global__ void k(const float *x, float *y) {{ {body} }}'
    found = run(code, x, np.zeros_like(x), block=THREADS).arrays[1]
    np.testing.assert_allclose(found, [NEAR[text](float(v)) for v in x], rtol=1e-6)


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
@pytest.mark.parametrize("cases", GROUPS, ids=lambda cases: cases[0].text)
def test_nvidias_assembler_takes_them(cases: list[Case], tmp_path: Path) -> None:
    nvrtc.compile_text(kernel(cases), "cases.cu", tmp_path)
