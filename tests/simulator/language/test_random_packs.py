"""Random programs of packs, folds and constant functions compute what a C++ compiler's do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import simulator
from tests.simulator.cpp.test_random import needs_compiler
from tests.simulator.language.random_packs import program
from tests.simulator.language.test_random_classes import by_compiler, by_itself, by_simulator


def compare(seeds: Sequence[int], folder: Path) -> None:
    texts = [program(seed) for seed in seeds]
    for seed, text, expected in zip(seeds, texts, by_compiler(texts, folder), strict=True):
        np.testing.assert_array_equal(by_simulator(text), expected, f"program {seed}")


@needs_compiler
def test_random_programs_compute_what_a_compiler_s_do(tmp_path: Path) -> None:
    compare(range(12), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_every_way_to_run_a_program_computes_the_same(seed: int) -> None:
    text = program(seed)
    expected = by_simulator(text)
    np.testing.assert_array_equal(by_simulator(text, f"random:{seed}"), expected)
    with simulator.tracing(), simulator.sanitize("all"):
        np.testing.assert_array_equal(by_simulator(text), expected)
    np.testing.assert_array_equal(by_itself(text), expected)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("first", range(12, 412, 50))
def test_more_random_programs_compute_what_a_compiler_s_do(first: int, tmp_path: Path) -> None:
    compare(range(first, first + 50), tmp_path)
