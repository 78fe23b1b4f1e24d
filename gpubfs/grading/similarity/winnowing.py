"""Fingerprints by winnowing: few of a text's k-grams, chosen so that no long copy is missed.

Schleimer, Wilkerson and Aiken: "Winnowing: local algorithms for document fingerprinting", SIGMOD
2003. Of each `w` k-grams in a row the one with the smallest hash is kept, of equal ones the last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gpubfs.errors import UsageError


@dataclass(frozen=True)
class Thresholds:
    """What is found and what is not.

    Attributes
    ----------
    noise : int
        Shared passages of fewer words are never found: the k of the k-grams.
    guarantee : int
        Shared passages of at least so many words are always found.

    Raises
    ------
    UsageError
        If one is below 1, or the guarantee below the noise.
    """

    noise: int = 16
    guarantee: int = 30

    def __post_init__(self) -> None:
        if not 1 <= self.noise <= self.guarantee:
            words = f"noise={self.noise} and guarantee={self.guarantee} do not fit"
            raise UsageError(words, "noise is at least 1, and guarantee not below it")

    @property
    def window(self) -> int:
        """The number of k-grams in a row of which one is kept."""
        return self.guarantee - self.noise + 1


#: A k-gram: its hash, and the number of its first word.
Gram = tuple[int, int]


def grams(words: Sequence[str], noise: int) -> list[Gram]:
    """Return the k-grams of a text, whose hashes are the same on every machine.

    >>> [at for _, at in grams(["a", "b", "a", "b"], 2)]
    [0, 1, 2]
    >>> made = grams(["a", "b", "a", "b"], 2)
    >>> made[0][0] == made[2][0]
    True
    """
    last = len(words) - noise
    return [(_hash(words[at : at + noise]), at) for at in range(last + 1)]


def _hash(words: Iterable[str]) -> int:
    text = "\0".join(words).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


def winnow(found: Sequence[Gram], window: int, without: Collection[int] = ()) -> list[Gram]:
    """Return the fingerprints of a text.

    Parameters
    ----------
    found : sequence of Gram
        Its k-grams in their order.
    window : int
        How many in a row one is kept of; if there are fewer in all, one is kept.
    without : collection of int
        Hashes that do not count, such as those of what was given. They are taken out before: two
        texts that share a window of the others always share a fingerprint.

    Returns
    -------
    list of Gram
        Those that are kept, in their order.

    Examples
    --------
    >>> winnow([(7, 0), (3, 1), (9, 2), (3, 3), (8, 4)], 3)
    [(3, 1), (3, 3)]
    """
    left = [gram for gram in found if gram[0] not in without]
    kept: dict[int, Gram] = {}
    smallest: list[Gram] = []  # candidates of this window and the next ones, growing
    for index, gram in enumerate(left):
        while smallest and smallest[-1][0] >= gram[0]:
            smallest.pop()
        smallest.append((gram[0], index))
        if smallest[0][1] <= index - window:
            smallest.pop(0)
        if index >= window - 1 or index == len(left) - 1:
            kept[smallest[0][1]] = left[smallest[0][1]]
    return [kept[index] for index in sorted(kept)]
