"""What a switch asks of its lanes: to which label each goes, and which are left behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["label_table", "labels_of", "without"]

Table = tuple[NDArray[Any], NDArray[np.int64]]


def label_table(values: tuple[int, ...], numbers: tuple[int, ...], dtype: Any) -> Table:
    """The values of a switch's labels in ascending order, and the number of each one's section.

    Examples
    --------
    >>> [part.tolist() for part in label_table((7, 2), (0, 1), "i4")]
    [[2, 7], [1, 0]]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ascending = np.array([values[at] for at in order], dtype)
    return ascending, np.array([numbers[at] for at in order], np.int64)


def labels_of(selector: NDArray[Any], table: Table, otherwise: int) -> NDArray[np.int64]:
    """The section that each lane's selector goes to, `otherwise` where no label has its value.

    Examples
    --------
    >>> labels_of(np.array([2, 3, 7]), label_table((7, 2), (0, 1), "i4"), 9).tolist()
    [1, 9, 0]
    """
    values, numbers = table
    if not values.size:
        return np.full(selector.size, otherwise)
    place = np.minimum(np.searchsorted(values, selector), values.size - 1)
    return np.where(values[place] == selector, numbers[place], otherwise)


def without(lanes: NDArray[np.int64], gone: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Ascending lanes less those in the arrays `gone`.

    Examples
    --------
    >>> without(np.arange(5), [np.array([3]), np.array([0, 1])]).tolist()
    [2, 4]
    """
    return np.setdiff1d(lanes, np.concatenate(gone), assume_unique=True) if gone else lanes
