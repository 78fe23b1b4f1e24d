"""Random programs of classes, overloads, templates and lambdas compute what a C++ compiler's do."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from tests.simulator.cpp.test_random import compiler, needs_compiler
from tests.simulator.language.random_classes import program

COUNT = 32
KERNEL = """
extern "C" __global__ void k(double *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = run(i);
}
"""
FLAGS = "-std=c++17 -O0 -w -fwrapv -ffp-contract=off -fsigned-char -x c++".split()


def by_compiler(texts: Sequence[str], folder: Path) -> list[np.ndarray]:
    """Return what programs give, which are compiled together."""
    spaces = (f"namespace n{at} {{\n{text}\n}}\n" for at, text in enumerate(texts))
    prints = (
        f'for (int i = 0; i < {COUNT}; i++) std::printf("%a ", n{at}::run(i)); std::puts("");\n'
        for at in range(len(texts))
    )
    front = "#include <cstdio>\n#define __device__\n"
    whole = f"{front}{''.join(spaces)}int main() {{\n{''.join(prints)}}}\n"
    command = [compiler(), *FLAGS, "-o", str(folder / "program"), "-"]
    subprocess.run(command, input=whole, text=True, check=True, capture_output=True)
    ran = subprocess.run([folder / "program"], capture_output=True, text=True, check=True)
    rows = ran.stdout.strip("\n").split("\n")
    return [np.array([float.fromhex(number) for number in row.split()]) for row in rows]


def by_simulator(text: str, schedule: str = "lockstep") -> np.ndarray:
    with simulator.Device(memory=1 << 20, schedule=schedule):
        a = simulator.zeros(COUNT, "float64")
        simulator.RawKernel(text + KERNEL, "k")((2,), (COUNT // 2,), (a,))
        return a.get()


def by_itself(text: str) -> np.ndarray:
    """Return what the program gives that counts by itself."""
    made = instrumented(text + KERNEL)
    module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
    a = simulator.zeros(COUNT, "float64")
    module.get_function("k")((2,), (COUNT // 2,), (a,))
    return a.get()


def compare(seeds: Sequence[int], folder: Path) -> None:
    texts = [program(seed) for seed in seeds]
    for seed, text, expected in zip(seeds, texts, by_compiler(texts, folder), strict=True):
        np.testing.assert_array_equal(by_simulator(text), expected, f"program {seed}")


@needs_compiler
def test_random_programs_compute_what_a_compiler_s_do(tmp_path: Path) -> None:
    compare(range(10), tmp_path)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 410, 50))
def test_more_random_programs_compute_what_a_compiler_s_do(first: int, tmp_path: Path) -> None:
    compare(range(first, first + 50), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_every_way_to_run_a_program_computes_the_same(seed: int) -> None:
    text = program(seed)
    expected = by_simulator(text)
    np.testing.assert_array_equal(by_simulator(text, f"random:{seed}"), expected)
    with simulator.tracing(), simulator.sanitize("all"):
        np.testing.assert_array_equal(by_simulator(text), expected)
    try:
        counted = by_itself(text)
    except simulator.CompileError as error:
        pytest.skip(error.message)
    np.testing.assert_array_equal(counted, expected)
