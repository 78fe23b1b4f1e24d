"""Random programs of classes, overloads, templates and lambdas compute what a C++ compiler's do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from tests.simulator.language.random_classes import program
from tests.simulator.language.running import by_itself, compare, in_every_way, needs_compiler


@pytest.mark.slow
@needs_compiler
def test_random_programs_compute_what_a_compiler_s_do(tmp_path: Path) -> None:
    compare(program, range(10), tmp_path)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 410, 50))
def test_more_random_programs_compute_what_a_compiler_s_do(first: int, tmp_path: Path) -> None:
    compare(program, range(first, first + 50), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_every_way_to_run_a_program_computes_the_same(seed: int) -> None:
    text = program(seed)
    expected = in_every_way(text, seed)
    try:
        counted = by_itself(text)
    except simulator.CompileError as error:
        pytest.skip(error.message)
    np.testing.assert_array_equal(counted, expected)
