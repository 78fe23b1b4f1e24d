"""Launch a kernel that launches kernels, and look at all that came of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator
from simulator import Fault


def launched(
    text: str, *arguments: Any, grid: int = 1, block: int = 1, profile: str = "h200"
) -> tuple[list[Any], simulator.Record]:
    """The arrays after kernel `k` and all that it led to, and the launches."""
    with simulator.Device(profile, memory=1 << 26) as device:
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        kernel = simulator.RawKernel(text, "k", options=("-dc",))
        with simulator.counting(device) as record:
            kernel((grid,), (block,), tuple(given))
        return [a.get() for a in given if isinstance(a, simulator.ndarray)], record


def fault(text: str, *arguments: Any, **more: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        launched(text, *arguments, **more)
    return caught.value
