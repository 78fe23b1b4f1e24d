"""A CUDA C machine in NumPy, with CuPy's names.

A program that uses `RawKernel` or `RawModule`, and arrays around them, runs here after its import
is changed. Kernels are compiled to NumPy and run warp by warp, with every access checked;
`counting` tells what they did.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy
from numpy import (
    bool_,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

from simulator.execute.device import Device, current, observing
from simulator.execute.launch_config import PROFILES, Profile
from simulator.execute.observer import LaunchObserver, Observer
from simulator.host import cuda as cuda
from simulator.host import random as random
from simulator.host import testing as testing
from simulator.host.array import asarray, ndarray
from simulator.host.creation import (
    arange,
    array,
    ascontiguousarray,
    asfortranarray,
    asnumpy,
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from simulator.host.cuda import is_available
from simulator.host.elementwise import ElementwiseKernel
from simulator.host.functions import fft, function_named, linalg
from simulator.host.memo import clear_memo, memoize
from simulator.host.module import RawKernel, RawModule
from simulator.host.pool import get_default_memory_pool, get_default_pinned_memory_pool
from simulator.host.reduction import ReductionKernel
from simulator.observe.counters import Counters, Site, Work
from simulator.observe.counting import Launch, Record, counting
from simulator.source import (
    CompileError,
    Fault,
    LaunchError,
    OutOfMemoryError,
    SimulatorError,
    Source,
)

if TYPE_CHECKING:
    from simulator.host.exploration import Exploration, explore
    from simulator.observe.sanitizers import Finding, Report, sanitize
    from simulator.observe.trace import Tracing, tracing

__all__ = [
    "PROFILES",
    "CompileError",
    "Counters",
    "Device",
    "ElementwiseKernel",
    "Exploration",
    "Fault",
    "Finding",
    "Launch",
    "LaunchError",
    "LaunchObserver",
    "Observer",
    "OutOfMemoryError",
    "Profile",
    "RawKernel",
    "RawModule",
    "Record",
    "ReductionKernel",
    "Report",
    "SimulatorError",
    "Site",
    "Source",
    "Tracing",
    "Work",
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "bool_",
    "clear_memo",
    "counting",
    "cuda",
    "current",
    "empty",
    "empty_like",
    "explore",
    "fft",
    "float32",
    "float64",
    "full",
    "full_like",
    "get_array_module",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_available",
    "linalg",
    "memoize",
    "ndarray",
    "observing",
    "ones",
    "ones_like",
    "random",
    "sanitize",
    "testing",
    "tracing",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "zeros",
    "zeros_like",
]


# `from simulator.cuda import runtime` is what `from cupy.cuda import runtime` becomes.
for _name, _module in {"cuda": cuda, "random": random, "testing": testing}.items():
    sys.modules[f"{__name__}.{_name}"] = _module

#: Where names live whose modules are slow to import; they are imported when they are first used.
_LAZY = {
    "Exploration": "host.exploration",
    "Finding": "observe.sanitizers",
    "Report": "observe.sanitizers",
    "Tracing": "observe.trace",
    "explore": "host.exploration",
    "sanitize": "observe.sanitizers",
    "tracing": "observe.trace",
}

#: What CuPy has beside kernels and is not here, and what does instead.
_REFUSED = {
    "fuse": "write a RawKernel",
    "vectorize": "write a RawKernel",
}


def get_array_module(*args: Any) -> ModuleType:
    """Return the module whose functions take these arrays: this one or NumPy.

    Parameters
    ----------
    *args : object
        Arrays.

    Returns
    -------
    module
        `simulator` if one of them is a device array, else `numpy`.
    """
    return sys.modules[__name__] if any(isinstance(a, ndarray) for a in args) else numpy


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    found = function_named(name)
    if found is not None:
        return found
    if name in _REFUSED:
        raise AttributeError(f"the simulator has no {name}: {_REFUSED[name]}")
    raise AttributeError(
        f"simulator has no {name!r}: of CuPy it has RawKernel, RawModule, ElementwiseKernel, "
        "ReductionKernel, cuda, random, testing, linalg, fft, arrays, and the functions of them "
        "that NumPy has, too"
    )
