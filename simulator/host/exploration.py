"""Programs under many schedules: whether their results agree, how far their counters spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.device import Device
from simulator.host.array import ndarray
from simulator.host.creation import asnumpy
from simulator.observe.counters import Counters
from simulator.observe.counting import counting
from simulator.source import SimulatorError

#: The most schedules that are tried for a number.
MOST = 100_000

Results = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Outcome:
    """What a program did under one schedule.

    Attributes
    ----------
    schedule : str
        The schedule.
    results : dict of str to ndarray
        What the program returned, on the host; empty if it failed.
    counters : Counters
        Of all its launches together.
    error : SimulatorError or None
        How it failed.
    """

    schedule: str
    results: Results
    counters: Counters
    error: SimulatorError | None = None


@dataclass(frozen=True)
class Exploration:
    """What a program did under many schedules; `str` says it in a few lines.

    Attributes
    ----------
    outcomes : tuple of Outcome
        One a schedule, in the order asked for.
    """

    outcomes: tuple[Outcome, ...]

    @property
    def agree(self) -> bool:
        """Whether the program ended well under every schedule, with the same results."""
        return not self.differences

    @property
    def differences(self) -> list[str]:
        """A sentence for each schedule under which the program failed or had other results."""
        found = [f"{o.schedule}: {o.error.message}" for o in self.outcomes if o.error is not None]
        whole = [o for o in self.outcomes if o.error is None]
        for other in whole[1:]:
            found += [
                f"{other.schedule}: {what} under {whole[0].schedule}"
                for what in _compare(whole[0].results, other.results)
            ]
        return found

    @property
    def spread(self) -> dict[str, tuple[int, int]]:
        """The least and the most of each counter, over the schedules under which all went well."""
        whole = [o.counters for o in self.outcomes if o.error is None]
        names = [f.name for f in fields(Counters) if isinstance(getattr(Counters(), f.name), int)]
        if not whole:
            return {}
        values = {name: [getattr(counters, name) for counters in whole] for name in names}
        return {name: (min(v), max(v)) for name, v in values.items()}

    def __str__(self) -> str:
        count = len(self.outcomes)
        failed = all(outcome.error is not None for outcome in self.outcomes)
        how = "the results agree" if self.agree else "all fail" if failed else "the results differ"
        lines = [f"{count} schedule{'s' if count != 1 else ''}: {how}"]
        lines += [f"  {difference}" for difference in self.differences]
        varied = {name: ends for name, ends in self.spread.items() if ends[0] != ends[1]}
        width = max(map(len, varied), default=0)
        lines += [f"  {name:<{width}}  {low:,} to {high:,}" for name, (low, high) in varied.items()]
        if self.spread:
            lines.append("  all other counters agree" if varied else "  the counters agree")
        return "\n".join(lines)


def explore(
    program: Callable[[], Any],
    schedules: int | Sequence[str] = 20,
    profile: str = "h200",
    **device: Any,
) -> Exploration:
    """Run `program` under many schedules, each time on a fresh device.

    Parameters
    ----------
    program : callable
        Takes nothing; makes arrays, launches kernels, returns an array, or a tuple, list or mapping
        of arrays, on the device or on the host. What depends on its own random numbers differs.
        Its device is a new one: `counting` and `sanitize` belong inside.
    schedules : int or sequence of str
        How many: lockstep, warp, then shuffled, round-robin and random ones; or their names.
    profile : str
        Which GPU to pretend.
    **device
        What else `Device` takes.

    Returns
    -------
    Exploration
        Whether the results agree, and how the counters spread.

    Raises
    ------
    ValueError
        For no schedules at all.
    SimulatorError
        For a program that cannot be called, and schedules that are neither a number nor names.

    Examples
    --------
    Which thread draws which ticket depends on the order in which they run; how many tickets are
    drawn does not.

    >>> import simulator
    >>> kernel = simulator.RawKernel('''extern "C" __global__ void draw(int *next, int *ticket) {
    ...   ticket[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1);
    ... }''', "draw")
    >>> def program():
    ...     next, ticket = simulator.zeros(1, "int32"), simulator.zeros(128, "int32")
    ...     kernel((2,), (64,), (next, ticket))
    ...     return {"next": next, "ticket": ticket}
    >>> found = simulator.explore(program, 5)
    >>> print(found)
    5 schedules: the results differ
      shuffled:0: ticket[0] is 96, not 0 as under lockstep
      round-robin:0: ticket[0] is 32, not 0 as under lockstep
      random:0: ticket[64] is 96, not 64 as under lockstep
      the counters agree
    """
    _check_program(program)
    names = _names(schedules)
    if not names:
        raise ValueError("explore needs at least one schedule")
    return Exploration(tuple(_outcome(program, name, profile, device) for name in names))


def _check_program(program: object) -> None:
    if not callable(program):
        words = f"program is something of type {type(program).__name__}, which cannot be called"
        raise SimulatorError(words, hint="give a function that takes nothing")


def _names(schedules: int | Sequence[str]) -> list[str]:
    if isinstance(schedules, int | np.integer) and not isinstance(schedules, bool):
        if schedules > MOST:
            raise SimulatorError(
                f"{schedules} schedules are more than {MOST:,}", hint="give fewer, or their names"
            )
        kinds = ("shuffled", "round-robin", "random")
        seeded = [f"{kind}:{seed}" for seed in range(int(schedules)) for kind in kinds]
        return ["lockstep", "warp", *seeded][: max(0, int(schedules))]
    names = [schedules] if isinstance(schedules, str) else schedules
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise SimulatorError(
            f"schedules is something of type {type(schedules).__name__}",
            hint="give how many, or a list of names such as ['lockstep', 'random:7']",
        )
    return list(names)


def _outcome(
    program: Callable[[], Any], schedule: str, profile: str, options: dict[str, Any]
) -> Outcome:
    error, results = None, {}
    with Device(profile, schedule=schedule, **options) as device, counting(device) as record:
        try:
            results = _named(program())
        except SimulatorError as problem:
            error = problem
    counters = sum((launch.counters for launch in record.launches), Counters())
    return Outcome(schedule, results, counters, error)


def _named(answer: Any) -> Results:
    """Name what a program returned, by key or position."""
    if isinstance(answer, Mapping):
        return {str(name): _host(value) for name, value in answer.items()}
    if isinstance(answer, (tuple, list)):
        return {f"result {number}": _host(value) for number, value in enumerate(answer)}
    return {} if answer is None else {"result": _host(answer)}


def _host(value: Any) -> NDArray[Any]:
    return asnumpy(value) if isinstance(value, ndarray) else np.asarray(value)


def _compare(first: Results, other: Results) -> list[str]:
    found = []
    for name in first.keys() | other.keys():
        a, b = first.get(name), other.get(name)
        if a is None or b is None or a.shape != b.shape:
            found.append(f"{name} has another shape than")
            continue
        same = (a == b) | ((a != a) & (b != b))
        if not same.all():
            at = np.unravel_index(int(np.argmin(same)), a.shape)
            index = "".join(f"[{axis}]" for axis in at)
            found.append(f"{name}{index} is {b[at]}, not {a[at]} as")
    return sorted(found)
