"""Counters as data: one description each, which tables, JSON, documentation and limits read.

What a launch counts by itself is described where it is declared, in `counters.py`; `add` describes
more from anywhere.
"""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from simulator.execute.launch_config import LaunchConfig
from simulator.execute.observer import LaunchObserver, overlooked
from simulator.ir.events import Build
from simulator.lanes.extensions import line_outside
from simulator.observe.counters.formula import parsed
from simulator.observe.counters.sites import Site, Sum
from simulator.source import SimulatorError

#: The groups of tables, in their order; others follow as they are added.
GROUPS = ["global memory", "atomics", "shared memory", "execution", "balance", "control"]

LAUNCH, RUN = "launch", "run"


class LaunchCounter(LaunchObserver):
    """Counts something in the log of one launch, for a counter that is added.

    One is made for each launch that is counted. `stepwise` observers are not for counting.

    Parameters
    ----------
    config : LaunchConfig
        The launch: its kernel, grid, block, arguments and the profile of its device.

    Attributes
    ----------
    value : int or float
        What was counted; read once the launch has ended.
    build : Build
        What kernels must log for it, beyond what they always do.
    """

    build = Build()

    def __init__(self, config: LaunchConfig) -> None:
        self.config = config
        self.value: float = 0


@dataclass(frozen=True)
class Counter:
    """One counter: what it is, how it is counted, and how it is shown.

    Parameters
    ----------
    name : str
        Its key; a dot leads into a distribution, as in ``work.maximum``.
    unit, meaning : str
        What it counts, in a word, and in a line that stands for itself.
    group : str
        The heading above it in tables; a counter without one is in JSON, but not in tables.
    details : str
        What else documentation says.
    sites : callable, optional
        Counts it in a launch: a function of all its sites, such as a `Sum`.
    formula : str
        Makes it of other counters; of several launches together, of their sums.
    observer : type, optional
        The `LaunchCounter` that counts it in the log of a launch.
    merge : str
        What launches add up to: their sum, their max, or that of the launch which has more of the
        counter named here.
    scope : str
        "launch" if each launch has it, "run" if only a whole run.
    nsight : tuple of str
        The metrics of Nsight Compute whose sum it equals.
    not_in_nsight : str
        Why there are none.
    build : Sum, optional
        How the build that counts on a GPU counts it, where that is not by `sites`.
    not_on_gpu : str
        Why that build does not count it.
    percent : bool
        Whether it is a fraction that tables show in percent.
    heading : str
        Its column in tables with a column for each of a few counters; by default it has none.
    before : str
        The counter that it is shown before; by default it is the last of its group.
    default
        Its value where there was nothing to count.
    """

    name: str = ""
    unit: str = ""
    meaning: str = ""
    group: str = ""
    details: str = ""
    sites: Sum | Callable[[Sequence[Site]], float] | None = None
    formula: str = ""
    observer: type[LaunchCounter] | None = None
    merge: str = "sum"
    scope: str = LAUNCH
    nsight: tuple[str, ...] = ()
    not_in_nsight: str = ""
    build: Sum | None = None
    not_on_gpu: str = ""
    percent: bool = False
    heading: str = ""
    before: str = ""
    default: Any = 0

    def value(self, find: Callable[[str], Any]) -> float | None:
        """Compute it by its formula, where `find` gives the value of a counter."""
        return parsed(self.formula).value(find)

    @property
    def on_gpu(self) -> bool:
        """Whether the build that counts on a GPU counts it, and all that it is made of."""
        parts = parsed(self.formula).names if self.formula else ()
        if not all(COUNTERS[name.partition(".")[0]].on_gpu for name in parts):
            return False
        return not self.observer and not self.not_on_gpu


#: All counters by their names, in the order in which they were described.
COUNTERS: dict[str, Counter] = {}
#: Where each of those that were added was: the file and the line.
_added: dict[str, tuple[str, int]] = {}

#: Packages that describe counters for others.
_PACKAGES = ("simulator", "gpubfs")


def shown() -> tuple[Counter, ...]:
    """List the counters of tables: group by group, each behind or before what it says.

    Examples
    --------
    >>> names = [counter.name for counter in shown()]
    >>> names.index("sectors_per_request") < names.index("store_requests")
    True
    """
    rows = [counter for counter in COUNTERS.values() if counter.group]
    order = [counter.name for counter in rows]
    for counter in rows:
        if counter.before in order:
            order.remove(counter.name)
            order.insert(order.index(counter.before), counter.name)
    groups = list(dict.fromkeys((*GROUPS, *(counter.group for counter in rows))))
    return tuple(sorted((COUNTERS[n] for n in order), key=lambda row: groups.index(row.group)))


