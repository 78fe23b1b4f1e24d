"""PTX against a GPU: every instruction on the same operands, programs, accesses and exchanges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator
from tests.simulator.ptx.cases import NEAR, Case
from tests.simulator.ptx.test_instructions import GROUPS, THREADS, kernel, operands, same
from tests.simulator.ptx.test_memory import TWINS
from tests.simulator.ptx.test_memory import kernel as kernel_of_memory
from tests.simulator.ptx.test_programs import NAMES, OPCODES, drawn
from tests.simulator.ptx.test_programs import kernel as kernel_of_program

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


@pytest.fixture(scope="module")
def cupy() -> Any:
    found = pytest.importorskip("cupy")
    if not found.cuda.is_available():
        pytest.skip("there is no GPU")
    return found


def launched(machine: Any, code: str, *arrays: Any, block: int = 32) -> list[Any]:
    """What a kernel leaves in its arrays."""
    given = [machine.asarray(a) for a in arrays]
    machine.RawKernel(code, "k")((1,), (block,), tuple(given))
    return [a.get() for a in given]


@pytest.mark.parametrize("cases", GROUPS, ids=lambda cases: cases[0].text)
def test_instructions(cupy: Any, cases: list[Case]) -> None:
    arrays = [a.reshape(-1) for a in operands().values()]
    out = np.zeros(THREADS * len(cases), "u8")
    ours, theirs = (
        launched(machine, kernel(cases), *arrays, out, block=THREADS)[-1].reshape(-1, THREADS)
        for machine in (simulator, cupy)
    )
    wrong = {
        case.text: [(hex(int(a)), hex(int(b))) for a, b in zip(one, other, strict=True) if a != b][
            :3
        ]
        for case, one, other in zip(cases, ours, theirs, strict=True)
        if not all(same(case, int(a), int(b)) for a, b in zip(one, other, strict=True))
    }
    assert not wrong


@pytest.mark.parametrize("text", NEAR)
def test_approximations(cupy: Any, text: str) -> None:
    x = np.linspace(0.25, 6, 1024).astype("f4")
    body = f'float r; asm("{text} %0, %1;" : "=f"(r) : "f"(x[threadIdx.x])); y[threadIdx.x] = r;'
    code = f'extern "C" __global__ void k(const float *x, float *y) {{ {body} }}'
    ours, theirs = (
        launched(machine, code, x, np.zeros_like(x), block=1024)[1] for machine in (simulator, cupy)
    )
    near = 2e-3 if "tanh" in text else 2e-6
    np.testing.assert_allclose(ours, theirs, rtol=near, atol=near)


@pytest.mark.parametrize("seed", range(20))
def test_programs(cupy: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    program = []
    for _ in range(24):
        op = str(random.choice(sorted(OPCODES)))
        kinds = OPCODES[op][0]
        to, *names = (str(random.choice(NAMES[kind])) for kind in kinds)
        program.append((op, to, names, str(random.choice(["", "", "@p ", "@!q "]))))
    code, (r, wide) = kernel_of_program(program), drawn(seed)
    given = r, wide, np.zeros(96, "u4"), np.zeros(32, "u8")
    ours, theirs = (launched(machine, code, *given) for machine in (simulator, cupy))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


#: Statements whose results depend on the order in which a GPU serves atomics, or on its choice.
ANY_ORDER = {"atomic", "elect"}


@pytest.mark.parametrize("name", [name for name in TWINS if name not in ANY_ORDER])
def test_accesses_and_exchanges(cupy: Any, name: str) -> None:
    a = np.random.default_rng(1).integers(0, 2**32, 256, dtype="u4")
    given = a, np.arange(64, dtype="u4"), np.zeros(32, "u4")
    code = kernel_of_memory(TWINS[name][0])
    ours, theirs = (launched(machine, code, *given) for machine in (simulator, cupy))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)
