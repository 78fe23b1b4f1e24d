"""What of device memory has been written since it was allocated, byte by byte."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import Memory
from simulator.ir.events import ADDRESS, VIEW, BasicBlock

WRITTEN = 0xFF


def shadow(nbytes: int) -> NDArray[np.uint8]:
    """Nothing of `nbytes` bytes written yet; padded, so that any number may begin in it."""
    return np.zeros(-(-nbytes // 16) * 16 + 16, np.uint8)


def assume_written(memory: Memory, blocks: list[BasicBlock], bases: dict[str, int]) -> None:
    """Take all that a kernel could write, unwatched, for written."""
    if not any(a.written is not None for a in memory.allocations()):
        return
    operands = [o for b in blocks for o in b.operands if o.site.kind in ("store", "atomic")]
    named = [memory.find(bases[o.base]) for o in operands if o.form == VIEW]
    anywhere = any(o.form == ADDRESS for o in operands)
    for allocation in memory.allocations() if anywhere else named:
        if allocation is not None:
            allocation.written = None
