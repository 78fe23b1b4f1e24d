"""What drivers say of levels that have no launch of their own, as a table of ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from gpubfs.render.sheets import Column, Row, Sheet, figure
from gpubfs.search.result import Run


def facts_sheets(run: Run) -> tuple[Sheet, ...]:
    """Return one sheet; none where every level that there are facts of has a launch, and so a row.

    Levels that follow each other are a row if they have the same words; their
    numbers are given from the least to the most.
    """
    facts = run.facts
    if not facts.keys() - {launch.depth for launch in run.per_launch}:
        return ()
    titles = tuple(dict.fromkeys(name for each in facts.values() for name in each))
    columns = (Column("levels", figures=True), *(Column(name, figures=True) for name in titles))
    groups = groupby(sorted(facts), key=lambda depth: _words(facts[depth]))
    rows = tuple(_row([*depths], facts, titles) for _, depths in groups)
    return (Sheet("levels within launches", columns, rows),)


def _words(facts: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return what levels of one row have in common, which is all but numbers."""
    return tuple((name, value) for name, value in facts.items() if not _is_number(value))


def _row(
    depths: Sequence[int], facts: Mapping[int, Mapping[str, Any]], titles: Sequence[str]
) -> Row:
    cells = ([facts[d][name] for d in depths if facts[d].get(name) is not None] for name in titles)
    return _spanned(depths), *map(_spanned, cells)


def _spanned(values: Sequence[Any]) -> str:
    if not values:
        return ""
    if not _is_number(values[0]):
        return str(values[0])
    return " to ".join(dict.fromkeys((figure(min(values)), figure(max(values)))))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
