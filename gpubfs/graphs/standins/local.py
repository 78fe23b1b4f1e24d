"""Graphs with given degrees whose vertices are joined to near ones on a lattice, as meshes are."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Counts = NDArray[np.int32]

#: From a place of the box to another, along each axis.
Step = tuple[int, ...]

#: Vertices of degrees so many times the mean are served first, as they have to reach farther.
HIGH = (4.0, 2.5, 1.6, 1.3)

#: Those look for partners among so many times more places than they need.
CHOICE = 2

#: How far the search for partners goes: over so many times the mean degree of near places.
REACH = 10


@dataclass
class _Lattice:
    """A box of places with what is left of each one's degree, and the edges found so far."""

    degrees: Counts
    left: Counts
    places: Numbers
    ends: list[Numbers] = field(default_factory=list)
    joined: dict[Step, NDArray[np.bool_]] = field(default_factory=dict)

    def lacks(self, least: float) -> bool:
        """Whether a place that should have at least a certain degree does not have it yet."""
        return bool(((self.left > 0) & (self.degrees >= least)).any())

    def join(self, step: Step, least: float) -> None:
        """Join the places that are a step away from each other and have something left.

        One of the two must have at least a certain degree. Each place takes part in one pair at a
        time: steps along the first axis that changes are done in two halves.
        """
        here, there = _views(self.left.shape, step)
        possible = np.maximum(self.degrees[here], self.degrees[there]) >= least
        if step in self.joined:
            possible &= ~self.joined[step]
        axis = next(at for at, size in enumerate(step) if size)
        place = np.arange(self.left.shape[axis] - step[axis]) // step[axis] % 2
        side = place.reshape([-1 if at == axis else 1 for at in range(len(step))])
        for half in (0, 1):
            taken = possible & (self.left[here] > 0) & (self.left[there] > 0) & (side == half)
            self.left[here] -= taken
            self.left[there] -= taken
            self.joined[step] = self.joined[step] | taken if step in self.joined else taken
            self.ends.append(np.stack([self.places[here][taken], self.places[there][taken]]))


def _views(sizes: tuple[int, ...], step: Step) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return where a step may begin, and where it ends then."""
    pairs = list(zip(sizes, step, strict=True))
    here = tuple(slice(max(0, -by), min(size, size - by)) for size, by in pairs)
    there = tuple(slice(max(0, by), min(size, size + by)) for size, by in pairs)
    return here, there


def near_edges(degrees: Numbers, shape: tuple[int, ...]) -> Numbers:
    """Join the places of a box to near ones, so that each has the degree that it should have.

    Parameters
    ----------
    degrees : int64 array of shape (V,)
        In the order of the places, the last axis of the box running fastest. Places of the box
        beyond these stay empty.
    shape : tuple of int
        The sides of the box.

    Returns
    -------
    int64 array of shape (2, edges)
        Each edge once; few vertices have one neighbour less than they should.
    """
    size = int(np.prod(shape))
    full = np.zeros(size, np.int32)
    full[: len(degrees)] = degrees
    full = full.reshape(shape)
    lattice = _Lattice(full, full.copy(), np.arange(size).reshape(shape))
    mean = float(degrees.mean())
    reach = max(CHOICE * int(degrees.max()), int(REACH * mean)) // 2 + 1
    steps = _steps(shape, reach)
    for high in (*HIGH, 0):
        for index, step in enumerate(steps):
            least = max(2 * index / CHOICE, high * mean) if high else 0
            if not lattice.lacks(least):
                break
            lattice.join(step, least)
    return np.concatenate([np.zeros((2, 0), np.int64), *lattice.ends], axis=1)


def _steps(shape: tuple[int, ...], count: int) -> list[Step]:
    """Return the nearest places in one half of the space, as many as there are or as are asked for.

    >>> _steps((9, 9), 4)
    [(0, 1), (1, 0), (1, -1), (1, 1)]
    """
    reach = int(np.ceil((2.0 * count) ** (1 / len(shape)))) + 1
    ranges = [range(-min(reach, size - 1), min(reach, size - 1) + 1) for size in shape]
    zero = (0,) * len(shape)
    steps = [step for step in itertools.product(*ranges) if step > zero]
    return sorted(steps, key=lambda step: (sum(one * one for one in step), step))[:count]
