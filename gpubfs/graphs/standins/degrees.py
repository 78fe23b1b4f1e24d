"""Sequences of degrees with a given mean, deviation, Gini coefficient and largest value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]

#: Bends that the search for the degrees starts from, and the bend of a power law of exponent 2.1.
STARTS = (-4.0, -0.6, 0.2, 0.6, 0.9)
POWER_LAW = 1 / 1.1

#: How often a law is tried from each of them, and the error at which no other is looked for.
TRIES, GOOD = 60, 1e-7

#: How much a relative error of each figure counts: the mean the most, as edges depend on it.
WEIGHTS = {"mean": 30.0, "gini": 6.0, "deviation": 1.0}


@dataclass(frozen=True)
class Wanted:
    """What degrees should be; None where nothing is known.

    Parameters
    ----------
    mean, deviation, gini : float
        Mean, standard deviation and Gini coefficient.
    largest : int
        The degree of the `hubs` vertices that have the most.
    least : int
        No degree is below.
    hubs : int
        How many vertices have the largest degree for sure.
    """

    mean: float
    deviation: float | None
    gini: float | None
    largest: int
    least: int = 1
    hubs: int = 1

    def outweighed(self, vertices: int) -> bool:
        """Whether the hubs alone make more of a deviation than is wanted; the others then have it.

        >>> Wanted(14.2, 36.1, 0.72, 20293).outweighed(70_000)
        True
        """
        if self.deviation is None:
            return False
        alone = self.hubs * (self.largest - self.mean) ** 2 / vertices
        return alone > 0.6 * self.deviation**2


@dataclass(frozen=True)
class _Ranks:
    """Ranks of vertices by falling degree in groups: single ones at the top, wider ones below."""

    share: Reals  # the middle rank of each group over the number of vertices
    weight: Reals  # how many vertices a group has
    hubs: int

    @classmethod
    def of(cls, vertices: int, hubs: int, groups: int = 2000) -> _Ranks:
        wide = np.geomspace(1, vertices, groups), np.linspace(1, vertices, groups)
        first = np.arange(min(vertices, 64 + hubs) + 1)
        bounds = np.unique(np.concatenate([first, *np.rint(wide).astype(np.int64)]))
        return cls((bounds[1:] + bounds[:-1]) / 2 / vertices, np.diff(bounds) * 1.0, hubs)

    def degrees(self, wanted: Wanted, low: float, spread: float, bend: float) -> Reals:
        """Return falling degrees: a generalised Pareto law between the least and the largest.

        A bend of 1 / (e - 1) is a power law of exponent e, 0 is exponential, -1 uniform; below,
        most degrees are close to the largest.
        """
        bend = bend if abs(bend) > 1e-6 else 1e-6
        with np.errstate(over="ignore"):
            shape = low + spread * (self.share**-bend - 1) / bend
        found: Reals = np.clip(shape, wanted.least, max(wanted.least, wanted.largest))
        found[: self.hubs] = wanted.largest
        return found

    def errors(self, wanted: Wanted, degrees: Reals) -> Reals:
        """Return the weighted relative error of each figure that is wanted."""
        total = self.weight.sum()
        mean = (self.weight @ degrees) / total
        found = [WEIGHTS["mean"] * (mean / wanted.mean - 1)]
        if wanted.gini is not None:
            gini = 1 - 2 * (self.weight * self.share) @ degrees / (total * mean)
            found.append(WEIGHTS["gini"] * (gini - wanted.gini) / max(wanted.gini, 0.05))
        if wanted.deviation is not None:
            first = self.hubs if wanted.outweighed(int(total)) else 0
            squares = self.weight[first:] @ (degrees[first:] - mean) ** 2
            deviation = np.sqrt(max(1e-9, squares / total))
            found.append(WEIGHTS["deviation"] * np.log(deviation / max(wanted.deviation, 1e-3)))
        return np.array(found)


def degree_sequence(vertices: int, wanted: Wanted) -> Numbers:
    """Return falling degrees whose figures are as close to the wanted ones as their law allows.

    Examples
    --------
    >>> degrees = degree_sequence(20_000, Wanted(19.2, 5.7, 0.17, 47))
    >>> degrees.mean().round(1), degrees.std().round(1), degrees[0]
    (np.float64(19.2), np.float64(5.7), np.int64(47))
    """
    if wanted.largest < 1:
        return np.zeros(vertices, np.int64)
    every = _Ranks(
        (np.arange(vertices) + 0.5) / vertices, np.ones(vertices), min(wanted.hubs, vertices)
    )
    law = _fitted(_Ranks.of(vertices, every.hubs), wanted)
    real = every.degrees(wanted, *law)
    sums = np.floor(np.append(0, np.cumsum(real)) + 0.5).astype(np.int64)
    return -np.sort(sums[:-1] - sums[1:])


def _fitted(ranks: _Ranks, wanted: Wanted) -> tuple[float, float, float]:
    """Find the law's three parameters, rounded so that platforms agree on them.

    Where only the mean is known, the law is a power law from the least degree on; without a
    deviation, its bend is that of one, too.
    """
    from scipy.optimize import least_squares  # slow to import

    def law(unknown: Reals) -> tuple[float, float, float]:
        low = wanted.least if len(unknown) == 1 else float(unknown[1]) * wanted.mean
        bend = POWER_LAW if len(unknown) < 3 else float(unknown[2])
        return low, float(np.exp(unknown[0])) * wanted.mean, bend

    def cost(unknown: Reals) -> Reals:
        return ranks.errors(wanted, ranks.degrees(wanted, *law(unknown)))

    known = 1 + (wanted.gini is not None) + (wanted.deviation is not None)
    starts = [np.array([np.log(0.3), 0.5, bend])[:known] for bend in STARTS]
    limits = [-12.0, -30.0, -40.0][:known], [6.0, 3.0, 3.0][:known]
    found = []
    for start in starts:
        found.append(least_squares(cost, start, bounds=limits, max_nfev=TRIES))
        if found[-1].cost < GOOD:
            break
    best = min(found, key=lambda one: round(float(one.cost), 9))
    low, spread, bend = (float(f"{one:.6g}") for one in law(best.x))
    return low, spread, bend
