"""What is left out of a long list of cases by default, and what never is."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import sampled


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
