"""Random programs, run by the simulator, by themselves and by a C++ compiler of the host.

Each has a function `double run(int i)`, of which a kernel keeps what it returns for each thread.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from simulator.observe.trace.recorder import TraceTooLong
from tests.simulator.cpp.test_random import compiler, needs_compiler

__all__ = ["by_compiler", "by_itself", "by_simulator", "compare", "in_every_way", "needs_compiler"]

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


def by_simulator(text: str, schedule: str = "lockstep", watched: bool = False) -> np.ndarray:
    """Return what a program gives; if it is `watched`, all sanitizers see what it does."""
    with ExitStack() as stack:
        stack.enter_context(simulator.Device(memory=1 << 20, schedule=schedule))
        if watched:
            stack.enter_context(simulator.sanitize("all"))
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


def compare(program: Callable[[int], str], seeds: Sequence[int], folder: Path) -> None:
    """Run the programs of some seeds by the simulator and by a compiler."""
    texts = [program(seed) for seed in seeds]
    for seed, text, expected in zip(seeds, texts, by_compiler(texts, folder), strict=True):
        np.testing.assert_array_equal(by_simulator(text), expected, f"program {seed}")


def traced(text: str) -> np.ndarray | None:
    """Return what a program gives while it is traced; None where it takes too many steps."""
    with simulator.Device(memory=1 << 20):
        a = simulator.zeros(COUNT, "float64")
        try:
            with simulator.tracing():
                simulator.RawKernel(text + KERNEL, "k")((2,), (COUNT // 2,), (a,))
        except TraceTooLong:
            return None
        return a.get()


def in_every_way(text: str, seed: int) -> np.ndarray:
    """Return what a program gives, also in a random order, watched and traced."""
    expected = by_simulator(text)
    np.testing.assert_array_equal(by_simulator(text, f"random:{seed}"), expected)
    np.testing.assert_array_equal(by_simulator(text, watched=True), expected)
    shown = traced(text)
    if shown is not None:
        np.testing.assert_array_equal(shown, expected)
    return expected
