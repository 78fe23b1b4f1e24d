"""What a launch does besides computing in memory: print, read the clock, launch kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.execute.budget import Budget
from simulator.execute.device_launches import Children
from simulator.lanes.printing import Format, Printed

#: Cycles that one reading of the clock takes, about those of a GPU.
TICK = 32


class Effects:
    """What generated code calls as `launch.effects`; one a launch from the host."""

    def __init__(self, children: Children) -> None:
        self.children = children
        self.budget = Budget(children.device.steps, children.device.steps)
        self.printed = Printed()
        self._device = children.device

    def show(self, form: Format, count: int, *columns: Any) -> None:
        """`printf` by `count` lanes."""
        self.printed.add(form, count, columns)

    def clock(self) -> np.int64:
        """A count that grows with each reading, and with nothing else: it does not measure."""
        self._device.ticks += TICK
        return np.int64(self._device.ticks)

    def mark(self) -> Any:
        """What has been done so far, for a grid that may have to begin again."""
        return self.printed.mark(), self.children.mark(), self._device.ticks

    def back(self, mark: Any) -> None:
        """Forget what was done since `mark`."""
        printed, children, self._device.ticks = mark
        self.printed.back(printed)
        self.children.back(children)

    def finish(self) -> None:
        """The launch has ended, well or not."""
        self.printed.flush()
