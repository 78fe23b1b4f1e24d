"""Sanitizers: bugs that do not fail by themselves, found in the log of what a launch did.

`checker` has the context manager, and the observer of a launch. `accesses` reads and keeps the log.
`race` collects the accesses of a wave, `conflicts` decides which pairs no barrier orders, and
where there are fences or atomics `happens_before` decides exactly, by a replay in which
`known_events` are what each thread knows to have happened. `init` finds reads of what nothing
wrote; `messages` says what was found.
"""

from simulator.observe.sanitizers.checker import Finding, Report, sanitize

__all__ = ["Finding", "Report", "sanitize"]
