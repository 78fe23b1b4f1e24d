"""Limits that are shares of what a technique's own kernel counts in the same search.

Of a graph that depends on a secret nobody knows beforehand what a search will cost. So a limit on
it says how much of the technique's own cost is allowed, and the technique is run beside the
submission: on the same graph, from the same source, with the same options and schedule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpubfs.grading.errors import ExerciseError
from gpubfs.grading.limits.costs import Cost, over, value_of
from gpubfs.grading.outcome import Failure

#: What a product of floating-point numbers may be below the whole number that is meant.
ROUNDING = 1e-9


def limits_of(shares: Mapping[str, float], own: Cost) -> dict[str, float]:
    """Return the most that each counter may be; of counters that are whole, whole numbers.

    Parameters
    ----------
    shares : mapping of str to float
        Counters and shares.
    own : Cost
        What the technique's own search has cost.

    Raises
    ------
    ExerciseError
        If the technique does not count one of them.

    Examples
    --------
    >>> own = Cost({"launches": 7, "simt_efficiency": 0.25})
    >>> limits_of({"launches": 0.5, "idle_share": 0.5}, own)
    {'launches': 3, 'idle_share': 0.375}
    """
    return {name: _most(name, share, own) for name, share in shares.items()}


def _most(name: str, share: float, own: Cost) -> float:
    counted = value_of(name, own)
    if counted is None:
        raise ExerciseError(f"{name} is limited, and is not counted here", "limit another")
    product = float(share * counted)
    return product if isinstance(counted, float) else math.floor(product + ROUNDING)


def exceeded_share(shares: Mapping[str, float], cost: Cost, own: Cost) -> Failure | None:
    """Return the first counter that is above its share, and what has the most of it.

    Examples
    --------
    >>> own = Cost({"launches": 6}, called="host-loop on path:6")
    >>> exceeded_share({"launches": 0.5}, Cost({"launches": 3}), own)
    >>> lost = exceeded_share({"launches": 0.5}, Cost({"launches": 4}), own)
    >>> print(lost.message)
    the result is right, but launches is 4, more than 3, which is 0.5 of host-loop on path:6
    """
    for name, most in limits_of(shares, own).items():
        found = value_of(name, cost)
        if found is None:
            words = f"{name} was not counted"
            return Failure("limit", words, cost.called, general=words)
        if found > most:
            because = f", which is {shares[name]:g} of {own.called}"
            return over(name, found, most, cost, because)
    return None
