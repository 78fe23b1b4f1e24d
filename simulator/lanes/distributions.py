"""Distributions made of random 32-bit numbers as cuRAND makes them, over arrays of lanes.

Uniform ones are exact. Normal ones are the two sides of Box and Muller's method, whose functions
a GPU approximates: its `__sincosf` is within 2**-21 or so of the sines and cosines here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.lanes.arithmetic import fused
from simulator.lanes.reals import sine_and_cosine_of_pi

Lanes = Any

_STEP = np.float32(2.0**-32)
_TURN = np.float32(2 * np.pi) * _STEP
_WIDE_STEP = 2.0**-53


def uniform(number: Lanes) -> Lanes:
    """Return a float above 0 and up to 1.

    Examples
    --------
    >>> uniform(np.array([0, 2**31], np.uint32)).tolist()
    [1.1641532182693481e-10, 0.5]
    """
    return number.astype(np.float32) * _STEP + _STEP / np.float32(2)


def uniform_double(low: Lanes, high: Lanes) -> Lanes:
    """Return a double above 0 and up to 1, of 53 bits of two numbers."""
    return _mixed(low, high) * _WIDE_STEP + _WIDE_STEP / 2


def uniform_double_of_one(number: Lanes) -> Lanes:
    """Return a double above 0 and up to 1, of 32 bits."""
    return number * 2.0**-32 + 2.0**-32


def _mixed(low: Lanes, high: Lanes) -> Lanes:
    mixed = low.astype(np.uint64) ^ (high.astype(np.uint64) << np.uint64(21))
    return mixed.astype(np.float64)


def normal(first: Lanes, second: Lanes) -> tuple[Lanes, Lanes]:
    """Return two floats that are normally distributed."""
    angle = fused(second.astype(np.float32), _TURN, _TURN / np.float32(2))
    size = np.sqrt(np.float32(-2) * np.log(uniform(first)))
    return np.sin(angle) * size, np.cos(angle) * size


def normal_double(*numbers: Lanes) -> tuple[Lanes, Lanes]:
    """Return two doubles that are normally distributed, of four numbers."""
    size = np.sqrt(-2 * np.log(uniform_double(*numbers[:2])))
    half_turns = _mixed(*numbers[2:]) * (2 * _WIDE_STEP) + _WIDE_STEP
    sine, cosine = sine_and_cosine_of_pi(half_turns)
    return sine * size, cosine * size


def log_normal(normals: Lanes, mean: Lanes, deviation: Lanes) -> tuple[Lanes, ...]:
    """Return numbers whose logarithms have that mean and that standard deviation."""
    return tuple(np.exp(mean + deviation * one) for one in normals)
