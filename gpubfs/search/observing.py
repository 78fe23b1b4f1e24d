"""Register the observers that plugins add, put a run under those chosen, collect their reports."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from gpubfs.arguments import Register, defined_at, refuse_bare, said, shown, texts
from gpubfs.errors import UsageError, unknown
from gpubfs.machines import Machine
from gpubfs.search.counters import plain

Made = TypeVar("Made", bound=Callable[[], Any])

WANTED = 'give names of observers, such as ["footprint"]'


@dataclass(frozen=True)
class ObserverKind:
    """An observer that runs can be asked for: what makes it, and what it is in one sentence."""

    name: str
    make: Callable[[], Any]
    summary: str


#: All observers by the name that ``--observe`` takes.
OBSERVERS: Register[ObserverKind] = Register("observer")


def observer(name: str) -> Callable[[Made], Made]:
    """Register a class of observers, which ``gpubfs run --observe NAME`` lets watch a run.

    The class is made without arguments, once for each run. It derives from `simulator.Observer`,
    whose `begin` is called for each launch, and has a method `report`, which is called at the end:
    it returns a mapping of names to values, one of names to such mappings, or a list of such
    mappings. The first sentence of the class's docstring says what the observer is for.

    Parameters
    ----------
    name : str
        Lower-case words with hyphens between them.

    Returns
    -------
    callable
        A decorator, which returns the class itself.

    Raises
    ------
    UsageError
        If the name is taken, or a method is missing.

    Examples
    --------
    >>> import gpubfs, simulator
    >>> @observer("kernels")
    ... class Kernels(simulator.Observer):
    ...     '''Launches of each kernel.'''
    ...     def __init__(self):
    ...         self.launches = {}
    ...     def begin(self, config):
    ...         name = config.kernel.name
    ...         self.launches[name] = self.launches.get(name, 0) + 1
    ...     def report(self):
    ...         return self.launches
    >>> gpubfs.run("scan-free", "toy", source=0, observe="kernels").observers
    {'kernels': {'scan_free': 5}}
    >>> del OBSERVERS["kernels"]
    """
    refuse_bare(name, "observer", 'observer("name")')

    def register(make: Made) -> Made:
        if not callable(make):
            raise UsageError(f"{shown(make)} is no class", "decorate a class of observers")
        abstract = getattr(make, "__abstractmethods__", ())
        parts = ("begin", "report")
        missing = [each for each in parts if not hasattr(make, each) or each in abstract]
        if inspect.isclass(make) and missing:
            hint = f"derive it from simulator.Observer, and give it a method {missing[0]}"
            raise UsageError(f"{make.__name__} has no method {missing[0]}", hint)
        about = " ".join((inspect.getdoc(make) or "").partition("\n\n")[0].split())
        OBSERVERS.add(name, ObserverKind(name, make, about), make)
        return make

    return register


def chosen(names: Any, machine: Machine) -> tuple[str, ...]:
    """Return the names of observers that are asked for, each once.

    Raises
    ------
    UsageError
        If there is no such observer, or the machine has none.
    """
    wanted = tuple(dict.fromkeys(texts(names, "observe", WANTED)))
    for name in wanted:
        if name not in OBSERVERS and not OBSERVERS:
            hint = "plugins add them: gpubfs --plugin FILE run …"
            raise UsageError(f'there is no observer "{name}", and no other one', hint)
        if name not in OBSERVERS:
            raise unknown("observer", name, OBSERVERS)
    if wanted and machine.name != "sim":
        message = f"the machine {machine.name} has no observers, which watch the simulator"
        raise UsageError(message, "use the machine sim, or leave out --observe")
    return wanted


@contextmanager
def observed(names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Let observers watch the current device.

    Yields
    ------
    dict
        What each reports, by its name; there when the context ends without an error.
    """
    reports: dict[str, Any] = {}
    if not names:
        yield reports
        return
    from gpubfs.search.watched import Watched, observing

    watching = {name: Watched(name, OBSERVERS[name].make) for name in names}
    with ExitStack() as stack:
        for one in watching.values():
            stack.enter_context(observing(one))
        yield reports
    reports |= {name: _report(name, one.report()) for name, one in watching.items()}


def _report(name: str, given: Any) -> Any:
    """Return an observer's report as JSON has it."""
    try:
        twice = _collision(given)
        report = plain(given)
        json.dumps(report)
    except (TypeError, ValueError) as error:
        raise _unfit(name, f"{shown(given)}: {said(error)}") from None
    except RecursionError:
        raise _unfit(name, "what contains itself") from None
    if twice:
        where = defined_at(OBSERVERS[name].make)
        message = f"{where}: the observer {name} reports the key {twice} twice"
        raise UsageError(message, "give keys that are different as text")
    rows = report if isinstance(report, list) else [report]
    if not all(isinstance(row, Mapping) for row in rows):
        raise _unfit(name, shown(report))
    return report


def _collision(report: Any) -> str:
    """Return the first key of a report that is another one's as text, as JSON has keys."""
    if not isinstance(report, Mapping | list | tuple):
        return ""
    keys = Counter(map(str, report)) if isinstance(report, Mapping) else Counter()
    parts = report.values() if isinstance(report, Mapping) else report
    twice = next((key for key, times in keys.items() if times > 1), "")
    return twice or next(filter(None, map(_collision, parts)), "")


def _unfit(name: str, what: str) -> UsageError:
    where = defined_at(OBSERVERS[name].make)
    hint = "return a mapping of names to values, or a list of mappings"
    return UsageError(f"{where}: the observer {name} reports {what}", hint)
