"""The public face of the sanitizers: `with simulator.sanitize("race", "init"): …`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from simulator.execute.device import Device, observing, watched
from simulator.execute.observer import Observer
from simulator.execute.order import Order
from simulator.hints.similar import one_of
from simulator.ir.events import Build
from simulator.observe.sanitizers.checker import Checker, Report
from simulator.source import SimulatorError

#: Those that are switched on by name, and those that are always on.
OPTIONAL = ("race", "init", "sync")
ALWAYS = ("memory", "livelock", "steps")
NAMES = (*OPTIONAL, *ALWAYS, "all")


@dataclass
class Sanitizing(Observer):
    """The sanitizers that one context switched on."""

    race: bool
    init: bool
    sync: bool
    allow: Mapping[str, str]
    report: Report = field(default_factory=Report)

    @property
    def build(self) -> Build:
        """What must be logged: values and order for races, masks, local variables."""
        return Build(values=self.race, masks=self.sync, locals=self.init)

    def begin(self, order: Order) -> Checker:
        """Watch a launch."""
        return Checker(order, self.race, self.init, self.allow, self.report)


@contextmanager
def sanitize(
    *names: str,
    device: Device | None = None,
    allow: Mapping[str, str] | None = None,
    steps: int | None = None,
) -> Iterator[Report]:
    """Watch every launch on `device` (the current one) for bugs that do not fail by themselves.

    Parameters
    ----------
    *names : str
        Which sanitizers: "race" (two threads access the same memory, one writes, and nothing
        orders them), "init" (a read of memory that nothing wrote), "sync" (a mask that does not fit
        the lanes that call), or "all" of these. "memory" (bounds, alignment, freed memory),
        "livelock" and "steps" are always on and may be named.
    device : Device, optional
        The device to watch.
    allow : mapping of str to str, optional
        Races that are meant: array by its name in the source or its label, and the reason. They
        are recorded and not raised.
    steps : int, optional
        How many steps a launch may take.

    Yields
    ------
    Report
        Its `findings` are races that are declared, or harmless because all threads write the same
        value.

    Raises
    ------
    SimulatorError
        For a name that is no sanitizer, or a limit that is none.
    Fault
        From a launch in which something else is found, at its end.

    Examples
    --------
    >>> import simulator
    >>> kernel = simulator.RawKernel('''
    ... extern "C" __global__ void any(int *a) { *a = threadIdx.x; }''', "any")
    >>> with simulator.sanitize("race", allow={"a": "any thread will do"}) as report:
    ...     kernel((1,), (2,), (simulator.zeros(1, "int32"),))
    >>> [(finding.array, finding.reason) for finding in report.findings]
    [('a', 'any thread will do')]
    """
    wanted = _wanted(names)
    target = watched(device)
    _check_allowed(allow)
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise SimulatorError(f"steps={steps!r} is no limit", hint="give a whole number from 1")
    race, init, sync = (name in wanted for name in OPTIONAL)
    switched = Sanitizing(race, init, sync, dict(allow or {}))
    before = target.steps
    target.steps = before if steps is None else steps
    try:
        with observing(switched, target):
            yield switched.report
    finally:
        target.steps = before


def _check_allowed(allow: object) -> None:
    if not isinstance(allow, Mapping | None):
        words = f"allow is something of type {type(allow).__name__}, not a mapping"
        raise SimulatorError(words, hint='give the reason of each array: {"a": "any thread"}')


def _wanted(names: tuple[str, ...]) -> set[str]:
    for name in names:
        if not isinstance(name, str) or name not in NAMES:
            raise SimulatorError(
                f"there is no sanitizer {name!r}", hint=one_of("sanitizers", str(name), NAMES)
            )
    return set(OPTIONAL) if "all" in names else set(names)
