"""Traces: a run step by step, with what every lane does and what memory sees of it."""

from gpubfs.traces.pair import Pair
from gpubfs.traces.recording import trace
from gpubfs.traces.trace import Trace

__all__ = ["Pair", "Trace", "trace"]
