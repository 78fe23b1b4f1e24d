"""Classes, templates of classes, lambdas and pointers to functions mean what they do in C++.

The programs in `classes/` define `double run(int i)`; a C++ compiler of the host says what it is.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import simulator
from tests.simulator.cpp.test_random import compiler, needs_compiler

PROGRAMS = sorted(Path(__file__).with_name("classes").glob("*.cuh"))
COUNT = 32
KERNEL = """
extern "C" __global__ void k(double *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = run(i);
}
"""
MAIN = f"""
int main() {{
    for (int i = 0; i < {COUNT}; i++) std::printf("%a ", run(i));
}}
"""


def by_simulator(text: str, **options: object) -> np.ndarray:
    a = simulator.zeros(COUNT, "float64")
    kernel = simulator.RawKernel(text + KERNEL, "k", **options)
    kernel((2,), (COUNT // 2,), (a,))
    return a.get()


def by_compiler(text: str, folder: Path) -> np.ndarray:
    whole = f"#include <cstdio>\n#define __device__\n{text}{MAIN}"
    command = [compiler(), "-std=c++17", "-w", "-x", "c++", "-o", str(folder / "program"), "-"]
    subprocess.run(command, input=whole, text=True, check=True, capture_output=True)
    ran = subprocess.run([folder / "program"], capture_output=True, text=True, check=True)
    return np.array([float.fromhex(number) for number in ran.stdout.split()])


@needs_compiler
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_programs_compute_what_a_compiler_s_do(program: Path, tmp_path: Path) -> None:
    text = program.read_text("utf-8")
    expected = by_compiler(text, tmp_path)
    assert len(set(expected)) > COUNT // 2
    np.testing.assert_array_equal(by_simulator(text), expected)
