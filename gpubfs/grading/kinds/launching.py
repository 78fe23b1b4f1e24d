"""The arrays and launches of a problem on either machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading.problems.problem import Launch, Problem, Unwritten


def on_device(problem: Problem, xp: Any) -> dict[str, Any]:
    """Return the problem's arrays in the memory of the simulator or of CuPy, whichever `xp` is."""
    return {name: _device_array(value, xp) for name, value in problem.arrays.items()}


def _device_array(value: NDArray[Any] | Unwritten, xp: Any) -> Any:
    if isinstance(value, Unwritten):
        return xp.empty(value.shape, value.dtype)
    return xp.asarray(np.ascontiguousarray(value))


def launch(module: Any, one: Launch, arrays: Mapping[str, Any]) -> None:
    """Launch a kernel of a module of either machine on arrays by their names."""
    kernel = module.get_function(one.kernel)
    if one.shared > 48 << 10:
        kernel.max_dynamic_shared_size_bytes = one.shared
    args = tuple(_argument(a, arrays) for a in one.args)
    grid, block = (s if isinstance(s, tuple) else (s,) for s in (one.grid, one.block))
    kernel(grid, block, args, shared_mem=one.shared)


def _argument(value: Any, arrays: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return arrays[value]
    return np.int32(value) if isinstance(value, int) else value


def threads(one: Launch) -> int:
    """Return how many threads a launch has."""
    sizes = (s if isinstance(s, tuple) else (s,) for s in (one.grid, one.block))
    return math.prod(map(math.prod, sizes))
