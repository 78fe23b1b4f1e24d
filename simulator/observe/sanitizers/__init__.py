"""Sanitizers: bugs that do not fail by themselves, found in the log of what a launch did.

`face` is the context manager, `checker` the consumer of a launch's log. `accesses`, `epochs` and
`history` read the log; `race` with `rows` and `conflicts` finds accesses that no barrier orders,
`ordering` looks closer where there are fences; `initial` finds reads of what nothing wrote;
`wording` and `findings` say it.
"""

from simulator.observe.sanitizers.api import sanitize
from simulator.observe.sanitizers.findings import Finding, Report

__all__ = ["Finding", "Report", "sanitize"]
