"""Wrap an observer of a plugin, so that what fails in it is an error that names it.

Which observers there are, and runs under them, is in `observing.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from gpubfs.arguments import defined_at, is_kind, running, shown
from gpubfs.errors import UsageError
from simulator import Fault, LaunchObserver, Observer, observing
from simulator.execute.launch_config import LaunchConfig
from simulator.execute.observer import overlooked
from simulator.ir.events import Build

__all__ = ["Watched", "observing"]


class _Own:
    """The code of one observer, by its name and what makes it."""

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.name = name
        self.make = make

    def running(self) -> AbstractContextManager[None]:
        """Return the context in which it runs."""
        return running(f"the observer {self.name}", self.make)

    def checked(self, value: Any, kind: type, what: str, hint: str) -> Any:
        """Return what it gives, if that is of a kind."""
        if is_kind(value, kind):
            return value
        where = defined_at(self.make)
        raise UsageError(f"{where}: the observer {self.name} {what} {shown(value)}", hint)


class Watched(Observer):
    """One observer of a plugin.

    Parameters
    ----------
    name : str
        What it is called.
    make : callable
        The class, which is called without arguments.
    """

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self._own = _Own(name, make)
        with self._own.running():
            made = make()
        hint = "derive it from simulator.Observer"
        self._observer = self._own.checked(made, Observer, "is no simulator.Observer but", hint)

    @property
    def build(self) -> Build:
        """What kernels must log for it."""
        with self._own.running():
            build = self._observer.build
        hint = "give a simulator.ir.events.Build"
        made: Build = self._own.checked(build, Build, "has the build", hint)
        return made

    def begin(self, config: LaunchConfig) -> LaunchObserver | None:
        """Begin to observe a launch."""
        with self._own.running():
            begun = self._observer.begin(config)
        if begun is None:
            return None
        hint = "return a simulator.LaunchObserver, or None"
        self._own.checked(begun, LaunchObserver, "begins a launch with", hint)
        if wrong := overlooked(type(begun)):
            what, remedy = wrong
            raise UsageError(f"{defined_at(type(begun))}: {what}", remedy)
        return _WatchedLaunch(self._own, begun)

    def report(self) -> Any:
        """Return what it reports at the end."""
        with self._own.running():
            return self._observer.report()


def _method(name: str) -> Callable[..., Any]:
    """Return a method that calls that of the observer."""

    def call(self: _WatchedLaunch, *arguments: Any) -> Any:
        with self.own.running():
            return getattr(self.observer, name)(*arguments)

    return call


class _WatchedLaunch(LaunchObserver):
    """What the observer of a plugin sees of one launch."""

    def __init__(self, own: _Own, observer: LaunchObserver) -> None:
        self.own = own
        self.observer = observer
        self.stepwise = observer.stepwise

    start = _method("start")
    watch = _method("watch")
    consume = _method("consume")
    finish_wave = _method("finish_wave")
    abandon = _method("abandon")
    finish = _method("finish")

    def blame(self, fault: Fault) -> Fault:
        """Explain the fault that ended the launch."""
        with self.own.running():
            explained = self.observer.blame(fault)
        made: Fault = self.own.checked(explained, Fault, "explains a fault by", "return a Fault")
        return made
