"""Random C programs: the simulator and the host's C++ compiler agree bit for bit."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from tests.reference.types import TYPES, Type
from tests.sampling import sampled
from tests.simulator.cpp.programs import COLUMNS, THREADS, Program, Stored, inputs, program

SEEDS = range(int(os.environ.get("GPUBFS_SEEDS", "6")))
BLOCKS, ROWS = 2, 99
FLAGS = "-x c++ -std=c++17 -O1 -w -fwrapv -frounding-math -ffp-contract=off -fsigned-char"
#: With these, a program stops where C++ leaves open what happens; signed overflow and shifts wrap.
STRICT = (
    "-fsanitize=undefined,float-cast-overflow -fno-sanitize=shift-base -fno-sanitize-recover=all"
)

HOST = """\
#include <stdio.h>
#define __global__
#define __device__ static
#define __shared__ static
struct Index { unsigned int x, y, z; };
static Index threadIdx, blockIdx, blockDim;
"""


def driver(columns: dict[Type, int]) -> str:
    """The host's part: operands from standard input, one thread after the other, results out."""
    lines = []
    for t in TYPES:
        lines += [
            f"static {t.name} in_{t.tag}[{COLUMNS * ROWS}], s_{t.tag};",
            f"static {t.name} out_{t.tag}[{max(1, columns[t]) * ROWS}];",
        ]
    lines.append("int main() {")
    for form in ("in_{0}", "s_{0}"):
        names = [form.format(t.tag) for t in TYPES]
        lines += [f"fread(&{name}, sizeof {name}, 1, stdin);" for name in names]
    ins, outs = (
        ", ".join(form.format(t.tag) for t in TYPES) for form in ("in_{0}, s_{0}", "out_{0}")
    )
    lines += [
        f"blockDim.x = {THREADS};",
        f"for (blockIdx.x = 0; blockIdx.x < {BLOCKS}; blockIdx.x++)",
        f"for (threadIdx.x = 0; threadIdx.x < {THREADS}; threadIdx.x++)",
        f"kernel({ins}, {outs}, {ROWS});",
        *(f"fwrite(out_{t.tag}, sizeof out_{t.tag}, 1, stdout);" for t in TYPES),
        "}",
    ]
    return "\n".join(lines)


@dataclass
class Data:
    """What a program works on: the values of each lane, of all lanes, and room for the results."""

    arrays: dict[Type, NDArray[Any]]
    scalars: dict[Type, Any]
    columns: dict[Type, int]

    @classmethod
    def of(cls, made: Program, seed: int) -> Data:
        rng = np.random.default_rng(seed)
        arrays = {t: inputs(t, rng, COLUMNS * ROWS) for t in TYPES}
        scalars = {t: inputs(t, rng, 1)[0] for t in TYPES}
        return cls(arrays, scalars, made.columns)

    def outputs(self) -> dict[Type, NDArray[Any]]:
        return {t: np.zeros(max(1, self.columns[t]) * ROWS, t.code) for t in TYPES}


def simulated(made: Program, data: Data) -> dict[Type, NDArray[Any]]:
    """What the simulator stores."""
    out = {t: simulator.asarray(a) for t, a in data.outputs().items()}
    ins = [v for t in TYPES for v in (simulator.asarray(data.arrays[t]), data.scalars[t])]
    kernel = simulator.RawKernel(made.text, "kernel")
    kernel((BLOCKS,), (THREADS,), (*ins, *out.values(), ROWS))
    return {t: array.get() for t, array in out.items()}


@lru_cache
def compiler() -> str:
    """The host's C++ compiler, or a C compiler that knows C++; empty if there is none."""
    for name in ("g++", "c++", "clang++", "gcc", "cc", "clang"):
        if (path := shutil.which(name)) and _works(path):
            return path
    return ""


def _works(path: str) -> bool:
    """Whether it makes programs for this machine, and its types have CUDA's sizes."""
    sizes = "sizeof(long) == 8 && sizeof(int) == 4 && sizeof(void *) == 8"
    return not _complaint(path, f"static_assert({sizes});", FLAGS)


