"""Rewrite a CUDA C file so that it counts what it does, in the simulator's own schema."""

from __future__ import annotations

from simulator.instrument.build import Instrumented, flattened, instrumented
from simulator.instrument.launching import InstrumentedModule
from simulator.instrument.results import SLOTS, gathered

__all__ = [
    "SLOTS",
    "Instrumented",
    "InstrumentedModule",
    "flattened",
    "gathered",
    "instrumented",
]
