"""CuPy's `random`, with NumPy's generators: the numbers of a seed are not those of CuPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from simulator.host.array import asarray, computed, ndarray

#: Methods whose `dtype` NumPy takes itself.
_TYPED = frozenset({"integers", "randint"})


class Generator:
    """Random numbers on the device, made on the host by a generator of NumPy.

    Parameters
    ----------
    host : numpy.random.RandomState or numpy.random.Generator
        What makes them.
    """

    def __init__(self, host: Any) -> None:
        self._own = host

    def __getattr__(self, name: str) -> Any:
        method = None if name.startswith("_") else getattr(self._own, name, None)
        if method is None:
            raise AttributeError(f"simulator.random has no {name!r}")

        def drawn(*args: Any, dtype: Any = None, **options: Any) -> Any:
            if dtype is not None and name in _TYPED:
                options["dtype"] = dtype
            numbers = computed(method, *args, **options)
            if name == "shuffle":
                args[0]._written()
            if isinstance(numbers, float | int):
                numbers = asarray(numbers)
            cast = dtype is not None and isinstance(numbers, ndarray)
            return numbers.astype(dtype, copy=False) if cast else numbers

        return drawn


def RandomState(seed: Any = None) -> Generator:
    """Return a generator with the functions of this module.

    Parameters
    ----------
    seed : int, optional
        Where it begins.

    Returns
    -------
    Generator
        Of device arrays.
    """
    return Generator(np.random.RandomState(seed))


def default_rng(seed: Any = None) -> Generator:
    """Return a generator with the methods of NumPy's `Generator`.

    Parameters
    ----------
    seed : int, optional
        Where it begins.

    Returns
    -------
    Generator
        Of device arrays.

    Examples
    --------
    >>> import simulator
    >>> simulator.random.default_rng(1).random((2, 3), dtype="float32").dtype
    dtype('float32')
    """
    return Generator(np.random.default_rng(seed))


@cache
def get_random_state() -> Generator:
    """Return the generator of the functions of this module.

    Returns
    -------
    Generator
        Of device arrays.
    """
    return RandomState()


def __getattr__(name: str) -> Any:
    return getattr(get_random_state(), name)
