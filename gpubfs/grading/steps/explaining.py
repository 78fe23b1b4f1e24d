"""What a trace says of a run that is lost: the reason, and the steps that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.grading.limits.costs import Cost, by_cost, first_exceeded, value_of
from gpubfs.grading.steps import locating
from gpubfs.grading.steps.idling import Parting, dearest_parting, ways
from gpubfs.grading.steps.looping import last_turns
from gpubfs.grading.steps.racing import steps_of_sides
from gpubfs.show.traces.frames.lanes import BARRIERS, numbers
from gpubfs.show.traces.remark import Remark
from simulator.ir.events import CONDITION
from simulator.observe.trace import Cursor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.grading.outcome import Failure
    from simulator.observe.trace import TracedLaunch, TracedStep
    from simulator.source import Fault

    Launches = Sequence[TracedLaunch]

STEPS = "warp_steps"
#: Counters that grow because lanes of a warp part.
OF_PARTING = ("idle_share", STEPS, "divergent_branches")


def reasons(*failures: Failure | None) -> list[Remark]:
    """Return why a run is lost, in a sentence for each failure that says something else."""
    found: dict[str, None] = {}
    for failure in failures:
        if failure is not None:
            more = [f"{n} {v}" for n in ("expected", "got") if (v := getattr(failure, n))]
            values = "" if failure.reason == "limit" or not more else f" ({', '.join(more)})"
            found[f"{failure.message}{values}"] = None
    return [Remark(text) for text in found]


def of_fault(launches: Launches, fault: Fault, at: int | None) -> Iterator[Remark]:
    """Yield what the steps of a fault show.

    These are both accesses of a race, the lane at fault, where the lanes have parted that do not
    come to a barrier, or the turns of a loop that does not end.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    fault : Fault
        What ended the run.
    at : int, optional
        The step at which it shows.
    """
    for access, step in zip(fault.accesses, steps_of_sides(launches, fault), strict=True):
        if step is not None:
            place = locating.Place.of(launches, step)
            yield Remark(f"{access.words}, line {access.span.line}", step, place.lane(access.lane))
    if at is None or fault.accesses or not fault.lanes:
        return
    place = locating.Place.of(launches, at)
    lane = place.lane(fault.lanes[0])
    if fault.endless:
        yield from _of_loop(place, at, lane)
    elif any(name in place.step.span.text for name in BARRIERS):
        yield from _of_barrier(place, at, lane)
    else:
        yield Remark(f"lane {lane % place.launch.warp_size} stops in line {_line(place)}", at, lane)


def of_cut(launches: Launches, at: int, full: bool = True) -> Iterator[Remark]:
    """Yield which lines repeat at the end of a trace that is cut off.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    at : int
        The last step.
    full : bool
        Whether it can hold no more steps; otherwise time is up.
    """
    place = locating.Place.of(launches, at)
    lane = int(place.step.lanes[0])
    yield from _of_turns(place, lane, f"until {'the trace is full' if full else 'time is up'}")
    why = "it can hold no more steps" if full else "time is up"
    yield Remark(f"the trace ends: {why}", at, lane)


def _line(place: locating.Place) -> int:
    return place.step.focus.line


def _of_loop(place: locating.Place, at: int, lane: int) -> Iterator[Remark]:
    """Yield which lines repeat, and which lanes are in the loop where it is stopped."""
    yield from _of_turns(place, lane, "until it is stopped")
    size = place.launch.warp_size
    own = place.step.lanes[place.launch.part(place.step, lane // size)] % size
    yield Remark(f"{_lanes(own)} never left the loop of line {_line(place)}", at, lane)


def _of_turns(place: locating.Place, lane: int, until: str) -> Iterator[Remark]:
    """Yield which lines of a lane's warp repeat up to the end of a launch."""
    turns = last_turns(place.launch, lane // place.launch.warp_size)
    if turns is not None:
        lines = locating.lines_in_words(turns.lines)
        again = "repeats" if turns.lines.size == 1 else "repeat"
        words = f"from here on {lines} {again}, {turns.count:,} times {until}"
        yield Remark(words, place.begins + turns.begin, lane)


def _of_barrier(place: locating.Place, at: int, lane: int) -> Iterator[Remark]:
    """Yield who waits, and where those have gone another way that do not come."""
    launch, step = place.launch, place.step
    wave = launch.waves[step.wave]
    slot = lane // wave.padded
    threads = np.arange(wave.threads) + slot * wave.padded
    missing = np.setdiff1d(threads, step.lanes)
    cursor = Cursor(launch).at(place.number)
    warps = range(
        slot * wave.padded // launch.warp_size, (slot + 1) * wave.padded // launch.warp_size
    )
    last = np.concatenate([cursor.last(warp) for warp in warps])[missing - slot * wave.padded]
    there = np.intersect1d(threads, step.lanes) - slot * wave.padded
    block = f"of block {wave.block_rank(slot)}"
    yield Remark(
        f"threads {numbers(there)} {block} wait at the barrier of line {_line(place)}", at, lane
    )
    for since in np.unique(last[last >= 0]).tolist():
        gone = missing[last == since]
        who = f"threads {numbers(gone - slot * wave.padded)} {block}"
        words = f"{who} go another way: {_how(launch.steps[since], gone)}"
        yield Remark(words, place.begins + since, int(gone[0]))


def _how(step: TracedStep, lanes: NDArray[np.int64]) -> str:
    """Return where lanes leave the others: at a condition, or wherever they were last."""
    for operand, value in step.named(CONDITION):
        truth = step.of(value, slice(0, step.lanes.size))[np.isin(step.lanes, lanes)]
        words = "true" if truth.all() else "not the same" if truth.any() else "false"
        return f"{operand.site.span.text} is {words}, line {step.focus.line}"
    return f"their last statement is in line {step.focus.line}"


def _lanes(lanes: NDArray[np.int64]) -> str:
    return f"{'lanes' if lanes.size > 1 else 'lane'} {numbers(lanes)}"


def of_limit(
    launches: Launches, limits: Mapping[str, float], cost: Cost
) -> tuple[int | None, list[Remark]]:
    """Return the step that shows why a counter is over its limit, and what is to be said there.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    limits : mapping of str to float
        The counters that should not be more than this.
    cost : Cost
        What the run has cost.
    """
    name = first_exceeded(limits, cost)
    if name is None:
        return None, []
    parting = dearest_parting(launches) if name in OF_PARTING else None
    over = value_of(name, cost) - limits[name]
    # A warp step too many is one in which at least one lane waits.
    if parting is not None and (name != STEPS or parting.idle >= over):
        return _of_parting(launches, parting)
    if name == STEPS:
        return _of_line(launches)
    for count, site in by_cost(name, cost.sites)[: name != "idle_share"]:
        at = locating.first_step_at(launches, site.span)
        whole = sum(part for part, _ in by_cost(name, cost.sites))
        words = _share(count, whole, f"line {site.line}, `{site.text}`", name)
        return at, [] if at is None else [Remark(words, at)]
    return None, []


def _share(count: int, whole: int, place: str, name: str) -> str:
    """Return which part of a counter a place has."""
    share = "most" if 2 * count > whole else "the largest part"
    return f"{share} of it is of {place}: {count:,} of {whole:,} {name}"


def _of_line(launches: Launches) -> tuple[int | None, list[Remark]]:
    """Return the first step at the line that has most steps of warps, and how many it has."""
    counts, first, begins = Counter[tuple[str, int]](), dict[tuple[str, int], int](), 0
    for launch in launches:
        before = 0
        for at, step in enumerate(launch.steps, begins):
            place = step.focus.source.name, step.focus.line
            counts[place] += step.totals.get(STEPS, 0) - before
            first.setdefault(place, at)
            before = step.totals.get(STEPS, 0)
        begins += len(launch.steps)
    for place, count in counts.most_common(1):
        words = _share(count, counts.total(), f"line {place[1]}", STEPS)
        return first[place], [Remark(words, first[place])]
    return None, []


def _of_parting(launches: Launches, parting: Parting) -> tuple[int, list[Remark]]:
    launch = launches[parting.launch]
    begins = sum(len(one.steps) for one in launches[: parting.launch])
    step, at = launch.steps[parting.step], begins + parting.step
    share = f"{parting.idle:,} of the {parting.whole:,} lane steps that lanes wait for others"
    words = f"lanes part at `{step.focus.text}`, line {step.focus.line}, which costs {share}"
    first = Remark(words, at, parting.warp * launch.warp_size)
    return at, [first, *ways(launch, begins, parting)]


def of_element(at: int | None, element: tuple[str, int] | None) -> Iterator[Remark]:
    """Yield that a step writes a wrong result last, or that none does."""
    if element is not None:
        name = f"{element[0]}[{element[1]}]"
        what = f"nothing writes {name}" if at is None else f"{name} is written last"
        yield Remark(what, at)
