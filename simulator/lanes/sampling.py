"""Texture coordinates to texels and weights: address modes, filters, faces of a cube.

The rules are those of the CUDA programming guide's appendix on texture fetching. Every function
takes arrays of lanes and one axis of the texture, and knows of no memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: CUDA's numbers of the address modes, as `cudaTextureAddressMode` has them.
WRAP, CLAMP, MIRROR, BORDER = 0, 1, 2, 3

#: Steps of a texel's width that weights of the linear filter can tell apart.
STEPS = 256
#: Farther outside than any texture is wide.
_FAR = float(1 << 30)

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Taps(NamedTuple):
    """The texels along one axis that a fetch reads, and how much each counts.

    `texels` and `weights` have an array for each of them; a texel of -1 is outside, and reads the
    border.
    """

    texels: tuple[Indices, ...]
    weights: tuple[Floats, ...]


def position(coordinate: NDArray[np.float32], size: int, mode: int, normalised: bool) -> Floats:
    """Return where coordinates are along an axis, in texels.

    Wrapping and mirroring, which only `normalised` coordinates have, are done here.

    Examples
    --------
    >>> position(np.float32([0.25, 1.25, -0.25]), 8, WRAP, True).tolist()
    [2.0, 2.0, 6.0]
    >>> position(np.float32([0.25, 1.25, -0.25]), 8, MIRROR, True).tolist()
    [2.0, 6.0, 2.0]
    """
    x = np.nan_to_num(np.asarray(coordinate, np.float64), nan=0.0, posinf=_FAR, neginf=-_FAR)
    if normalised:
        x = _in_steps(x, size)
        whole = np.floor(x)
        if mode == WRAP:
            x = x - whole
        elif mode == MIRROR:
            x = np.where(whole % 2 == 1, 1 - (x - whole), x - whole)
        x = x * size
    return x


def _in_steps(x: Floats, size: int) -> Floats:
    """Return normalised coordinates in the steps that a GPU has for them, rounded down.

    The steps were measured on an H200, by the least coordinate that reads each texel: 2^-21 up to
    8,192 texels, 2^-22 up to 65,536, and 2^-23 beyond. So `i / width` may read the texel before
    `i`.

    Examples
    --------
    >>> (_in_steps(np.array([1 / 3, 0.5]), 3) * 3).tolist()
    [0.9999990463256836, 1.5]
    """
    bits = 21 if size <= 1 << 13 else 22 if size <= 1 << 16 else 23
    steps: Floats = np.floor(x * float(1 << bits)) / float(1 << bits)
    return steps


def nearest(where: Floats, size: int, mode: int) -> Taps:
    """Return the one texel that positions are in.

    Examples
    --------
    >>> nearest(np.array([-0.5, 1.9, 4.0]), 4, CLAMP).texels[0].tolist()
    [0, 1, 3]
    """
    texel = np.floor(np.clip(where, -_FAR, _FAR)).astype(np.int64)
    return Taps((addressed(texel, size, mode),), (np.ones(where.shape),))


def linear(where: Floats, size: int, mode: int) -> Taps:
    """Return the two texels around positions; weights have 8 bits of fraction.

    Examples
    --------
    >>> taps = linear(np.array([0.75, 2.0]), 4, CLAMP)
    >>> [index.tolist() for index in taps.texels], [weight.tolist() for weight in taps.weights]
    ([[0, 1], [1, 2]], [[0.75, 0.5], [0.25, 0.5]])
    """
    low, fraction = footprint(where)
    index = (addressed(low, size, mode), addressed(low + 1, size, mode))
    return Taps(index, (1 - fraction, fraction))


def footprint(where: Floats) -> tuple[Indices, Floats]:
    """Return the lower of the two texels around positions, and the weight of the upper one."""
    steps = np.rint((np.clip(where, -_FAR, _FAR) - 0.5) * STEPS)
    low = np.floor(steps / STEPS)
    return low.astype(np.int64), steps / STEPS - low


def addressed(texel: Indices, size: int, mode: int) -> Indices:
    """Return which texels of an axis are read for these numbers, -1 for the border.

    What was folded before is at most one texel outside.

    Examples
    --------
    >>> [addressed(np.array([-1, 2, 4]), 4, mode).tolist() for mode in (WRAP, CLAMP, BORDER)]
    [[3, 2, 0], [0, 2, 3], [-1, 2, -1]]
    """
    if mode == WRAP:
        return texel % size
    if mode == BORDER:
        return np.where((texel >= 0) & (texel < size), texel, -1)
    return np.clip(texel, 0, size - 1)


def face(
    x: NDArray[np.float32], y: NDArray[np.float32], z: NDArray[np.float32]
) -> tuple[Indices, NDArray[np.float32], NDArray[np.float32]]:
    """Return the face of a cube that directions lead to, and normalised coordinates in it.

    Examples
    --------
    >>> [part.tolist() for part in face(*np.float32([[2, 0], [1, 0], [0, -1]]))]
    [[0, 5], [0.5, 0.5], [0.25, 0.5]]
    """
    wide, high, deep = np.abs(x), np.abs(y), np.abs(z)
    along_z = (deep >= wide) & (deep >= high)
    along_y = ~along_z & (high >= wide)
    number = np.select([along_z, along_y], [4 + (z < 0), 2 + (y < 0)], 0 + (x < 0))
    length = np.select([along_z, along_y], [deep, high], wide)
    s = np.choose(number, [-z, z, x, x, x, -x])
    t = np.choose(number, [-y, -y, z, -z, -y, -y])
    half = np.float32(0.5)
    return number.astype(np.int64), s / length * half + half, t / length * half + half
