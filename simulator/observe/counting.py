"""Counting: `with simulator.counting() as record: …` keeps what every launch did, in counters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from simulator.execute.device import Device, device_or_current
from simulator.execute.observer import LaunchObserver, Observer
from simulator.execute.order import Order
from simulator.observe.counters import Counters, Site
from simulator.observe.counters.tally import Tally


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
    """The launches since `counting` began."""

    launches: list[Launch] = field(default_factory=list)

    @property
    def device_launches(self) -> int:
        """How many of them kernels made."""
        return sum(launch.device_side for launch in self.launches)


class _Counting(Observer):
    """Counts each launch once for all records of a device."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def begin(self, order: Order) -> LaunchObserver:
        return _CountedLaunch(order, self.records)


class _CountedLaunch(Tally):
    """Counts one launch, and files it when it has ended."""

    def __init__(self, order: Order, records: list[Record]) -> None:
        super().__init__(order.profile.warp_size)
        self._order = order
        self._records = records

    def finish(self) -> None:
        order, child = self._order, self._order.device_side
        counters = replace(self.counters(), device_launches=int(child))
        launch = Launch(order.kernel.name, order.grid, order.block, counters, self.sites(), child)
        for record in self._records:
            record.launches.append(launch)


@contextmanager
def counting(device: Device | None = None) -> Iterator[Record]:
    """Count what every launch does on `device` (the current one) while the context lasts.

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
