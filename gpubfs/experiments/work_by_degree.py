"""How many edges vertices look at in bottom-up passes, by classes of their degrees.

A class begins at a power of two, and its figures are sums, so that those of several passes or
classes add up to those of all of their vertices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gpubfs.experiments.experiment import Point

#: Edges from which on a vertex has a warp in Enterprise, and below which work is small.
HIGH = 32

#: What sums of points are of.
SUMS = ("vertices", "edges", "looked_at", "small", "exhausted")


def total(points: Iterable[Point]) -> dict[str, int]:
    """Add up what points have of vertices.

    Parameters
    ----------
    points : iterable of Point
        Classes of degrees.
    """
    sums = dict.fromkeys(SUMS, 0)
    for point in points:
        for name in SUMS:
            sums[name] += point.values[name]
    return sums


def by_degree(points: Iterable[Point]) -> dict[int, list[Point]]:
    """Return the points of each class of degrees, in ascending order.

    Parameters
    ----------
    points : iterable of Point
        Of one graph, and any passes.
    """
    found: dict[int, list[Point]] = {}
    for point in sorted(points, key=lambda one: one.at or 0):
        found.setdefault(int(point.at or 0), []).append(point)
    return found


def correlation(degrees: NDArray[np.integer], works: Sequence[NDArray[np.int64]]) -> float | None:
    """Return the correlation of degrees and work over the vertices of all passes.

    Parameters
    ----------
    degrees : int array of shape (V,)
        Of all vertices.
    works : sequence of int64 arrays of shape (V,)
        Work of each pass, -1 where a vertex is not in it.

    Returns
    -------
    float or None
        From -1 to 1; 0 where all have the same work, and None where all have the same degree.

    Examples
    --------
    >>> correlation(np.array([1, 2, 3, 9]), [np.array([1, 2, 3, -1])])
    1.0
    >>> correlation(np.array([1, 2]), [np.ones(2, int)]), correlation(np.ones(2, int), [])
    (0.0, None)
    """
    own = np.concatenate([degrees[work >= 0] for work in works] or [np.empty(0, int)])
    looked = np.concatenate([work[work >= 0] for work in works] or [np.empty(0, int)])
    if not own.size or np.ptp(own) == 0:
        return None
    return round(float(np.corrcoef(own, looked)[0, 1]), 6) if np.ptp(looked) else 0.0


def classes(degrees: NDArray[np.integer], work: NDArray[np.int64]) -> dict[int, dict[str, int]]:
    """Return what vertices do in a pass, by classes of degrees that begin at powers of two.

    Parameters
    ----------
    degrees : int array of shape (V,)
        Of all vertices.
    work : int64 array of shape (V,)
        At how many edges each looks, -1 where it is not in the pass.

    Examples
    --------
    >>> classes(np.array([2, 3, 4]), np.array([1, 3, -1]))[2]["looked_at"]
    4
    """
    inside = work >= 0
    own, looked = degrees[inside].astype(np.int64), work[inside]
    # The largest power of two that is at most the degree; 0 has a class of its own.
    lows = np.where(own > 0, 1 << np.frexp(np.maximum(own, 1))[1].astype(np.int64) - 1, 0)
    found = {}
    for low in np.unique(lows):
        its, does = own[lows == low], looked[lows == low]
        found[int(low)] = {
            "vertices": int(its.size),
            "edges": int(its.sum()),
            "looked_at": int(does.sum()),
            "most": int(does.max()),
            "small": int(np.count_nonzero(does < HIGH)),
            "exhausted": int(np.count_nonzero(does == its)),
        }
    return found
