"""Traces: runs and launches step by step, with what every lane does and what memory sees of it."""

from gpubfs.show.traces.pair import Pair
from gpubfs.show.traces.recording import Watch, of_launches, trace
from gpubfs.show.traces.trace import LaunchTrace, Trace

__all__ = ["LaunchTrace", "Pair", "Trace", "Watch", "of_launches", "trace"]
