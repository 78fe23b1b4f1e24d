"""Sanitizers: bugs that do not fail by themselves, found in the log of what a launch did.

`api` is the context manager, `checker` the observer of a launch. `accesses` and `history` read the
log. `race` collects the accesses of a wave, `conflicts` decides which pairs no barrier orders, and
where there are fences or atomics `happens_before` decides exactly, by a replay in which `knowledge`
is what each thread knows to have happened. `init` finds reads of what nothing wrote; `wording` says
what was found.
"""

from simulator.observe.sanitizers.api import sanitize
from simulator.observe.sanitizers.checker import Finding, Report

__all__ = ["Finding", "Report", "sanitize"]
