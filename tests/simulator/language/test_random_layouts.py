"""Random structures, unions, bit fields and bases lie in memory as a C++ compiler lays them out."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import simulator
from tests.simulator.cpp.test_random import compiler, needs_compiler
from tests.simulator.language.random_layouts import program

COUNT, ROOM = 8, 4096
KERNEL = """
extern "C" __global__ void k(unsigned char *to) { bytes(to + threadIdx.x * 4096, threadIdx.x); }
"""
FLAGS = "-std=c++17 -O0 -w -fwrapv -ffp-contract=off -fsigned-char -fno-strict-aliasing -x c++"


def by_compiler(texts: Sequence[str], folder: Path) -> list[np.ndarray]:
    """Return what programs write, which are compiled together."""
    spaces = "".join(f"namespace n{at} {{\n{text}\n}}\n" for at, text in enumerate(texts))
    calls = "".join(
        f"for (int i = 0; i < {COUNT}; i++) n{at}::bytes(to[{at}][i], i);\n"
        for at in range(len(texts))
    )
    whole = f"""#include <cstdio>
#define __device__
{spaces}
static unsigned char to[{len(texts)}][{COUNT}][{ROOM}];
int main() {{ {calls} std::fwrite(to, sizeof to, 1, stdout); }}
"""
    command = [compiler(), *FLAGS.split(), "-o", str(folder / "program"), "-"]
    made = subprocess.run(command, input=whole, text=True, check=False, capture_output=True)
    assert made.returncode == 0, made.stderr[:2000]
    ran = subprocess.run([folder / "program"], capture_output=True, check=True)
    return list(np.frombuffer(ran.stdout, np.uint8).reshape(len(texts), COUNT * ROOM))


def by_simulator(text: str) -> np.ndarray:
    with simulator.Device(memory=1 << 20):
        to = simulator.zeros(COUNT * ROOM, "uint8")
        simulator.RawKernel(text + KERNEL, "k")((1,), (COUNT,), (to,))
        return to.get()


def compare(seeds: Sequence[int], folder: Path) -> None:
    texts = [program(seed) for seed in seeds]
    for seed, text, expected in zip(seeds, texts, by_compiler(texts, folder), strict=True):
        np.testing.assert_array_equal(by_simulator(text), expected, f"program {seed}")


@pytest.mark.slow
@needs_compiler
def test_random_structures_have_the_bytes_that_a_compiler_gives_them(tmp_path: Path) -> None:
    compare(range(15), tmp_path)


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(10))
def test_a_gpu_lays_them_out_so(seed: int) -> None:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    to = cupy.zeros(COUNT * ROOM, "uint8")
    text = program(seed) + KERNEL
    cupy.RawKernel(text, "k", options=("-std=c++17", "--fmad=false"))((1,), (COUNT,), (to,))
    np.testing.assert_array_equal(to.get(), by_simulator(program(seed)))


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("first", range(15, 315, 50))
def test_more_random_structures_have_the_bytes_of_a_compiler(first: int, tmp_path: Path) -> None:
    compare(range(first, first + 50), tmp_path)
