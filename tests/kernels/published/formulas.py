"""What kernels of neural networks compute, in NumPy and doubles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.harnesses import softmax

__all__ = ["causal", "gelu", "gelu_slope", "heads", "layer_norm", "softmax"]

_ROOT = np.sqrt(2 / np.pi)


def layer_norm(
    x: NDArray[Any], weight: NDArray[Any], bias: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return rows normalised, their means, and what is one over their standard deviations."""
    x = x.astype("f8")
    mean, rstd = x.mean(-1), 1 / np.sqrt(x.var(-1) + 1e-5)
    return (x - mean[:, None]) * rstd[:, None] * weight + bias, mean, rstd


def causal(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the softmax of each row up to the diagonal, and not a number beyond."""
    kept = np.tril(np.ones(scores.shape[-2:], bool))
    found = softmax(np.where(kept, scores.astype("f8"), -np.inf))
    return np.where(kept, found, np.nan)


def heads(x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return queries, keys and values (batch, head, time, size) of (batch, time, 3, head, size)."""
    return tuple(np.moveaxis(x, 2, 0).transpose(0, 1, 3, 2, 4))


def gelu(x: NDArray[Any]) -> NDArray[Any]:
    """Return the Gaussian error linear unit by its approximation."""
    x = x.astype("f8")
    return x / 2 * (1 + np.tanh(_ROOT * (x + 0.044715 * x**3)))


def gelu_slope(x: NDArray[Any]) -> NDArray[Any]:
    """Return the slope of `gelu`."""
    x = x.astype("f8")
    inner = _ROOT * (x + 0.044715 * x**3)
    slope = _ROOT * (1 + 3 * 0.044715 * x**2) / np.cosh(inner) ** 2
    return (1 + np.tanh(inner)) / 2 + x / 2 * slope
