"""The same kernel of ints by the simulator and by the host's C++ compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import simulator
from tests.simulator.cpp.test_random import FLAGS, compiler, needs_compiler

__all__ = ["by_compiler", "by_simulator", "needs_compiler"]

Ints = NDArray[np.int32]

_HOST = """\
#include <cstdio>
#include <cstring>
#define __global__
#define __device__ static
#define __constant__ static
#define __shared__ static
#define __align__(n) alignas(n)
struct Index { unsigned int x, y, z; };
static Index threadIdx, blockIdx, blockDim;
"""

_MAIN = """
static int in[{ins}], out[{outs}];
int main() {{
  if (std::fread(in, sizeof in, 1, stdin) != 1) return 1;
  blockDim.x = {threads};
  for (threadIdx.x = 0; threadIdx.x < {threads}; threadIdx.x++) kernel(in, out);
  std::fwrite(out, sizeof out, 1, stdout);
}}
"""


def by_simulator(text: str, values: Ints, results: int) -> Ints:
    """What `kernel(const int *in, int *out)` leaves in `out`, one block of a thread a row."""
    threads = values.shape[0]
    out = simulator.zeros(threads * results, "int32")
    kernel = simulator.RawKernel(text, "kernel")
    kernel((1,), (threads,), (simulator.asarray(values.ravel()), out))
    return out.get().reshape(threads, results)


def by_compiler(text: str, values: Ints, results: int, folder: Path) -> Ints:
    """The same, compiled for this machine, one thread after the other."""
    threads = values.shape[0]
    main = _MAIN.format(ins=values.size, outs=threads * results, threads=threads)
    program = folder / "program"
    command = [compiler(), *FLAGS.split(), "-o", str(program), "-"]
    made = subprocess.run(
        command, input=_HOST + text + main, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr[:3000]
    ran = subprocess.run([program], input=values.tobytes(), capture_output=True, check=True)
    return np.frombuffer(ran.stdout, np.int32).reshape(threads, results)
