"""Observers: what looks at launches is notified of each, from its beginning to its end.

An analysis is an `Observer` that a device holds, and what it makes of one launch is a
`LaunchObserver`. Both do nothing by themselves, so that an analysis defines only what it needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from simulator.execute.launch_config import LaunchConfig
from simulator.execute.wave import Wave
from simulator.ir.events import BasicBlock, Build
from simulator.source import Fault


class LaunchObserver:
    """Observes one launch.

    Attributes
    ----------
    stepwise : bool
        Whether it sees each logged basic block by `watch` while memory is as that left it; else it
        reads the log by `consume`, many blocks at a time.
    """

    stepwise = False

    def start(self, wave: Wave) -> None:
        """Begin a wave of resident blocks.

        Parameters
        ----------
        wave : Wave
            How its threads are laid out as lanes, and where their arrays are.
        """

    def watch(self, entry: tuple[Any, ...]) -> None:
        """See one entry of the log: an executed basic block, or a switch to another gang.

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
            Entries, as `simulator.ir.events` describes them; `Decoder` reads them.
        blocks : list of BasicBlock
            What their numbers stand for.
        """

    def finish_wave(self) -> None:
        """See that all threads of the wave have ended."""

    def blame(self, fault: Fault) -> Fault:
        """Explain the fault that ended the launch.

        Parameters
        ----------
        fault : Fault
            How it ended.

        Returns
        -------
        Fault
            The same, or what was found before and may have caused it.
        """
        return fault

    def abandon(self) -> None:
        """Forget what was seen: the launch begins anew."""

    def finish(self) -> None:
        """Take in that the launch has ended.

        Raises
        ------
        Fault
            If something was found that must not be.
        """


class Observer(ABC):
    """Observes the launches on a device; see `simulator.observing`."""

    @property
    def build(self) -> Build:
        """What kernels must log for it, beyond what they always do."""
        return Build()

    @abstractmethod
    def begin(self, config: LaunchConfig) -> LaunchObserver | None:
        """Begin to observe a launch.

        Parameters
        ----------
        config : LaunchConfig
            The launch: its kernel, grid, block, arguments and memory.

        Returns
        -------
        LaunchObserver or None
            What is notified of it; None if this launch is not observed.
        """
