"""How evenly work is spread: a distribution kept as a histogram, exact and small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


def _empty() -> NDArray[np.int64]:
    return np.empty(0, np.int64)


@dataclass(frozen=True)
class Work:
    """Memory operations per thread (or warp, or block) as a histogram.

    Attributes
    ----------
    values : ndarray of int64, shape (k,)
        The amounts that occur, ascending.
    counts : ndarray of int64, shape (k,)
        How many threads have each amount.

    Examples
    --------
    >>> work = Work.of(np.array([0, 0, 4, 4]))
    >>> work.maximum, work.mean, work.imbalance, work.gini
    (4, 2.0, 2.0, 0.5)
    """

    values: NDArray[np.int64] = field(default_factory=_empty)
    counts: NDArray[np.int64] = field(default_factory=_empty)

    @classmethod
    def of(cls, amounts: NDArray[Any], idle: int = 0) -> Work:
        """Make the distribution of `amounts`, one a thread.

        Parameters
        ----------
        amounts : array
            How much each thread did.
        idle : int
            How many more there are that did nothing.

        Returns
        -------
        Work
            The distribution.
        """
        flat = amounts.ravel()
        if flat.size and flat.dtype.kind in "iu" and flat.min() >= 0 and flat.max() < flat.size:
            counts = np.bincount(flat)
            counts[0] += idle
            values = counts.nonzero()[0]
            return cls(values, counts[values])
        if idle:
            return cls.of(amounts) + cls(np.array([0]), np.array([idle]))
        values, counts = np.unique(amounts, return_counts=True)
        return cls(values.astype(np.int64), counts.astype(np.int64))

    def __add__(self, other: Work) -> Work:
        return Work.together((self, other))

    @classmethod
    def together(cls, parts: Sequence[Work]) -> Work:
        """Put the threads of several distributions together.

        Parameters
        ----------
        parts : sequence of Work
            The distributions.

        Returns
        -------
        Work
            That of all threads.
        """
        some = [part for part in parts if part.values.size]
        if len(some) < 2:
            return some[0] if some else cls()
        together = np.concatenate([part.values for part in some])
        values, index = np.unique(together, return_inverse=True)
        counts = np.bincount(index, np.concatenate([part.counts for part in some]), values.size)
        return cls(values, counts.astype(np.int64))

    @property
    def threads(self) -> int:
        """How many threads (or warps, or blocks) there are."""
        return int(self.counts.sum())

    @property
    def total(self) -> int:
        """All operations together."""
        return int((self.values * self.counts).sum())

    @property
    def maximum(self) -> int:
        """The most that one has."""
        return int(self.values[-1]) if self.values.size else 0

    @property
    def mean(self) -> float:
        """The average."""
        return self.total / self.threads if self.threads else 0.0

    @property
    def imbalance(self) -> float:
        """Maximum over mean: 1 is perfect balance; 0 where there is no work."""
        return self.maximum / self.mean if self.total else 0.0

    @property
    def gini(self) -> float:
        """Gini's coefficient: 0 when all have the same, towards 1 when one has everything."""
        if not self.total:
            return 0.0
        weight = self.values * self.counts
        below = np.cumsum(weight) - weight / 2
        return float(1 - 2 * (below * self.counts).sum() / (self.total * self.threads))

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON, with the histogram.

        Returns
        -------
        dict
            Maximum, mean, imbalance and Gini coefficient, and how many threads did how much.
        """
        return {
            "maximum": self.maximum,
            "mean": self.mean,
            "imbalance": self.imbalance,
            "gini": self.gini,
            "total": self.total,
            "histogram": {str(v): int(c) for v, c in zip(self.values, self.counts, strict=True)},
        }
