"""Observers: whoever looks at what launches do, told of each launch from its beginning to its end.

An analysis is an `Observer` that a device holds, and what it makes of one launch is a
`LaunchObserver`. Both do nothing by themselves, so that an analysis says only what it wants.
"""

from __future__ import annotations

from typing import Any

from simulator.execute.geometry import Wave
from simulator.execute.order import Order
from simulator.ir.events import BasicBlock, Build
from simulator.source import Fault


class LaunchObserver:
    """Watches one launch.

    Attributes
    ----------
    stepwise : bool
        Whether it sees each logged basic block by `watch` while memory is as that left it; else it
        reads the log by `consume`, many blocks at a time.
    """

    stepwise = False

    def start(self, wave: Wave) -> None:
        """A new wave of resident blocks begins."""

    def watch(self, entry: tuple[Any, ...]) -> None:
        """One basic block has been executed, or another gang has its turn."""

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        """Read what was logged since the last call, in the order of execution."""

    def finish_wave(self) -> None:
        """All threads of the wave have ended."""

    def blame(self, fault: Fault) -> Fault:
        """The launch ended by `fault`: that, or what was found before and may have caused it."""
        return fault

    def abandon(self) -> None:
        """The launch begins anew: nothing that was seen of it counts."""

    def finish(self) -> None:
        """The launch has ended.

        Raises
        ------
        Fault
            If something was found that must not be.
        """


class Observer:
    """Watches the launches on a device; see `Device.observers`."""

    @property
    def build(self) -> Build:
        """What kernels must log for it, beyond what they always do."""
        return Build()

    def begin(self, order: Order) -> LaunchObserver | None:
        """A launch begins; None if this one is not watched."""
        raise NotImplementedError
