"""The teaching kernels on the simulator under every schedule, on a GPU, and through NVRTC."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import simulator
from gpubfs.errors import UsageError
from gpubfs.machines import nvrtc
from gpubfs.machines.gpu import cuda_module
from simulator.instrument import instrumented
from tests.sampling import sampled
from tests.teaching.case import KERNELS, Case, check, run
from tests.teaching.cases import CASES

#: Every one is a legal CUDA execution, so every case must come out right under each.
SCHEDULES = ("lockstep", "warp", "random:1", "random:2")
SEED = 20

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.mark.parametrize(
    ("name", "schedule"),
    sampled(product((case.name for case in CASES), SCHEDULES), 2, each=0),
)
def test_on_the_simulator(name: str, schedule: str, capfd: pytest.CaptureFixture[str]) -> None:
    case = next(case for case in CASES if case.name == name)
    with simulator.Device("h200", schedule=schedule):
        before, after = run(case, simulator, np.random.default_rng(SEED))
    check(case, before, after)
    assert capfd.readouterr().out == case.printed


@pytest.fixture(scope="module")
def cupy() -> ModuleType:
    try:
        return cuda_module()
    except UsageError as error:
        pytest.skip(error.message)


@pytest.mark.gpu
@each_case
def test_on_a_gpu(case: Case, cupy: Any) -> None:
    before, after = run(case, cupy, np.random.default_rng(SEED))
    check(case, before, after)


@each_case
def test_a_launch_that_does_nothing_is_noticed(case: Case) -> None:
    before = case.inputs(np.random.default_rng(SEED))
    with pytest.raises(AssertionError, match=re.escape(case.name)):
        check(case, before, before)


def test_every_file_has_a_case() -> None:
    assert {case.file for case in CASES} == {file.name for file in KERNELS.glob("*.cu")}
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.fixture(scope="module")
def headers() -> tuple[str, ...]:
    """The options with which NVRTC finds CUDA's headers."""
    compiler, reason = nvrtc.load()
    if compiler is None:
        pytest.skip(reason)
    if not nvrtc.header_options():
        pytest.skip("NVRTC brings no headers and finds none: pip install nvidia-cuda-runtime")
    return nvrtc.header_options()


def _compiled(text: str, options: tuple[str, ...], names: Iterable[str] = ()) -> tuple[bool, str]:
    """Whether NVRTC takes a text, and what it says about it."""
    compiler, _ = nvrtc.load()
    program = compiler.createProgram(text, "kernel.cu", (), ())
    try:
        for name in names:
            compiler.addNameExpression(program, name)
        compiler.compileProgram(program, options)
        good = True
    except compiler.NVRTCError:
        good = False
    log = compiler.getProgramLog(program).strip("\0 \n")
    compiler.destroyProgram(program)
    return good, log


@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize("file", sorted({case.file for case in CASES}))
def test_nvrtc_compiles(file: str, architecture: str, headers: tuple[str, ...]) -> None:
    cases = [case for case in CASES if case.file == file]
    names = dict.fromkeys(name for case in cases for name in case.name_expressions)
    options = (f"-arch={architecture}", *headers, *cases[0].all_options)
    good, log = _compiled((KERNELS / file).read_text(encoding="utf-8"), options, names)
    assert good, log
    # How deep a recursion goes is for the program to know.
    words = [line for line in log.splitlines() if "cannot be statically determined" not in line]
    assert words == []


#: Files whose kernels launch kernels: these cannot count by themselves.
LAUNCHING = {"device_launch.cu", "quicksort.cu"}


@pytest.mark.parametrize("file", sorted(LAUNCHING))
def test_what_launches_cannot_count_by_itself(file: str) -> None:
    case = next(case for case in CASES if case.file == file)
    with pytest.raises(simulator.CompileError, match="cannot be counted on a GPU"):
        instrumented((KERNELS / file).read_text(encoding="utf-8"), file, case.all_options)


@pytest.mark.parametrize("file", sorted({case.file for case in CASES} - LAUNCHING))
def test_nvrtc_compiles_what_counts(file: str, headers: tuple[str, ...]) -> None:
    """Not only the package's own kernels can be rewritten to count on a GPU."""
    cases = [case for case in CASES if case.file == file]
    names = list(dict.fromkeys(name for case in cases for name in case.name_expressions))
    options = cases[0].all_options
    made = instrumented(
        (KERNELS / file).read_text(encoding="utf-8"),
        file,
        options,
        cooperative=cases[0].cooperative,
        name_expressions=names,
    )
    kept = [option for option in options if not option.startswith("-D")]
    good, log = _compiled(made.text, ("-arch=sm_90", *headers, *kept), names)
    assert good, log
