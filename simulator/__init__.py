"""A CUDA C machine in NumPy, with CuPy's names.

A program that uses only `RawKernel` or `RawModule` and plain arrays runs here after its import is
changed. Kernels are compiled to NumPy and run warp by warp, with every access checked; `counting`
tells what they did.
"""

from __future__ import annotations

from typing import NoReturn

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
from simulator.host import cuda
from simulator.host.array import asarray, ndarray
from simulator.host.creation import (
    arange,
    array,
    asnumpy,
    empty,
    empty_like,
    full,
    ones,
    zeros,
    zeros_like,
)
from simulator.host.exploration import Exploration, explore
from simulator.host.module import RawKernel, RawModule
from simulator.observe.counters import Counters, Site, Work
from simulator.observe.counting import Launch, Record, counting
from simulator.observe.sanitizers import Finding, Report, sanitize
from simulator.observe.trace import Tracing, tracing
from simulator.source import (
    CompileError,
    Fault,
    LaunchError,
    OutOfMemoryError,
    SimulatorError,
    Source,
)

__all__ = [
    "PROFILES",
    "CompileError",
    "Counters",
    "Device",
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
    "Report",
    "SimulatorError",
    "Site",
    "Source",
    "Tracing",
    "Work",
    "arange",
    "array",
    "asarray",
    "asnumpy",
    "bool_",
    "counting",
    "cuda",
    "current",
    "empty",
    "empty_like",
    "explore",
    "float32",
    "float64",
    "full",
    "int8",
    "int16",
    "int32",
    "int64",
    "ndarray",
    "observing",
    "ones",
    "sanitize",
    "tracing",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "zeros",
    "zeros_like",
]


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"simulator has no {name!r}: of CuPy it has RawKernel, RawModule, cuda and plain arrays"
    )
