"""Objects of random programs end when, and in the order in which, a C++ compiler ends them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.simulator.cpp.test_random import needs_compiler
from tests.simulator.language.random_scopes import program
from tests.simulator.language.test_random_classes import by_compiler, by_simulator


def compare(seeds: Sequence[int], folder: Path) -> None:
    texts = [program(seed) for seed in seeds]
    for seed, text, expected in zip(seeds, texts, by_compiler(texts, folder), strict=True):
        np.testing.assert_array_equal(by_simulator(text), expected, f"program {seed}")


@needs_compiler
def test_objects_end_as_a_compiler_ends_them(tmp_path: Path) -> None:
    compare(range(12), tmp_path)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("first", range(12, 212, 50))
def test_more_objects_end_as_a_compiler_ends_them(first: int, tmp_path: Path) -> None:
    compare(range(first, first + 50), tmp_path)
