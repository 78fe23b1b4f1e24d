"""Observers: what looks at launches is notified of each, from its beginning to its end.

An analysis is an `Observer` that a device holds, and what it makes of one launch is a
`LaunchObserver`. Both do nothing by themselves, so that an analysis defines only what it needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from difflib import get_close_matches
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


#: What an observer of a launch may override.
HOOKS = tuple(name for name, part in vars(LaunchObserver).items() if callable(part))


def overlooked(kind: type[LaunchObserver]) -> tuple[str, str] | None:
    """Find out why a class does not see what it should: a misspelt method, or none at all.

    A class that overrides nothing may still look at a launch's configuration as it is made.

    Returns
    -------
    tuple of str or None
        What is wrong, and the remedy.
    """
    own = {name for base in kind.__mro__ if not _is_ours(base) for name in vars(base)}
    missing = [name for name in HOOKS if getattr(kind, name) is getattr(LaunchObserver, name)]
    idle = missing == [*HOOKS] and not own & {"__init__", "value"} and kind is not LaunchObserver
    methods = (n for n in own if not n.startswith("_") and callable(getattr(kind, n)))
    for name in sorted(methods):
        for near in get_close_matches(name, missing, 1, 0.6 if idle else 0.9):
            what = f"{kind.__name__} has a method {name} and overrides no {near}"
            return what, f"did you mean {near}? or rename it"
    words = f"{kind.__name__} overrides nothing of a launch"
    return (words, f"override one of {', '.join(HOOKS)}") if idle else None


def _is_ours(kind: type) -> bool:
    return kind is object or kind.__module__.partition(".")[0] == "simulator"


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