def add(counter: Counter) -> Counter:
    """Add a counter: tables, JSON, comparisons and limits of exercises have it from now on.

    Parameters
    ----------
    counter : Counter
        Its description: a name, a unit, a meaning, a group if tables are to show it, and how it is
        counted, which is one of `formula`, `sites` and `observer`. A formula knows the counters
        that are there already; those of a run, such as ``launches``, are there once
        `gpubfs.search.counters.add` is used.

    Returns
    -------
    Counter
        The same.

    Raises
    ------
    SimulatorError
        If a field is missing or makes no sense, or there is another counter of this name.

    Examples
    --------
    >>> import simulator
    >>> made = add(
    ...     Counter(
    ...         "bytes_per_store",
    ...         "bytes",
    ...         "bytes of one store of a warp, on average",
    ...         "global memory",
    ...         formula="store_bytes / store_requests",
    ...     )
    ... )
    >>> simulator.Counters(store_requests=2, store_bytes=200)["bytes_per_store"]
    100.0
    >>> remove("bytes_per_store")
    """
    if not isinstance(counter, Counter):
        raise SimulatorError(f"{counter!r} is no Counter", hint='write Counter(name="…", …)')
    wrong = _wrong(counter)
    if wrong:
        raise SimulatorError(f"counter {counter.name!r}: {wrong[0]}", hint=wrong[1])
    if counter.formula and any(_row(n).scope == RUN for n in parsed(counter.formula).names):
        counter = replace(counter, scope=RUN)
    COUNTERS[counter.name] = counter
    _added[counter.name] = _caller()
    return counter


def added() -> dict[str, tuple[str, int]]:
    """List the counters that were added, each with the file and the line where it was."""
    return {name: where for name, where in _added.items() if name in COUNTERS}


def _caller() -> tuple[str, int]:
    """Find the file and the line outside of the packages from which this module is used."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def remove(name: str) -> None:
    """Forget a counter that was added.

    Parameters
    ----------
    name : str
        Its name.

    Raises
    ------
    SimulatorError
        If there is none, it was not added, or others are made of it.
    """
    if name not in COUNTERS:
        what, remedy = _unknown(name)
        raise SimulatorError(what, hint=remedy)
    if name not in _added:
        raise SimulatorError(f"{name} is the simulator's own", hint="remove what you added")
    for other in COUNTERS.values():
        if other.formula and name in parsed(other.formula).names:
            raise SimulatorError(f"{other.name} is made of {name}", hint="remove that first")
    del COUNTERS[name]
    del _added[name]


@contextmanager
def at_fault(name: str) -> Iterator[None]:
    """Turn what goes wrong in a counter that was added into an error that names it.

    NumPy's overflows count as such: what is counted would be wrong without a word.

    Raises
    ------
    SimulatorError
        With the line that failed.
    """
    try:
        with np.errstate(over="raise"):
            yield
    except SimulatorError:
        raise
    except (Exception, SystemExit) as error:
        file, line = line_outside(error) or where(name)
        what = f"counter {name!r} cannot be counted: {type(error).__name__}: {error}"
        raise SimulatorError(what, hint=f"mend {file}:{line}") from error


def where(name: str) -> tuple[str, int]:
    """Find the file and the line at which a counter was described."""
    return _added.get(name, (__file__, 0))


def number(name: str, value: Any) -> float:
    """Return what a counter that was added counted, as a number of Python's, which never overflows.

    Raises
    ------
    SimulatorError
        If it is no number.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        what = f"counter {name!r} cannot be counted: it is {value!r}"
        raise SimulatorError(what, hint="count a number, in {}:{}".format(*where(name)))
    return int(value) if isinstance(value, Integral) else float(value)


#: What to give for a formula.
_FORMULA = "give arithmetic of counters as text, such as 'load_bytes / load_requests'"


