"""Observers: whoever looks at what launches do, each from its beginning to its end.

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
    """Looks at one launch; its methods do nothing, and a subclass defines those that it needs.

    Attributes
    ----------
    stepwise : bool
        Whether it sees each logged basic block by `watch` while memory is as that left it; else it
        reads the log by `consume`, many blocks at a time.
    """

    stepwise = False

    def start(self, wave: Wave) -> None:
        """Begin a new wave of resident blocks.

        Parameters
        ----------
        wave : Wave
            Its blocks as lanes; `Wave.addresses` gives the addresses of logged operands.
        """

    def watch(self, entry: tuple[Any, ...]) -> None:
        """Look at one entry of the log: a basic block that was executed, or a gang switch.

        Parameters
        ----------
        entry : tuple
            As `simulator.ir.events` describes it.
        """

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        """Read what was logged since the last call, in the order of execution.

        Parameters
        ----------
        log : list of tuple
            Entries, which `simulator.observe.log.Decoder` decodes.
        blocks : list of BasicBlock
            The basic blocks of the kernel by their numbers.
        """

    def finish_wave(self) -> None:
        """End the wave, all of whose threads have exited."""

    def blame(self, fault: Fault) -> Fault:
        """Say what ended the launch.

        Parameters
        ----------
        fault : Fault
            What ended it.

        Returns
        -------
        Fault
            That, or what was found before and may have caused it.
        """
        return fault

    def abandon(self) -> None:
        """Forget what was seen of the launch, which begins anew with smaller gangs."""

    def finish(self) -> None:
        """End the launch.

        Raises
        ------
        Fault
            If something was found that must not be.
        """


class Observer:
    """Looks at the launches on a device; see `simulator.observing` and `Device.observers`."""

    @property
    def build(self) -> Build:
        """What kernels must log for it, beyond what they always log."""
        return Build()

    def begin(self, order: Order) -> LaunchObserver | None:
        """Begin a launch.

        Parameters
        ----------
        order : Order
            The launch as it was ordered: kernel, grid, block, arguments and memory.

        Returns
        -------
        LaunchObserver or None
            What looks at this launch; None if nothing does.
        """
        raise NotImplementedError
