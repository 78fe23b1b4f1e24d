"""What is left out of a long list of cases by default, and what never is."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import CASES, left_out, sampled

ROOT = Path(__file__).parents[1]
MANY = """import pytest

@pytest.mark.parametrize("n", range(30))
def test_many(n):
    pass
"""


def quick(params: list) -> list[tuple]:
    return [param.values for param in params if not param.marks]


def test_the_first_of_every_few_is_quick() -> None:
    assert quick(sampled(range(7), 3)) == [(0,), (3,), (6,)]


def test_each_value_has_its_own_samples() -> None:
    cases = sampled(product("abc", range(4)), 4, each=0)
    assert quick(cases) == [("a", 0), ("b", 1), ("c", 2)]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=60), st.integers(1, 9))
def test_no_case_is_lost_and_no_value_left_out(cases: list[tuple[int, int]], every: int) -> None:
    params = sampled(cases, every, each=0)
    assert [param.values for param in params] == cases
    assert {value for value, _ in quick(params)} == {value for value, _ in cases}
    assert len(quick(params)) <= len(cases) / every + len({value for value, _ in cases})


@dataclass(frozen=True)
class Item:
    """What is asked of a test that was collected."""

    nodeid: str
    marks: frozenset[str] = frozenset()

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def kept(items: list[Any]) -> list[Any]:
    out = left_out(items)
    return [item for item in items if item not in out]


ITEMS = st.builds(
    Item,
    st.builds("test_{}.py::test_{}[{}]".format, *(st.integers(0, most) for most in (1, 2, 40))),
    st.sampled_from([frozenset(), frozenset({"gpu"})]),
)


@given(st.lists(ITEMS, unique_by=lambda item: item.nodeid), st.randoms())
def test_of_each_test_as_many_cases_are_kept_in_whatever_order_they_come(
    items: list[Any], chance: Any
) -> None:
    found = kept(items)
    for name, marks in {(item.nodeid.partition("[")[0], item.marks) for item in items}:
        of = [i for i in items if i.nodeid.startswith(f"{name}[") and i.marks == marks]
        assert sum(item in found for item in of) == min(len(of), CASES)
    others = list(items)
    chance.shuffle(others)
    assert set(kept(others)) == set(found)


def test_who_has_chosen_slow_cases_keeps_the_others() -> None:
    slow = [Item(f"test_a.py::test_a[{n}]", frozenset({"slow"})) for n in range(20)]
    quick = [Item(f"test_a.py::test_a[{n}]") for n in range(20, 40)]
    assert left_out([*slow, *quick]) == []  # type: ignore[list-item]


def test_tests_of_the_same_cases_run_different_ones() -> None:
    drawn = [
        {item.nodeid.partition("[")[2] for item in kept([Item(f"{name}[{n}]") for n in range(40)])}
        for name in ("test_a.py::test_a", "test_a.py::test_b")
    ]
    assert drawn[0] != drawn[1]


def test_a_folder_is_sampled_and_a_file_that_is_named_is_not(tmp_path: Path) -> None:
    file = tmp_path / "test_many.py"
    file.write_text(MANY)

    def collected(*given: str) -> int:
        command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--collect-only", "-q"]
        command += ["-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), *given]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        found = re.search(r"^(\d+)(?:/\d+)? tests collected", done.stdout, re.MULTILINE)
        assert found, done.stdout + done.stderr
        return int(found[1])

    assert collected(str(tmp_path)) == CASES
    assert collected("-m", "case", str(tmp_path)) == 30 - CASES
    assert collected("-m", "slow or not slow", str(tmp_path)) == 30
    assert collected(str(file)) == 30
    assert collected(f"{file}::test_many") == 30