def _wrong(counter: Counter) -> tuple[str, str] | None:
    """Find what is wrong with a description, and the remedy."""
    ways = [way for way in ("formula", "sites", "observer") if getattr(counter, way)]
    merges = ("sum", "max", *COUNTERS)
    text: Any = counter.formula
    names = parsed(text).names if text and isinstance(text, str) else ()
    missing = [field for field in ("unit", "meaning") if not getattr(counter, field)]
    beside = COUNTERS.get(counter.before)
    faults = (
        *(
            (
                not isinstance(getattr(counter, f), str),
                f"{f} is {getattr(counter, f)!r}",
                _FORMULA if f == "formula" else "give text",
            )
            for f in ("name", "unit", "meaning", "group", "details", "formula", "merge", "scope")
        ),
        (not _is_name(counter.name), "this is no name", "take letters, digits, underscores"),
        (
            counter.name in COUNTERS and _text(counter) != _text(COUNTERS[counter.name]),
            "there is one of this name",
            "choose another name, or call remove(name) first",
        ),
        (missing, f"it has no {' and no '.join(missing)}", "give them: unit=…, meaning=…"),
        (
            len(ways) != 1 and counter.scope == LAUNCH,
            f"{' and '.join(ways) or 'nothing'} says how it is counted",
            "give one of formula, sites and observer",
        ),
        (counter.sites and not callable(counter.sites), "sites is no function", "give a function"),
        (
            counter.observer and not _observes(counter.observer),
            "its observer is no class of LaunchCounter, or is stepwise",
            "derive it from simulator.observe.counters.LaunchCounter, and read the log by consume",
        ),
        (counter.merge not in merges, f"merge is {counter.merge!r}", "give 'sum' or 'max'"),
        (counter.scope not in (LAUNCH, RUN), f"scope is {counter.scope!r}", "'launch' or 'run'"),
        (
            counter.before and (beside is None or beside.group != counter.group),
            f"before is {counter.before!r}, which is no counter of its group",
            "name one of the same group, or none",
        ),
        *((not _is_number(name), *_unknown(name)) for name in names),
    )
    found = next(((what, remedy) for wrong, what, remedy in faults if wrong), None)
    if found is None and counter.observer:
        return overlooked(counter.observer)
    return found or (_fails(counter) if names else None)


def _is_name(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def _fails(counter: Counter) -> tuple[str, str] | None:
    """Find out whether a formula gives no number where nothing was counted."""
    try:
        if not isinstance(counter.value(_default), Real):
            return "its formula gives no number", "mend the formula"
    except Exception as error:
        return f"its formula fails: {type(error).__name__}: {error}", "mend the formula"
    return None


def _text(counter: Counter) -> tuple[object, ...]:
    """Give what two readings of one file have in common; they make functions and classes anew."""
    values = (value for name, value in vars(counter).items() if name != "scope")
    return tuple(getattr(value, "__qualname__", value) for value in values)


def _observes(observer: object) -> bool:
    """Whether this is a class that counts in the log."""
    known = isinstance(observer, type) and issubclass(observer, LaunchCounter)
    return known and not observer.stepwise  # type: ignore[attr-defined]


def _row(name: str) -> Counter:
    """Find the description of a counter, or of the distribution that it is read off."""
    return COUNTERS[name.partition(".")[0]]


def _is_number(name: str) -> bool:
    """Whether a formula can use a counter, or a figure of a distribution."""
    return name.partition(".")[0] in COUNTERS and isinstance(_default(name), Real)


def _default(name: str) -> Any:
    """Find the value of a counter, or of a figure of a distribution, where there is none yet."""
    head, *rest = name.split(".")
    found = COUNTERS[head].default
    for part in rest:
        found = getattr(found, part, None)
    return found


def _unknown(name: str) -> tuple[str, str]:
    numbers = [known for known in COUNTERS if _is_number(known)]
    near = get_close_matches(name, numbers, 1)
    remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(numbers)}"
    return f"there is no counter that is a number and called {name!r}", remedy


def markdown() -> str:
    """Lay out the counters of launches as the table of the documentation."""
    lines = ["| counter | unit | meaning | metric of Nsight Compute, or why none |"]
    lines.append("| --- | --- | --- | --- |")
    for row in COUNTERS.values():
        if row.scope == LAUNCH:
            parts = (row.meaning, row.formula and f"`{row.formula}`", row.details)
            meaning = "; ".join(filter(None, parts)).replace("|", "\\|")
            metrics = " + ".join(f"`{metric}`" for metric in row.nsight)
            cells = f"`{row.name}`", row.unit, meaning, metrics or row.not_in_nsight
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
