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
        if not all(alike(case, int(a), int(b)) for a, b in zip(one, other, strict=True))
        and not case.text.startswith(FIELDS_OF_64)
    }
    assert not wrong


#: Instructions whose positions and lengths PTX restricts to 0 to 255; beyond, an H200 differs.
FIELDS_OF_64 = ("bfe.u64", "bfe.s64", "bfi.b64")


def alike(case: Case, one: int, other: int) -> bool:
    """Whether two results are the same, or both no number of 16 bits."""
    if case.text.startswith("cvt.rn.f16"):
        nan = [(bits & 0x7C00) == 0x7C00 and bits & 0x3FF != 0 for bits in (one, other)]
        return one == other or all(nan)
    return same(case, one, other)


@pytest.mark.parametrize("name", FIELDS_OF_64)
def test_fields_of_64_bits(cupy: Any, name: str) -> None:
    rng, count = np.random.default_rng(1), 256 * 256
    a, b = (rng.integers(0, 2**63, count, dtype="u8") for _ in range(2))
    start, length = (one.ravel().astype("u4") for one in np.mgrid[0:256, 0:256])
    inserted = ', "l"(b[i])' if name.startswith("bfi") else ""
    words = "%0, %1, %2, %3" + ", %4" * bool(inserted)
    code = f"""
    extern "C" __global__ void k(const unsigned long long *a, const unsigned long long *b,
        const unsigned *start, const unsigned *length, unsigned long long *out) {{
      for (int i = threadIdx.x; i < {count}; i += blockDim.x) {{
        unsigned long long r;
        asm("{name} {words};" : "=l"(r) : "l"(a[i]){inserted}, "r"(start[i]), "r"(length[i]));
        out[i] = r;
      }}
    }}"""
    given = a, b, start, length, np.zeros(count, "u8")
    ours, theirs = (launched(m, code, *given, block=256)[-1] for m in (simulator, cupy))
    np.testing.assert_array_equal(ours, theirs)


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
