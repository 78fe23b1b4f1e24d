"""Long lists of cases: some of them run by default, the others with `-m slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Parameters for `parametrize`, of which all but the first of each `every` are slow.

    A case is a tuple of values, or one value.
    """
    marks = ((), (pytest.mark.slow,))
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks[at % every > 0])
        for at, case in enumerate(cases)
    ]
