"""Random programs of packs, folds and constant functions compute what a C++ compiler's do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.simulator.language.random_packs import program
from tests.simulator.language.running import by_itself, compare, in_every_way, needs_compiler


@pytest.mark.slow
@needs_compiler
def test_random_programs_compute_what_a_compiler_s_do(tmp_path: Path) -> None:
    compare(program, range(12), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_every_way_to_run_a_program_computes_the_same(seed: int) -> None:
    text = program(seed)
    np.testing.assert_array_equal(by_itself(text), in_every_way(text, seed))


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("first", range(12, 412, 50))
def test_more_random_programs_compute_what_a_compiler_s_do(first: int, tmp_path: Path) -> None:
    compare(program, range(first, first + 50), tmp_path)
