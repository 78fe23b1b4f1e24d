"""CuPy's `testing`: NumPy's assertions, for device and host arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.host.array import ndarray


def __getattr__(name: str) -> Any:
    own = getattr(np.testing, name, None) if name.startswith("assert_") else None
    if own is None:
        raise AttributeError(
            f"simulator.testing has no {name!r}: it has NumPy's assert_array_equal and its like"
        )

    def asserted(*args: Any, **options: Any) -> Any:
        return own(*(a.get() if isinstance(a, ndarray) else a for a in args), **options)

    return asserted
