"""Counting: `with simulator.counting() as record: …` keeps what every launch did, in counters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from simulator.execute.device import Device, device_or_current
from simulator.execute.launch_config import LaunchConfig
from simulator.execute.observer import LaunchObserver, Observer
from simulator.execute.wave import Wave
from simulator.ir.events import BasicBlock, Build
from simulator.observe.counters import COUNTERS, Counters, LaunchCounter, Site
from simulator.observe.counters.description import at_fault
from simulator.observe.counters.tally import Tally
from simulator.source import Fault


@dataclass(frozen=True)
class Launch:
    """What one kernel launch did; `device_side` says that a kernel launched it."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    counters: Counters
    sites: list[Site]
    device_side: bool = False


@dataclass
class Record:
    """The launches since `counting` began.

    Attributes
    ----------
    launches : list of Launch
        Those that have ended, in this order.
    stopped : list of Launch
        Those that a fault has stopped, counted as far as they came; without counters that were
        added.
    """

    launches: list[Launch] = field(default_factory=list)
    stopped: list[Launch] = field(default_factory=list)

    @property
    def device_launches(self) -> int:
        """How many of them kernels made."""
        return sum(launch.device_side for launch in self.launches)


class _Counting(Observer):
    """Counts each launch once for all records of a device."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    @property
    def build(self) -> Build:
        """What kernels must log for the counters that were added."""
        return reduce(or_, (observer.build for observer in _added().values()), Build())

    def begin(self, config: LaunchConfig) -> LaunchObserver:
        return _CountedLaunch(config, self.records)


class _CountedLaunch(LaunchObserver):
    """Counts one launch, and files it when it has ended."""

    def __init__(self, config: LaunchConfig, records: list[Record]) -> None:
        self._config = config
        self._records = records
        self._tally = Tally(config.profile.warp_size)
        self._added: dict[str, LaunchCounter] = {}
        for name, observer in _added().items():
            with at_fault(name):
                self._added[name] = observer(config)

    def start(self, wave: Wave) -> None:
        self._tally.start(wave)
        self._each(lambda counter: counter.start(wave))

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        self._tally.consume(log, blocks)
        self._each(lambda counter: counter.consume(log, blocks))

    def finish_wave(self) -> None:
        self._tally.finish_wave()
        self._each(lambda counter: counter.finish_wave())

    def finish(self) -> None:
        self._each(lambda counter: counter.finish())
        added: dict[str, float] = {}
        for name, counter in self._added.items():
            with at_fault(name):
                added[name] = counter.value
        launch = self._launch(added)
        for record in self._records:
            record.launches.append(launch)

    def blame(self, fault: Fault) -> Fault:
        launch = self._launch({})
        for record in self._records:
            record.stopped.append(launch)
        return fault

    def _launch(self, added: Mapping[str, float]) -> Launch:
        """Return what has been counted so far."""
        config, child, tally = self._config, self._config.device_side, self._tally
        counters = tally.counters(device_launches=int(child), **added)
        return Launch(config.kernel.name, config.grid, config.block, counters, tally.sites(), child)

    def _each(self, step: Callable[[LaunchCounter], None]) -> None:
        """Let the counters that were added take a step."""
        for name, counter in self._added.items():
            with at_fault(name):
                step(counter)


def _added() -> dict[str, type[LaunchCounter]]:
    """List the observers of the counters that have one."""
    return {name: row.observer for name, row in COUNTERS.items() if row.observer}


@contextmanager
def counting(device: Device | None = None) -> Iterator[Record]:
    """Count what every launch does on `device` (the current one) while the context lasts.

    Parameters
    ----------
    device : Device, optional
        By default the current one.

    Yields
    ------
    Record
        Its `launches` grow as kernels run.
    """
    target = device_or_current(device)
    counter = next((o for o in target.observers if isinstance(o, _Counting)), None)
    if counter is None:
        counter = _Counting()
        target.observers.append(counter)
    record = Record()
    counter.records.append(record)
    try:
        yield record
    finally:
        counter.records[:] = [other for other in counter.records if other is not record]
        if not counter.records and counter in target.observers:
            target.observers.remove(counter)
