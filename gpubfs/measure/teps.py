"""Searches from random sources, and their speeds in the form of the Graph500 benchmark.

References
----------
The Graph 500 benchmark specification, "Performance metrics": graph500.org.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.graphs import Graph

#: The seed of random sources, so that every technique gets the same.
SEED = 500


def random_sources(graph: Graph, count: int) -> tuple[int, ...]:
    """Draw different vertices that have neighbours besides themselves, as the benchmark does.

    Parameters
    ----------
    graph : Graph
        The graph.
    count : int
        How many.

    Returns
    -------
    tuple of int
        The same ones each time.

    Raises
    ------
    UsageError
        If so many vertices have no neighbours.

    Examples
    --------
    >>> from gpubfs.graphs import graph
    >>> sorted(random_sources(graph("path:4"), 4))
    [0, 1, 2, 3]
    """
    rows = np.repeat(np.arange(graph.vertices, dtype=np.int32), graph.degrees)
    loops = np.bincount(rows[graph.neighbours == rows], minlength=graph.vertices)
    able = np.flatnonzero(graph.degrees > loops)
    if count > len(able):
        raise UsageError(
            f"{graph.label} has {len(able):,} vertices with neighbours, too few for {count:,} "
            "sources",
            f"give --sources {len(able)} at most, or a larger graph",
        )
    drawn = np.random.default_rng(SEED).choice(able, count, replace=False)
    return tuple(map(int, drawn))


@dataclass(frozen=True)
class Teps:
    """Traversed edges a second over several searches, by the benchmark's names.

    A speed has the time below the line, so that the mean of speeds is the harmonic one; its
    deviation is that of the mean.
    """

    min_TEPS: float  # noqa: N815 - the benchmark's names
    firstquartile_TEPS: float  # noqa: N815
    median_TEPS: float  # noqa: N815
    thirdquartile_TEPS: float  # noqa: N815
    max_TEPS: float  # noqa: N815
    harmonic_mean_TEPS: float  # noqa: N815
    harmonic_stddev_TEPS: float  # noqa: N815

    @classmethod
    def of(cls, speeds: Sequence[float]) -> Self:
        """Return the statistics of some speeds, each above 0.

        Examples
        --------
        >>> Teps.of([1.0, 2.0, 4.0]).harmonic_mean_TEPS
        1.7142857142857142
        """
        inverse = 1 / np.asarray(speeds, float)
        mean = 1 / inverse.mean()
        spread = np.sqrt(np.square(inverse - 1 / mean).sum())
        deviation = spread / max(len(inverse) - 1, 1) * mean**2
        quartiles = np.quantile(1 / inverse, (0, 0.25, 0.5, 0.75, 1))
        values = [float(value) for value in (*quartiles, mean, deviation)]
        return cls(*values)
