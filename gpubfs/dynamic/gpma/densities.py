"""How full the nodes of a packed memory array may be: leaves, heights, and bounds for each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

#: The least and the largest share of its positions that a leaf has filled, and the root.
LEAF = (0.08, 0.92)
ROOT = (0.42, 0.84)

#: The smallest array has 2^3 positions, so that it has two leaves; positions are 32-bit numbers.
SMALLEST, LARGEST = 3, 31


@dataclass(frozen=True)
class Layout:
    """An array of 2^bits positions, cut into leaves of about as many positions as it has bits.

    A node of height h is 2^h leaves side by side; the root is all of them.

    Attributes
    ----------
    bits : int
        The binary logarithm of its positions.

    Examples
    --------
    >>> layout = Layout(20)
    >>> layout.positions, layout.leaf, layout.height
    (1048576, 16, 16)
    >>> layout.bounds[0], layout.bounds[16]
    ((1, 14), (440401, 880803))
    """

    bits: int

    @property
    def positions(self) -> int:
        """All that it has."""
        return 1 << self.bits

    @property
    def leaf_bits(self) -> int:
        """The binary logarithm of a leaf's positions."""
        return (self.bits + 1).bit_length() - 1

    @property
    def leaf(self) -> int:
        """Positions of a leaf."""
        return 1 << self.leaf_bits

    @property
    def leaves(self) -> int:
        """How many there are."""
        return 1 << self.height

    @property
    def height(self) -> int:
        """Of the root, where leaves have height 0."""
        return self.bits - self.leaf_bits

    @cached_property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """For each height the least and the most keys that a node may have once it is merged.

        Shares go in a straight line from those of a leaf to those of the root. Then bounds are
        drawn together until halves of what a node may have are what its children may have.
        """
        found = [self._rounded(0)]
        for height in range(1, self.height + 1):
            lower, upper = self._rounded(height)
            below = found[-1]
            found.append((max(lower, 2 * below[0]), min(upper, 2 * below[1])))
        return tuple(found)

    def _rounded(self, height: int) -> tuple[int, int]:
        length = self.leaf << height
        way = height / self.height
        lower, upper = (
            int(length * (leaf + (root - leaf) * way))
            for leaf, root in zip(LEAF, ROOT, strict=True)
        )
        return lower, upper

    @classmethod
    def for_keys(cls, keys: int, at_least: int = SMALLEST) -> Layout:
        """Return the smallest layout whose root may have so many keys.

        Parameters
        ----------
        keys : int
            Edges and sentinels.
        at_least : int
            The least `bits`.

        Examples
        --------
        >>> Layout.for_keys(1000).positions, Layout.for_keys(700).positions
        (2048, 1024)
        """
        bits = at_least
        while keys > cls(bits).bounds[-1][1]:
            bits += 1
        return cls(bits)
