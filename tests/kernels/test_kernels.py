"""Whole kernels as the world writes them against NumPy, and against a GPU.

`harnesses.py` says what each kernel beside this file is launched with, and what NumPy makes of it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from gpubfs.machines.checking import check_file
from simulator import Fault
from tests.kernels.harnesses import TABLE, Arrays, Harness, Row, text_of
from tests.simulator.builtins.test_curand_on_gpu import header_options as curand_options

FILES = sorted(Path(__file__).parent.glob("*.cu"))
every = pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.name}-{row.make.__name__}")


@cache
def module(family: str, options: tuple[str, ...] = ()) -> simulator.RawModule:
    return simulator.RawModule(code=text_of(family), options=options)


def run(harness: Harness, machine: Any, code: Any) -> Arrays:
    """What the launches leave in the arrays that are checked."""
    for name, values in harness.constants.items():
        found = machine.ndarray(values.shape, values.dtype, code.get_global(name))
        found.set(values)
    arrays = {name: machine.asarray(values) for name, values in harness.arrays.items()}
    for one in harness.launches:
        given = [arrays[a] if isinstance(a, str) else number(a) for a in one.arguments]
        code.get_function(one.kernel)(one.grid, one.block, tuple(given), shared_mem=one.shared)
    return {name: arrays[name].get() for name in harness.expected}


def number(value: Any) -> np.generic:
    return value if isinstance(value, np.generic) else np.int32(value)


def check(harness: Harness, found: Arrays) -> None:
    for name, expected in harness.expected.items():
        if found[name].dtype.kind == "f":
            scale = np.abs(expected).max() * harness.rtol
            np.testing.assert_allclose(found[name], expected, rtol=0, atol=scale, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], expected, err_msg=name)


def simulate(row: Row, size: str, schedule: str) -> None:
    harness = row.harness(size)
    with simulator.Device(schedule=schedule):
        check(harness, run(harness, simulator, module(harness.family)))


@every
def test_lockstep_gives_what_numpy_does_without_races(row: Row) -> None:
    harness = row.harness("small")
    with simulator.Device(schedule="lockstep"), simulator.sanitize("all") as report:
        check(harness, run(harness, simulator, module(harness.family)))
    assert not report.findings


@every
def test_any_order_gives_what_numpy_does(row: Row) -> None:
    simulate(row, "small", "random:1")


BARRIERS = [
    (file.stem, found.span())
    for file in FILES
    for found in re.finditer(r"__sync(threads|warp)\(\);", file.read_text("utf-8"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "span"), BARRIERS)
def test_a_barrier_that_is_missing_is_found(family: str, span: tuple[int, int]) -> None:
    text = text_of(family)
    with pytest.raises(Fault, match="race"):
        look_for_races(family, f"{text[: span[0]]};{text[span[1] :]}")


def look_for_races(family: str, text: str) -> None:
    code = simulator.RawModule(code=text)
    for harness in [row.harness() for row in TABLE]:
        if harness.family == family:
            with simulator.Device(), simulator.sanitize("race"):
                run(harness, simulator, code)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["lockstep", "shuffled:2", "random:3", "round-robin:4"])
@every
def test_larger_ones_do_under_every_schedule(row: Row, schedule: str) -> None:
    if schedule.startswith("round-robin"):
        simulate(row, "small", schedule)
    else:
        simulate(row, "large", schedule)


def test_every_kernel_has_a_harness() -> None:
    written = {name for file in FILES for name in module(file.stem).program.kernels}
    assert written == {one.kernel for row in TABLE for one in row.harness().launches}


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nvrtc_accepts_them(file: Path) -> None:
    checked = check_file(file)
    assert checked.ok
    if checked.nvrtc_accepts is None or "not open source file" in checked.nvrtc_text:
        pytest.skip("NVRTC is not installed, or a header of cuRAND is not")
    assert checked.nvrtc_accepts, checked.nvrtc_text


@cache
def module_of_gpu(family: str) -> Any:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    options = ("-std=c++17", *nvrtc.header_options(), *curand_options())
    code = cupy.RawModule(code=text_of(family), options=options)
    try:
        code.compile()
    except cupy.cuda.compiler.CompileException as error:
        if "not open source file" in str(error):
            pytest.skip("NVRTC finds no headers: pip install nvidia-cuda-runtime nvidia-curand")
        raise
    return code


@pytest.mark.gpu
@pytest.mark.parametrize("size", ["small", "large"])
@every
def test_a_gpu_gives_what_numpy_does(row: Row, size: str) -> None:
    harness = row.harness(size)
    code = module_of_gpu(harness.family)
    check(harness, run(harness, pytest.importorskip("cupy"), code))


def conflicts(kernel: str) -> int:
    (row,) = [row for row in TABLE if row.name == kernel]
    harness = row.harness()
    with simulator.counting() as record:
        run(harness, simulator, module(harness.family))
    return sum(launch.counters.bank_conflicts for launch in record.launches)


def test_padding_and_swizzling_end_the_conflicts_of_banks() -> None:
    assert conflicts("transpose_tiles") > 0
    assert conflicts("transpose_padded") == conflicts("transpose_swizzled") == 0
    assert conflicts("reduce_strided") > conflicts("reduce_sequential") == 0
