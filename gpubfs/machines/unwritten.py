"""What the simulator's memory holds that nothing has written, and what is shown in its place."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.execute.wave import POISON

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What stands for a value that nothing has written.
UNKNOWN = "?"
#: Bytes of the shortest numbers that are known by it; shorter ones are the same by chance.
SHORTEST = 4


def unwritten(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell of numbers whether they come from memory that nothing has written.

    They may have been copied since; what is calculated with them is not known.

    Parameters
    ----------
    values : ndarray
        The numbers.

    Returns
    -------
    bool ndarray
        Of the same shape.

    Examples
    --------
    >>> unwritten(np.array([1, -1515870811], np.int32))
    array([False,  True])
    """
    dtype = values.dtype
    if dtype.kind not in "iuf" or dtype.itemsize < SHORTEST:
        return np.zeros(values.shape, bool)
    return np.asarray(values == _pattern(dtype))


@cache
def _pattern(dtype: np.dtype[Any]) -> Any:
    """Return the number of a type that memory holds which nothing has written."""
    return np.frombuffer(bytes([POISON]) * dtype.itemsize, dtype)[0]