def _complaint(path: str, text: str, flags: str) -> str:
    """What is wrong with compiling a program so; empty if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        done = _compile(path, f"{text}\nint main() {{}}", Path(folder) / "probe", flags)
    return done.stderr or "it failed" if done.returncode else ""


def _compile(path: str, text: str, target: Path, flags: str) -> subprocess.CompletedProcess[str]:
    command = [path, *flags.split(), "-o", str(target), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def native(made: Program, data: Data, folder: Path, flags: str = FLAGS) -> dict[Type, NDArray[Any]]:
    """What the compiled program stores."""
    source = HOST + made.text + driver(data.columns)
    done = _compile(compiler(), source, folder / "program", flags)
    assert done.returncode == 0, done.stderr[:3000]
    operands = [data.arrays[t].tobytes() for t in TYPES]
    operands += [data.scalars[t].tobytes() for t in TYPES]
    ran = subprocess.run(
        [folder / "program"], input=b"".join(operands), capture_output=True, check=False
    )
    assert ran.returncode == 0, f"it ended with {ran.returncode}: {ran.stderr.decode()[:3000]}"
    out, at = {}, 0
    for ctype, empty in data.outputs().items():
        out[ctype] = np.frombuffer(ran.stdout, empty.dtype, empty.size, at).copy()
        at += empty.nbytes
    return out


def differing(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Where bits differ; not-a-numbers are all one."""
    bits = np.dtype(f"u{left.dtype.itemsize}")
    different: NDArray[np.bool_] = left.view(bits) != right.view(bits)
    if left.dtype.kind == "f":
        different &= ~(np.isnan(left) & np.isnan(right))
    return different


def first_difference(made: Program, data: Data, ours: Any, theirs: Any) -> str:
    """The first unit that stored something else, with its operands; empty if none did."""
    for stored in made.stored:
        rows = slice(stored.column * ROWS, (stored.column + 1) * ROWS)
        left, right = ours[stored.type][rows], theirs[stored.type][rows]
        wrong = differing(left, right).nonzero()[0]
        if wrong.size:
            return _described(made, data, stored, int(wrong[0]), left, right)
    return ""


def _described(
    made: Program, data: Data, stored: Stored, row: int, left: NDArray[Any], right: NDArray[Any]
) -> str:
    unit = made.units[stored.unit]
    used = [f"s_{t.tag} = {data.scalars[t]!r}" for t in TYPES if f"s_{t.tag}" in unit]
    for ctype in TYPES:
        for column in range(COLUMNS):
            name = f"v_{ctype.tag}_{column}"
            if name in unit:
                used.append(f"{name} = {data.arrays[ctype][column * ROWS + row]!r}")
    what = f"out_{stored.type.tag}[{stored.column} * n + {row}]"
    return (
        f"unit {stored.unit}: {what} is {left[row]!r} on the simulator, {right[row]!r} compiled\n"
        f"{made.functions}{unit}{'; '.join(used)}"
    )


def compare(made: Program, seed: int, folder: Path) -> str:
    """The first difference between the simulator and the compiler, in words."""
    data = Data.of(made, seed)
    return first_difference(made, data, simulated(made, data), native(made, data, folder))


needs_compiler = pytest.mark.skipif(
    not compiler(), reason="no C++ compiler for a machine with CUDA's sizes of types was found"
)


@needs_compiler
@pytest.mark.parametrize(("seed", "many"), sampled([(0, 150), *((n, 400) for n in SEEDS)], 99))
def test_expressions_agree(seed: int, many: int, tmp_path: Path) -> None:
    assert not compare(program(seed, expressions=many, loops=0), seed, tmp_path)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("seed", "many"), sampled([(0, 15), *((n, 40) for n in SEEDS)], 99))
def test_loops_agree(seed: int, many: int, tmp_path: Path) -> None:
    assert not compare(program(1_000_000 + seed, expressions=0, loops=many), seed, tmp_path)


def test_a_difference_is_reported_with_its_unit_and_operands() -> None:
    made = program(0, expressions=3, loops=0)
    data = Data.of(made, 0)
    ours, theirs = data.outputs(), data.outputs()
    assert not first_difference(made, data, ours, theirs)
    last = made.stored[-1]
    theirs[last.type][last.column * ROWS + 5] = 1
    message = first_difference(made, data, ours, theirs)
    assert message.startswith(f"unit 2: out_{last.type.tag}[{last.column} * n + 5] is ")
    assert made.units[2] in message


def test_zeros_of_different_sign_differ_and_nans_do_not() -> None:
    zeros = np.array([0.0, np.nan, 1.0]), np.array([-0.0, -np.nan, 1.0])
    assert differing(*zeros).tolist() == [True, False, False]


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_programs_are_defined_by_the_standard(seed: int, tmp_path: Path) -> None:
    if complaint := _complaint(compiler(), "", f"{FLAGS} {STRICT}"):
        pytest.skip(f"the C++ compiler cannot watch for undefined behaviour: {complaint[:200]}")
    made = program(seed, expressions=200, loops=20)
    native(made, Data.of(made, seed), tmp_path, f"{FLAGS} {STRICT}")
