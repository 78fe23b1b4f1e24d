"""Long lists of cases: some of them run by default, the others with `-m slow`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import settings

#: As many cases of a test run by default.
CASES = 4


def sampled(cases: Iterable[Any], every: int, each: int | None = None) -> list[Any]:
    """Parameters for `parametrize`, of which all but the first of each `every` are slow.

    A case is a tuple of values, or one value. `each` is the place of a value in a case of which
    none may be left out, as a technique: those of one value, by its text, are sampled by
    themselves, and those of the next value begin one further on.
    """
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    quick = _quick([None if each is None else str(row[each]) for row in rows], every)
    return [
        pytest.param(*row, marks=() if at in quick else pytest.mark.slow)
        for at, row in enumerate(rows)
    ]


def _quick(values: list[str | None], every: int) -> set[int]:
    """The places of the cases that run by default, by the value that each case is sampled by."""
    groups: dict[str | None, list[int]] = {}
    for at, value in enumerate(values):
        groups.setdefault(value, []).append(at)
    return {
        at
        for turn, own in enumerate(groups.values())
        for at in own[turn % min(every, len(own)) :: every]
    }


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """All but `CASES` cases of each test, always the same ones.

    Which they are depends on a test's name, so that other tests run other techniques, types or
    orders. Those for a GPU are counted by themselves. A test of which some cases are marked as
    slow has chosen by itself, and keeps the others.
    """
    tests: dict[tuple[str, bool], list[pytest.Item]] = {}
    chosen = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if item.get_closest_marker("slow"):
            chosen.add(name)
        else:
            tests.setdefault((name, bool(item.get_closest_marker("gpu"))), []).append(item)
    return [
        item
        for (name, _), cases in tests.items()
        if name not in chosen
        for item in sorted(cases, key=_drawn)[CASES:]
    ]


def _drawn(item: pytest.Item) -> bytes:
    return sha256(item.nodeid.encode()).digest()


def examples(most: int, quick: int) -> settings:
    """How many examples a law is tried with where slow tests are asked for, and by default.

    Everything else is as the profile of `conftest` says that is loaded.
    """
    all_of_them = settings.default.max_examples >= settings.get_profile("slow").max_examples
    return settings(max_examples=most if all_of_them else quick)
