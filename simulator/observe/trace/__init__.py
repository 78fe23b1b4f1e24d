"""Traces: launches step by step, from the same events as the counters.

`tracing` records; a `TracedLaunch` has the steps, a `Cursor` the state of memory and lanes at any
of them, and `accesses` says what memory sees of a warp in one.
"""

from simulator.observe.trace.accesses import Access, accesses
from simulator.observe.trace.cursor import ACTIVE, ENDED, MASKED, NOBODY, WAITING, Cursor
from simulator.observe.trace.recorder import TraceTooLong, Tracing, tracing
from simulator.observe.trace.steps import TracedArray, TracedLaunch, TracedStep

__all__ = [
    "ACTIVE",
    "ENDED",
    "MASKED",
    "NOBODY",
    "WAITING",
    "Access",
    "Cursor",
    "TraceTooLong",
    "TracedArray",
    "TracedLaunch",
    "TracedStep",
    "Tracing",
    "accesses",
    "tracing",
]
