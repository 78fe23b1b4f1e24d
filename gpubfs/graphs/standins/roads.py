"""Road networks with a given mean and deviation of the degrees: junctions, roads, dead ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.families.standard import road_edges

Numbers = NDArray[np.int64]

#: Junctions of the network on which shares of further edges are tried, and those shares.
TRIAL = 10_000
SHARES = tuple(step / 100 for step in range(1, 61))


def road_ends(vertices: int, mean: float, deviation: float, rng: np.random.Generator) -> Numbers:
    """Return the edges of a planar network whose degrees have a mean and a deviation.

    Junctions stand on a lattice, joined by a random spanning tree and further edges; the other
    vertices, of degree two, lie along these roads. With x of all vertices junctions, c further
    edges for each, and S(c) the mean square of a junction's degree less two, the mean is 2 + 2xc
    and the mean square of a degree less two is x S(c). The two determine c and x.
    """
    seed = int(rng.integers(2**31))
    more = max(0.0, (mean - 2) / 2)
    share = _further(more, deviation**2 + (mean - 2) ** 2, min(vertices, TRIAL), seed)
    junctions = max(1, min(vertices, round(vertices * more / share)))
    ends = road_edges(junctions, max(0, round(more * vertices) + 1), seed)
    return _subdivided(ends, junctions, vertices, rng)


def _further(more: float, square: float, vertices: int, seed: int) -> float:
    """Return the further edges a junction with which degrees have the mean square of a table.

    Fewer than `more` would need more junctions than there are vertices.
    """
    ends = road_edges(vertices, round(SHARES[-1] * vertices), seed)  # the tree comes first
    wanted = square / max(more, SHARES[0])

    def error(share: float) -> float:
        kept = ends[:, : vertices - 1 + round(share * vertices)]
        degrees = np.bincount(kept.ravel(), minlength=vertices)
        return abs(float(np.mean((degrees - 2.0) ** 2)) / share - wanted)

    return min([share for share in SHARES if share >= more] or [more], key=error)


def _subdivided(ends: Numbers, junctions: int, vertices: int, rng: np.random.Generator) -> Numbers:
    """Put the vertices that are no junctions on random edges, one behind the other."""
    if junctions == vertices or not ends.shape[1]:
        return ends
    edge = np.sort(rng.integers(0, ends.shape[1], vertices - junctions))
    new = np.arange(junctions, vertices)
    first = np.diff(edge, prepend=-1) > 0
    last = np.append(first[1:], True)
    before = np.where(first, ends[0, edge], new - 1)
    whole = np.setdiff1d(np.arange(ends.shape[1]), edge)
    return np.concatenate(
        [np.stack([before, new]), np.stack([new[last], ends[1, edge[last]]]), ends[:, whole]],
        axis=1,
    )
