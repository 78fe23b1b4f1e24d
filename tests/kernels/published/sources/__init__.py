"""The cases of each public source, a file or more a source."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from tests.kernels.published.case import Case, Source


@cache
def all_cases() -> tuple[Case, ...]:
    """Return the cases of all sources, in the order of the files here."""
    found: dict[int, Source] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(__path__)):
        names = vars(importlib.import_module(f"{__name__}.{module}"))
        found |= {id(one): one for one in names.values() if isinstance(one, Source)}
    return tuple(case for source in found.values() for case in source.cases)
