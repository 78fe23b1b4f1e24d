"""What has been added to the simulator while it runs: what is kept of programs may be stale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Additions:
    """`rows` says how often a built-in function has been added."""

    rows: int = 0


#: This process's.
ADDED = Additions()
