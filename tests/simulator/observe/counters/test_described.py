"""Each counter has one description, and the documentation's tables are made of them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator.observe.counters import COUNTERS, LAUNCH, Formula, Most, Site, Sum, shown
from simulator.observe.counters.description import markdown
from simulator.source import Source, Span

ROOT = Path(__file__).parents[4]
OURS = {name: row for name, row in COUNTERS.items() if row.scope == LAUNCH}
NUMBERS = [item.name for item in fields(simulator.Counters) if item.type == "int"]


def test_the_readme_has_the_table_that_is_printed() -> None:
    assert markdown() in (ROOT / "simulator" / "README.md").read_text(encoding="utf-8")


def test_contributing_has_the_example() -> None:
    example = (ROOT / "tests" / "extensions" / "counter.py").read_text(encoding="utf-8")
    assert f"```python\n{example}```" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_fields_and_formulas_are_described() -> None:
    declared = {item.name for item in fields(simulator.Counters)} - {"more"}
    assert declared <= OURS.keys()
    assert list(simulator.Counters().as_dict()) == [name for name in OURS if "." not in name]
    for name, row in OURS.items():
        assert name == row.name
        assert row.meaning
        assert row.unit or name == "hottest_address"


@pytest.mark.parametrize("name", [name for name, row in OURS.items() if "." not in name])
def test_it_has_a_metric_or_a_reason(name: str) -> None:
    row = COUNTERS[name]
    assert bool(row.nsight) + bool(row.not_in_nsight) + bool(row.formula) == 1


def test_what_a_gpu_cannot_count_follows_from_the_descriptions() -> None:
    blind = {name for name, row in OURS.items() if not row.on_gpu}
    assert blind == {
        *("warp_steps", "thread_steps", "simt_efficiency", "hottest_ops", "hottest_address"),
        *("texture_requests", "texture_sectors", "surface_requests", "surface_sectors"),
        "matrix_products",
    }


def test_tables_have_groups_that_stay_together() -> None:
    groups = [row.group for row in shown()]
    assert groups == sorted(groups, key=groups.index)


@given(*(st.dictionaries(st.sampled_from(NUMBERS), st.integers(0, 9)) for _ in range(3)))
def test_adding_is_associative_and_formulas_are_of_sums(
    one: dict[str, int], two: dict[str, int], three: dict[str, int]
) -> None:
    a, b, c = (simulator.Counters(**values) for values in (one, two, three))
    left, right = ((a + b) + c).as_dict(), (a + (b + c)).as_dict()
    assert left == right
    for name in NUMBERS:
        values = [counters[name] for counters in (a, b, c)]
        assert left[name] == (max if COUNTERS[name].merge == "max" else sum)(values)
    asked = left["load_sectors"] and left["load_bytes"] / (32 * left["load_sectors"])
    assert left["load_efficiency"] == asked


def test_sums_and_the_most_of_sites() -> None:
    span = Span(Source("a[i]", "k.cu"), 1, 1, 1, 5)
    sites = [
        Site(span, "load", "a", lanes=3, size=8),
        Site(span, "load", "a", lanes=4, size=4),
        Site(span, "store", "a", lanes=9, size=4),
    ]
    assert Sum("lanes", ("load", "store"))(sites) == 16
    assert Sum("lanes", ("load",), by_size=True)(sites) == 40
    assert Most("lanes", ("load",))(sites) == 4
    assert Most("lanes", ("atomic",))(sites) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a / b", 0.0), ("1 - a * c", -5), ("max(a, c.d)", 7), ("a if c else b", 2), ("e + 1", None)],
)
def test_formulas(text: str, expected: float | None) -> None:
    values = {"a": 2, "b": 0, "c": 3, "c.d": 7, "e": None}
    assert Formula(text).value(values.__getitem__) == expected
