"""The memory of simulated devices is free once garbage is collected, before the next run.

A process that grades one submission and ends need not look at what has outlived a run again: it is
put aside, which makes the next collection short.
"""

from __future__ import annotations

import gc

_brief = False


def of_a_brief_process() -> None:
    """Say that this process ends with its submission, whatever is still in memory then."""
    global _brief
    _brief = True
    gc.freeze()


def collect() -> None:
    """Free the memory of devices that nothing uses; call it where no device is in use."""
    gc.collect()
    if _brief:
        gc.freeze()
