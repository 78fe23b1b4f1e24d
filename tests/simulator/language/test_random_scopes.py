"""Objects of random programs end when, and in the order in which, a C++ compiler ends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.language.random_scopes import program
from tests.simulator.language.running import compare, needs_compiler


@pytest.mark.slow
@needs_compiler
def test_objects_end_as_a_compiler_ends_them(tmp_path: Path) -> None:
    compare(program, range(12), tmp_path)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("first", range(12, 212, 50))
def test_more_objects_end_as_a_compiler_ends_them(first: int, tmp_path: Path) -> None:
    compare(program, range(first, first + 50), tmp_path)
