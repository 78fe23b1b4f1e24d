"""CuPy's `memoize`: results of functions that are kept, such as kernels that were made."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from simulator.execute.device import Device, current

_Made = TypeVar("_Made")
#: What is kept, by function and arguments.
_of_devices: WeakKeyDictionary[Device, dict[Any, Any]] = WeakKeyDictionary()
_of_all: dict[Any, Any] = {}


def memoize(
    for_each_device: bool = False,
) -> Callable[[Callable[..., _Made]], Callable[..., _Made]]:
    """Make a decorator of functions whose results are kept.

    Parameters
    ----------
    for_each_device : bool
        Whether each device has its own.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> made = memoize()(lambda name: [name])
    >>> made("k") is made("k")
    True
    """

    def decorator(function: Callable[..., _Made]) -> Callable[..., _Made]:
        @wraps(function)
        def kept(*args: Any, **options: Any) -> _Made:
            memo = _of_devices.setdefault(current(), {}) if for_each_device else _of_all
            key = function, args, frozenset(options.items())
            if key not in memo:
                memo[key] = function(*args, **options)
            result: _Made = memo[key]
            return result

        return kept

    return decorator


def clear_memo() -> None:
    """Forget all results that were kept."""
    _of_devices.clear()
    _of_all.clear()
